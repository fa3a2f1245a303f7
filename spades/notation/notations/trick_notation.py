"""trick-notation v1: a line for the deal, one for the calls, one a trick.

A text is documents, each from ``% trick-notation v1`` (or a header after events) on: headers, then
rounds, each from a ``D`` line on. ``;`` starts a comment. Cards are rank then suit (``KC``),
leaders are explicit and checked.

The lab's extensions, which other programs skip: ``[Deck "joker-joker-ace"]`` and the like, a fifth
group of jokers in ``D`` and ``HJ`` ``LJ`` in ``P``; ``nil:blind`` and ``-`` (unknown) in ``C``;
``; rules {...}`` before a document's rounds with the non-default rules; ``; record {...}`` before a
round with columns of the log schema that the notation lacks (``%`` may replace ``;``); a header
``[MaxPoints "250"]`` is the target. So reading back gives the same records.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from spades.core.cards import (
    DECKS,
    N_SEATS,
    SEATS,
    STANDARD,
    Deck,
    clockwise,
    format_hand,
    parse_hand,
)
from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import Record
from spades.core.rules import NO_BID, Round, Rules, Table
from spades.notation import hands as shared
from spades.notation import reading, schema
from spades.notation.hands import parse_seat
from spades.notation.notations.notation import TextNotation
from spades.notation.reading import Draft, Intake, Line, Lines, Tagged, blamed_on, refused_draft

NAME = "trick-notation"
VERSION = "v1"
_TOO_MANY = {"C": "a second C line", "P": f"over {reading.MAX_ROWS} P lines"}
_FOREIGN = {"X": "passing cards", "U": "turned-up cards", "M": "melds"}
_STANDARD_NAME = "french52"
_DECKS = {_STANDARD_NAME: STANDARD, **DECKS}
_UNKNOWN = "-"  # of a call or a hand
_NO_NAME = "?"
_VOID = "-"
_BLIND_NIL = "nil:blind"


class TrickNotation(TextNotation):
    """Documents of rounds with the same rules and players."""

    name = NAME
    label = NAME
    endings = (".tn",)
    place = 10

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(line.startswith(f"% {NAME}") for line in lines)

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        scanner = Scanner()
        for number, raw in lines:
            line = raw.strip()
            if line:
                scanner.feed(number, line)
                yield from scanner.finished()
        scanner.end()
        yield from scanner.finished()

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        separator = ""
        for _, same in itertools.groupby(records, lambda record: (record.rules, record.players)):
            yield separator
            for index, record in enumerate(same):
                if index == 0:
                    yield _format_headers(record)
                yield "\n" + "\n".join(_round_lines(record, index)) + "\n"
            separator = "\n"


@dataclass
class Document(Tagged):
    """Headers of some rounds: tags, with the rules comment under ``rules``."""

    n_rounds: int = 0

    @property
    def seats(self) -> str:
        return self.value("Seats", SEATS).replace(" ", "")

    def rules(self) -> Rules:
        """The rules that the headers and the rules comment name."""
        name = self.value("Deck")
        if name not in _DECKS:
            self._refuse("Deck", f"the header Deck is {shown(name)}; {', '.join(_DECKS)} are legal")
        game = self.value("Game", "spades")
        if game.lower() != "spades":
            self._refuse("Game", f"the game is {shown(game)}, only spades is read")
        if len(self.seats) != N_SEATS or self.seats not in SEATS + SEATS:
            self._refuse("Seats", f"the seats are {shown(self.seats)}; N E S W are legal")
        target = self.value("MaxPoints", str(Rules.target))
        if not (target.isascii() and target.isdecimal() and len(target) < 8):
            self._refuse("MaxPoints", f"MaxPoints is {shown(target)}")
        with blamed_on(self.line_of("rules")):
            options = load_object(self.value("rules", "{}"))
            deck = _DECKS[name].name
            return Rules.from_options({"target": int(target), **options, "deck": deck})

    def _refuse(self, header: str, reason: str) -> NoReturn:
        raise InvalidRecordError(reason, self.line_of(header))


@dataclass
class RoundText:
    """The lines of one round. ``index`` counts the rounds of its document; the file may have been
    cut off in ``cut_line``, its last."""

    document: Document
    index: int
    deal: Line
    lab: Line | None
    cut_line: int = 0
    calls: Line | None = None
    plays: list[Line] = field(default_factory=list)
    fault: InvalidRecordError | None = None

    def add(self, code: str, line: Line) -> None:
        if code == "P" and len(self.plays) < reading.MAX_ROWS:
            self.plays.append(line)
        elif code == "C" and self.calls is None:
            self.calls = line
        elif self.fault is None:
            what = _FOREIGN.get(code) or _TOO_MANY.get(code, "an event")
            reason = f"{what}, {shown(code)}, is not supported; D, one C and P are"
            self.fault = InvalidRecordError(reason, line.number)


def _read(text: RoundText, intake: Intake) -> Record:
    record = _Reader(text, intake).read()
    intake.note_if_short(text.deal.number, record)
    return record


@dataclass
class _Reader:
    """Reads the lines of one round."""

    text: RoundText
    intake: Intake

    def read(self) -> Record:
        text = self.text
        document = text.document
        fault = document.fault or text.fault
        if fault:
            raise fault
        rules = document.rules()
        lab = self._lab()
        first_caller, words = self._calls()
        with blamed_on(text.deal.number):
            hands = _hands(text.deal.text, rules.cards)
            played = partial(shared.played_masks, self._columns(), rules.cards)
            deal = shared.complete_deal(hands, played, rules.cards)
            state = Round.deal(rules, self._dealer(lab, first_caller), deal)
        if first_caller is not None:
            self._bid(state.table, first_caller, words)
        self._play(state)
        lab.pop("dealer", None)
        values = {
            "game_id": schema.text(document.value("GameId"), "GameId"),
            "round_index": text.index,
            "players": self._players(),
            **lab,
        }
        return shared.record_of_table(state.table, deal, **values)

    def _lab(self) -> dict[str, Any]:
        if self.text.lab is None:
            if self.text.index == 0:
                line = self.text.deal.number
                self.intake.note(line, "kinds of players not given; bots assumed")
            return {}
        number, text = self.text.lab
        with blamed_on(number):
            values = load_object(text)
            schema.note_unknown(self.intake, number, values)
            values.pop("bids", None)
            values.pop("blind", None)
            return schema.plain_values(values)

    def _dealer(self, lab: dict[str, Any], first_caller: int | None) -> int:
        """The dealer's seat; ``first_caller``: a seat, None where no call is known."""
        header = self.text.document.value("Dealer")
        index = self.text.index
        if "dealer" in lab:
            return int(lab["dealer"])
        if header and index == 0:
            return parse_seat(header, "the header Dealer")
        if first_caller is not None:
            return (first_caller - 1) % N_SEATS
        if self.text.plays:
            leader = parse_seat(self.text.plays[0].text[:1], "the first P")
            return (leader - 1) % N_SEATS
        if header:
            return (parse_seat(header, "the header Dealer") + index) % N_SEATS
        raise InvalidRecordError("no dealer: neither a header Dealer nor C nor P says who is first")

    def _calls(self) -> tuple[int | None, list[str]]:
        """The seat that calls first, and the calls."""
        if self.text.calls is None:
            return None, []
        number, text = self.text.calls
        with blamed_on(number):
            seat, _, calls = text.partition(":")
            words = calls.split()
            is_cut = len(words) < N_SEATS and not self.text.plays
            if len(words) != N_SEATS and not is_cut:
                raise InvalidRecordError(f"{len(words)} calls, {N_SEATS} are legal")
            if is_cut:
                self.intake.note(number, f"the auction is cut short after {len(words)} calls")
            return parse_seat(seat, "C"), words

    def _bid(self, table: Table, first_caller: int, words: list[str]) -> None:
        assert self.text.calls is not None
        with blamed_on(self.text.calls.number):
            shared.check_first("C", first_caller, table)
            for seat, word in zip(clockwise(first_caller), words, strict=False):
                word = _UNKNOWN if word == _NO_NAME else word
                shared.enter_bid(table, seat, word, blind_nil=_BLIND_NIL, unknown=_UNKNOWN)

    def _cards(self, line: Line) -> list[str]:
        """Cards of a P line as ``SA``: it has the rank first, a high joker as HJ."""
        words = line.text.split()[1:]
        if words and len(words[-1]) == 1 and line.number == self.text.cut_line:
            self.intake.note(line.number, f"the text is cut off inside a card: {shown(words[-1])}")
            words = words[:-1]
        if len(words) > N_SEATS:
            raise InvalidRecordError(f"{len(words)} cards in a trick, {N_SEATS} are legal")
        return [word[::-1] for word in words]

    def _columns(self) -> Iterator[tuple[int, int, str]]:
        """(line, seat, card) of every play."""
        for line in self.text.plays:
            with blamed_on(line.number):
                leader = parse_seat(line.text[:1], "P")
                cards = self._cards(line)
            for seat, card in zip(clockwise(leader), cards, strict=False):
                yield line.number, seat, card

    def _play(self, state: Round) -> None:
        deck = state.table.rules.cards
        for line in self.text.plays:
            with blamed_on(line.number):
                _check_leader(state, line)
                for card in self._cards(line):
                    state.play(deck.parse_card(card))

    def _players(self) -> tuple[str, ...]:
        document = self.text.document
        line = document.line_of("Players")
        names = document.value("Players").split()
        if len(names) != N_SEATS:
            if names and self.text.index == 0:
                self.intake.note(line, f"{len(names)} names for 4 seats left out")
            return ("",) * N_SEATS
        name_of = dict(zip(document.seats, names, strict=True))
        with blamed_on(line):
            return tuple(schema.text(_name(name_of[seat]), "a name in Players") for seat in SEATS)


