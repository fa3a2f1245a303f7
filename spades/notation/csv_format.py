"""Rounds as CSV rows, one a play; what the columns hold is in ``spades.notation.csv_plays``.

Cells are safe for spreadsheets. One that a spreadsheet might take for a formula (it begins with
``=``, ``+``, ``-``, ``@``, a tab or a line break, full-width signs included) gets an apostrophe in
front, which reading takes off again; so does one that begins with an apostrophe itself.
Control characters, line breaks and the backslash are written as ``\\uXXXX``,
``\\n``, ``\\r``, ``\\t`` and ``\\\\``: a row is one line.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence

from spades.core.cards import N_SEATS, SEATS, SUITS
from spades.core.errors import InvalidRecordError
from spades.core.records import SCHEMA_VERSION, RoundRecord
from spades.core.rules import Table
from spades.notation.hands import format_bid, format_hand
from spades.notation.reading import shown
from spades.notation.schema import rules_options

DELIMITERS = ",;\t"
MAX_CELLS = 100
MAX_CELL = 130_000  # characters, under the csv module's own limit
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {value: key for key, value in _SHORT.items()}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\\\\]")
_ESCAPED = re.compile(r"\\(?:[\\nrt]|u[0-9a-f]{4})")
_QUOTED = re.compile('[",\\s]')


def format_cell(text: str) -> str:
    """A text as a cell: no formula, no line break."""
    safe = _CONTROL.sub(_escape, text)
    return f"'{safe}" if text.startswith(_FORMULA) else safe


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def parse_cell(cell: str) -> str:
    """The text of a cell that ``format_cell`` wrote; any other cell stays as it is."""
    text = _ESCAPED.sub(_unescape, cell) if "\\" in cell else cell
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


def _unescape(found: re.Match[str]) -> str:
    text = found.group()
    return _LONG.get(text) or chr(int(text[2:], 16))


def parse_cells(cells: Sequence[str], line: str) -> Sequence[str]:
    """The texts of the cells of a line."""
    is_plain = "\\" not in line and "'" not in line
    return cells if is_plain else [parse_cell(cell) for cell in cells]


def format_cells(cells: Iterable[str]) -> str:
    return ",".join(_quoted(format_cell(cell)) for cell in cells)


def _quoted(cell: str) -> str:
    """A cell in quotes where it needs them (RFC 4180)."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


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
    if len(line) > MAX_CELL and (longest := max(cells, key=len))[MAX_CELL:]:
        raise InvalidRecordError(
            f"a cell of {len(longest):,} characters; {MAX_CELL:,} are legal: {shown(longest)}"
        )
    return cells


PLAY_COLUMNS = ("game", "round", "trick", "seat", "card", "led suit", "bid", "player", "kind")
SEAT_COLUMNS = ("bid", "player", "kind", "agent")
ROUND_COLUMNS = (
    *("schema_version", "dealer", "deck", "rules", "deal"),
    *("score ns", "score ew", "bags ns", "bags ew", "seed", "source"),
)
COLUMNS = (*PLAY_COLUMNS, "agent", *ROUND_COLUMNS)
LINE_END = "\r\n"
HEADER = format_cells(COLUMNS) + LINE_END
BLIND_NIL = "blind nil"
_NO_ROUND_CELLS = "," * (len(ROUND_COLUMNS) - 1)


def format_records(records: Iterable[RoundRecord]) -> str:
    """The rounds as CSV, without the header ``HEADER``."""
    return "".join(line for record in records for line in _lines(record))


def _lines(record: RoundRecord) -> Iterator[str]:
    key = format_cells([record.game_id, str(record.round_index)])
    seats = [format_cells(_seat_cells(record, seat)) for seat in range(N_SEATS)]
    rest = format_cells(_round_cells(record))
    for seat, play in [*_plays(record), *_idle(record)]:
        yield f"{key},{play},{seats[seat]},{rest}{LINE_END}"
        rest = _NO_ROUND_CELLS


def led_suit_of(table: Table) -> int:
    """Suit of the trick that the last card belongs to."""
    return table.plays[(len(table.plays) - 1) // N_SEATS * N_SEATS] // 16


def _plays(record: RoundRecord) -> Iterator[tuple[int, str]]:
    """(seat, cells trick to led suit) of every play."""
    table, deck = Table(record.rules, record.dealer), record.rules.cards
    for ply, card in enumerate(record.plays):
        seat = table.turn
        table.record_play(card)
        suit = SUITS[led_suit_of(table)]
        yield seat, f"{ply // N_SEATS + 1},{SEATS[seat]},{deck.format_card(card)},{suit}"


def _idle(record: RoundRecord) -> Iterator[tuple[int, str]]:
    """The same for each seat that played no card."""
    for i in range(len(record.plays) + 1, N_SEATS + 1):
        seat = (record.dealer + i) % N_SEATS
        yield seat, f",{SEATS[seat]},,"


def _seat_cells(record: RoundRecord, seat: int) -> list[str]:
    bid = format_bid(record, seat, blind_nil=BLIND_NIL, unknown="")
    return [bid, record.players[seat], record.kinds[seat], record.agents[seat]]


def _round_cells(record: RoundRecord) -> list[str]:
    deck = record.rules.cards
    options = rules_options(record.rules)
    deal = " ".join(format_hand(hand, deck) for hand in record.hands)
    scores = [
        str(n) for pair in (record.score_before, record.bags_before) for n in pair or ("", "")
    ]
    seed = "" if record.seed is None else str(record.seed)
    rules = json.dumps(options) if options else ""
    return [
        str(SCHEMA_VERSION),
        SEATS[record.dealer],
        deck.name,
        rules,
        deal,
        *scores,
        seed,
        record.source,
    ]
