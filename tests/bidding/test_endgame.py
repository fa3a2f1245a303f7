"""The end of the game, the conventions and blind nil, clause by clause.

Target 500. Outlook of a partnership: score + 10 a trick bid; an opponent still to bid counts 3.
"""

import pytest

from spades.bidding import bis
from spades.bidding.auction import bidder_options
from spades.bidding.bis import Choice, bid_of_endgame, nil_threshold
from spades.core.rules import Rules
from tests.bidding.auctions import auction, context, hand_of

RULES = context().rules
OFF = dict.fromkeys(
    ("complete_to_14", "raise_to_win", "risky_nil", "safe_regular", "one_less", "ahead"), 0
)


def ended(choice, seen, rules=RULES, **switches):
    return bid_of_endgame(choice, seen, bidder_options(**(OFF | switches)), rules)


def regular(tricks, p_nil=0.0, may_nil=True):
    return Choice(tricks, tricks, p_nil, may_nil)


def nil(tricks, p_nil=0.9):
    return Choice(0, tricks, p_nil, True)


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
