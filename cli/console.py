"""What the commands share: exit statuses, output, common options, and runs that Ctrl-C stops."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from analysis.runs.command import stoppable
from spades.core.errors import Refusal

DONE, REFUSED, USAGE, STOPPED = 0, 1, 2, 130
MAX_REASONS = 10  # of refused rounds, printed
_Made = TypeVar("_Made")


def show(text: str) -> None:
    print(text)


def say(text: str) -> None:
    print(text, file=sys.stderr)


def show_document(
    options: argparse.Namespace, document: dict, table: Callable[[dict], str]
) -> None:
    show(json.dumps(document) if options.json else table(document))


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document")


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S")


def add_game_end(parser: argparse.ArgumentParser, target: int | None = None) -> None:
    parser.add_argument(
        "--target", type=int, default=target, metavar="POINTS", help="500 by default"
    )
    parser.add_argument("--floor", type=int, metavar="POINTS", help="losing floor, none by default")


def refused_rows(path: Path, refusals: Sequence[Refusal]) -> list[dict[str, Any]]:
    """Refusals as a command's JSON document has them."""
    return [{"file": path.name, "line": r.line, "reason": r.reason} for r in refusals]


def refused_text(rows: Sequence[dict[str, Any]]) -> str:
    """How many rounds were left out, and why the first of them were."""
    lines = [f"{len(rows):,} refused and left out:"]
    lines += [f"{row['file']}: {Refusal(row['line'], row['reason'])}" for row in rows[:MAX_REASONS]]
    more = len(rows) - MAX_REASONS
    return "\n".join(lines + ([f"and {more:,} more"] if more > 0 else []))


def finish(refused: Sequence[dict[str, Any]]) -> int:
    """Report what was refused; the exit status."""
    if refused:
        say(refused_text(refused))
    return REFUSED if refused else DONE


def run_tasks(run: Callable[..., _Made | None], *arguments: Any, options: Any) -> _Made:
    """Call ``run`` with the options of a cluster; ``KeyboardInterrupt`` if Ctrl-C stopped it."""
    with stoppable(say) as is_stopping:
        made = run(
            *arguments,
            workers=options.workers,
            scheduler=options.scheduler,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_stopping,
        )
    if made is None:
        raise KeyboardInterrupt
    return made
