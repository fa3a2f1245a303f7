"""The commands ``convert`` and ``simulate``: logs from one file into another, and from agents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.runs.parts import add_cluster_options
from cli.models import DONE, REFUSED, Console
from spades.core.errors import InvalidRecordError


def add_convert(commands: Any, console: Console) -> None:
    parser = commands.add_parser(
        "convert",
        help="convert a record between notations",
        description="Convert between notations by file ending: .ptn .tn .jsonl .parquet .csv; "
        ".openspiel and .log are read only.",
    )
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("target", type=Path, metavar="OUT")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=lambda options: _convert(options, console))


def add_simulate(commands: Any, console: Console) -> None:
    parser = commands.add_parser(
        "simulate",
        help="play games between agents and log them",
        description="Play games, or single rounds, between any agents and write the log. Stop it "
        "at any moment: the same command goes on where it was.",
    )
    for seat in ("north", "east", "south", "west"):
        parser.add_argument(f"--{seat}", required=True, metavar="SPEC", help="ismcts, human, ...")
    unit = parser.add_mutually_exclusive_group(required=True)
    unit.add_argument("--games", type=int, metavar="N")
    unit.add_argument("--rounds", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--target", type=int, metavar="POINTS", help="500 by default")
    parser.add_argument("--floor", type=int, metavar="POINTS", help="losing floor, none by default")
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.parquet")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=lambda options: _simulate(options, console), goes_on=True)


def _convert(options: argparse.Namespace, console: Console) -> int:
    from spades.notation import read_parts, write_parts

    refused: list[dict[str, Any]] = []

    def parts() -> Iterator[Sequence[Any]]:
        n_read = 0
        for reading in read_parts(options.source):
            for refusal in reading.refused:
                console.say(f"{options.source.name}: {refusal}")
                refused.append({"line": refusal.line, "reason": refusal.reason})
            n_read += len(reading.records)
            yield reading.records
        if not n_read:
            raise InvalidRecordError(f"{options.source.name}: no round to convert; nothing written")

    n_rounds = write_parts(parts(), options.target)
    console.say(f"{n_rounds} rounds written to {options.target}")
    if options.json:
        written = {"file": options.source.name, "written": str(options.target), "rounds": n_rounds}
        console.show(json.dumps({**written, "refused": refused}))
    return REFUSED if refused else DONE


def _simulate(options: argparse.Namespace, console: Console) -> int:
    from analysis.logs.simulate import SimulationPlan, simulate
    from analysis.runs.parts import stoppable

    rules = {"target": options.target, "losing_floor": options.floor}
    plan = SimulationPlan(
        agents=(options.north, options.east, options.south, options.west),
        count=options.games if options.games is not None else options.rounds,
        unit="games" if options.games is not None else "rounds",
        seed=options.seed,
        rules={name: value for name, value in rules.items() if value is not None},
    )
    with stoppable(console.say) as is_stopping:
        made = simulate(
            plan,
            options.out,
            workers=options.workers,
            scheduler=options.scheduler,
            tell=lambda progress: console.say(progress.text()),
            is_cancelled=is_stopping,
        )
    if made is None:
        raise KeyboardInterrupt
    console.say(f"{made.n_rounds:,} rounds written to {made.path}")
    if options.json:
        written = {"written": str(made.path), "rounds": made.n_rounds, "games": options.games}
        console.show(json.dumps({**written, "plan": plan.document()}))
    return DONE
