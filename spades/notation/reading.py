"""What reading a text of records gives, and what every notation's reader is built from.

Readers never raise for what a text holds: each record is taken or refused on its own, with the
line, what was found and what would be legal. Limits keep every reader in linear time.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from spades.core.cards import HAND_SIZE, N_SEATS, SEATS, Deck
from spades.core.errors import InvalidDealError, InvalidRecordError, Refusal, SpadesError
from spades.core.records import RoundRecord

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


def parse_seat(text: str, what: str) -> int:
    """Seat of a letter; ``what`` says in the message where it stood."""
    seat = text.strip().upper()
    if len(seat) != 1 or seat not in SEATS:
        raise InvalidRecordError(f"{what} names the seat {shown(text)}; N, E, S or W is legal")
    return SEATS.index(seat)


def complete_deal(
    hands: Sequence[int | None], played: Sequence[int], deck: Deck
) -> tuple[int, int, int, int]:
    """Four hands where some may be unknown (None).

    One unknown hand is what is left of the deck; more are what their seats ``played`` (masks by
    seat) if all were played, otherwise ``InvalidDealError``.
    """
    unknown = [seat for seat in range(N_SEATS) if hands[seat] is None]
    known = [hand or 0 for hand in hands]
    if len(unknown) == 1:
        known[unknown[0]] = deck.mask & ~(known[0] | known[1] | known[2] | known[3])
    for seat in unknown if len(unknown) > 1 else ():
        if played[seat].bit_count() != HAND_SIZE:
            raise InvalidDealError(
                f"the hands of {', '.join(SEATS[s] for s in unknown)} are unknown; one may be, or "
                f"more where all 13 plays of each are there: {SEATS[seat]} played "
                f"{deck.format_cards(played[seat]) or 'nothing'}"
            )
        known[seat] = played[seat]
    return known[0], known[1], known[2], known[3]
