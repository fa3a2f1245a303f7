"""What reading a text of records gives, and what every notation's reader is built from.

Readers never raise for what a text holds: each record is taken or refused on its own, with the
line, what was found and what would be legal. Limits keep every reader in linear time.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from spades.core.cards import N_CARDS, N_SEATS, SEATS
from spades.core.errors import InvalidRecordError, Refusal, SpadesError
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID

MAX_TEXT_BYTES = 64 * 2**20
MAX_LINES = 5_000_000
MAX_RECORDS = 200_000
MAX_TAGS = 100  # of one record or document
MAX_ROWS = 20  # of one section, 13 tricks and some slack
MAX_NOTES = 10_000
MAX_SHOWN = 60
MAX_REASON = 2_000
FENCES = ("```", "~~~")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Note:
    """Something tolerated, assumed or left out while reading; ``line`` from 1, 0 for the text."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True)
class Reading:
    """All that a text of records gave. Every record in ``records`` has been replayed."""

    records: tuple[RoundRecord, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[Note, ...] = ()
    notation: str = ""


@dataclass
class Intake:
    """A reading under way. ``name`` (of the file) goes to the records' source and nowhere else."""

    notation: str
    name: str = ""
    records: list[RoundRecord] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def note(self, line: int, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(Note(line, text))
        elif len(self.notes) == MAX_NOTES:
            self.notes.append(Note(line, "further notes left out"))

    def refuse(self, line: int, reason: str) -> None:
        self.refused.append(Refusal(line, reason[:MAX_REASON]))

    def take(self, line: int, read: Callable[[], RoundRecord]) -> RoundRecord | None:
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

    def has_too_many(self, n_records: int) -> bool:
        """Refuse the whole text if it holds more records than the limit."""
        if n_records > MAX_RECORDS:
            self.refuse(0, f"over {MAX_RECORDS:,} rounds in one text, at most that many are read")
        return n_records > MAX_RECORDS

    def done_with(self, error: InvalidRecordError) -> Reading:
        """The reading so far, and why it ends here."""
        self.refuse(error.line, str(error))
        return self.done()

    def done(self) -> Reading:
        if not (self.records or self.refused):
            self.refuse(0, f"no record of the {self.notation} notation was found")
        return Reading(
            tuple(self.records), tuple(self.refused), tuple(self.notes), notation=self.notation
        )


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


def shown(found: object) -> str:
    """A found value as a message quotes it: escaped, on one line, not too long."""
    try:
        text = repr(found[: MAX_SHOWN + 1] if isinstance(found, str) else found)
    except RecursionError:
        text = f"a nested {type(found).__name__}"
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def lines_of(text: str) -> list[str]:
    """Lines, whichever way they end. Only real line ends count, not every Unicode separator."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def summarise(reading: Reading) -> dict[str, Any]:
    """Counts of rounds, decks, and who played by seat; refusals and notes by line.

    ``seats``: rounds by kind of player. ``played_by``: by kind and agent, the commonest first.
    """
    return summarise_parts([reading])


def summarise_parts(readings: Iterable[Reading]) -> dict[str, Any]:
    """As ``summarise``, of a file read in parts; rounds count through all of them."""
    document: dict[str, Any] = {
        "notation": "",
        "rounds": 0,
        "complete": 0,
        "incomplete": [],
        "refused": [],
        "notes": [],
    }
    seats: dict[str, Counter[str]] = {name: Counter() for name in SEATS}
    agents: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in SEATS}
    decks: Counter[str] = Counter()
    for reading in readings:
        _add(document, reading)
        for seat, name in enumerate(SEATS):
            seats[name].update(record.kinds[seat] for record in reading.records)
            agents[name].update((r.kinds[seat], r.agents[seat]) for r in reading.records)
        decks.update(record.rules.deck for record in reading.records)
    by_seat = {name: dict(counter) for name, counter in seats.items()}
    played_by = {
        name: [
            {"kind": kind, "agent": agent, "rounds": n}
            for (kind, agent), n in counter.most_common()
        ]
        for name, counter in agents.items()
    }
    return {**document, "seats": by_seat, "played_by": played_by, "decks": dict(decks)}


def _add(document: dict[str, Any], reading: Reading) -> None:
    first = document["rounds"]
    document["notation"] = reading.notation or document["notation"]
    document["rounds"] += len(reading.records)
    document["complete"] += sum(record.is_complete for record in reading.records)
    document["incomplete"] += [
        {"round": i, "source": record.source, "lacks": lacks(record)}
        for i, record in enumerate(reading.records, start=first)
        if lacks(record)
    ]
    document["refused"] += [{"line": r.line, "reason": r.reason} for r in reading.refused]
    document["notes"] += [{"line": note.line, "text": note.text} for note in reading.notes]


def lacks(record: RoundRecord) -> str:
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
