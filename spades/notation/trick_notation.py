"""trick-notation v1: a line for the deal, one for the calls, one a trick.

Source: spec 1, notation 2. A text is documents, each from ``% trick-notation v1`` (or from a header
after events) on; a document is headers and then rounds, each from a ``D`` line on. ``;`` starts a
comment. Cards are rank then suit (``KC``), leaders are explicit and checked.

The lab's extensions, comments and values that other programs skip or see as strange at worst:
``[Deck "joker-joker-ace"]`` and the other joker decks, a fifth group of jokers in ``D`` and ``HJ``
``LJ`` in ``P``; ``nil:blind`` and ``-`` (unknown) in ``C``; ``; rules {...}`` before a
document's rounds with the non-default rules, ``; record {...}`` before a round with the columns
of the log schema that the notation has no place for. With them reading back gives the same
records. ``%`` may stand for ``;`` there. A header ``[MaxPoints "250"]`` is the target.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spades.core.cards import DECKS, N_SEATS, SEATS, STANDARD, Deck
from spades.core.errors import InvalidRecordError
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID, Round, Rules
from spades.notation import reading
from spades.notation.hands import (
    complete_deal,
    enter_bid,
    format_bid,
    format_hand,
    parse_hand,
    parse_seat,
    played_masks,
    record_of_table,
)
from spades.notation.reading import (
    FENCES,
    MAX_ROWS,
    MAX_TAGS,
    Intake,
    Reading,
    blamed_on,
    lines_of,
    shown,
)
from spades.notation.schema import (
    bounded_rules,
    load_object,
    note_unknown,
    plain_values,
    rules_options,
    unsaid_columns,
)

NOTATION = "trick-notation"
VERSION = "v1"
_TOO_MANY = {"C": "a second C line", "P": f"over {MAX_ROWS} P lines"}
_FOREIGN = {"X": "passing cards", "U": "turned-up cards", "M": "melds"}


class Line(NamedTuple):
    """A line's number from 1, and its text."""

    number: int
    text: str


@dataclass
class Document:
    """Headers of some rounds: by name, with the rules comment under ``rules``."""

    headers: dict[str, Line] = field(default_factory=dict)
    n_rounds: int = 0
    fault: InvalidRecordError | None = None

    def value(self, name: str, default: str = "") -> str:
        return self.headers[name].text if name in self.headers else default


@dataclass
class Draft:
    """One round as lines. ``index`` counts the rounds of its document."""

    document: Document
    index: int
    deal: Line
    lab: Line | None
    calls: list[Line] = field(default_factory=list)
    plays: list[Line] = field(default_factory=list)
    fault: InvalidRecordError | None = None
    last_line: int = 0


@dataclass
class Scanner:
    """Sorts lines into documents and drafts of rounds; looks at no card."""

    documents: list[Document] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    document: Document | None = None
    lab: Line | None = None

    def feed(self, number: int, line: str) -> None:
        if line.startswith(FENCES):
            self.document = None
        elif line[:1] in ("%", ";"):
            self._comment(number, line[1:].strip())
        elif line.startswith("["):
            self._headers(number, line.partition(";")[0])
        elif self.document is not None and (event := line.partition(";")[0].strip()):
            self._event(number, event, self.document)

    def _open(self) -> Document:
        self.document = Document()
        self.documents.append(self.document)
        self.lab = None
        return self.document

    def _before_rounds(self) -> Document:
        is_fresh = self.document is not None and not self.document.n_rounds
        return self.document if is_fresh and self.document else self._open()

    def _comment(self, number: int, comment: str) -> None:
        key, _, rest = comment.partition(" ")
        rest = rest.strip()
        if key == NOTATION:
            document = self._open()
            if rest != VERSION:
                reason = f"{NOTATION} {shown(rest)} is not supported, {VERSION} is"
                document.fault = InvalidRecordError(reason, number)
        elif key == "rules" and rest.startswith("{"):
            self._before_rounds().headers["rules"] = Line(number, rest)
        elif key == "record" and rest.startswith("{"):
            self.lab = Line(number, rest)

    def _headers(self, number: int, line: str) -> None:
        document = self._before_rounds()
        *parts, tail = line.split("]")
        for part in [*parts, *([tail] if tail.strip() else [])]:
            key, _, value = part.strip().removeprefix("[").strip().partition(" ")
            if key in document.headers and document.fault is None:
                document.fault = InvalidRecordError(f"the header {shown(key)} comes twice", number)
            if len(document.headers) == MAX_TAGS:
                reason = f"over {MAX_TAGS} headers"
                document.fault = document.fault or InvalidRecordError(reason, number)
                break
            document.headers.setdefault(key, Line(number, value.strip().strip('"').strip()))

    def _event(self, number: int, event: str, document: Document) -> None:
        code, _, rest = event.replace("\t", " ").partition(" ")
        line = Line(number, rest.strip())
        if code == "D":
            self.drafts.append(Draft(document, document.n_rounds, line, self.lab))
            document.n_rounds += 1
            self.lab = None
        elif not document.n_rounds:
            reason = f"{shown(event)} before any deal (D)"
            document.fault = document.fault or InvalidRecordError(reason, number)
        else:
            _add_event(self.drafts[-1], code, line)


