"""What the commands share that make shipped tables: ``python -m analysis.ROOM.MODULE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.runs.files import write_table

STOPPED = 130  # exit code of a command that was interrupted and can go on


def make_table(
    about: str | None,
    table: Path,
    make: Callable[[argparse.Namespace], dict[str, Any] | None],
    *add_options: Callable[[argparse.ArgumentParser], Any],
) -> None:
    """Run a command: parse its options, make the document, write it to ``--out``.

    ``about``: the module's docstring; ``table``: the shipped file. ``make`` returns None where the
    command was interrupted.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=table, help="where to write (default: shipped)")
    for add in add_options:
        add(parser)
    options = parser.parse_args()
    content = make(options)
    if content is None:
        say("stopped; the same command goes on")
        sys.exit(STOPPED)
    write_table(content, options.out)


def number(name: str, default: int, meaning: str) -> Callable[[argparse.ArgumentParser], Any]:
    """An option that is a whole number."""
    return lambda parser: parser.add_argument(name, type=int, default=default, help=meaning)


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
