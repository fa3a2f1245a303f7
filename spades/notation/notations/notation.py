"""What a notation of rounds offers.

Files, uploads and pasted texts, the command line and the lists on pages know notations by
``NOTATIONS`` alone. A notation reads each round by itself: one that can't be read is refused with
its line, what was found and what would be legal, and the others are taken.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from spades.core.logs import Log
from spades.core.paths import replacing
from spades.core.records import Record
from spades.notation.reading import (
    Draft,
    Intake,
    Lines,
    Reading,
    lines_of,
    lines_of_file,
    read_drafts,
    read_in_parts,
)


class Notation(ABC):
    """A notation of rounds.

    ``name``: in reports, errors and commands; ``label``: on pages; ``endings``: of file names, the
    first one of written files; ``place``: in lists, and among the notations that a text of unknown
    notation is compared with."""

    name: ClassVar[str]
    label: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    place: ClassVar[int] = 50
    can_be_written: ClassVar[bool] = True

    @abstractmethod
    def parse_parts(self, path: Path, *, name: str = "") -> Iterator[Reading]:
        """The rounds of a file of any size in parts, at least one. ``name``: as in ``Intake``."""

    @abstractmethod
    def write(self, records: Iterable[Record], path: Path) -> int:
        """Write a file, whole or not at all; returns the number of rounds."""


class TextNotation(Notation):
    """A notation whose files are text in UTF-8."""

    @abstractmethod
    def recognises(self, lines: Sequence[str]) -> bool:
        """Whether a text is in this notation, by its first lines; they are stripped, and none is
        empty."""

    def resembles(self, lines: Sequence[str]) -> bool:
        """Whether a text that no notation recognises may be meant as one in this notation, so that
        its reader says what is wrong; ``lines``: as for ``recognises``."""
        return False

    @abstractmethod
    def drafts(self, lines: Lines) -> Iterator[Draft]:
        """The rounds of numbered lines, not yet read. ``InvalidRecordError`` ends the reading."""

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        """The text of the rounds, in pieces; of a notation that ``can_be_written``."""
        raise NotImplementedError

    def parse(self, text: str, *, name: str = "") -> Reading:
        return read_drafts(self.drafts(lines_of(text)), Intake(self.name, name))

    def parse_parts(self, path: Path, *, name: str = "") -> Iterator[Reading]:
        return read_in_parts(self.drafts(lines_of_file(path)), self.name, name)

    def write(self, records: Iterable[Record], path: Path) -> int:
        n_rounds = 0

        def counted() -> Iterator[Record]:
            nonlocal n_rounds
            for record in records:
                n_rounds += 1
                yield record

        with replacing(path) as new, new.open("w", encoding="utf-8", newline="") as file:
            file.writelines(self.format(counted()))
        return n_rounds


class BinaryNotation(Notation):
    """A notation whose files begin with ``magic`` and are no text."""

    magic: ClassVar[bytes]

    @abstractmethod
    def parse(self, source: Path | bytes, *, name: str = "", enough: int | None = None) -> Reading:
        """The rounds of a file or its bytes; with ``enough``, stop after about that many rows."""

    @abstractmethod
    def n_rounds(self, path: Path) -> int:
        """How many rounds a file has, legal or not, by its metadata."""

    @abstractmethod
    def read_logs(self, path: Path) -> Iterator[tuple[Log, dict[int, str]]]:
        """The legal rounds of a file as logs, and why rows, numbered from 1, are refused."""
