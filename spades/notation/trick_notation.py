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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from spades.core.cards import DECKS, N_SEATS, SEATS, STANDARD, Deck, format_hand, parse_hand
from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import Record
from spades.core.rules import NO_BID, Round, Rules, Table
from spades.notation import hands as shared
from spades.notation import reading, schema
from spades.notation.hands import parse_seat
from spades.notation.reading import Intake, Line, Reading, Tagged, blamed_on, lines_of

NOTATION = "trick-notation"
VERSION = "v1"
_TOO_MANY = {"C": "a second C line", "P": f"over {reading.MAX_ROWS} P lines"}
_FOREIGN = {"X": "passing cards", "U": "turned-up cards", "M": "melds"}
_STANDARD_NAME = "french52"
_DECKS = {_STANDARD_NAME: STANDARD, **DECKS}
_UNKNOWN = "-"  # of a call or a hand
_NO_NAME = "?"
_VOID = "-"
_BLIND_NIL = "nil:blind"


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
class Draft:
    """One round as lines. ``index`` counts the rounds of its document; the text may have been cut
    off in ``cut_line``, its last."""

    intake: Intake
    document: Document
    index: int
    deal: Line
    lab: Line | None
    cut_line: int = 0
    calls: list[Line] = field(default_factory=list)
    plays: list[Line] = field(default_factory=list)
    fault: InvalidRecordError | None = None

    def add(self, code: str, line: Line) -> None:
        if code == "P" and len(self.plays) < reading.MAX_ROWS:
            self.plays.append(line)
        elif code == "C" and not self.calls:
            self.calls.append(line)
        elif self.fault is None:
            what = _FOREIGN.get(code) or _TOO_MANY.get(code, "an event")
            reason = f"{what}, {shown(code)}, is not supported; D, one C and P are"
            self.fault = InvalidRecordError(reason, line.number)

    def read(self) -> Record:
        fault = self.document.fault or self.fault
        if fault:
            raise fault
        rules = self.document.rules()
        lab = self._lab()
        start, words = self._parse_calls()
        with blamed_on(self.deal.number):
            hands = _hands(self.deal.text, rules.cards)
            played = partial(shared.played_masks, self._columns(), rules.cards)
            deal = shared.complete_deal(hands, played, rules.cards)
            state = Round.deal(rules, self._dealer(lab, start), deal)
        if start is not None:
            self._bid(state.table, start, words)
        self._play(state)
        lab.pop("dealer", None)
        values = {
            "game_id": schema.text(self.document.value("GameId"), "GameId"),
            "round_index": self.index,
            "players": self._players(),
            **lab,
        }
        return shared.record_of_table(state.table, deal, **values)

    def _lab(self) -> dict[str, Any]:
        if self.lab is None:
            if self.index == 0:
                self.intake.note(self.deal.number, "kinds of players not given; bots assumed")
            return {}
        number, text = self.lab
        with blamed_on(number):
            values = load_object(text)
            schema.note_unknown(self.intake, number, values)
            values.pop("bids", None)
            values.pop("blind", None)
            return schema.plain_values(values)

    def _dealer(self, lab: dict[str, Any], start: int | None) -> int:
        """The dealer's seat; ``start``: who calls first, where that is known."""
        header = self.document.value("Dealer")
        if "dealer" in lab:
            return int(lab["dealer"])
        if header and self.index == 0:
            return parse_seat(header, "the header Dealer")
        if start is not None:
            return (start - 1) % N_SEATS
        if self.plays:
            return (parse_seat(self.plays[0].text[:1], "the first P") - 1) % N_SEATS
        if header:
            return (parse_seat(header, "the header Dealer") + self.index) % N_SEATS
        raise InvalidRecordError("no dealer: neither a header Dealer nor C nor P says who is first")

    def _parse_calls(self) -> tuple[int | None, list[str]]:
        if not self.calls:
            return None, []
        number, text = self.calls[0]
        with blamed_on(number):
            seat, _, calls = text.partition(":")
            words = calls.split()
            if len(words) > N_SEATS or (len(words) < N_SEATS and self.plays):
                raise InvalidRecordError(f"{len(words)} calls, {N_SEATS} are legal")
            if len(words) < N_SEATS:
                self.intake.note(number, f"the auction is cut short after {len(words)} calls")
            return parse_seat(seat, "C"), words

    def _bid(self, table: Table, start: int, words: list[str]) -> None:
        with blamed_on(self.calls[0].number):
            shared.check_first("C", start, table)
            for i, word in enumerate(words):
                word = _UNKNOWN if word == _NO_NAME else word
                seat = (start + i) % N_SEATS
                shared.enter_bid(table, seat, word, blind_nil=_BLIND_NIL, unknown=_UNKNOWN)

    def _cards(self, line: Line) -> list[str]:
        """Cards of a P line as ``SA``: it has the rank first, a high joker as HJ."""
        words = line.text.split()[1:]
        if words and len(words[-1]) == 1 and line.number == self.cut_line:
            self.intake.note(line.number, f"the text is cut off inside a card: {shown(words[-1])}")
            words = words[:-1]
        if len(words) > N_SEATS:
            raise InvalidRecordError(f"{len(words)} cards in a trick, {N_SEATS} are legal")
        return [word[::-1] for word in words]

    def _columns(self) -> Iterator[tuple[int, int, str]]:
        """(line, seat, card) of every play."""
        for line in self.plays:
            with blamed_on(line.number):
                leader = parse_seat(line.text[:1], "P")
                cards = self._cards(line)
            for i, card in enumerate(cards):
                yield line.number, (leader + i) % N_SEATS, card

    def _play(self, state: Round) -> None:
        for line in self.plays:
            with blamed_on(line.number):
                _check_leader(state, line)
                for card in self._cards(line):
                    state.play(state.table.rules.cards.parse_card(card))

    def _players(self) -> tuple[str, ...]:
        document = self.document
        names = document.value("Players").split()
        if len(names) != N_SEATS:
            if names and self.index == 0:
                line = document.line_of("Players")
                self.intake.note(line, f"{len(names)} names for 4 seats left out")
            return ("",) * N_SEATS
        name_of = dict(zip(document.seats, names, strict=True))
        players = []
        for seat in SEATS:
            name = "" if name_of[seat] == _NO_NAME else name_of[seat]
            with blamed_on(document.line_of("Players")):
                players.append(schema.text(name, "a name in Players"))
        return tuple(players)


