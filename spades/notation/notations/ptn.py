"""PTN, the notation of Trickster Cards: like PBN, for Spades with its decks and options.

In ``[Play]`` the columns are fixed seats, clockwise from the first
leader, in every row; the winner of a row leads the next. Cards there are suit then rank. What PTN
has no place for (game id, round, agents, seed, source, score and bags before, some rules, names
that a tag can't hold) is written as columns of the log schema into ``[LabJson]``, which other
programs skip: reading back gives the same record.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spades.core.cards import (
    EAST,
    N_SEATS,
    NORTH,
    SEATS,
    SOUTH,
    WEST,
    Deck,
    Hands,
    clockwise,
    format_hand,
    parse_hand,
)
from spades.core.documents import load_json, load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import BOT, HUMAN, Record
from spades.core.rules import Round, Rules
from spades.notation import hands as shared
from spades.notation import schema
from spades.notation.hands import parse_seat
from spades.notation.notations import ptn_tags as tags
from spades.notation.notations.notation import TextNotation
from spades.notation.notations.ptn_tags import (
    AUCTION,
    LAB_TAG,
    PLAY,
    SCORES,
    UNKNOWN,
    LastRound,
    RecordText,
    Row,
)
from spades.notation.reading import Draft, Intake, Lines, blamed_on

GAME_CODE = "Spades"
_BLIND_NIL = "BlindNil"
_FOREIGN_TAGS = ("CardsAdded", "CardsRemoved", "CardsPassed", "Undealt", "Declarer", "Contract")
_SAID_ELSEWHERE = ("dealer", "bids", "blind")


class Ptn(TextNotation):
    """Records of Trickster Cards."""

    name = "ptn"
    label = "PTN (Trickster Cards)"
    endings = (".ptn", ".pbn")
    place = 20

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(line.startswith(("[Event", "[GameCode", "[Deal ")) for line in lines)

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        """Scores are checked against the record before."""
        last_round = LastRound()
        for text in tags.record_texts(lines):
            yield text.line, partial(_read, text, last_round)

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        separator = ""
        for record in records:
            yield separator + _format_record(record)
            separator = "\n"


def _read(text: RecordText, last_round: LastRound, intake: Intake) -> Record:
    record = None
    try:
        record = _Reader(text, intake).read(last_round)
        intake.note_if_short(text.line, record)
        return record
    finally:
        last_round.remember(record, text)


@dataclass
class _Reader:
    """Reads the text of one record."""

    text: RecordText
    intake: Intake

    def note(self, name: str, text: str) -> None:
        self.intake.note(self.text.line_of(name), text)

    def read(self, last_round: LastRound) -> Record:
        for line, note in self.text.notes:
            self.intake.note(line, note)
        if self.text.fault:
            raise self.text.fault
        self._check_game()
        lab = self._json(LAB_TAG)
        rules = self._rules(lab)
        dealer, hands = self._deal(rules)
        values = self._values(lab)
        with blamed_on(self.text.line_of("Deal")):
            state = Round.deal(rules, dealer, hands)
        if AUCTION in self.text.tags:
            self._bid(state)
        if PLAY in self.text.tags:
            self._play(state)
        table = state.table
        record = shared.record_of_table(table, hands, **values)
        with blamed_on(self.text.line_of(SCORES)):
            return tags.read_scores(record, table.tricks_taken, self.text, self.intake, last_round)

    def _check_game(self) -> None:
        code = self.text.value("GameCode")
        if not code:
            self.note("GameCode", "no GameCode; Spades assumed")
        elif code != GAME_CODE:
            reason = f"the game is {shown(code)}, only {GAME_CODE} is read"
            raise InvalidRecordError(reason, self.text.line_of("GameCode"))
        for name in _FOREIGN_TAGS:
            if self.text.value(name):
                raise InvalidRecordError(
                    f"the tag {name}: passing cards, kitties and contracts are not supported",
                    self.text.line_of(name),
                )

    def _json(self, name: str) -> dict[str, object]:
        value = self.text.value(name).strip()
        if not value:
            return {}
        with blamed_on(self.text.line_of(name)):
            # Written either as it is or as the inside of a JSON string.
            escaped = value.lstrip("{ ").startswith("\\")
            return load_object(str(load_json(f'"{value}"')) if escaped else value)

    def _rules(self, lab: Mapping[str, object]) -> Rules:
        name = "GameOptionsJson"
        extra = lab.get("rules", {})
        with blamed_on(self.text.line_of(name)):
            if not isinstance(extra, dict):
                raise InvalidRecordError(f"rules in {LAB_TAG} is {shown(extra)}, no object")
            rules, unknown = tags.parse_options(self._json(name), extra)
        if unknown:
            self.note(name, f"unknown options left out: {shown(', '.join(unknown))}")
        return rules

    def _deal(self, rules: Rules) -> tuple[int, Hands]:
        """The dealer's seat, and the hands as masks by seat."""
        text = self.text
        if "Deal" not in text.tags:
            raise InvalidRecordError("no tag Deal: a record needs its cards", text.line)
        with blamed_on(text.line_of("Deal")):
            first, hands = _hands(text.value("Deal"), rules.cards)
        with blamed_on(text.line_of("Dealer")):
            dealer = parse_seat(text.value("Dealer", SEATS[first]), "the tag Dealer")
        if dealer != first:
            self.note("Deal", f"the deal starts at {SEATS[first]}, not at the dealer")
        with blamed_on(text.line_of("Deal")):
            played = partial(shared.played_masks, self._columns(dealer), rules.cards)
            return dealer, shared.complete_deal(hands, played, rules.cards)

    def _values(self, lab: dict[str, object]) -> dict[str, Any]:
        """The record's other attributes: names and kinds of tags, and those of the lab's tag."""
        names: list[str] = []
        kinds: list[str] = []
        for tag in tags.NAME_TAGS:
            name, kind = tags.parse_name(self.text.value(tag))
            if kind is None and "kind" not in lab:
                kind = HUMAN if name else BOT
                self.note(tag, f"{tag} is marked neither (Auto) nor (digits); {kind} assumed")
            names.append(schema.text(name, f"the name of {tag}"))
            kinds.append(kind or BOT)
        own = {column: value for column, value in lab.items() if column not in _SAID_ELSEWHERE}
        with blamed_on(self.text.line_of(LAB_TAG)):
            schema.note_unknown(self.intake, self.text.line_of(LAB_TAG), lab)
            values = schema.plain_values(own)
        return {"players": tuple(names), "kinds": tuple(kinds), **values}

    def _columns(self, dealer: int) -> Iterator[tuple[int, int, str]]:
        """(line, seat, card) of the cards in each seat's column of the play."""
        for row in self.text.rows[PLAY]:
            words = row.words[:-1] if self._ends_in_half_a_card(row) else row.words
            for seat, word in zip(clockwise(dealer + 1), words, strict=False):
                if word != UNKNOWN:
                    yield row.line, seat, word

    def _is_cut(self, row: Row) -> bool:
        return row.line == self.text.cut_line

    def _ends_in_half_a_card(self, row: Row) -> bool:
        last_word = row.words[-1]
        return self._is_cut(row) and len(last_word) == 1 and last_word != UNKNOWN

    def _check_first(self, name: str, state: Round) -> None:
        with blamed_on(self.text.line_of(name)):
            first = parse_seat(self.text.value(name), f"the tag {name}")
            shared.check_first(name, first, state.table)

    def _bid(self, state: Round) -> None:
        self._check_first(AUCTION, state)
        rows = self.text.rows[AUCTION]
        bids = [(row.line, word) for row in rows for word in _bid_words(row.words)]
        is_cut = bool(rows) and self._is_cut(rows[-1])
        may_end_so = not bids or len(bids) == N_SEATS or (len(bids) < N_SEATS and is_cut)
        if not may_end_so:
            last_line, _ = bids[-1]
            raise InvalidRecordError(f"{len(bids)} bids in the auction, 4 are legal", last_line)
        if len(bids) < N_SEATS:
            self.note(AUCTION, f"the auction is cut short after {len(bids)} bids")
        for seat, (line, word) in zip(clockwise(state.table.leader), bids, strict=False):
            with blamed_on(line):
                shared.enter_bid(state.table, seat, word, blind_nil=_BLIND_NIL, unknown=UNKNOWN)

    def _play(self, state: Round) -> None:
        self._check_first(PLAY, state)
        is_short = False
        for row in self.text.rows[PLAY]:
            with blamed_on(row.line):
                cards = self._cards(row)
                is_over = state.table.is_over
                if any(cards) and (is_short or is_over):
                    why = "a row after the 13th trick" if is_over else "cards after a gap"
                    raise InvalidRecordError(f"{why}: {shown(' '.join(row.words))}")
                is_short = is_short or not self._play_trick(state, cards, row)

    def _cards(self, row: Row) -> list[str]:
        """The row's four columns, empty where no card was played."""
        words = row.words
        may_be_short = len(words) < N_SEATS and self._is_cut(row)
        if self._ends_in_half_a_card(row):
            self.intake.note(row.line, f"the text is cut off inside a card: {shown(words[-1])}")
            words = words[:-1]
        elif len(words) != N_SEATS and not may_be_short:
            raise InvalidRecordError(f"{len(words)} cards in a row, {N_SEATS} columns are legal")
        cards = ["" if word == UNKNOWN else word for word in words]
        return cards + [""] * (N_SEATS - len(cards))

    def _play_trick(self, state: Round, cards: list[str], row: Row) -> bool:
        """Play a row in the order of play; whether it was a whole trick."""
        table = state.table
        deck = table.rules.cards
        for seat in clockwise(table.leader):
            column = (seat - table.dealer - 1) % N_SEATS
            if not cards[column]:
                self._leave_out(cards, row, SEATS[seat])
                return False
            state.play(deck.card(cards[column]))
            cards[column] = ""
        return True

    def _leave_out(self, cards: list[str], row: Row, seat: str) -> None:
        rest = " ".join(filter(None, cards))
        if rest and not self._is_cut(row):
            raise InvalidRecordError(f"{rest} played, but {seat}, whose turn it is, has no card")
        if self._is_cut(row) and len(row.words) < N_SEATS:
            left_out = f"; {rest} left out, {seat} plays before" if rest else ""
            self.intake.note(row.line, f"the text is cut off inside a trick{left_out}")