class Scanner:
    """Sorts lines into documents and rounds; looks at no card."""

    def __init__(self) -> None:
        self._finished: list[Draft] = []
        self._document: Document | None = None
        self._round: RoundText | None = None
        self._lab: Line | None = None
        self._last_line = 0

    def feed(self, number: int, line: str) -> None:
        self._last_line = number
        if line.startswith(reading.FENCES):
            self._close_document()
        elif line[:1] in ("%", ";"):
            self._comment(number, line[1:].strip())
        elif line.startswith("["):
            self._headers(number, line.partition(";")[0])
        elif self._document is not None:
            event = line.partition(";")[0].strip()
            if event:
                self._event(number, event, self._document)

    def end(self) -> None:
        if self._round is not None:
            self._round.cut_line = self._last_line
        self._close_document()

    def finished(self) -> list[Draft]:
        """The rounds that no further line belongs to, each once."""
        finished = self._finished
        self._finished = []
        return finished

    def _close_round(self) -> None:
        if self._round is not None:
            self._finished.append((self._round.deal.number, partial(_read, self._round)))
        self._round = None

    def _close_document(self) -> None:
        self._close_round()
        document = self._document
        if document is not None and document.fault and not document.n_rounds:
            self._finished.append(refused_draft(document.fault))
        self._document = None

    def _open_document(self) -> Document:
        self._close_document()
        self._lab = None
        self._document = Document()
        return self._document

    def _before_rounds(self) -> Document:
        document = self._document
        return self._open_document() if document is None or document.n_rounds else document

    def _comment(self, number: int, comment: str) -> None:
        key, _, rest = comment.partition(" ")
        rest = rest.strip()
        if key == NAME:
            document = self._open_document()
            if rest != VERSION:
                document.blame(number, f"{NAME} {shown(rest)} is not supported, {VERSION} is")
        elif key == "rules" and rest.startswith("{"):
            self._before_rounds().tags["rules"] = Line(number, rest)
        elif key == "record" and rest.startswith("{"):
            self._lab = Line(number, rest)

    def _headers(self, number: int, line: str) -> None:
        document = self._before_rounds()
        *parts, tail = line.split("]")
        if tail.strip():
            parts.append(tail)
        for part in parts:
            header = part.strip().removeprefix("[").strip()
            key, _, value = header.partition(" ")
            if key in document.tags:
                document.blame(number, f"the header {shown(key)} comes twice")
            if len(document.tags) == reading.MAX_TAGS:
                document.blame(number, f"over {reading.MAX_TAGS} headers")
                break
            text = value.strip().strip('"').strip()
            document.tags.setdefault(key, Line(number, text))

    def _event(self, number: int, event: str, document: Document) -> None:
        code, _, rest = event.replace("\t", " ").partition(" ")
        line = Line(number, rest.strip())
        if code == "D":
            self._close_round()
            self._round = RoundText(document, document.n_rounds, line, self._lab)
            document.n_rounds += 1
            self._lab = None
        elif self._round is None:
            document.blame(number, f"{shown(event)} before any deal (D)")
        else:
            self._round.add(code, line)


