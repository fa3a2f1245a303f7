"""Score sheets: the words and points of a round, which sum to its score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.core.rules import Rules, Table
from spades.core.score_sheet import side_row
from spades.core.scoring import GameScore, add_round, score_round

LEVEL = GameScore((0, 0), (0, 0))


def finished(bids, tricks, blind=(False,) * 4, **options):
    table = Table(Rules(**options), 0)
    table.bids[:] = bids
    table.blind[:] = blind
    table.tricks_taken[:] = tricks
    return table


def lines(table, side, before=LEVEL):
    return [f"{text} {points:+d}" for text, points in side_row(table, side, before).entries]


@pytest.mark.parametrize(
    ("bids", "tricks", "shown"),
    [
        ((4, 3, 2, 3), (4, 3, 2, 4), ["bid 6, took 6 +60"]),
        ((4, 3, 1, 3), (4, 3, 2, 4), ["bid 5, took 6 +50", "1 bag +1"]),
        ((4, 3, 4, 3), (4, 3, 2, 4), ["bid 8, took 6 -80"]),
        ((0, 3, 4, 3), (0, 4, 6, 3), ["North's nil made +100", "bid 4, took 6 +40", "2 bags +2"]),
        ((0, 3, 4, 3), (1, 4, 3, 5), ["North's nil failed -100", "bid 4, took 4 +40"]),
        ((0, 3, 0, 3), (0, 9, 1, 3), ["North's nil made +100", "South's nil failed -100"]),
    ],
)
def test_lines_by_hand(bids, tricks, shown):
    assert lines(finished(bids, tricks), 0)[: len(shown)] == shown


def test_a_blind_nil_is_named_and_worth_double():
    table = finished((3, 3, 3, 0), (4, 5, 4, 0), (False, False, False, True))
    assert lines(table, 1)[0] == "West's blind nil made +200"


def test_the_tenth_bag_costs_points():
    table = finished((3, 3, 1, 3), (4, 3, 2, 4))
    before = GameScore((0, 0), (9, 0))
    assert lines(table, 0, before) == ["bid 4, took 6 +40", "2 bags +2", "10 bags in all -100"]


@given(
    bids=st.lists(st.integers(0, 13), min_size=4, max_size=4),
    order=st.lists(st.integers(0, 3), min_size=13, max_size=13),
    blind=st.lists(st.booleans(), min_size=4, max_size=4),
    bags=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    nil=st.sampled_from([None, 50, 100]),
    failed_nil=st.sampled_from(["contract", "bags"]),
    ten_for_200=st.booleans(),
)
def test_the_lines_sum_to_what_the_score_changes_by(
    bids, order, blind, bags, nil, failed_nil, ten_for_200
):
    options = {"nil": nil, "failed_nil_tricks": failed_nil, "ten_for_200": ten_for_200}
    is_blind = [
        bid == 0 and unseen and nil is not None for bid, unseen in zip(bids, blind, strict=True)
    ]
    table = finished(bids, [order.count(seat) for seat in range(4)], is_blind, **options)
    before = GameScore((120, -40), bags)
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    after = add_round(table.rules, before, scored)
    for side in (0, 1):
        row = side_row(table, side, before)
        assert row.points == after.score[side] - before.score[side]
        assert row.points == sum(points for _, points in row.entries)
