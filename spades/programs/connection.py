"""What a session asks a program through: a process of its own, or its requests over HTTP."""

from abc import abstractmethod
from typing import Protocol

from spades.core.programs import Program

MAX_UNSENT = 1 << 20  # bytes that wait for a program to read them
UNREAD = f"it leaves {MAX_UNSENT >> 20} MB unread"


class Connection(Protocol):
    """Lines to a program that plays one seat, and its answers."""

    def send(self, line: bytes) -> None:
        """Queue a line, its end included. ``ProgramFaultError`` where too much waits."""

    def flush(self) -> None:
        """Hand over what is queued, as far as the program takes it now."""

    def read_line(self, seconds: float) -> bytes | None:
        """The program's next line, without its end; None where none comes in time.
        ``ProgramFaultError`` where none will."""

    def last_error_line(self) -> str:
        """What the program last said of its own errors, "" for nothing."""

    def close(self, last_words: bytes = b"") -> None:
        """Close the connection, after sending ``last_words``."""


class SeatedProgram(Program):
    """A program that speaks the engine protocol, with a connection for each seat. ``seconds``: the
    time for one answer."""

    seconds: float

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @abstractmethod
    def connect(self, seat: int) -> Connection:
        """Begin a conversation with it in a seat. ``ProgramError`` where it can't be had."""

    def note_answer(self, *, is_late: bool) -> bool:
        """Note whether it answered a question in time. True where it has let so many pass that it
        isn't to be asked again."""
        return False
