"""CSV, one row a play: for spreadsheets.

Source: spec 1, notation 7. The columns ``game, round, trick, seat, card, led suit, bid, player,
kind`` and ``agent`` say in every row what the seat that plays is; tricks count from 1, a card is
suit then rank, a bid a number, ``nil`` or ``blind nil``, empty where it is unknown. The other
columns are in the first row of a round only: ``schema_version, dealer, deck, rules`` (JSON of
those that aren't default), ``deal`` (N E S W as ``S.H.D.C``), ``score ns, score ew, bags ns, bags
ew`` before the round, ``seed, source``. A seat that played no card (yet) has a row without trick
and card, after the plays. With all that any round reads back unchanged.

A file with the first nine columns only is read too: default rules and the standard deck, the deal
being the cards each seat played, which must be all. A round is the rows of one game and round on
end; a row with a dealer starts one anyway. Where another game or round comes before the 52nd play
without a first row, a cell is damaged: the whole round is refused, for its rest may look whole.
How cells are written is in ``spades.notation.csv_format``; ``;`` and tab between cells are read
as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from spades.core.cards import N_CARDS, N_SEATS, SEATS, STANDARD, SUITS
from spades.core.errors import InvalidRecordError
from spades.core.records import BOT, SCHEMA_VERSION, RoundRecord
from spades.core.rules import Round, Rules, Table
from spades.notation import reading
from spades.notation.csv_format import (
    BLIND_NIL,
    DELIMITERS,
    HEADER,
    PLAY_COLUMNS,
    ROUND_COLUMNS,
    SEAT_COLUMNS,
    format_records,
    led_suit_of,
    parse_cells,
    split_line,
)
from spades.notation.files import why_no_line
from spades.notation.hands import (
    complete_deal,
    enter_bid,
    parse_hand,
    parse_seat,
    played_masks,
    record_of_table,
)
from spades.notation.reading import Intake, Reading, blamed_on, lines_of, shown
from spades.notation.schema import load_json, load_object, plain_values, rules_of

NOTATION = "csv"
_ROUNDS_AT_ONCE = 1_000
_MAX_HEADER = 1_000
_ROUND_COLUMNS = frozenset(ROUND_COLUMNS)

__all__ = ["HEADER", "NOTATION", "Scanner", "format_records", "is_header", "parse", "parse_lines"]

Row = dict[str, str]


@dataclass
class _Draft:
    """The rows of one round, by line."""

    rows: list[tuple[int, Row]] = field(default_factory=list)
    fault: InvalidRecordError | None = None
    n_plays: int = 0

    @property
    def line(self) -> int:
        return self.rows[0][0] if self.rows else (self.fault.line if self.fault else 0)

    def add(self, number: int, row: Row) -> None:
        self.rows.append((number, row))
        self.n_plays += bool(row["card"])
        if len(self.rows) > N_CARDS + N_SEATS:
            self.rows.pop()
            self.fault = self.fault or InvalidRecordError(
                f"over {N_CARDS} plays in a round; a game and round that come again need a "
                "column dealer",
                number,
            )


@dataclass
class Scanner:
    """Gathers the rows of each round, line by line."""

    delimiter: str = ""
    columns: list[str] = field(default_factory=list)
    draft: _Draft = field(default_factory=_Draft)

    @property
    def is_open(self) -> bool:
        return bool(self.draft.rows or self.draft.fault)

    def header(self, line: str) -> None:
        """Take the columns' names; ``InvalidRecordError`` unless the first nine are there."""
        for delimiter in DELIMITERS:
            names = [cell.strip().lower() for cell in split_line(line, delimiter)]
            names = ["led suit" if name == "led_suit" else name for name in names]
            missing = [name for name in PLAY_COLUMNS if name not in names]
            if len(missing) < len(PLAY_COLUMNS):
                break
        if missing:
            raise InvalidRecordError(
                f"the columns {', '.join(missing)} are missing in {shown(line)}; "
                f"{', '.join(PLAY_COLUMNS)} are needed"
            )
        if len(set(names)) < len(names):
            raise InvalidRecordError(f"a column comes twice in {shown(line)}")
        self.delimiter, self.columns = delimiter, names

    def feed(self, number: int, line: str) -> _Draft | None:
        """Take a line; the round before it if it starts a new one."""
        try:
            row = self._row(line)
            is_first = self._starts_round(row)
        except InvalidRecordError as error:
            return self._broken(InvalidRecordError(str(error), number))
        if not self.is_open or not is_first:
            self.draft.add(number, row)
            return None
        done, self.draft = self.draft, _Draft()
        self.draft.add(number, row)
        return done

    def _row(self, line: str) -> Row:
        if why := why_no_line(line):
            raise InvalidRecordError(why)
        cells = split_line(line, self.delimiter)
        if len(cells) != len(self.columns):
            raise InvalidRecordError(
                f"{len(cells)} cells, {len(self.columns)} are legal: {shown(line)}"
            )
        return dict(zip(self.columns, parse_cells(cells, line), strict=True))

    def _starts_round(self, row: Row) -> bool:
        """Whether a row begins a round; refused if it does not, nor belongs to the one so far."""
        draft = self.draft
        if not draft.rows:
            return bool(row.get("dealer"))
        head, key = draft.rows[0][1], (row["game"], row["round"])
        is_same = key == (head["game"], head["round"])
        is_spent = draft.n_plays >= N_CARDS or draft.fault is not None
        if row.get("dealer"):
            return not is_same or is_spent or bool(row.get("deal"))
        if is_same:
            return False
        is_first = row["trick"] == "1" if "dealer" not in row else not head["dealer"]
        if is_first or draft.n_plays >= N_CARDS:
            return True
        raise InvalidRecordError(
            f"game and round are {shown(key[0])}, {shown(key[1])} within the round of line "
            f"{draft.line}, which is {shown(head['game'])}, {shown(head['round'])}; another one "
            "begins with its first row"
        )

    def _broken(self, fault: InvalidRecordError) -> _Draft | None:
        """A line that can't be read spoils its round: the one so far unless that is whole."""
        if self.draft.n_plays < N_CARDS:
            self.draft.fault = self.draft.fault or fault
            return None
        done, self.draft = self.draft, _Draft(fault=fault)
        return done


