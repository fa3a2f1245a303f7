"""What the Playstyle page asks, as one value that caches are keyed by."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.plots.style import color_of
from analysis.style_counts import Group, PlayFilter
from spades.log_store import LogEntry


@dataclass(frozen=True)
class LogKey:
    """A stored log as it is now: another file under the same name is another log."""

    name: str
    stamp: str


def log_key(entry: LogEntry) -> LogKey:
    return LogKey(entry.name, f"{entry.modified}-{entry.size}")


@dataclass(frozen=True)
class Question:
    """Which plays of which logs are compared, in which classes."""

    logs: tuple[LogKey, ...]
    groups: tuple[Group, ...]
    where: PlayFilter
    classes: int

    @property
    def colors(self) -> dict[str, str]:
        """A colour a group, the same in every chart of the page."""
        return color_of([group.label for group in self.groups])