def _add_event(draft: Draft, code: str, line: Line) -> None:
    if code == "P" and len(draft.plays) < MAX_ROWS:
        draft.plays.append(line)
    elif code == "C" and not draft.calls:
        draft.calls.append(line)
    elif draft.fault is None:
        what = _FOREIGN.get(code) or _TOO_MANY.get(code, "an event")
        reason = f"{what}, {shown(code)}, is not supported; D, one C and P are"
        draft.fault = InvalidRecordError(reason, line.number)


_STANDARD_NAME = "french52"
_DECKS = {_STANDARD_NAME: STANDARD, **DECKS}
_UNKNOWN, _NO_NAME, _VOID = "-", "?", "-"
_BLIND_NIL = "nil:blind"
_RECORD_COLUMNS = (
    *("game_id", "round", "score_before", "bags_before"),
    *("player", "kind", "agent", "seed", "source"),
)


@dataclass
class _Reader:
    """Reads one draft; ``last_line`` is where the text ends and may have been cut."""

    draft: Draft
    intake: Intake
    last_line: int

    def read(self) -> RoundRecord:
        draft = self.draft
        if fault := draft.document.fault or draft.fault:
            raise fault
        rules = _rules(draft.document)
        lab = self._lab()
        start, words = self._calls()
        with blamed_on(draft.deal.number):
            hands = _hands(draft.deal.text, rules.cards)
            played = played_masks(self._columns(), rules.cards) if hands.count(None) > 1 else ()
            deal = complete_deal(hands, played, rules.cards)
            state = Round.deal(rules, self._dealer(lab, start), deal)
        if start is not None:
            self._bid(state, start, words)
        self._play(state)
        values = {
            "game_id": draft.document.value("GameId"),
            "round_index": draft.index,
            "players": self._players(),
        }
        lab.pop("dealer", None)
        return record_of_table(state.table, deal, **{**values, **lab})

    def _lab(self) -> dict[str, Any]:
        if self.draft.lab is None:
            if self.draft.index == 0:
                self.intake.note(self.draft.deal.number, "kinds of players not given; bots assumed")
            return {}
        number, text = self.draft.lab
        with blamed_on(number):
            values = load_object(text)
            note_unknown(self.intake, number, values)
            return plain_values({k: v for k, v in values.items() if k not in ("bids", "blind")})

    def _dealer(self, lab: dict[str, Any], start: int | None) -> int:
        header, index = self.draft.document.value("Dealer"), self.draft.index
        if "dealer" in lab:
            return int(lab["dealer"])
        if header and index == 0:
            return parse_seat(header, "the header Dealer")
        if start is not None:
            return (start - 1) % N_SEATS
        if self.draft.plays:
            return (parse_seat(self.draft.plays[0].text[:1], "the first P") - 1) % N_SEATS
        if header:
            return (parse_seat(header, "the header Dealer") + index) % N_SEATS
        raise InvalidRecordError("no dealer: neither a header Dealer nor C nor P says who is first")

    def _calls(self) -> tuple[int | None, list[str]]:
        if not self.draft.calls:
            return None, []
        number, text = self.draft.calls[0]
        with blamed_on(number):
            seat, _, calls = text.partition(":")
            words = calls.split()
            if len(words) > N_SEATS or (len(words) < N_SEATS and self.draft.plays):
                raise InvalidRecordError(f"{len(words)} calls, {N_SEATS} are legal")
            if len(words) < N_SEATS:
                self.intake.note(number, f"the auction is cut short after {len(words)} calls")
            return parse_seat(seat, "C"), words

    def _bid(self, state: Round, start: int, words: list[str]) -> None:
        with blamed_on(self.draft.calls[0].number):
            left = state.table.leader
            if start != left:
                raise InvalidRecordError(
                    f"C starts at {SEATS[start]}; {SEATS[state.table.dealer]} deals, so "
                    f"{SEATS[left]} is first"
                )
            for i, word in enumerate(words):
                word = _UNKNOWN if word == _NO_NAME else word
                seat = (left + i) % N_SEATS
                enter_bid(state.table, seat, word, blind_nil=_BLIND_NIL, unknown=_UNKNOWN)

    def _cards(self, line: Line) -> list[str]:
        words = line.text.split()[1:]
        if words and len(words[-1]) == 1 and line.number == self.last_line:
            self.intake.note(line.number, f"the text is cut off inside a card: {shown(words[-1])}")
            words = words[:-1]
        if len(words) > N_SEATS:
            raise InvalidRecordError(f"{len(words)} cards in a trick, {N_SEATS} are legal")
        return words

    def _columns(self) -> Iterator[tuple[int, int, str]]:
        """(line, seat, card) of every play, rank and suit turned round."""
        for line in self.draft.plays:
            with blamed_on(line.number):
                leader, words = parse_seat(line.text[:1], "P"), self._cards(line)
            for i, word in enumerate(words):
                yield line.number, (leader + i) % N_SEATS, word[::-1]

    def _play(self, state: Round) -> None:
        for line in self.draft.plays:
            with blamed_on(line.number):
                self._check_leader(state, line)
                for word in self._cards(line):
                    # Rank then suit here; a high joker is HJ and the jack of hearts JH.
                    state.play(state.table.rules.cards.parse_card(word[::-1]))

    def _check_leader(self, state: Round, line: Line) -> None:
        if state.table.is_over:
            raise InvalidRecordError(f"a trick after the 13th: {shown(line.text)}")
        if state.table.trick:
            raise InvalidRecordError(f"a trick after one with {len(state.table.trick)} cards")
        leader = parse_seat(line.text.split(" ")[0], "P")
        if leader != state.table.leader:
            raise InvalidRecordError(
                f"{SEATS[leader]} leads, but {SEATS[state.table.leader]} is to lead"
                f" | {state.text()}"
            )

    def _players(self) -> tuple[str, str, str, str]:
        document = self.draft.document
        names = document.value("Players").split()
        if len(names) != N_SEATS:
            if names and self.draft.index == 0:
                line = document.headers["Players"].number
                self.intake.note(line, f"{len(names)} names for 4 seats left out")
            names = [_NO_NAME] * N_SEATS
        seats = document.value("Seats", SEATS).replace(" ", "")
        shown_names = [
            "" if names[seats.index(s)] == _NO_NAME else names[seats.index(s)] for s in SEATS
        ]
        return tuple(shown_names)  # type: ignore[return-value]


