"""The commands ``simulate``, ``match``, ``sweep``, on a cluster of workers, and ``bench``."""

import argparse
from pathlib import Path
from typing import Any

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.matches.documents import side_texts
from analysis.matches.match import MatchPlan, play_match
from analysis.runs.command import add_cluster_options, on_cluster, say, write_table
from analysis.sweeps.library import sweep_table
from analysis.sweeps.run import run_sweep as measure_sweep
from analysis.sweeps.sweep import read_sweep
from analysis.text_tables import span, text_table
from cli.main import AGENT, Answer, add_game_end, add_seed


def add_simulate(parser: argparse.ArgumentParser) -> None:
    """Play games, or single rounds, between any agents and write the log. Stop it at any moment:
    the same command goes on where it was."""
    for seat in ("north", "east", "south", "west"):
        parser.add_argument(f"--{seat}", required=True, metavar="SPEC", help=AGENT)
    unit = parser.add_mutually_exclusive_group(required=True)
    unit.add_argument("--games", type=int, metavar="N")
    unit.add_argument("--rounds", type=int, metavar="N")
    add_seed(parser)
    add_game_end(parser)
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.parquet")


def run_simulate(options: argparse.Namespace) -> Answer:
    unit = "rounds" if options.games is None else "games"
    rules = {"target": options.target, "losing_floor": options.floor}
    plan = SimulationPlan(
        agents=(options.north, options.east, options.south, options.west),
        count=getattr(options, unit),
        unit=unit,
        seed=options.seed,
        rules={name: value for name, value in rules.items() if value is not None},
    )
    made = on_cluster(simulate, plan, options.out, options=options)
    say(f"{made.n_rounds:,} rounds written to {made.path}")
    written = {"written": str(made.path), "rounds": made.n_rounds, "games": options.games}
    return Answer({**written, "plan": plan.document()})


def add_match(parser: argparse.ArgumentParser) -> None:
    """Play games between two agents on common deals, each deal twice with the partnerships swapped.
    Stop it at any moment: the same command goes on where it was, and what has been played is never
    played again."""
    parser.add_argument("--ns", required=True, metavar="SPEC", help=AGENT)
    parser.add_argument("--ew", required=True, metavar="SPEC", help="its opponents")
    parser.add_argument("--games", type=int, required=True, metavar="N", help="an even number")
    add_seed(parser)
    parser.add_argument("--nil-only", action="store_true", help="deals without a nil are thrown in")
    add_game_end(parser, target=500)
    add_cluster_options(parser)


def run_match(options: argparse.Namespace) -> Answer:
    names = ("ns", "ew", "games", "seed", "target", "floor", "nil_only")
    plan = MatchPlan(**{name: getattr(options, name) for name in names})
    return Answer(on_cluster(play_match, plan, options=options), match_table)


def match_table(document: dict[str, Any]) -> str:
    variant = ", nil-only" if document["nil_only"] else ""
    floor = "" if document["floor"] is None else f", floor {document['floor']}"
    head = ("95% intervals in brackets", document["ns"], document["ew"])
    return "\n".join(
        [
            f"{document['ns']} against {document['ew']}: {document['games']:,} games to "
            f"{document['target']}{floor}{variant}, seed {document['seed']}",
            _win_line(document),
            "",
            *text_table([head, *side_texts(document).itertuples(index=False, name=None)]),
            "",
            f"key {document['key']}  behaviour {document['code']}",
        ]
    )


def _win_line(document: dict[str, Any]) -> str:
    wins, undecided = document["wins"], document["undecided"]
    if document["win_rate"] is None:
        return f"none of {undecided} games was decided"
    line = (
        f"{document['ns']} wins {document['win_rate']:.1%} of {sum(wins.values()):,} games "
        f"[{span(document['interval'], '.1%')}], Clopper-Pearson 95%"
    )
    if document["interval_pairs"]:
        line += f"; [{span(document['interval_pairs'], '.1%')}] over pairs of games"
    return line + (f"; {undecided} undecided" if undecided else "")


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Measure every setting of a grid: how often it plays the human's card on held-out decisions,
    KL of its abstract moves from humans', win rate against the unbiased search, time and calls of
    the model a move. Stop it at any moment: the same command goes on where it was, and a setting
    once measured is never measured again."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="as in data/sweeps")
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the JSON document there")


def run_sweep(options: argparse.Namespace) -> Answer:
    document = on_cluster(measure_sweep, read_sweep(options.config), options=options)
    if options.out is not None:
        write_table(document, options.out, indent=1)
        say(f"{len(document['settings'])} settings written to {options.out}")
    return Answer(document, sweep_table)


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Measure the speed table on this machine. Rows that need something which isn't here (the
    yardstick's source, OpenSpiel, Chromium) are marked not measured."""
    parser.add_argument("--yardstick", type=Path, metavar="FILE.c", help="the C search to compare")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these rows")


def run_bench(options: argparse.Namespace) -> Answer:
    from benchmarks.speed import bench_document, bench_table  # slow to import

    return Answer(bench_document(options.yardstick, only=options.only, say=say), bench_table)
