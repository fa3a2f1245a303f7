"""What reading a text of records gives, and what every notation's reader and writer is built from.

Readers never raise for what a text holds: each record is taken or refused on its own, with the
line, what was found and what would be legal. Limits keep every reader in linear time.
"""

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from spades.core.cards import N_CARDS, N_SEATS, SEATS
from spades.core.documents import is_unicode
from spades.core.errors import InvalidRecordError, Refusal, SpadesError
from spades.core.records import Record
from spades.core.rules import NO_BID

MAX_ROUNDS_AT_ONCE = 250_000  # of a folder, where its log is one of arrays in memory
MAX_TEXT_BYTES = 64 * 2**20
MAX_LINES = 5_000_000
MAX_LINE = 2 * 2**20  # characters; a JSON line of the longest texts is shorter
MAX_RECORDS = 200_000
MAX_TAGS = 100  # of one record or document
MAX_ROWS = 20  # of one section, 13 tricks and some slack
MAX_NOTES = 10_000
MAX_REASON = 2_000
ROUNDS_AT_ONCE = 1_000
FENCES = ("```", "~~~")
BYTE_ORDER_MARK = "\ufeff"
_SKIPPED = 2**20
_BLOCK = 2**16  # characters of a text that are cut into lines at a time
_LINE_END = re.compile("\r\n?|\n")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Note:
    """Something tolerated, assumed or left out while reading; ``line`` from 1, 0 for the text."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True, repr=False)
class Reading:
    """All that a text of records gave. Every record in ``records`` has been replayed."""

    records: tuple[Record, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[Note, ...] = ()
    notation: str = ""

    def __repr__(self) -> str:
        return f"<Reading of {len(self.records):,} rounds, {len(self.refused):,} refused>"

    def __str__(self) -> str:
        """How many rounds were read, and why others weren't."""
        lines = [f"{len(self.records):,} rounds read, {len(self.refused):,} refused"]
        lines += map(str, self.refused)
        return "\n".join(lines)