def _hands(value: str, deck: Deck) -> tuple[int, list[int | None]]:
    """The seat that ``N:h h h h`` starts at, and the hands by seat, None unknown."""
    seat, colon, rest = value.partition(":")
    texts = rest.split()
    if not colon or len(texts) != N_SEATS:
        raise InvalidRecordError(
            f"the deal {shown(value)} has {len(texts)} hands; four after a seat, as N:h h h h, "
            "are legal"
        )
    first = parse_seat(seat, "the tag Deal")
    hands = [None if text == UNKNOWN else parse_hand(text, deck) for text in texts]
    return first, [hands[(seat - first) % N_SEATS] for seat in range(N_SEATS)]


def _bid_words(words: list[str]) -> list[str]:
    """Bids of a line: ``Blind`` belongs to the word after it."""
    bids: list[str] = []
    for word in words:
        if bids and bids[-1].lower() == "blind":
            bids[-1] += word
        else:
            bids.append(word)
    return bids


def _format_record(record: Record) -> str:
    table = record.final().table
    options, unsaid_rules = tags.format_options(record.rules)
    names = list(map(tags.format_name, record.players, record.kinds))
    values = {tags.EVENT: "Spades decision lab", "GameCode": GAME_CODE}
    values["GameOptionsJson"] = _quoted(options)
    scores = tags.format_scores(record, table.tricks_taken)
    if scores:
        values[SCORES] = scores
    for seat in (WEST, NORTH, EAST, SOUTH):
        values[tags.NAME_TAGS[seat]] = names[seat]
    values["Dealer"] = SEATS[record.dealer]
    values["Deal"] = _format_deal(record)
    values[LAB_TAG] = _quoted(_lab_values(record, names, unsaid_rules))
    text = "".join(tags.format_tag(name, value) for name, value in values.items())
    first = SEATS[(record.dealer + 1) % N_SEATS]
    bids = shared.format_auction(record, nil="Nil", blind_nil=_BLIND_NIL, unknown=UNKNOWN)
    if bids:
        text += tags.format_tag(AUCTION, first) + bids + "\n"
    if record.plays:
        text += tags.format_tag(PLAY, first) + _format_rows(record, table.seats)
    return text


