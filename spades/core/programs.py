"""Code that is not of this project but takes part in it: a bot of one's own, another program.

A program has a name in agents' texts. A text alone never runs one: the name is looked up among the
programs that were *admitted* to this process, by a command that the user typed or by Python code.
A page's link, an upload and a stored record are only ever looked up.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from spades.core.errors import SpadesError, shown

MAX_VERSION = 60  # letters


class ProgramError(SpadesError):
    """A program that can't be had, or that did what the game doesn't allow."""


class ProgramFaultError(ProgramError):
    """What a program, or a bot of one's own, did in a game against its rules: it loses that game,
    and no more. ``seat``: whose agent was asked."""

    def __init__(self, message: str, seat: int = -1) -> None:
        super().__init__(message)
        self.seat = seat


@dataclass(frozen=True)
class Program(ABC):
    """A program by its name in agents' texts. ``version``: results of it are stored under both.

    It is sent to workers, which admit it; one that finds another version refuses the work.
    ``runs_anywhere``: False where only this process can have it."""

    runs_anywhere: ClassVar[bool] = True

    name: str
    version: str

    def __post_init__(self) -> None:
        version = self.version
        is_short = isinstance(version, str) and 0 < len(version) <= MAX_VERSION
        if not is_short or not version.isprintable():
            raise ProgramError(
                f"the version of {self.name} is {shown(version)}; a text of 1 to {MAX_VERSION} "
                "letters on one line is legal"
            )

    @property
    def key(self) -> str:
        """What results call it; a bidder's begins with a plus sign, as in agents' texts."""
        return self.name

    @property
    def title(self) -> str:
        """For errors."""
        return f"{self.name} (version {self.version})"

    @abstractmethod
    def admit(self) -> None:
        """Make the program available in this process; ``ProgramError`` where it can't be."""
