"""Files that are known by name: all of one kind in one folder, human models or corpora.

A name is plain letters, digits and hyphens, so that none leads out of the folder; links that lead
out of it aren't followed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG


@dataclass(frozen=True)
class NamedFiles:
    """The files of one kind. ``variable``: of the environment, says the folder where it isn't
    ``shipped``; ``pattern``: what a whole name looks like; ``ending``: what follows it."""

    variable: str
    shipped: Path
    pattern: re.Pattern[str]
    ending: str

    def folder(self) -> Path:
        configured = os.environ.get(self.variable)
        return Path(configured) if configured else self.shipped

    def is_name(self, name: str) -> bool:
        return self.pattern.fullmatch(name) is not None

    def names(self) -> list[str]:
        """Of the files there are now, in order."""
        stems = (path.stem for path in self.folder().glob(f"*{self.ending}"))
        return sorted(name for name in stems if self.changed(name) is not None)

    def path(self, name: str) -> Path:
        """Where the file of that name is, or would be."""
        return self.folder() / f"{name}{self.ending}"

    def changed(self, name: str) -> int | None:
        """When the file of that name was last written, ns since 1970; None where there is none.

        One look at the disk: agents ask this before every card.
        """
        if not self.is_name(name):
            return None
        try:
            found = os.lstat(f"{self.folder()}{os.sep}{name}{self.ending}")
        except (OSError, ValueError):  # ValueError: no path of any system
            return None
        return found.st_mtime_ns if S_ISREG(found.st_mode) else None