def _check_leader(state: Round, line: Line) -> None:
    table = state.table
    if table.is_over:
        raise InvalidRecordError(f"a trick after the 13th: {shown(line.text)}")
    if table.trick:
        raise InvalidRecordError(f"a trick after one with {len(table.trick)} cards")
    leader = parse_seat(line.text.split(" ")[0], "P")
    if leader != table.leader:
        reason = f"{SEATS[leader]} leads, but {SEATS[table.leader]} is to lead | {state.text()}"
        raise InvalidRecordError(reason)


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


def _format_headers(first: Record) -> str:
    """The headers of a document that begins with this round."""
    deck = first.rules.cards
    headers = {
        "Game": "spades",
        "Deck": _STANDARD_NAME if deck is STANDARD else deck.name,
        "Seats": " ".join(SEATS),
        "Dealer": SEATS[first.dealer],
        "Players": " ".join(map(_format_name, first.players)),
    }
    lines = [f"% {NAME} {VERSION}"]
    lines += [f'[{key} "{value}"]' for key, value in headers.items()]
    options = schema.rules_options(first.rules)
    if options:
        lines.append(f"; rules {json.dumps(options)}")
    return "\n".join(lines) + "\n"


def _name(word: str) -> str:
    return "" if word == _NO_NAME else word


