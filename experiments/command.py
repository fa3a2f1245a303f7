"""What the scripts that make shipped tables share: a command line, logs of four equal agents."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.runs.command import INTERRUPTED, RESUMABLE, interruptible, say, write_table
from analysis.runs.tasks import Task, TaskRunner
from spades.core.documents import Document
from spades.core.logs import Log
from spades.notation.parquet import load_log

AddOption = Callable[[argparse.ArgumentParser], Any]


def parse_options(about: str | None, out: Path, *add_options: AddOption) -> argparse.Namespace:
    """The options of a script that writes ``--out``. ``about``: the module's docstring."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=out, help="where to write (default: shipped)")
    for add in add_options:
        add(parser)
    return parser.parse_args()


def make_table(
    about: str | None,
    table: Path,
    make: Callable[[argparse.Namespace], Document | None],
    *add_options: AddOption,
) -> None:
    """Run a script: parse its options, make the document, write it to ``--out``.

    ``table``: the shipped file. ``make`` returns None where the script was interrupted.
    """
    options = parse_options(about, table, *add_options)
    document = make(options)
    if document is None:
        say(RESUMABLE)
        sys.exit(INTERRUPTED)
    write_table(document, options.out)


def run_tasks(tasks: Sequence[Task], unit: str, workers: int | None) -> bool:
    """Run tasks and say how far they are; False where they were interrupted."""
    with (
        interruptible(say) as is_cancelled,
        TaskRunner(
            len(tasks),
            unit,
            workers=workers,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_cancelled,
        ) as run,
    ):
        return run.complete(tasks)


def number(name: str, default: int, meaning: str) -> AddOption:
    """An option that is a whole number."""
    return lambda parser: parser.add_argument(name, type=int, default=default, help=meaning)


def simulated_log(plan: SimulationPlan, path: Path, workers: int | None) -> Log | None:
    """The log of a plan, played if the file isn't there; None where that was interrupted."""
    with interruptible(say) as is_cancelled:
        made = simulate(plan, path, workers=workers, is_cancelled=is_cancelled)
    return load_log(made.path) if made else None


def four_of(agent: str, count: int, unit: str, seed: int) -> SimulationPlan:
    """Games or rounds of the same agent in every seat."""
    return SimulationPlan((agent, agent, agent, agent), count, unit, seed)
