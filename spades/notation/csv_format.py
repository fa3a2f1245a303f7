"""Rounds as CSV rows, one a play; what the columns hold is in ``spades.notation.csv_plays``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from spades.core.cards import N_SEATS, SEATS, SUITS
from spades.core.records import SCHEMA_VERSION, RoundRecord
from spades.core.rules import NIL_BID, NO_BID, Table
from spades.notation.csv_cells import format_cells
from spades.notation.hands import format_hand
from spades.notation.schema import rules_options

PLAY_COLUMNS = ("game", "round", "trick", "seat", "card", "led suit", "bid", "player", "kind")
SEAT_COLUMNS = ("bid", "player", "kind", "agent")
ROUND_COLUMNS = (
    *("schema_version", "dealer", "deck", "rules", "deal"),
    *("score ns", "score ew", "bags ns", "bags ew", "seed", "source"),
)
COLUMNS = (*PLAY_COLUMNS, "agent", *ROUND_COLUMNS)
LINE_END = "\r\n"
HEADER = format_cells(COLUMNS) + LINE_END
NIL, BLIND_NIL = "nil", "blind nil"
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
    bid = str(record.bids[seat])
    if record.bids[seat] == NO_BID:
        bid = ""
    elif record.bids[seat] == NIL_BID and record.rules.nil is not None:
        bid = BLIND_NIL if record.blind[seat] else NIL
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
