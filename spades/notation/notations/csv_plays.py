"""CSV, one row a play: for spreadsheets.

In every row ``PLAY_COLUMNS`` and ``agent`` say what the seat that plays is: tricks from 1, a card
suit then rank, a bid a number, ``nil``, ``blind nil`` or empty (unknown). ``ROUND_COLUMNS`` are in
a round's first row only: ``rules`` JSON of those not default, ``deal`` N E S W as ``S.H.D.C``,
scores and bags before the round. A seat that played no card has a row without trick and card, after
the plays. With all that any round reads back unchanged.

The first nine columns alone are read too: default rules, standard deck, the deal from the plays,
which must be all. A round is the rows of one game and round on end, or those from a row with a
dealer on. Where another round comes before the 52nd play without a first row, a cell is damaged:
the whole round is refused, for its rest may look whole. ``;`` and tab between cells are read.

A cell that a spreadsheet might take for a formula (``=+-@``, a tab, a line break, full-width signs)
or that begins with an apostrophe gets one in front, which reading takes off. Control characters,
line breaks and the backslash are written ``\\uXXXX``, ``\\n``, ``\\r``, ``\\t`` and ``\\\\``.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spades.core.cards import (
    N_CARDS,
    N_SEATS,
    SEATS,
    STANDARD,
    SUITS,
    clockwise,
    format_hand,
    parse_hand,
    suit_of,
)
from spades.core.documents import load_json, load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import BOT, SCHEMA_VERSION, Record
from spades.core.rules import Round, Rules, Table
from spades.notation import hands as shared
from spades.notation.hands import parse_seat
from spades.notation.notations.notation import TextNotation
from spades.notation.reading import Draft, Intake, Lines, blamed_on, check_line
from spades.notation.schema import plain_values, rules_of, rules_options

DELIMITERS = ",;\t"
MAX_CELLS = 100
LEAST_CELLS = 3  # of a line that is taken for a table's
MAX_CELL = 130_000  # characters, under the csv module's own limit
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {value: key for key, value in _SHORT.items()}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\\\\]")
_ESCAPED = re.compile(r"\\(?:[\\nrt]|u[0-9a-f]{4})")
_QUOTED = re.compile('[",\\s]')

Row = dict[str, str]


def format_cell(text: str) -> str:
    """A text as a cell: no formula, no line break."""
    safe = _CONTROL.sub(_escaped, text)
    return f"'{safe}" if text.startswith(_FORMULA) else safe


def _escaped(control: re.Match[str]) -> str:
    char = control[0]
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def parse_cell(cell: str) -> str:
    """The text of a cell that ``format_cell`` wrote; any other cell stays as it is."""
    if "\\" in cell:
        cell = _ESCAPED.sub(_unescaped, cell)
    is_guarded = cell.startswith("'") and cell[1:].startswith(_FORMULA)
    return cell[1:] if is_guarded else cell


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[0]
    return _LONG.get(code) or chr(int(code[2:], 16))


def format_cells(cells: Iterable[str]) -> str:
    return ",".join(map(_quoted, map(format_cell, cells)))


def _quoted(cell: str) -> str:
    """A cell in quotes where it needs them (RFC 4180)."""
    if not _QUOTED.search(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def split_line(line: str, delimiter: str) -> Sequence[str]:
    """Cells of one line; ``InvalidRecordError`` for broken quotes or a giant cell."""
    if '"' not in line:
        cells = line.split(delimiter, MAX_CELLS)
    else:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise InvalidRecordError(
                f"no CSV line: {error}; a cell in quotes ends on its line, a quote in it is doubled"
            ) from None
    if len(line) > MAX_CELL:
        _check_longest(cells)
    return cells


def _check_longest(cells: Sequence[str]) -> None:
    longest = max(cells, key=len)
    if len(longest) > MAX_CELL:
        reason = f"a cell of {len(longest):,} characters; {MAX_CELL:,} are legal: {shown(longest)}"
        raise InvalidRecordError(reason)


PLAY_COLUMNS = ("game", "round", "trick", "seat", "card", "led suit", "bid", "player", "kind")
SEAT_COLUMNS = ("bid", "player", "kind", "agent")
ROUND_COLUMNS = (
    *("schema_version", "dealer", "deck", "rules", "deal"),
    *("score ns", "score ew", "bags ns", "bags ew", "seed", "source"),
)
LINE_END = "\r\n"
HEADER = format_cells([*PLAY_COLUMNS, "agent", *ROUND_COLUMNS]) + LINE_END
BLIND_NIL = "blind nil"
_NO_ROUND_CELLS = "," * (len(ROUND_COLUMNS) - 1)


class CsvPlays(TextNotation):
    """Plays in rows, for spreadsheets."""

    name = "csv"
    label = "CSV (a row a play)"
    endings = (".csv",)
    place = 40

    def recognises(self, lines: Sequence[str]) -> bool:
        try:
            _columns(lines[0][:1_000])
        except InvalidRecordError:
            return False
        return True

    def resembles(self, lines: Sequence[str]) -> bool:
        """Whether the first two lines are rows of a table, with three cells or more, and the first
        names its columns: no cell of it is a number."""
        for delimiter in DELIMITERS:
            rows = [line.split(delimiter, MAX_CELLS) for line in lines[:2]]
            n_cells = [len(cells) for cells in rows]
            has_names = not any(cell.strip().isdecimal() for cell in rows[0])
            if n_cells[0] >= LEAST_CELLS and n_cells == [n_cells[0]] * 2 and has_names:
                return True
        return False

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        filled = ((number, line) for number, line in lines if line.strip(" \r\n"))
        delimiter, columns = _header(filled)
        rows = RoundRows()
        for number, line in filled:
            try:
                row = _row(line, delimiter, columns)
                if rows.ends_before(row) and not rows.is_empty:
                    yield rows.line, rows.read
                    rows = RoundRows()
                rows.add(number, row)
            except InvalidRecordError as error:
                # The line spoils its round: the one so far unless that is whole.
                if rows.n_plays >= N_CARDS:
                    yield rows.line, rows.read
                    rows = RoundRows()
                rows.fault = rows.fault or InvalidRecordError(str(error), number)
        if not rows.is_empty:
            yield rows.line, rows.read

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        yield HEADER
        for record in records:
            yield from _lines(record)


def _header(lines: Iterator[tuple[int, str]]) -> tuple[str, list[str]]:
    """The delimiter and the names of the columns, from the first line."""
    for number, line in lines:
        with blamed_on(number):
            check_line(line)
            return _columns(line)
    return "", []


def _lines(record: Record) -> Iterator[str]:
    key = format_cells([record.game_id, str(record.round_index)])
    seats = [format_cells(_seat_cells(record, seat)) for seat in range(N_SEATS)]
    rest = format_cells(_round_cells(record))
    for seat, play in _plays(record):
        yield f"{key},{play},{seats[seat]},{rest}{LINE_END}"
        rest = _NO_ROUND_CELLS


def _led_suit(table: Table) -> str:
    """Suit of the trick that the last card belongs to."""
    n_before = (len(table.plays) - 1) // N_SEATS * N_SEATS
    return SUITS[suit_of(table.plays[n_before])]


def _plays(record: Record) -> Iterator[tuple[int, str]]:
    """(seat, cells trick to led suit) of every play, and of each seat that played no card."""
    table = Table(record.rules, record.dealer)
    for ply, card in enumerate(record.plays):
        seat = table.turn
        table.record_play(card.code)
        trick = ply // N_SEATS + 1
        yield seat, f"{trick},{SEATS[seat]},{card},{_led_suit(table)}"
    for seat in clockwise(record.dealer + 1)[len(record.plays) :]:
        yield seat, f",{SEATS[seat]},,"


def _seat_cells(record: Record, seat: int) -> list[str]:
    bid = shared.format_bid(record, seat, blind_nil=BLIND_NIL, unknown="")
    return [bid, record.players[seat], record.kinds[seat], record.agents[seat]]


def _round_cells(record: Record) -> list[str]:
    deck = record.rules.cards
    options = rules_options(record.rules)
    score_ns, score_ew = record.score_before or ("", "")
    bags_ns, bags_ew = record.bags_before or ("", "")
    return [
        str(SCHEMA_VERSION),
        SEATS[record.dealer],
        deck.name,
        json.dumps(options) if options else "",
        " ".join(format_hand(hand, deck) for hand in record.hands),
        str(score_ns),
        str(score_ew),
        str(bags_ns),
        str(bags_ew),
        "" if record.seed is None else str(record.seed),
        record.source,
    ]


def _row(line: str, delimiter: str, columns: list[str]) -> Row:
    check_line(line)
    cells = split_line(line, delimiter)
    if len(cells) != len(columns):
        reason = f"{len(cells)} cells, {len(columns)} are legal: {shown(line)}"
        raise InvalidRecordError(reason)
    if "\\" in line or "'" in line:
        cells = [parse_cell(cell) for cell in cells]
    return dict(zip(columns, cells, strict=True))


def _columns(line: str) -> tuple[str, list[str]]:
    """The delimiter and the columns' names; refused unless the first nine are there."""
    for delimiter in DELIMITERS:
        names = [cell.strip().lower() for cell in split_line(line, delimiter)]
        names = ["led suit" if name == "led_suit" else name for name in names]
        missing = [name for name in PLAY_COLUMNS if name not in names]
        if len(missing) < len(PLAY_COLUMNS):
            break
    if missing:
        raise InvalidRecordError(
            f"the columns {', '.join(missing)} are missing; found are {shown(', '.join(names))}; "
            f"{', '.join(PLAY_COLUMNS)} are needed"
        )
    if len(set(names)) < len(names):
        raise InvalidRecordError(f"a column comes twice in {shown(line)}")
    return delimiter, names