@dataclass
class Scanner:
    """Sorts lines into documents and drafts of rounds; looks at no card."""

    intake: Intake
    documents: list[Document] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    document: Document | None = None
    lab: Line | None = None

    def feed(self, number: int, line: str) -> None:
        if line.startswith(reading.FENCES):
            self.document = None
        elif line[:1] in ("%", ";"):
            self._comment(number, line[1:].strip())
        elif line.startswith("["):
            self._headers(number, line.partition(";")[0])
        elif self.document is not None:
            event = line.partition(";")[0].strip()
            if event:
                self._event(number, event, self.document)

    def _open(self) -> Document:
        self.document = Document()
        self.documents.append(self.document)
        self.lab = None
        return self.document

    def _before_rounds(self) -> Document:
        document = self.document
        return self._open() if document is None or document.n_rounds else document

    def _comment(self, number: int, comment: str) -> None:
        key, _, rest = comment.partition(" ")
        rest = rest.strip()
        if key == NOTATION:
            document = self._open()
            if rest != VERSION:
                document.blame(number, f"{NOTATION} {shown(rest)} is not supported, {VERSION} is")
        elif key == "rules" and rest.startswith("{"):
            self._before_rounds().tags["rules"] = Line(number, rest)
        elif key == "record" and rest.startswith("{"):
            self.lab = Line(number, rest)

    def _headers(self, number: int, line: str) -> None:
        document = self._before_rounds()
        *parts, tail = line.split("]")
        if tail.strip():
            parts.append(tail)
        for part in parts:
            key, _, value = part.strip().removeprefix("[").strip().partition(" ")
            if key in document.tags:
                document.blame(number, f"the header {shown(key)} comes twice")
            if len(document.tags) == reading.MAX_TAGS:
                document.blame(number, f"over {reading.MAX_TAGS} headers")
                break
            document.tags.setdefault(key, Line(number, value.strip().strip('"').strip()))

    def _event(self, number: int, event: str, document: Document) -> None:
        code, _, rest = event.replace("\t", " ").partition(" ")
        line = Line(number, rest.strip())
        if code == "D":
            self.drafts.append(Draft(self.intake, document, document.n_rounds, line, self.lab))
            document.n_rounds += 1
            self.lab = None
        elif not document.n_rounds:
            document.blame(number, f"{shown(event)} before any deal (D)")
        else:
            self.drafts[-1].add(code, line)


