"""Hand-worked scores; every kernel against its plain twin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.cards import HAND_SIZE, partnership_of
from spades.core.rules import NO_BID, Rules
from spades.core.scoring import (
    GameScore,
    RoundScore,
    add_round,
    evaluation_table,
    fill_evaluations,
    partnership_score,
    score_round,
    winner,
)
from tests.strategies import rules

NO_BLIND = (False,) * 4
ALL_SPLITS = [
    (n, e, s, HAND_SIZE - n - e - s)
    for n in range(14)
    for e in range(14 - n)
    for s in range(14 - n - e)
]


def north_south(bids, tricks, blind=(False, False), **options):
    """Points and bags of N/S: bids and tricks of N and S; E/W take the rest at a bid of 1 each."""
    rest = HAND_SIZE - sum(tricks)
    scored = score_round(
        Rules(**options),
        (bids[0], 1, bids[1], 1),
        (blind[0], False, blind[1], False),
        (tricks[0], rest, tricks[1], 0),
    )
    return scored.points[0], scored.bags[0]


@pytest.mark.parametrize(
    ("bids", "tricks", "points", "bags"),
    [
        ((3, 4), (3, 4), 70, 0),  # made to the trick
        ((3, 4), (6, 1), 70, 0),  # partners' tricks count together
        ((3, 4), (5, 5), 73, 3),  # overtricks: a point and a bag each
        ((3, 4), (3, 3), -70, 0),  # one short
        ((3, 4), (0, 0), -70, 0),  # all short costs the same
        ((13, 0), (13, 0), 230, 0),
        ((0, 4), (0, 4), 140, 0),  # nil made, contract made
        ((0, 4), (0, 6), 142, 2),
        ((0, 4), (0, 3), 60, 0),  # nil made, contract failed
        ((0, 4), (1, 3), -60, 0),  # nil failed, its trick makes the partner's contract
        ((0, 4), (2, 3), -59, 1),  # ... or a bag
        ((4, 0), (3, 2), -59, 1),  # the same with the seats swapped
        ((0, 4), (1, 2), -140, 0),  # both failed
        ((0, 0), (0, 0), 200, 0),  # double nil
        ((0, 0), (1, 0), 1, 1),  # one of two: its trick is a bag over a contract of 0
        ((0, 0), (3, 2), -195, 5),
    ],
)
def test_standard_rules(bids, tricks, points, bags):
    assert north_south(bids, tricks) == (points, bags)


@pytest.mark.parametrize(
    ("blind", "tricks", "points"),
    [((True, False), (0, 4), 240), ((True, False), (1, 3), -160), ((False, False), (0, 4), 140)],
)
def test_blind_nil_is_worth_double(blind, tricks, points):
    assert north_south((0, 4), tricks, blind)[0] == points


def test_double_nil_one_of_them_blind():
    assert north_south((0, 0), (0, 0), (True, False)) == (300, 0)
    assert north_south((0, 0), (1, 0), (True, False)) == (-200 + 100 + 1, 1)
    assert north_south((0, 0), (0, 1), (True, False)) == (200 - 100 + 1, 1)


def test_values_of_nil_and_blind_nil_are_options():
    assert north_south((0, 4), (0, 4), nil=50)[0] == 90
    assert north_south((0, 4), (0, 4), (True, False), blind_nil=300)[0] == 340
    assert north_south((0, 4), (1, 3), (True, False), blind_nil=300)[0] == -260


@pytest.mark.parametrize(
    ("bids", "tricks", "points", "bags"),
    [
        ((0, 4), (0, 4), 40, 0),
        ((0, 4), (2, 3), 41, 1),
        ((0, 0), (0, 2), 2, 2),
        ((0, 0), (0, 0), 0, 0),
    ],
)
def test_without_nil_a_zero_is_an_ordinary_bid(bids, tricks, points, bags):
    for failed_nil_tricks in ("contract", "bags"):
        scored = north_south(bids, tricks, nil=None, failed_nil_tricks=failed_nil_tricks)
        assert scored == (points, bags)


@pytest.mark.parametrize(
    ("bids", "tricks", "points", "bags"),
    [
        ((0, 4), (2, 3), -138, 2),  # -100 nil, -40 contract, 2 bags
        ((0, 4), (2, 4), -58, 2),  # -100 nil, +40, 2 bags
        ((0, 4), (2, 5), -57, 3),  # ... and an overtrick
        ((0, 4), (0, 5), 141, 1),  # a nil made changes nothing
        ((0, 0), (3, 2), -195, 5),
        ((3, 4), (5, 5), 73, 3),
    ],
)
def test_tricks_of_a_failed_nil_may_be_bags(bids, tricks, points, bags):
    assert north_south(bids, tricks, failed_nil_tricks="bags") == (points, bags)


@pytest.mark.parametrize(("failed_contract", "points"), [(0, 0), (5, -35), (10, -70), (20, -140)])
def test_cost_of_a_failed_contract(failed_contract, points):
    assert north_south((3, 4), (3, 3), failed_contract=failed_contract) == (points, 0)
    assert north_south((3, 4), (3, 4), failed_contract=failed_contract) == (70, 0)


@pytest.mark.parametrize(
    ("bids", "tricks", "points", "bags"),
    [
        ((5, 5), (5, 5), 200, 0),
        ((6, 5), (6, 5), 200, 0),  # ten or more
        ((5, 5), (6, 6), 202, 2),
        ((5, 5), (5, 4), -200, 0),
        ((5, 4), (6, 6), 93, 3),  # nine is no ten
        ((5, 4), (4, 4), -90, 0),
        ((10, 0), (10, 0), 300, 0),  # beside a nil
    ],
)
def test_ten_for_200(bids, tricks, points, bags):
    assert north_south(bids, tricks, ten_for_200=True) == (points, bags)


def test_ten_for_200_beside_a_failed_contract_that_costs_nothing():
    assert north_south((5, 5), (5, 4), ten_for_200=True, failed_contract=0) == (-200, 0)


def test_each_partnership_is_scored_from_its_own_seats():
    scored = score_round(Rules(), (3, 2, 4, 0), (False, False, False, True), (4, 2, 5, 2))
    assert scored == RoundScore(points=(72, 20 + 2 - 200), bags=(2, 2))


def test_a_round_with_an_unknown_bid_has_no_score():
    assert score_round(Rules(), (3, NO_BID, 4, 2), NO_BLIND, (3, 3, 4, 3)) is None
    assert score_round(Rules(), (NO_BID,) * 4, NO_BLIND, (3, 3, 4, 3)) is None


def test_first_hand_bids_itself_scores_ten_a_trick():
    options = Rules(first_hand_bids_itself=True)
    scored = score_round(options, (NO_BID,) * 4, NO_BLIND, (3, 3, 4, 3))
    assert scored == RoundScore(points=(70, 60), bags=(0, 0))
    assert score_round(options, (3, NO_BID, 4, 2), NO_BLIND, (3, 3, 4, 3)) is None
    assert score_round(options, (3, 2, 4, 2), NO_BLIND, (3, 3, 4, 3)).points == (70, 42)


@pytest.mark.parametrize(
    ("bags", "more", "left", "penalty"),
    [
        (0, 9, 9, 0),
        (8, 1, 9, 0),
        (9, 1, 0, 100),  # the tenth bag
        (8, 5, 3, 100),  # the rest stays on the count
        (9, 11, 0, 200),  # crossing twice in one round
        (9, 12, 1, 200),
        (0, 10, 0, 100),
    ],
)
def test_every_tenth_bag_costs_100_points(bags, more, left, penalty):
    before = GameScore((150, 220), (bags, 4))
    after = add_round(Rules(), before, RoundScore((30 + more, 52), (more, 2)))
    assert after == GameScore((180 + more - penalty, 272), (left, 6), (penalty, 0))


def test_both_partnerships_may_pay():
    after = add_round(Rules(), GameScore((0, 0), (9, 9)), RoundScore((41, -40), (1, 1)))
    assert after == GameScore((-59, -140), (0, 0), (100, 100))


def test_bag_limit_and_penalty_are_options():
    before, scored = GameScore((0, 0), (4, 0)), RoundScore((41, 32), (1, 2))
    assert add_round(Rules(bag_limit=5, bag_penalty=50), before, scored) == GameScore(
        (-9, 32), (0, 2), (50, 0)
    )
    assert add_round(Rules(bag_limit=0), GameScore((0, 0), (40, 0)), scored) == GameScore(
        (41, 32), (41, 2), (0, 0)
    )


@pytest.mark.parametrize(
    ("score", "won"),
    [
        ((499, 480), None),
        ((500, 480), 0),
        ((480, 500), 1),
        ((510, 520), 1),  # both there: the higher one
        ((510, 510), None),  # a tie plays on
        ((-600, 400), None),  # no floor by default
    ],
)
def test_the_game_ends_at_the_target(score, won):
    assert winner(Rules(), score) == won


@pytest.mark.parametrize(
    ("score", "won"),
    [
        ((-99, 150), None),
        ((-100, 150), 1),
        ((150, -130), 0),
        ((-100, -120), 0),
        ((-100, -100), None),
        ((200, -100), 0),
    ],
)
def test_the_game_ends_at_the_losing_floor(score, won):
    assert winner(Rules(target=200, losing_floor=-100), score) == won


@pytest.mark.parametrize(
    ("limit", "penalty", "cost"), [(10, 100, 10), (0, 100, 0), (5, 50, 10), (7, 100, 14)]
)
def test_cost_of_a_bag_in_the_long_run(limit, penalty, cost):
    assert Rules(bag_limit=limit, bag_penalty=penalty).bag_cost == cost


def test_evaluation_of_a_round_by_hand():
    table = evaluation_table(Rules(), (3, 2, 4, 0), NO_BLIND)
    # N/S 7 bid, 8 taken: 71 - 10; E/W 2 bid and a nil, 5 taken by E: 23 + 100 - 30
    assert table[3, 5, 5] == (71 - 10) - (123 - 30)
    assert table[13, 13, 13] == 0
    assert not table.flags.writeable


def value_for_north_south(options, scored):
    (ours, theirs), (our_bags, their_bags) = scored.points, scored.bags
    return ours - options.bag_cost * our_bags - theirs + options.bag_cost * their_bags


@st.composite
def auctions(draw):
    bids = draw(st.tuples(*[st.integers(0, 13) | st.just(0)] * 4))
    return bids, tuple(bid == 0 and draw(st.booleans()) for bid in bids)


@settings(max_examples=25)
@given(rules(), auctions())
def test_evaluation_table_is_the_score_of_every_split_of_the_tricks(options, auction):
    bids, blind = auction
    table = evaluation_table(options, bids, blind)
    assert table.shape == (14, 14, 14)
    assert len(ALL_SPLITS) == 560
    for tricks in ALL_SPLITS:
        scored = score_round(options, bids, blind, tricks)
        assert table[tricks[:3]] == value_for_north_south(options, scored)


def test_evaluation_without_an_auction_is_ten_a_trick():
    options = Rules(first_hand_bids_itself=True)
    bids = (NO_BID,) * 4
    table = evaluation_table(options, bids, NO_BLIND)
    for tricks in ALL_SPLITS:
        scored = score_round(options, bids, NO_BLIND, tricks)
        assert table[tricks[:3]] == scored.points[0] - scored.points[1]


@settings(max_examples=100)
@given(rules(), auctions(), st.sampled_from(ALL_SPLITS), st.integers(0, 1))
def test_partnership_score_equals_its_plain_twin(options, auction, tricks, side):
    seats = (side, *auction, tricks, options.numbers)
    assert partnership_score(*seats) == partnership_score.py_func(*seats)


@settings(max_examples=5)
@given(rules(), auctions())
def test_fill_evaluations_equals_its_plain_twin(options, auction):
    bids, blind = auction
    expected = evaluation_table(options, bids, blind)
    table = expected.copy()
    table[:] = 0
    fill_evaluations.py_func(bids, blind, options.numbers, table)
    assert (table == expected).all()


@settings(max_examples=200)
@given(auctions(), st.sampled_from(ALL_SPLITS))
def test_bags_are_the_tricks_over_the_contract_or_none(auction, tricks):
    bids, blind = auction
    scored = score_round(Rules(), bids, blind, tricks)
    for seat in (0, 1):
        over = tricks[seat] + tricks[seat + 2] - bids[seat] - bids[seat + 2]
        assert scored.bags[partnership_of(seat)] == max(0, over)