def _lab_values(
    record: Record, names: Sequence[str], unsaid_rules: dict[str, Any]
) -> dict[str, object]:
    """What the other tags don't say; ``names``: as they stand in their tags."""
    heard_names, heard_kinds = zip(*map(tags.parse_name, names), strict=True)
    heard = {"player": list(heard_names), "kind": list(heard_kinds), "dealer": record.dealer}
    values = schema.unsaid_columns(record, heard)
    if unsaid_rules:
        values["rules"] = unsaid_rules
    return values


def _quoted(value: Mapping[str, object]) -> str:
    """JSON as a tag holds it: quotes escaped once more, ASCII only."""
    return json.dumps(json.dumps(value, separators=(",", ":")))[1:-1]


def _format_deal(record: Record) -> str:
    hands = [format_hand(hand, record.rules.cards) for hand in record.hands]
    from_dealer = hands[record.dealer :] + hands[: record.dealer]
    return f"{SEATS[record.dealer]}:{' '.join(from_dealer)}"


def _format_rows(record: Record, seats: Sequence[int]) -> str:
    """A line a trick, the columns fixed seats from the first leader on."""
    first = (record.dealer + 1) % N_SEATS
    lines = []
    for start in range(0, len(record.plays), N_SEATS):
        row = [UNKNOWN] * N_SEATS
        for ply in range(start, min(start + N_SEATS, len(record.plays))):
            row[(seats[ply] - first) % N_SEATS] = record.plays[ply]
        lines.append(" ".join(row) + "\n")
    return "".join(lines)