@dataclass
class Intake:
    """A reading under way. ``name`` (of the file) goes to the records' source and nowhere else."""

    notation: str
    name: str = ""
    records: list[Record] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def note(self, line: int, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(Note(line, text))
        elif len(self.notes) == MAX_NOTES:
            self.notes.append(Note(line, "further notes left out"))

    def refuse(self, line: int, reason: str) -> None:
        self.refused.append(Refusal(line, reason[:MAX_REASON]))

    def take(self, line: int, read: Callable[[], Record]) -> Record | None:
        """Add the record that ``read`` gives; refuse it if ``read`` raises."""
        try:
            record = read()
        except SpadesError as error:
            self.refuse(getattr(error, "line", 0) or line, str(error))
            return None
        if not record.source and self.name:
            record = dataclasses.replace(record, source=f"{self.name}:{line}")
        self.records.append(record)
        return record

    def note_if_short(self, line: int, record: Record | None) -> None:
        """Remark that a record ends within a round: it may be one that was cut short, or a text
        that has lost lines. Said where lines stand for themselves, so that none is missed."""
        if record is not None and record.plays and not record.is_complete:
            self.note(line, f"the round ends after {len(record.plays)} of {N_CARDS} plays")

    def has_too_many(self, n_records: int) -> bool:
        """Refuse the whole text if it holds more records than the limit."""
        if n_records > MAX_RECORDS:
            self.refuse(0, f"over {MAX_RECORDS:,} rounds in one text, at most that many are read")
        return n_records > MAX_RECORDS

    def done(self, error: InvalidRecordError | None = None) -> Reading:
        if error:
            self.refuse(error.line, str(error))
        if not (self.records or self.refused):
            self.refuse(0, f"no record of the {self.notation} notation was found")
        return Reading(
            records=tuple(self.records),
            refused=tuple(self.refused),
            notes=tuple(self.notes),
            notation=self.notation,
        )


Lines = Iterable[tuple[int, str]]
"""The lines of a text, numbered from 1."""


class Line(NamedTuple):
    """A line's number from 1, and its text."""

    number: int
    text: str


@dataclass
class Tagged:
    """What a record, or a document of several, says in tags by name; ``line``: where it begins.
    ``fault`` is the first thing that can't be tolerated."""

    line: int = 0
    tags: dict[str, Line] = field(default_factory=dict)
    fault: InvalidRecordError | None = None

    def value(self, name: str, default: str = "") -> str:
        return self.tags[name].text if name in self.tags else default

    def line_of(self, name: str) -> int:
        return self.tags[name].number if name in self.tags else self.line

    def blame(self, number: int, reason: str) -> None:
        self.fault = self.fault or InvalidRecordError(reason, number)


Draft = tuple[int, Callable[[Intake], Record]]
"""A record not yet read: the line where it begins, and its reader."""


def refused_draft(error: InvalidRecordError) -> Draft:
    """A draft for what is to be refused in the place of a record."""

    def refuse(_: Intake) -> NoReturn:
        raise error

    return error.line, refuse


def read_drafts(drafts: Iterable[Draft], intake: Intake) -> Reading:
    """Records of all drafts, none of too many; an error of ``drafts`` itself ends the reading."""
    try:
        first_drafts = list(itertools.islice(drafts, MAX_RECORDS + 1))
    except InvalidRecordError as error:
        return intake.done(error)
    if not intake.has_too_many(len(first_drafts)):
        for line, read in first_drafts:
            intake.take(line, partial(read, intake))
    return intake.done()


def read_in_parts(drafts: Iterable[Draft], notation: str, name: str) -> Iterator[Reading]:
    """As ``read_drafts``, a thousand rounds at a time, for files of any size."""
    is_empty = True
    try:
        for part in batched(drafts, ROUNDS_AT_ONCE):
            is_empty = False
            yield read_drafts(part, Intake(notation, name))
    except InvalidRecordError as error:
        yield Intake(notation, name).done(error)
    else:
        if is_empty:
            yield Intake(notation, name).done()


def batched(items: Iterable[Item], n: int) -> Iterator[list[Item]]:
    """Items in lists of ``n``, the last of what is left."""
    rest = iter(items)
    while part := list(itertools.islice(rest, n)):
        yield part


@contextmanager
def blamed_on(line: int) -> Iterator[None]:
    """What goes wrong inside is refused with this line, unless it already has one."""
    try:
        yield
    except SpadesError as error:
        if getattr(error, "line", 0):
            raise
        raise InvalidRecordError(str(error), line) from error


def without_marks(text: str) -> str:
    """A text without the byte order marks that it begins with; programs that join files leave
    several."""
    return text.lstrip(BYTE_ORDER_MARK)


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines, whichever way they end. Not every Unicode separator is a line's end."""
    return enumerate(_lines(text), start=1)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, a block of them in memory at a time."""
    start = 0
    is_whole = False
    while not is_whole:
        ending = _LINE_END.search(text, min(start + _BLOCK, len(text)))
        is_whole = ending is None
        end, following = ending.span() if ending else (len(text), len(text))
        if text[start:end].endswith("\r") and text[end:following] == "\n":
            end -= 1  # both end one line
        block = text[start:end]
        yield from block.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        start = following


def lines_of_file(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file of any size; one too long comes cut to ``MAX_LINE`` + 1. Bytes
    that are no UTF-8 come as lone surrogates, to be refused."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline=None) as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if number == 1:
                line = without_marks(line)
            is_cut = len(line) > MAX_LINE and not line.endswith("\n")
            yield number, line.removesuffix("\n")
            while is_cut and (rest := file.readline(_SKIPPED)):
                is_cut = not rest.endswith("\n")


def check_line(line: str) -> None:
    """``InvalidRecordError`` for a line that can't be read at all."""
    if len(line) > MAX_LINE:
        reason = f"a line of over {MAX_LINE:,} characters; at most that many are read"
        raise InvalidRecordError(reason)
    if "\0" in line:
        raise InvalidRecordError("binary data: the line holds a zero byte")
    if not is_unicode(line):
        raise InvalidRecordError("not UTF-8")


def summarise(readings: Iterable[Reading]) -> dict[str, Any]:
    """Counts of rounds, decks, and who played by seat; refusals and notes by line. Rounds count
    through all parts of a file. ``seats``: rounds by kind of player. ``played_by``: by kind and
    agent, the commonest first."""
    summary: dict[str, Any] = {
        "notation": "",
        "rounds": 0,
        "complete": 0,
        "incomplete": [],
        "refused": [],
        "notes": [],
    }
    kinds: list[Counter[str]] = [Counter() for _ in SEATS]
    players: list[Counter[tuple[str, str]]] = [Counter() for _ in SEATS]
    decks: Counter[str] = Counter()
    for reading in readings:
        summary["notation"] = reading.notation or summary["notation"]
        for i, record in enumerate(reading.records, start=summary["rounds"]):
            missing = lacks(record)
            if missing:
                row = {"round": i, "source": record.source, "lacks": missing}
                summary["incomplete"].append(row)
            decks[record.rules.deck] += 1
            for seat in range(N_SEATS):
                kind = record.kinds[seat]
                kinds[seat][kind] += 1
                players[seat][kind, record.agents[seat]] += 1
        summary["rounds"] += len(reading.records)
        summary["complete"] += sum(record.is_complete for record in reading.records)
        summary["refused"] += map(dataclasses.asdict, reading.refused)
        summary["notes"] += map(dataclasses.asdict, reading.notes)
    summary["seats"] = dict(zip(SEATS, map(dict, kinds), strict=True))
    summary["played_by"] = dict(zip(SEATS, map(_commonest, players), strict=True))
    summary["decks"] = dict(decks)
    return summary


def _commonest(players: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    """Who sat in a seat, by kind and agent, and in how many rounds, most first."""
    rows = []
    for (kind, agent), n_rounds in players.most_common():
        rows.append({"kind": kind, "agent": agent, "rounds": n_rounds})
    return rows


def lacks(record: Record) -> str:
    """What a valid record doesn't have, in words; empty for a complete one."""
    missing = []
    unbid = [SEATS[seat] for seat in range(N_SEATS) if record.bids[seat] == NO_BID]
    if len(unbid) == N_SEATS and not record.rules.first_hand_bids_itself:
        missing.append("the auction")
    elif 0 < len(unbid) < N_SEATS:
        missing.append(f"the bid of {', '.join(unbid)}")
    if not record.plays:
        missing.append("all plays")
    elif not record.is_complete:
        missing.append(f"{N_CARDS - len(record.plays)} of {N_CARDS} plays")
    return ", ".join(missing)