def parse(text: str, *, name: str = "") -> Reading:
    intake = Intake(NOTATION, name)
    scanner = Scanner(intake)
    last_line = 0
    for number, raw in lines_of(text):
        if len(scanner.documents) > reading.MAX_RECORDS:
            break
        line = raw.strip()
        if line:
            scanner.feed(number, line)
            last_line = number
    if not intake.has_too_many(max(len(scanner.drafts), len(scanner.documents))):
        for document in scanner.documents:
            if document.fault and not document.n_rounds:
                intake.refuse(document.fault.line, str(document.fault))
        for draft in scanner.drafts:
            draft.cut_line = last_line
            record = intake.take(draft.deal.number, draft.read)
            intake.note_if_short(draft.deal.number, record)
    return intake.done()


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


def format_records(records: Iterable[Record]) -> str:
    """The records as trick-notation: a document a run of rounds with the same rules and names."""
    runs = itertools.groupby(records, key=lambda record: (record.rules, record.players))
    return "\n".join(_format_document(list(run)) for _, run in runs)


def _format_document(records: list[Record]) -> str:
    first = records[0]
    deck = first.rules.cards
    headers = {
        "Game": "spades",
        "Deck": _STANDARD_NAME if deck is STANDARD else deck.name,
        "Seats": " ".join(SEATS),
        "Dealer": SEATS[first.dealer],
        "Players": " ".join(map(_safe_name, first.players)),
    }
    lines = [f"% {NOTATION} {VERSION}"]
    lines += [f'[{key} "{value}"]' for key, value in headers.items()]
    options = schema.rules_options(first.rules)
    if options:
        lines.append(f"; rules {json.dumps(options)}")
    for index, record in enumerate(records):
        lines += ["", *_round_lines(record, index)]
    return "\n".join(lines) + "\n"


def _safe_name(name: str) -> str:
    """A name as one word that can't end the header, open a comment or be taken for no name."""
    word = "".join(c if c.isprintable() and c not in ' "[];' else "_" for c in name)
    return word or _NO_NAME


def _round_lines(record: Record, index: int) -> Iterator[str]:
    yield f"; record {json.dumps(_lab_values(record, index))}"
    hands = [format_hand(hand, record.rules.cards) for hand in record.hands]
    words = [".".join(group or _VOID for group in hand.split(".")) for hand in hands]
    yield "D " + " ".join(f"{seat}:{word}" for seat, word in zip(SEATS, words, strict=True))
    calls = shared.format_auction(record, blind_nil=_BLIND_NIL, unknown=_UNKNOWN)
    if calls:
        yield f"C {SEATS[(record.dealer + 1) % N_SEATS]}: {calls}"
    seats = record.final().table.seats
    cards = [card[::-1] for card in record.plays]
    for ply in range(0, len(cards), N_SEATS):
        yield f"P {SEATS[seats[ply]]} {' '.join(cards[ply : ply + N_SEATS])}"


def _lab_values(record: Record, index: int) -> dict[str, Any]:
    """The columns that the lines of a round and its document's headers don't say."""
    words = [_safe_name(name) for name in record.players]
    players = ["" if word == _NO_NAME else word for word in words]
    is_dealer_unsaid = index > 0 and max(record.bids) == NO_BID
    dealer = None if is_dealer_unsaid else record.dealer
    return schema.unsaid_columns(record, {"player": players, "dealer": dealer})
