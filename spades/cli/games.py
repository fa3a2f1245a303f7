"""The commands that play games between agents on a cluster: ``simulate``, ``match`` and
``tournament``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.matches.match import (
    MatchPlan,
    play_match,
    play_round_robin,
    round_robin,
    round_robin_key,
)
from analysis.matches.result import MatchResult, side_texts
from analysis.runs.command import add_cluster_options, on_cluster, say
from analysis.text_tables import shown, span, text_table
from spades.cli.answer import Answer
from spades.cli.arguments import AGENT, add_game_end, add_number, add_seed, game_end_rules
from spades.cli.own import admitted


def add_simulate(parser: argparse.ArgumentParser) -> None:
    """Play games, or single rounds, between any four agents and write a log. Resumable: interrupt
    it at any moment, and the same command continues."""
    for seat in ("north", "east", "south", "west"):
        parser.add_argument(
            f"--{seat}",
            required=True,
            metavar="SPEC",
            help=f"agent in this seat, {AGENT}",
        )
    unit = parser.add_mutually_exclusive_group(required=True)
    add_number(unit, "--games", "whole games to play")
    add_number(unit, "--rounds", "single rounds to play instead")
    add_seed(parser)
    add_game_end(parser)
    add_cluster_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE.parquet|FOLDER",
        help="where to write the log: a file, or, for any number of games, a new folder",
    )


def run_simulate(options: argparse.Namespace) -> Answer:
    unit = "rounds" if options.games is None else "games"
    plan = SimulationPlan(
        agents=(
            admitted(options.north),
            admitted(options.east),
            admitted(options.south),
            admitted(options.west),
        ),
        count=getattr(options, unit),
        unit=unit,
        seed=options.seed,
        rules=game_end_rules(options),
    )
    log = on_cluster(simulate, plan, options.out, options=options)
    say(f"{log.n_rounds:,} rounds written to {log.path}")
    document = {
        "written": str(log.path),
        "rounds": log.n_rounds,
        "games": options.games,
        "plan": plan.document(),
    }
    return Answer(document)


def add_match(parser: argparse.ArgumentParser) -> None:
    """Play games between two agents on common deals, each deal twice with the partnerships swapped.
    Resumable: interrupt it at any moment, and the same command continues; no game is played
    twice."""
    parser.add_argument(
        "--ns", required=True, metavar="SPEC", help=f"agent of North and South, {AGENT}"
    )
    parser.add_argument("--ew", required=True, metavar="SPEC", help="agent of East and West")
    add_number(parser, "--games", "games to play, an even number", required=True)
    add_seed(parser)
    parser.add_argument(
        "--nil-only", action="store_true", help="deal again wherever nobody bids nil"
    )
    add_game_end(parser, target=500)
    add_cluster_options(parser)


def run_match(options: argparse.Namespace) -> Answer:
    plan = MatchPlan(
        ns=admitted(options.ns),
        ew=admitted(options.ew),
        games=options.games,
        seed=options.seed,
        target=options.target,
        floor=options.floor,
        nil_only=options.nil_only,
    )
    result = on_cluster(play_match, plan, options=options)
    return Answer(result.document(), lambda _: match_text(result))


def add_tournament(parser: argparse.ArgumentParser) -> None:
    """Play every two of some agents, or programs, against each other: a match each, as ``match``
    does. The league of the dashboard's Agents page has them. Resumable: no game is played twice."""
    parser.add_argument("agents", nargs="+", metavar="SPEC", help=f"two or more of {AGENT}")
    add_number(parser, "--games", "games of each match, an even number", required=True)
    add_seed(parser)
    add_game_end(parser, target=500)
    add_cluster_options(parser)


def run_tournament(options: argparse.Namespace) -> Answer:
    plans = round_robin(
        [admitted(text) for text in options.agents],
        options.games,
        seed=options.seed,
        target=options.target,
        floor=options.floor,
    )
    results = on_cluster(play_round_robin, plans, options=options)
    document = {
        "tournament": round_robin_key(plans),
        "matches": [result.document() for result in results],
    }
    return Answer(document, lambda _: tournament_text(results))


def tournament_text(results: Sequence[MatchResult]) -> str:
    """A tournament for people: the share that the first of each two won, and points a round."""
    rows = [["", "against", "games won", "95%, over pairs of games", "points a round", "95%"]]
    for result in results:
        difference = result.points_difference
        rows.append(
            [
                result.ns,
                result.ew,
                shown(result.win_rate, ".1%"),
                span(result.interval_pairs, ".1%"),
                shown(difference.value, "+.1f"),
                span(difference.interval, "+.1f"),
            ]
        )
    first = results[0]
    lines = [f"{first.games:,} games each to {first.variant_text}, seed {first.seed}"]
    lines += text_table(rows)
    for result in results:
        lines += result.fault_lines
    return "\n".join(lines)


def match_text(result: MatchResult) -> str:
    """A match for people: who won how often, then what each side did."""
    head = ("95% intervals in brackets", result.ns, result.ew)
    rows = side_texts(result).itertuples(index=False, name=None)
    lines = [
        f"{result.title}: {result.games:,} games to {result.variant_text}, seed {result.seed}",
        _win_line(result),
        *result.fault_lines,
        "",
        *text_table([head, *rows]),
        "",
        f"key {result.key}  behaviour {result.code}",
        *(f"{name}: {version}" for name, version in result.versions.items()),
    ]
    return "\n".join(lines)


def _win_line(result: MatchResult) -> str:
    if result.win_rate is None:
        return f"none of {result.undecided} games was decided"
    line = (
        f"{result.ns} wins {result.win_rate:.1%} of {result.decided:,} games "
        f"(95%, Clopper-Pearson: {span(result.interval, '.1%')}"
    )
    if result.interval_pairs:
        line += f"; over pairs of games: {span(result.interval_pairs, '.1%')}"
    line += ")"
    if result.undecided:
        line += f"; {result.undecided} undecided"
    return line
