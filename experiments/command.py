"""The command line of a script that makes one shipped table: its options, then the file."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.runs.command import INTERRUPTED, RESUMABLE, say, write_table


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
        say(RESUMABLE)
        sys.exit(INTERRUPTED)
    write_table(content, options.out)


def number(name: str, default: int, meaning: str) -> Callable[[argparse.ArgumentParser], Any]:
    """An option that is a whole number."""
    return lambda parser: parser.add_argument(name, type=int, default=default, help=meaning)