def _rules(document: Document) -> Rules:
    deck = _deck(document)
    if (game := document.value("Game", "spades")).lower() != "spades":
        raise InvalidRecordError(
            f"the game is {shown(game)}, only spades is read", document.headers["Game"].number
        )
    seats = document.value("Seats", SEATS).replace(" ", "")
    if len(seats) != N_SEATS or seats not in SEATS + SEATS:
        number = document.headers["Seats"].number
        raise InvalidRecordError(f"the seats are {shown(seats)}; N E S W are legal", number)
    options: dict[str, object] = {}
    if points := document.headers.get("MaxPoints"):
        if not (points.text.isascii() and points.text.isdecimal() and len(points.text) < 8):
            raise InvalidRecordError(f"MaxPoints is {shown(points.text)}", points.number)
        options["target"] = int(points.text)
    if line := document.headers.get("rules"):
        with blamed_on(line.number):
            options.update(load_object(line.text))
    with blamed_on(line.number if line else 0):
        return bounded_rules({**options, "deck": deck.name})


def _deck(document: Document) -> Deck:
    name = document.value("Deck")
    if name not in _DECKS:
        number = document.headers["Deck"].number if name else 0
        raise InvalidRecordError(
            f"the header Deck is {shown(name)}; {', '.join(_DECKS)} are legal", number
        )
    return _DECKS[name]


