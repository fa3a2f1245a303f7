"""A round's points by what they come from, as players keep a score sheet."""

from collections.abc import Iterator
from typing import NamedTuple

from spades.core.cards import seat_name
from spades.core.records import Record
from spades.core.rules import Table
from spades.core.scoring import GameScore, add_round, score_round


class Entry(NamedTuple):
    """A part of a partnership's points, in words, and the points."""

    text: str
    points: int


class SheetRow(NamedTuple):
    """What a round adds to a partnership's score, and the parts of it."""

    points: int
    entries: list[Entry]


def sheet_rows(record: Record) -> list[SheetRow]:
    """The row of N/S and that of E/W for a finished round; empty where its points are unknown."""
    if not record.has_bids or not record.is_complete:
        return []
    table = record.final().table
    before = GameScore(record.score_before or (0, 0), record.bags_before or (0, 0))
    return [side_row(table, side, before) for side in (0, 1)]


def side_row(table: Table, side: int, before: GameScore) -> SheetRow:
    """A partnership's row for a finished round with bids; ``before``: the game's score until
    then."""
    entries = list(_entries(table, side, before))
    return SheetRow(sum(entry.points for entry in entries), entries)


def _entries(table: Table, side: int, before: GameScore) -> Iterator[Entry]:
    """Nils, the contract, bags, and what too many bags cost."""
    rules = table.rules
    scored = score_round(rules, table.bids, table.blind, table.tricks_taken)
    assert scored is not None, "the bids are known"
    taken = 0  # for the contract
    contract_points = scored.points[side] - scored.bags[side]
    for seat in (side, side + 2):
        is_nil = table.is_nil(seat)
        if is_nil:
            nil = _nil_entry(table, seat)
            contract_points -= nil.points
            yield nil
        if not is_nil or rules.failed_nil_tricks == "contract":
            taken += table.tricks_taken[seat]
    bid = table.contract_of(side)
    if bid:
        yield Entry(f"bid {bid}, took {taken}", contract_points)
    bags = scored.bags[side]
    if bags:
        yield Entry("1 bag" if bags == 1 else f"{bags} bags", bags)
    penalty = add_round(rules, before, scored).penalties[side]
    if penalty:
        yield Entry(f"{rules.bag_limit} bags in all", -penalty)


def _nil_entry(table: Table, seat: int) -> Entry:
    is_blind = table.blind[seat]
    worth = table.rules.blind_nil if is_blind else table.rules.nil
    assert worth is not None, "the rules allow this nil"
    name = f"{seat_name(seat)}'s {'blind nil' if is_blind else 'nil'}"
    if table.tricks_taken[seat]:
        return Entry(f"{name} failed", -worth)
    return Entry(f"{name} made", worth)
