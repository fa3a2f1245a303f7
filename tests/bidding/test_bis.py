"""BIS: algorithm 1 on hands worked by hand, with made-up curves and terms."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.bidding import BLIND_NIL, bid_context, bidder_options, make_bid
from spades.bidding.auction import BIDDER_CODES, least_bid
from spades.bidding.bis import (
    bis_bid,
    choose,
    nil_threshold,
    previous_term,
    regular_points,
    success_chance,
    tricks_before,
)
from spades.core.cards import STANDARD
from spades.core.deal import random_deal
from spades.core.kernel import seed_state
from spades.core.rules import Rules
from tests import strategies
from tests.bidding.auctions import STATE, auction, context, hand_of

EXAMPLE = hand_of("AKJ62.AQ.Q.K9543")  # 5.97 tricks
LOW = hand_of("42.5432.5432.432")  # nil value 1
PLAIN = bidder_options()


def bid(hand, seen, options=PLAIN, **tables):
    return bis_bid(hand, seen, options, context(**tables), STATE)[0]


def test_regular_bid_is_rounded():
    assert bid(EXAMPLE, auction()) == 6
    assert bid(EXAMPLE, auction(), previous=(-0.5, 0.0)) == 5


def test_term_in_the_sum_of_the_previous_bids():
    tables = {"previous": (0.5, -0.25)}
    assert previous_term(auction(), context(**tables)) == 0.5
    assert previous_term(auction(3, 0, 4), context(**tables)) == 0.5 - 0.25 * 7
    assert bid(EXAMPLE, auction(3, 4, 4), **tables) == 4  # 5.97 + .5 - 2.75 = 3.72


def test_an_opponents_nil_leaves_one_to_cut():
    both = tricks_before(EXAMPLE, auction(3), context())
    assert tricks_before(EXAMPLE, auction(0), context()) > both
    assert tricks_before(EXAMPLE, auction(0, 3), context()) == both  # the partner's


def test_success_curve():
    expected = 1 / (1 + math.exp(-(-2.0 + 4.0 * math.log(0.8 / 0.3))))  # the logit of 0.75
    assert success_chance(0.75, auction(3), PLAIN, context()) == pytest.approx(expected)
    assert success_chance(0.0, auction(3), PLAIN, context(line=(5.0, 1.0))) == 0.0


def test_the_curve_is_that_of_the_previous_bids_or_the_single_one():
    ground = context()
    curves = ground.tables.curves.copy()
    curves[4] = 9.0, 0.0  # after a three
    curves[-1] = -9.0, 0.0
    curves.setflags(write=False)
    ground = ground._replace(tables=ground.tables._replace(curves=curves))
    single = bidder_options(single_curve=1)
    assert success_chance(0.5, auction(3), PLAIN, ground) > 0.99
    assert success_chance(0.5, auction(4), PLAIN, ground) == pytest.approx(1 / (1 + math.exp(2.0)))
    assert success_chance(0.5, auction(3), single, ground) < 0.01


@pytest.mark.parametrize(
    ("p", "threshold", "is_nil"),
    [(0.63, 25.0, True), (0.62, 25.0, False), (0.62, 20.0, True), (0.5, -1.0, True)],
)
def test_nil_where_its_points_pass_the_threshold(p, threshold, is_nil):
    line = (math.log(p / (1 - p)), 0.0)  # 100 p - 100 (1 - p) is 26, 24, 24, 0
    options = bidder_options(threshold=threshold)
    assert (bid(LOW, auction(), options, line=line) == 0) == is_nil


def test_nil_is_worth_what_the_rules_say():
    line = (math.log(0.62 / 0.38), 0.0)
    assert bid(LOW, auction(), line=line) == 1
    assert bid(LOW, auction(), line=line, rules=Rules(nil=200, blind_nil=400)) == 0


def test_never_a_nil_on_the_partners_or_against_the_rules():
    sure = {"line": (9.0, 0.0)}
    assert bid(LOW, auction(3, 3, 3), **sure) == 0
    assert bid(LOW, auction(3, 0, 3), **sure) == 1
    assert bid(LOW, auction(3, 3, 3), rules=Rules(min_bid=4), **sure) == 1
    no_nil = Rules(nil=None, blind_nil=None)
    assert bid(LOW, auction(), rules=no_nil, **sure) == 0  # an ordinary zero
    assert bid(EXAMPLE, auction(), rules=no_nil, **sure) == 6


def test_bid_sensitive_threshold():
    # 10 * ((3 + 4) * (2 * .8 - 1) - 4 * (2 * .7 - 1)) = 10 * (4.2 - 1.6)
    ground = context(made=(0.8, 0.7))
    assert regular_points(3, auction(4, 3), ground) == pytest.approx(26.0)
    unknown = 10.55 / 4
    expected = 10 * ((3 + unknown) * 0.6 - unknown * 0.4)
    assert regular_points(3, auction(3), ground) == pytest.approx(expected)
    on = bidder_options(bid_sensitive=1)
    assert nil_threshold(3, auction(4, 3), on, ground) == pytest.approx(26.0)
    assert nil_threshold(3, auction(4, 3), PLAIN, ground) == 25.0
    assert nil_threshold(5, auction(4, 3), on, ground) > nil_threshold(3, auction(4, 3), on, ground)


def test_end_of_game_reaches_the_bid():
    hand, seen = EXAMPLE, auction(4, 3, 4, score=(400, 420))  # 490 to 500: a gap of 10
    assert bid(hand, seen) == 8
    assert bid(hand, seen, bidder_options(raise_to_win=0, complete_to_14=0)) == 6
    assert bid(hand, seen, bidder_options(raise_to_win=0)) == 3  # 11 + 3 = 14


def test_an_opponents_nil_costs_half_a_trick_when_they_win():
    half_off, off = math.floor, bidder_options(opponent_nil=0)
    for previous, score, options, rounded in (
        ((0, 3, 4), (300, 420), PLAIN, half_off),
        ((0, 3, 4), (300, 420), off, round),
        ((0, 3, 4), (300, 100), PLAIN, round),  # they don't win
        ((4, 0, 4), (300, 420), PLAIN, round),  # the partner's nil
    ):
        seen, ground = auction(*previous, score=score), context(previous=(0.025, 0.0))
        tricks = tricks_before(EXAMPLE, seen, ground) + 0.025  # 6.503, or 5.995
        assert choose(EXAMPLE, seen, options, ground).regular == rounded(tricks)


def test_conventions_and_blind_nil_reach_the_bid():
    assert bid(EXAMPLE, auction(), bidder_options(big5=1)) == 5  # covers with six tricks
    blind = bidder_options(blind_nil=1, big6=1)
    assert bid(EXAMPLE, auction(3, 6, 3, score=(0, 101)), blind) == BLIND_NIL


def test_kernels_equal_their_python_twins():
    ground = context(previous=(-0.3, 0.02))
    for seed in range(40):
        hand = random_deal(STANDARD, seed)[0]
        seen = auction(3, (0, 4)[seed % 2], 5, score=(10 * seed, 430))
        assert bis_bid(hand, seen, PLAIN, ground, STATE) == bis_bid.py_func(
            hand, seen, PLAIN, ground, STATE
        )
        assert choose(hand, seen, PLAIN, ground) == choose.py_func(hand, seen, PLAIN, ground)


switches = st.fixed_dictionaries(
    {
        name: st.integers(0, 1)
        for name in (
            "bid_sensitive", "single_curve", "complete_to_14", "raise_to_win", "risky_nil",
            "opponent_nil", "safe_regular", "one_less", "ahead", "big5", "big6", "blind_nil",
        )
    }
    | {"code": st.sampled_from(sorted(BIDDER_CODES.values()))}
    | {name: st.sampled_from([0.0, 0.5, 2.0]) for name in ("noise", "randomness")}
    | {"nil_rate": st.sampled_from([0.0, 0.5, 1.0]), "threshold": st.sampled_from([-200.0, 25.0])}
)  # fmt: skip
scores = st.tuples(st.integers(-300, 600), st.integers(-300, 600))
counts = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(strategies.rules(), switches, scores, counts, st.integers(0, 2**32), st.data())
def test_every_bid_is_legal(rules, options, score, bags, seed, data):
    hand = random_deal(rules.cards, seed)[0]
    previous = data.draw(st.lists(st.integers(0, 13), max_size=3))
    seen = auction(*previous, score=score, bags=bags)
    ground = bid_context(rules)
    made, _ = make_bid(hand, seen, bidder_options(**options), ground, seed_state(seed))
    if made == BLIND_NIL:
        assert rules.has_blind_nil
        made = 0
    assert least_bid(seen, ground.rules) <= made <= 13
