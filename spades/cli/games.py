"""The commands ``simulate`` and ``match``, which play games between agents on a cluster."""

import argparse
from pathlib import Path
from typing import Any

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.matches.documents import side_texts
from analysis.matches.match import MatchPlan, play_match
from analysis.runs.command import add_cluster_options, on_cluster, say
from analysis.text_tables import span, text_table
from spades.cli.answer import Answer
from spades.cli.arguments import AGENT, add_game_end, add_seed


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
    unit.add_argument("--games", type=int, metavar="N", help="whole games to play")
    unit.add_argument("--rounds", type=int, metavar="N", help="single rounds to play instead")
    add_seed(parser)
    add_game_end(parser)
    add_cluster_options(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE.parquet", help="where to write the log"
    )


def run_simulate(options: argparse.Namespace) -> Answer:
    unit = "rounds" if options.games is None else "games"
    rules = {}
    if options.target is not None:
        rules["target"] = options.target
    if options.floor is not None:
        rules["losing_floor"] = options.floor
    plan = SimulationPlan(
        agents=(options.north, options.east, options.south, options.west),
        count=getattr(options, unit),
        unit=unit,
        seed=options.seed,
        rules=rules,
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
    parser.add_argument(
        "--games", type=int, required=True, metavar="N", help="games to play, an even number"
    )
    add_seed(parser)
    parser.add_argument(
        "--nil-only", action="store_true", help="deal again wherever nobody bids nil"
    )
    add_game_end(parser, target=500)
    add_cluster_options(parser)


def run_match(options: argparse.Namespace) -> Answer:
    plan = MatchPlan(
        ns=options.ns,
        ew=options.ew,
        games=options.games,
        seed=options.seed,
        target=options.target,
        floor=options.floor,
        nil_only=options.nil_only,
    )
    return Answer(on_cluster(play_match, plan, options=options), match_table)


def match_table(document: dict[str, Any]) -> str:
    head = (
        f"{document['ns']} against {document['ew']}: {document['games']:,} games to "
        f"{document['target']}"
    )
    if document["floor"] is not None:
        head += f", floor {document['floor']}"
    if document["nil_only"]:
        head += ", nil-only"
    sides = side_texts(document).itertuples(index=False, name=None)
    columns = ("95% intervals in brackets", document["ns"], document["ew"])
    return "\n".join(
        [
            f"{head}, seed {document['seed']}",
            _win_text(document),
            "",
            *text_table([columns, *sides]),
            "",
            f"key {document['key']}  behaviour {document['code']}",
        ]
    )


def _win_text(document: dict[str, Any]) -> str:
    undecided = document["undecided"]
    if document["win_rate"] is None:
        return f"none of {undecided} games was decided"
    n_decided = sum(document["wins"].values())
    text = (
        f"{document['ns']} wins {document['win_rate']:.1%} of {n_decided:,} games "
        f"[{span(document['interval'], '.1%')}], Clopper-Pearson 95%"
    )
    if document["interval_pairs"]:
        text += f"; [{span(document['interval_pairs'], '.1%')}] over pairs of games"
    if undecided:
        text += f"; {undecided} undecided"
    return text
