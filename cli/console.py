"""What the commands share: exit statuses, output, common options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spades.core.errors import Refusal

DONE, REFUSED, USAGE, STOPPED = 0, 1, 2, 130
MAX_REASONS = 10  # of refused rounds, printed


class Answer(NamedTuple):
    """What a command found: the document of ``--json``, its table for people, the exit status."""

    document: dict[str, Any]
    table: Callable[[dict[str, Any]], str] | None = None
    status: int = DONE


def show(text: str) -> None:
    print(text)


def say(text: str) -> None:
    print(text, file=sys.stderr)


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


def finish(refused: Sequence[dict[str, Any]]) -> int:
    """Say how many rounds were left out, and why the first of them were; the exit status."""
    if not refused:
        return DONE
    say(f"{len(refused):,} refused and left out:")
    for row in refused[:MAX_REASONS]:
        say(f"{row['file']}: {Refusal(row['line'], row['reason'])}")
    if len(refused) > MAX_REASONS:
        say(f"and {len(refused) - MAX_REASONS:,} more")
    return REFUSED