@dataclass
class _Reader:
    """Reads one draft."""

    draft: _Draft

    def read(self) -> RoundRecord:
        if self.draft.fault:
            raise self.draft.fault
        number, head = self.draft.rows[0]
        with blamed_on(number):
            rules = self._rules(head)
            values = self._values(head)
        seats = self._seats()
        with blamed_on(number):
            deal = self._deal(head, rules)
            state = Round.deal(rules, values.pop("dealer"), deal)
            self._bid(state.table, seats)
        self._play(state)
        columns = {f"{name}s": tuple(row[name] for row in seats) for name in SEAT_COLUMNS[1:]}
        return record_of_table(state.table, deal, **columns, **values)

    def _rules(self, head: Row) -> Rules:
        version = head.get("schema_version") or str(SCHEMA_VERSION)
        if version != str(SCHEMA_VERSION):
            raise InvalidRecordError(
                f"schema_version is {shown(version)}; {SCHEMA_VERSION} is legal"
            )
        options = load_object(head.get("rules") or "{}")
        return rules_of({"rules": options, "deck": head.get("deck") or STANDARD.name})

    def _values(self, head: Row) -> dict[str, Any]:
        """Attributes of the record that are in the first row."""
        plain = {
            "game_id": head["game"],
            "round": _number(head["round"], "round"),
            "dealer": self._dealer(head),
            "score_before": _pair(head, "score"),
            "bags_before": _pair(head, "bags"),
            "seed": _number(head["seed"], "seed") if head.get("seed") else None,
            "source": head.get("source", ""),
        }
        return plain_values(plain)

    def _dealer(self, head: Row) -> int:
        if "dealer" not in head:
            if not head["card"]:
                raise InvalidRecordError("no dealer: neither a column dealer nor a play says it")
            return (parse_seat(head["seat"], "seat") - 1) % N_SEATS
        if not head["dealer"]:
            raise InvalidRecordError("the round's first row, which names the dealer, is missing")
        return parse_seat(head["dealer"], "dealer")

    def _seats(self) -> list[Row]:
        """What the rows say of each seat, N E S W; every row of a seat must say the same."""
        nothing = {"bid": "", "player": "", "kind": BOT, "agent": ""}
        found: dict[int, Row] = {}
        for number, row in self.draft.rows:
            with blamed_on(number):
                seat = parse_seat(row["seat"], "seat")
                said = {column: row.get(column, "") for column in SEAT_COLUMNS}
                if found.setdefault(seat, said) != said:
                    wrong = next(c for c in SEAT_COLUMNS if found[seat][c] != said[c])
                    raise InvalidRecordError(
                        f"{wrong} of {SEATS[seat]} is {shown(said[wrong])}, but "
                        f"{shown(found[seat][wrong])} in a row before"
                    )
        seats = [found.get(seat, nothing) for seat in range(N_SEATS)]
        with blamed_on(self.draft.line):
            columns = {column: [row[column] for row in seats] for column in SEAT_COLUMNS[1:]}
            plain_values(dict(columns))
        return seats

    def _deal(self, head: Row, rules: Rules) -> tuple[int, int, int, int]:
        deck = rules.cards
        if text := head.get("deal"):
            hands = text.split()
            if len(hands) != N_SEATS:
                raise InvalidRecordError(f"deal is {shown(text)}; four hands S.H.D.C are legal")
            return tuple(parse_hand(hand, deck) for hand in hands)  # type: ignore[return-value]
        cards = [
            (number, SEATS.index(row["seat"].strip().upper()), row["card"])
            for number, row in self.draft.rows
            if row["card"]
        ]
        played = played_masks(cards, deck)
        whole = [mask if mask.bit_count() == 13 else None for mask in played]
        return complete_deal(whole, played, deck)

    def _bid(self, table: Table, seats: list[Row]) -> None:
        for i in range(N_SEATS):
            seat = (table.leader + i) % N_SEATS
            word = seats[seat]["bid"].strip().lower()
            enter_bid(table, seat, word, blind_nil=BLIND_NIL, unknown="")

    def _play(self, state: Round) -> None:
        table, is_done = state.table, False
        for number, row in self.draft.rows:
            with blamed_on(number):
                _check_round_cells(row, self.draft.rows[0][1])
                if not row["card"]:
                    is_done = True
                    _check_cells(row, {"trick": "", "led suit": ""})
                    continue
                card = table.rules.cards.parse_card(row["card"])
                if is_done:
                    raise InvalidRecordError(f"the play {row['card']!r} after a row without a card")
                _check_turn(row, table)
                state.play(card)
                _check_cells(row, {"led suit": SUITS[led_suit_of(table)]})


