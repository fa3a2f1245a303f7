"""BIS: algorithm 1 on hands worked by hand; the end of the game clause by clause.

Target 500. Outlook of a partnership: score + 10 a trick bid; an opponent still to bid counts 3.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.bidding import BLIND_NIL, bid_context, bis, make_bid
from spades.bidding.auction import BIDDER_CODES, bidder_options, least_bid
from spades.bidding.bis import (
    BisChoice,
    bid_of_endgame,
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
    curves[:, 4] = [[9.0, 0.0], [-9.0, 0.0]]  # after a three, by either reading of the third card
    curves[0, -1] = -9.0, 0.0
    curves.setflags(write=False)
    ground = ground._replace(tables=ground.tables._replace(curves=curves))
    single = bidder_options(single_curve=1)
    assert success_chance(0.5, auction(3), PLAIN, ground) > 0.99
    assert success_chance(0.5, auction(4), PLAIN, ground) == pytest.approx(1 / (1 + math.exp(2.0)))
    assert success_chance(0.5, auction(3), single, ground) < 0.01
    assert success_chance(0.5, auction(3), bidder_options(third_card=1), ground) < 0.01


def test_the_third_card_is_read_as_asked():
    hand = hand_of("32.Q72.5432.5432")  # as printed 0.894, by the pattern 0.545
    for reading, is_nil in enumerate((True, False)):
        options = bidder_options(third_card=reading)
        assert (bid(hand, auction(), options, line=(0.0, 2.0)) == 0) == is_nil


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
            "bid_sensitive", "single_curve", "third_card", "complete_to_14", "raise_to_win",
            "risky_nil", "opponent_nil", "safe_regular", "one_less", "ahead", "big5", "big6",
            "blind_nil",
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


RULES = context().rules
OFF = dict.fromkeys(
    ("complete_to_14", "raise_to_win", "risky_nil", "safe_regular", "one_less", "ahead"), 0
)


def ended(choice, seen, rules=RULES, **switches):
    return bid_of_endgame(choice, seen, bidder_options(**(OFF | switches)), rules)


def regular(tricks, p_nil=0.0, may_nil=True):
    return BisChoice(tricks, tricks, p_nil, may_nil)


def nil(tricks, p_nil=0.9):
    return BisChoice(0, tricks, p_nil, True)


EVERY = dict.fromkeys(OFF, 1)


def test_far_from_the_target_nothing_changes():
    seen = auction(4, 3, 4, score=(100, 150))
    for choice in (regular(3), nil(2)):
        assert ended(choice, seen, **EVERY) == choice.bid


# We 400 + 10 * (3 + 3) = 460, they 420 + 80 = 500: gap 40. One more for them each 10.


@pytest.mark.parametrize(
    ("ours", "bid"),
    [
        (460, 3),  # 520 to 500: we are ahead
        (440, 4),  # a tie: one more wins
        (435, 4),  # gap 5
        (430, 5),  # gap 10: one more would tie
        (421, 5),  # gap 19
        (420, 3),  # gap 20: no small one
    ],
)
def test_raised_by_up_to_two_tricks_for_a_gap_below_20(ours, bid):
    seen = auction(4, 3, 4, score=(ours, 420))
    assert ended(regular(3), seen, raise_to_win=1) == bid
    assert ended(regular(3), seen) == 3


def test_risky_nil_for_a_gap_above_20():
    far, near = auction(4, 3, 4, score=(400, 420)), auction(4, 3, 4, score=(420, 420))
    assert ended(regular(3, 0.5), far, risky_nil=1) == 0
    assert ended(regular(3, 0.5), far) == 3
    assert ended(regular(3, 0.2), far, risky_nil=1) == 3  # not doable
    assert ended(regular(3, 0.2), far, risky_nil=1, risky_chance=0.1) == 0
    assert ended(regular(3, 0.5), near, risky_nil=1) == 3  # gap 20
    assert ended(regular(3, 0.5, may_nil=False), far, risky_nil=1) == 3


def test_completes_to_14_when_the_sum_is_11_or_more():
    score = (300, 420)
    assert ended(regular(3), auction(4, 3, 4, score=score), complete_to_14=1) == 3  # 14 already
    assert ended(regular(2), auction(4, 1, 4, score=score), complete_to_14=1) == 5
    assert ended(regular(5), auction(4, 3, 4, score=score), complete_to_14=1) == 3  # 16 to 14
    assert ended(regular(1), auction(4, 1, 4, score=score), complete_to_14=1) == 1  # sum 10
    assert ended(regular(2), auction(4, 1, 4, score=score)) == 2
    assert ended(regular(5), auction(4, score=(300, 460)), complete_to_14=1) == 5  # not last
    assert ended(regular(5), auction(8, 0, 4, score=score), complete_to_14=1) == 5  # a nil
    assert ended(regular(4), auction(9, 2, 5, score=score), complete_to_14=1) == 4  # -2 can't be
    assert ended(regular(2), auction(4, 1, 4, score=(300, 400)), complete_to_14=1) == 2  # no win


def test_no_nil_in_the_last_position_when_the_regular_bid_wins():
    seen = auction(3, 4, 3, score=(440, 300))
    assert ended(nil(2), seen, safe_regular=1) == 2
    assert ended(nil(2), seen) == 0
    assert ended(nil(1), seen, safe_regular=1) == 0  # 490 doesn't win
    assert ended(nil(2), auction(4, 3, score=(440, 300)), safe_regular=1) == 0  # not last


@pytest.mark.parametrize(
    ("score", "bags", "bid"),
    [
        ((440, 300), 0, 2),
        ((430, 300), 0, 3),  # two tricks wouldn't reach the target
        ((440, 300), 7, 2),  # two bags more are 9
        ((440, 300), 8, 3),  # two bags more are the penalty
        ((460, 450), 0, 3),  # two tricks: 520, a tie with theirs
    ],
)
def test_one_less_in_the_last_position_when_it_still_wins(score, bags, bid):
    seen = auction(3, 4, 4, score=score, bags=(bags, 0))
    assert ended(regular(3), seen, one_less=1) == bid
    assert ended(regular(3), seen, ahead=1) == bid
    assert ended(regular(3), seen) == 3


def test_one_less_before_the_last_position_is_another_switch():
    seen = auction(3, 4, score=(470, 300))  # appendix E
    assert ended(regular(3), seen, one_less=1) == 3
    assert ended(regular(3), seen, ahead=1) == 2
    assert ended(regular(1), seen, ahead=1) == 1  # 0 is nil


def test_no_bag_limit_leaves_room():
    rules = context(Rules(bag_limit=0)).rules
    seen = auction(3, 4, 4, score=(440, 300), bags=(30, 0))
    assert ended(regular(3), seen, rules, one_less=1) == 2


COVER_5 = "K82.J4.Q53.A8642"
COVER_6 = "A82.T4.T53.T8642"


@pytest.mark.parametrize(
    ("hand", "regular", "signal", "covers"),
    [
        (COVER_5, 4, 5, True),
        (COVER_5, 3, 5, False),  # too few tricks
        (COVER_5, 7, 5, False),  # too many
        ("Q82.J4.Q53.A8642", 4, 5, False),  # no top spade
        ("K82.T4.Q53.A8642", 4, 5, False),  # hearts: a ten isn't higher than ten
        ("K82..QJ753.A8642", 4, 5, True),  # a void
        (COVER_6, 4, 6, True),
        (COVER_6, 9, 6, True),
        (COVER_6, 3, 6, False),
        ("K82.T4.T53.T8642", 4, 6, False),  # no ace of spades
        ("A82.94.T53.T8642", 4, 6, False),
    ],
)
def test_covering_hands(hand, regular, signal, covers):
    held = hand_of(hand)
    assert bis.covers_nil(held, regular, signal, RULES.deck) == covers
    assert bis.covers_nil.py_func(held, regular, signal, RULES.deck) == covers


def signalled(hand, bid, seen, **switches):
    options = bidder_options(**switches)
    return bis.bid_of_convention(hand_of(hand), bid, seen, options, RULES)


def test_big_5_is_the_first_partners_reserved_bid():
    plain = "Q82.J4.Q53.A8642"
    assert signalled(COVER_5, 4, auction(3), big5=1) == 5
    assert signalled(COVER_5, 4, auction(3)) == 4
    assert signalled(COVER_5, 4, auction(3, 3), big5=1) == 4  # the partner has bid
    assert signalled(plain, 5, auction(), big5=1) == 4
    assert signalled(plain, 6, auction(), big5=1) == 6
    assert signalled(COVER_5, 0, auction(), big5=1) == 0  # a nil stays


def test_big_6_replaces_it_more_than_100_behind():
    both = {"big5": 1, "big6": 1}
    far, near = auction(score=(0, 101)), auction(score=(0, 100))
    assert signalled(COVER_6, 4, far, **both) == 6
    assert signalled("K82.94.T53.T8642", 6, far, **both) == 5
    assert signalled("K82.94.T53.T8642", 5, far, **both) == 5  # 5 says nothing here
    assert signalled("K82.94.T53.T8642", 6, near, **both) == 6
    assert signalled(COVER_6, 4, far, big6=1) == 6


def test_big_5_lowers_the_partners_threshold():
    on = bidder_options(big5=1, cover_discount=40.0)
    assert nil_threshold(3, auction(3, 5), on, context()) == 25.0  # an opponent's five
    assert nil_threshold(3, auction(3, 5, 3), bidder_options(), context()) == 25.0
    assert nil_threshold(3, auction(3, 5, 3), on, context()) == -15.0


def blind(seen, rules=RULES, **switches):
    return bool(bis.bids_blind(seen, bidder_options(**switches), rules))


def test_blind_nil_on_big_6():
    far = {"score": (0, 101)}
    on = {"blind_nil": 1, "big6": 1}
    assert blind(auction(3, 6, **far), **on) is False  # an opponent's six
    assert blind(auction(3, 6, 3, **far), **on) is True
    assert blind(auction(6, 3, 2, **far), **on) is False
    assert blind(auction(3, 6, 3), **on) is False  # not behind
    assert blind(auction(3, 6, 3, **far), big6=1) is False
    assert blind(auction(3, 6, 3, **far), blind_nil=1) is False
    assert blind(auction(3, 6, 3, **far), context(Rules(blind_nil=None)).rules, **on) is False


def test_blind_nil_when_desperate():
    score = (300, 440)
    assert blind(auction(3, 4, 3, score=score), blind_nil=1) is True
    assert blind(auction(3, 4, 3, score=score)) is False
    assert blind(auction(3, 5, 3, score=score), blind_nil=1) is False  # sum 11
    assert blind(auction(3, 4, 3, score=(300, 430)), blind_nil=1) is False  # they don't get there
    assert blind(auction(0, 4, 3, score=score), blind_nil=1) is False  # a nil isn't easy
    assert blind(auction(3, 0, 3, score=score), blind_nil=1) is False  # nor two of ours
    assert blind(auction(4, 3, score=score), blind_nil=1) is False  # not last
    assert blind(auction(3, 4, 3, score=(480, 440)), blind_nil=1) is False  # we win as well