@dataclass
class RoundRows:
    """The rows of one round, by line."""

    rows: list[tuple[int, Row]] = field(default_factory=list)
    fault: InvalidRecordError | None = None
    n_plays: int = 0

    @property
    def line(self) -> int:
        if self.rows:
            first_line, _ = self.rows[0]
            return first_line
        return self.fault.line if self.fault else 0

    @property
    def is_empty(self) -> bool:
        return not (self.rows or self.fault)

    def ends_before(self, row: Row) -> bool:
        """Whether a row begins a round; refused if it does not, nor belongs to this one."""
        if not self.rows:
            return bool(row.get("dealer"))
        _, head = self.rows[0]
        is_same_round = row["game"] == head["game"] and row["round"] == head["round"]
        is_whole = self.n_plays >= N_CARDS
        if row.get("dealer"):
            is_broken_off = self.fault is not None or bool(row.get("deal"))
            return not is_same_round or is_whole or is_broken_off
        if is_same_round:
            return False
        is_first = not head["dealer"] if "dealer" in row else row["trick"] == "1"
        if is_first or is_whole:
            return True
        raise InvalidRecordError(
            f"game and round are {shown(row['game'])}, {shown(row['round'])} within the round of "
            f"line {self.line}, which is {shown(head['game'])}, {shown(head['round'])}; another "
            "one begins with its first row"
        )

    def add(self, number: int, row: Row) -> None:
        self.n_plays += bool(row["card"])
        if len(self.rows) < N_CARDS + N_SEATS:
            self.rows.append((number, row))
        elif self.fault is None:
            self.fault = InvalidRecordError(
                f"over {N_CARDS} plays in a round; a game and round that come again need a "
                "column dealer",
                number,
            )

    def read(self, _: Intake) -> Record:
        if self.fault:
            raise self.fault
        number, head = self.rows[0]
        with blamed_on(number):
            rules = _rules(head)
            values = _values(head)
        seats = self._seats()
        with blamed_on(number):
            deal = self._deal(head, rules)
            state = Round.deal(rules, values.pop("dealer"), deal)
            for seat in clockwise(state.table.leader):
                word = seats[seat]["bid"].strip().lower()
                shared.enter_bid(state.table, seat, word, blind_nil=BLIND_NIL, unknown="")
        self._play(state, head)
        for name in SEAT_COLUMNS[1:]:
            values[f"{name}s"] = tuple(row[name] for row in seats)
        return shared.record_of_table(state.table, deal, **values)

    def _seats(self) -> list[Row]:
        """What the rows say of each seat, N E S W; every row of a seat must say the same."""
        nothing = {"bid": "", "player": "", "kind": BOT, "agent": ""}
        known: dict[int, Row] = {}
        for number, row in self.rows:
            with blamed_on(number):
                seat = parse_seat(row["seat"], "seat")
                here = {column: row.get(column, "") for column in SEAT_COLUMNS}
                before = known.setdefault(seat, here)
                for column in SEAT_COLUMNS:
                    if here[column] != before[column]:
                        raise InvalidRecordError(
                            f"{column} of {SEATS[seat]} is {shown(here[column])}, but "
                            f"{shown(before[column])} in a row before"
                        )
        seats = [known.get(seat, nothing) for seat in range(N_SEATS)]
        values = {column: [row[column] for row in seats] for column in SEAT_COLUMNS[1:]}
        with blamed_on(self.line):
            plain_values(values)
        return seats

    def _deal(self, head: Row, rules: Rules) -> tuple[int, ...]:
        deck = rules.cards
        if text := head.get("deal"):
            hands = text.split()
            if len(hands) != N_SEATS:
                raise InvalidRecordError(f"deal is {shown(text)}; four hands S.H.D.C are legal")
            return tuple(parse_hand(hand, deck) for hand in hands)
        cards = [
            (number, parse_seat(row["seat"], "seat"), row["card"])
            for number, row in self.rows
            if row["card"]
        ]
        return shared.deal_of_plays(shared.played_masks(cards, deck), deck)

    def _play(self, state: Round, head: Row) -> None:
        table = state.table
        is_done = False
        for number, row in self.rows:
            with blamed_on(number):
                if row is not head:
                    _check_later_row(row)
                if not row["card"]:
                    is_done = True
                    _check_cells(row, {"trick": "", "led suit": ""})
                    continue
                card = table.rules.cards.card(row["card"])
                if is_done:
                    raise InvalidRecordError(f"the play {row['card']!r} after a row without a card")
                if not table.is_over:
                    trick = len(table.winners) + 1
                    _check_cells(row, {"seat": SEATS[table.turn], "trick": str(trick)})
                state.play(card)
                _check_cells(row, {"led suit": _led_suit(table)})