def _hands(text: str, deck: Deck) -> list[int | None]:
    hands: list[int | None] = [None] * N_SEATS
    for part in text.split(maxsplit=N_SEATS)[: N_SEATS + 1]:
        seat_text, _, groups = part.partition(":")
        seat = parse_seat(seat_text, "D")
        if hands[seat] is not None:
            raise InvalidRecordError(f"{SEATS[seat]} has two hands")
        if groups not in (_UNKNOWN, _NO_NAME):
            hands[seat] = parse_hand(groups.replace(_VOID, ""), deck)
    return hands


def parse(text: str, *, name: str = "") -> Reading:
    """Rounds of a trick-notation text, each replayed."""
    intake = Intake(NOTATION, name)
    scanner = Scanner()
    last_line = 0
    for number, raw in enumerate(lines_of(text), start=1):
        if len(scanner.documents) > reading.MAX_RECORDS:
            break
        if line := raw.strip():
            scanner.feed(number, line)
            last_line = number
    empty = [document.fault for document in scanner.documents if not document.n_rounds]
    faults = [fault for fault in empty if fault]
    if not intake.has_too_many(max(len(scanner.drafts), len(scanner.documents))):
        for fault in faults:
            intake.refuse(fault.line, str(fault))
        for draft in scanner.drafts:
            intake.take(draft.deal.number, _Reader(draft, intake, last_line).read)
    return intake.done()


def format_records(records: Iterable[RoundRecord]) -> str:
    """The records as trick-notation: a document a run of rounds with the same rules and names."""
    runs = itertools.groupby(records, key=lambda record: (record.rules, record.players))
    return "\n".join(_format_document(list(run)) for _, run in runs)


def _format_document(records: list[RoundRecord]) -> str:
    rules, deck = records[0].rules, records[0].rules.cards
    headers = {
        "Game": "spades",
        "Deck": _STANDARD_NAME if deck is STANDARD else deck.name,
        "Seats": " ".join(SEATS),
        "Dealer": SEATS[records[0].dealer],
        "Players": " ".join(map(_safe_name, records[0].players)),
    }
    lines = [f"% {NOTATION} {VERSION}", *(f'[{key} "{value}"]' for key, value in headers.items())]
    if options := rules_options(rules):
        lines.append(f"; rules {json.dumps(options)}")
    for index, record in enumerate(records):
        lines += ["", *_round_lines(record, index)]
    return "\n".join(lines) + "\n"


def _safe_name(name: str) -> str:
    """A name as one word that can't end the header, open a comment or stand for no name."""
    word = "".join(c if c.isprintable() and c not in ' "[];' else "_" for c in name)
    return word or _NO_NAME


def _round_lines(record: RoundRecord, index: int) -> list[str]:
    lines = [f"; record {json.dumps(_lab_values(record, index))}", _deal_line(record)]
    first = (record.dealer + 1) % N_SEATS
    if max(record.bids) != NO_BID:
        order = [(first + i) % N_SEATS for i in range(N_SEATS)]
        calls = " ".join(
            format_bid(record, seat, blind_nil=_BLIND_NIL, unknown=_UNKNOWN) for seat in order
        )
        lines.append(f"C {SEATS[first]}: {calls}")
    return lines + _play_lines(record)


def _lab_values(record: RoundRecord, index: int) -> dict[str, Any]:
    words = map(_safe_name, record.players)
    heard: dict[str, object] = {"player": ["" if word == _NO_NAME else word for word in words]}
    is_dealer_unsaid = index > 0 and max(record.bids) == NO_BID
    columns = [*_RECORD_COLUMNS, *(["dealer"] if is_dealer_unsaid else [])]
    return unsaid_columns(record, columns, {**heard, "dealer": None})


def _deal_line(record: RoundRecord) -> str:
    hands = [format_hand(hand, record.rules.cards) for hand in record.hands]
    words = [".".join(group or _VOID for group in hand.split(".")) for hand in hands]
    return "D " + " ".join(f"{SEATS[seat]}:{word}" for seat, word in enumerate(words))


def _play_lines(record: RoundRecord) -> list[str]:
    seats = record.final().table.seats
    words = [record.rules.cards.format_card(card)[::-1] for card in record.plays]
    return [
        f"P {SEATS[seats[ply]]} {' '.join(words[ply : ply + N_SEATS])}"
        for ply in range(0, len(words), N_SEATS)
    ]