def _format_name(name: str) -> str:
    """A name as one word that can't end the header, open a comment or be taken for no name."""
    word = "".join(c if c.isprintable() and c not in ' "[];' else "_" for c in name)
    return word or _NO_NAME


def _format_hand(hand: int, deck: Deck) -> str:
    groups = format_hand(hand, deck).split(".")
    return ".".join(group or _VOID for group in groups)


def _round_lines(record: Record, index: int) -> Iterator[str]:
    yield f"; record {json.dumps(_lab_values(record, index))}"
    hands = [_format_hand(hand, record.rules.cards) for hand in record.hands]
    yield "D " + " ".join(f"{seat}:{hand}" for seat, hand in zip(SEATS, hands, strict=True))
    calls = shared.format_auction(record, blind_nil=_BLIND_NIL, unknown=_UNKNOWN)
    if calls:
        yield f"C {SEATS[(record.dealer + 1) % N_SEATS]}: {calls}"
    seats = record.final().table.seats
    cards = [card[::-1] for card in record.plays]
    for ply in range(0, len(cards), N_SEATS):
        yield f"P {SEATS[seats[ply]]} {' '.join(cards[ply : ply + N_SEATS])}"


def _lab_values(record: Record, index: int) -> dict[str, Any]:
    """The columns that the lines of a round and its document's headers don't say."""
    players = [_name(_format_name(name)) for name in record.players]
    is_dealer_unsaid = index > 0 and max(record.bids) == NO_BID
    dealer = None if is_dealer_unsaid else record.dealer
    return schema.unsaid_columns(record, {"player": players, "dealer": dealer})
