"""What the Playstyle page asks, as one value that caches are keyed by."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.plots.style import color_of
from analysis.style.counts import Group, PlayFilter
from ui.shared.stored_logs import LogKey


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
