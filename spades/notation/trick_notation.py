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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spades.core.cards import DECKS, N_SEATS, SEATS, STANDARD, Deck, mask_of
from spades.core.errors import InvalidRecordError
from spades.core.records import RoundRecord
from spades.core.rules import NIL_BID, NO_BID, Round, Rules
from spades.notation import reading
from spades.notation.hands import format_hand, parse_hand
from spades.notation.reading import (
    Intake,
    Reading,
    blamed_on,
    complete_deal,
    lines_of,
    parse_seat,
    shown,
)
from spades.notation.schema import (
    COLUMNS,
    PLAIN_DEFAULTS,
    bounded_rules,
    load_object,
    plain_row,
    plain_values,
    rules_options,
)
from spades.notation.trick_lines import MARKER, VERSION, Document, Draft, Line, Scanner

NOTATION = MARKER
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
            played = self._played(rules.cards) if hands.count(None) > 1 else [0] * N_SEATS
            deal = complete_deal(hands, played, rules.cards)
            state = Round.deal(rules, self._dealer(lab, start), deal)
        if start is not None:
            self._bid(state, start, words)
        self._play(state)
        table = state.table
        record = RoundRecord(
            rules=rules,
            dealer=table.dealer,
            hands=deal,
            bids=tuple(table.bids),  # type: ignore[arg-type]
            blind=tuple(table.blind),  # type: ignore[arg-type]
            plays=tuple(table.plays),
            game_id=draft.document.value("GameId"),
            round_index=draft.index,
            players=self._players(),
        )
        return replace(record, **lab)

    def _lab(self) -> dict[str, Any]:
        if self.draft.lab is None:
            if self.draft.index == 0:
                self.intake.note(self.draft.deal.number, "kinds of players not given; bots assumed")
            return {}
        number, text = self.draft.lab
        with blamed_on(number):
            values = load_object(text)
            if unknown := [column for column in values if column not in COLUMNS]:
                self.intake.note(number, f"unknown columns left out: {shown(', '.join(unknown))}")
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
                _enter_call(state, (left + i) % N_SEATS, word)

    def _cards(self, line: Line) -> list[str]:
        words = line.text.split()[1:]
        if words and len(words[-1]) == 1 and line.number == self.last_line:
            self.intake.note(line.number, f"the text is cut off inside a card: {shown(words[-1])}")
            words = words[:-1]
        if len(words) > N_SEATS:
            raise InvalidRecordError(f"{len(words)} cards in a trick, {N_SEATS} are legal")
        return words

    def _played(self, deck: Deck) -> list[int]:
        masks = [0] * N_SEATS
        for line in self.draft.plays:
            with blamed_on(line.number):
                leader = parse_seat(line.text[:1], "P")
                for i, word in enumerate(self._cards(line)):
                    masks[(leader + i) % N_SEATS] |= mask_of([deck.parse_card(word[::-1])])
        return masks

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


def _enter_call(state: Round, seat: int, word: str) -> None:
    lower = word.lower()
    if word in (_UNKNOWN, _NO_NAME):
        return
    if word.isascii() and word.isdecimal() and len(word) <= 2:
        state.table.bid(seat, int(word))
    elif lower in ("nil", _BLIND_NIL):
        if state.table.rules.nil is None:
            raise InvalidRecordError(f"{SEATS[seat]} calls {word}, but these rules have no nil")
        state.table.bid(seat, NIL_BID, blind=lower == _BLIND_NIL)
    else:
        raise InvalidRecordError(
            f"the call {shown(word)}; 0 to 13, nil, {_BLIND_NIL} and - are legal"
        )


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
    lines = [f"% {MARKER} {VERSION}", *(f'[{key} "{value}"]' for key, value in headers.items())]
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
        calls = " ".join(_format_call(record, (first + i) % N_SEATS) for i in range(N_SEATS))
        lines.append(f"C {SEATS[first]}: {calls}")
    return lines + _play_lines(record)


def _lab_values(record: RoundRecord, index: int) -> dict[str, Any]:
    row, plain = plain_row(record), dict(PLAIN_DEFAULTS)
    words = map(_safe_name, record.players)
    plain["player"] = ["" if word == _NO_NAME else word for word in words]
    columns = [*_RECORD_COLUMNS]
    if index and max(record.bids) == NO_BID:
        plain["dealer"] = None
        columns.append("dealer")
    return {c: row[c] for c in columns if c in ("game_id", "round") or row[c] != plain[c]}


def _deal_line(record: RoundRecord) -> str:
    hands = [format_hand(hand, record.rules.cards) for hand in record.hands]
    words = [".".join(group or _VOID for group in hand.split(".")) for hand in hands]
    return "D " + " ".join(f"{SEATS[seat]}:{word}" for seat, word in enumerate(words))


def _format_call(record: RoundRecord, seat: int) -> str:
    bid = record.bids[seat]
    if bid == NO_BID:
        return _UNKNOWN
    if bid == NIL_BID and record.rules.nil is not None:
        return _BLIND_NIL if record.blind[seat] else "nil"
    return str(bid)


def _play_lines(record: RoundRecord) -> list[str]:
    seats: Sequence[int] = record.final().table.seats
    words = [record.rules.cards.format_card(card)[::-1] for card in record.plays]
    return [
        f"P {SEATS[seats[ply]]} {' '.join(words[ply : ply + N_SEATS])}"
        for ply in range(0, len(words), N_SEATS)
    ]
