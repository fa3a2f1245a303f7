"""What the Nil page asks, as one value that caches are keyed by."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.bidding.sequences import Pattern
from spades.notation.log_store import LogEntry
from ui.shared.stored_logs import LogKey

SHOWN_FIRST = "four-srp-nil"
"""The shipped log with the most nils; it has rounds for the points of the bots' curves."""


@dataclass(frozen=True)
class Question:
    """Whose nils, after which bids: fitted tables by name, logs, and the kind of bidder in them."""

    tables: tuple[str, ...]
    logs: tuple[LogKey, ...]
    kind: str
    patterns: tuple[Pattern, ...]


def ordered(entries: list[LogEntry]) -> dict[str, LogEntry]:
    """The readable logs by name, the one with the most nils first."""
    readable = [entry for entry in entries if entry.is_readable]
    return {
        entry.name: entry for entry in sorted(readable, key=lambda entry: entry.name != SHOWN_FIRST)
    }