def _check_turn(row: Row, table: Table) -> None:
    if not table.is_over:
        _check_cells(row, {"seat": SEATS[table.turn], "trick": str(len(table.winners) + 1)})


def _check_cells(row: Row, due: Row) -> None:
    for column, text in due.items():
        if row[column].strip().upper() != text:
            raise InvalidRecordError(
                f"{column} is {shown(row[column])} where {text or 'nothing'} is due, card "
                f"{shown(row['card'])}"
            )


def _check_round_cells(row: Row, head: Row) -> None:
    if row is head:
        return
    for column in row.keys() & _ROUND_COLUMNS:
        if row[column]:
            raise InvalidRecordError(f"{column} is {shown(row[column])} in a round's later row")


def _number(text: str, name: str) -> object:
    """A whole number, or the text where it is none, to be refused."""
    digits = text.strip().removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= 20
    return load_json(text.strip()) if is_number and str(int(digits)) == digits else text


def _pair(head: Row, what: str) -> object:
    cells = [head.get(f"{what} {side}", "") for side in ("ns", "ew")]
    if not any(cells):
        return None
    return [_number(cell, f"{what} {side}") for cell, side in zip(cells, ("ns", "ew"), strict=True)]


def is_header(line: str) -> bool:
    """Whether a line names the columns of this notation."""
    try:
        Scanner().header(line[:_MAX_HEADER])
    except InvalidRecordError:
        return False
    return True


def parse(text: str, *, name: str = "") -> Reading:
    """Rounds of a CSV text, each replayed."""
    intake = Intake(NOTATION, name)
    try:
        drafts = list(
            itertools.islice(_drafts(enumerate(lines_of(text), start=1)), reading.MAX_RECORDS + 1)
        )
    except InvalidRecordError as error:
        return intake.done_with(error)
    return intake.done() if intake.has_too_many(len(drafts)) else _read(drafts, intake)


def _read(drafts: Iterable[_Draft], intake: Intake) -> Reading:
    for draft in drafts:
        intake.take(draft.line, _Reader(draft).read)
    return intake.done()


def parse_lines(lines: Iterable[tuple[int, str]], *, name: str = "") -> Iterator[Reading]:
    """As ``parse``, a thousand rounds at a time, for files of any size."""
    try:
        for part in reading.batched(_drafts(lines), _ROUNDS_AT_ONCE):
            yield _read(part, Intake(NOTATION, name))
    except InvalidRecordError as error:
        yield Intake(NOTATION, name).done_with(error)


def _drafts(lines: Iterable[tuple[int, str]]) -> Iterator[_Draft]:
    scanner = Scanner()
    for number, line in lines:
        if not line.strip(" \r\n"):
            continue
        if not scanner.columns:
            with blamed_on(number):
                if why := why_no_line(line):
                    raise InvalidRecordError(why)
                scanner.header(line)
        elif done := scanner.feed(number, line):
            yield done
    if scanner.is_open:
        yield scanner.draft
