"""What a command returns, and how it reports the rounds that it had to leave out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from analysis.runs.command import say
from spades.core.documents import Document
from spades.core.errors import Refusal

DONE = 0
REFUSED = 1
USAGE = 2
FAILED = 3  # an agent fell short of what was required of it
MAX_REASONS = 10  # printed, of refused rounds


class Answer(NamedTuple):
    """The document that ``--json`` prints, the function that makes text of it for people (None if
    there is nothing to print), and the exit status."""

    document: Document
    table: Callable[[Document], str] | None = None
    status: int = DONE


def refused_rows(path: Path, refusals: Sequence[Refusal]) -> list[Document]:
    """Refused rounds of a file, for a document."""
    return [
        {"file": path.name, "line": refusal.line, "reason": refusal.reason} for refusal in refusals
    ]


def report_refused(rows: Sequence[Document]) -> int:
    """Say how many rounds were left out and why; returns the exit status."""
    if not rows:
        return DONE
    say(f"{len(rows):,} refused and left out:")
    for row in rows[:MAX_REASONS]:
        say(f"{row['file']}: {Refusal(row['line'], row['reason'])}")
    if len(rows) > MAX_REASONS:
        say(f"and {len(rows) - MAX_REASONS:,} more")
    return REFUSED