def _check_later_row(row: Row) -> None:
    """Refuse what only a round's first row may say."""
    for column in ROUND_COLUMNS:
        text = row.get(column)
        if text:
            raise InvalidRecordError(f"{column} is {shown(text)} in a round's later row")


def _check_cells(row: Row, due: Row) -> None:
    for column, text in due.items():
        if row[column].strip().upper() != text:
            raise InvalidRecordError(
                f"{column} is {shown(row[column])} where {text or 'nothing'} is due, card "
                f"{shown(row['card'])}"
            )


def _rules(head: Row) -> Rules:
    version = head.get("schema_version") or str(SCHEMA_VERSION)
    if version != str(SCHEMA_VERSION):
        raise InvalidRecordError(f"schema_version is {shown(version)}; {SCHEMA_VERSION} is legal")
    options = load_object(head.get("rules") or "{}")
    return rules_of({"rules": options, "deck": head.get("deck") or STANDARD.name})


def _values(head: Row) -> dict[str, Any]:
    """Attributes of the record that are in the first row."""
    plain = {
        "game_id": head["game"],
        "round": _number(head["round"]),
        "dealer": _dealer(head),
        "score_before": _pair(head, "score"),
        "bags_before": _pair(head, "bags"),
        "seed": _number(head["seed"]) if head.get("seed") else None,
        "source": head.get("source", ""),
    }
    return plain_values(plain)


def _dealer(head: Row) -> int:
    if "dealer" not in head:
        if not head["card"]:
            raise InvalidRecordError("no dealer: neither a column dealer nor a play says it")
        return (parse_seat(head["seat"], "seat") - 1) % N_SEATS
    if not head["dealer"]:
        raise InvalidRecordError("the round's first row, which names the dealer, is missing")
    return parse_seat(head["dealer"], "dealer")


def _number(text: str) -> object:
    """A whole number, or the text where it is none, to be refused."""
    digits = text.strip().removeprefix("-")
    are_digits = digits.isascii() and digits.isdecimal() and len(digits) <= 20
    if not are_digits or str(int(digits)) != digits:
        return text
    return load_json(text.strip())


def _pair(head: Row, what: str) -> object:
    cells = [head.get(f"{what} {side}", "") for side in ("ns", "ew")]
    return list(map(_number, cells)) if any(cells) else None
