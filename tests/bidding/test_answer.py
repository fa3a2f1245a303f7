"""BIS's answer: its parts add up, and say which step made the bid."""

import math

import pytest

from spades.bidding import bid_of, bidder_options, explain_bis, is_blind_bid, observe_auction
from spades.bidding.answer import CUT, FOUR_SPADES, GUARD, HIGH, LONG, SURE_TRICK, denial_of
from spades.bidding.curves import PATTERN_TABLE, TABLE, load_curves
from spades.core.cards import DECKS, STANDARD
from spades.core.deal import random_deal
from spades.core.errors import IllegalBidError, InvalidDealError
from spades.core.rules import Rules
from tests.bidding.auctions import hand_of

PLAIN = bidder_options()
EXAMPLE = hand_of("AKJ62.AQ.Q.K9543")


def explain(hand, previous=(), options=PLAIN, **seen):
    return explain_bis(observe_auction(hand, previous, **seen), options)


def roles(answer, deck=STANDARD):
    return {deck.format_card(part.card): part.role for part in answer.parts}


def test_the_papers_hand():
    answer = explain(EXAMPLE)
    assert roles(answer) == {
        "SA": HIGH, "SK": HIGH, "SJ": CUT, "S6": CUT, "S2": CUT, "HA": HIGH, "CK": HIGH,
    }  # fmt: skip
    assert answer.regular_before_bids == pytest.approx(5.97, abs=0.005)
    assert answer.nil_by_suit == pytest.approx((0.0, 0.0084, 0.572, 1.0), abs=0.001)
    assert (answer.nil_value, answer.p_nil) == (0.0, 0.0)
    assert (answer.denied, answer.expected_nil) == (SURE_TRICK, -100.0)
    assert answer.bid == answer.regular
    assert answer.reason == "regular"


def test_a_rule_of_bis_is_no_chance():
    """Four low spades: BIS never bids nil, and says nothing of how often one is made."""
    answer = explain(hand_of("5432.32.5432.432"), (3, 3))
    assert (answer.denied, answer.nil_value, answer.may_nil) == (FOUR_SPADES, 0.0, True)
    assert (answer.p_nil, answer.p_interval, answer.expected_nil) == (None, None, None)
    assert answer.nil_by_suit[0] is None
    assert min(answer.nil_by_suit[1:]) > 0.9
    assert answer.bid == answer.regular > 0


@pytest.mark.parametrize(
    ("spades", "denied"),
    [("A", SURE_TRICK), ("KQ", SURE_TRICK), ("QJT", SURE_TRICK), ("KJ9", ""), ("K98", ""),
     ("KQ54", SURE_TRICK), ("K543", FOUR_SPADES), ("", "")],
)  # fmt: skip
def test_a_sure_trick_is_a_fact_and_four_spades_a_rule(spades, denied):
    assert (
        denial_of(hand_of(f"{spades}.5432.765432.{'KJ9'[: 3 - len(spades)]}"), STANDARD) == denied
    )


def test_guards_and_long_spades():
    assert roles(explain(hand_of("J65432.432.432.2"))) == {
        "SJ": HIGH, "S6": GUARD, "S5": GUARD, "S4": GUARD, "S3": LONG, "S2": LONG,
    }  # fmt: skip


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_parts_sum_to_the_tricks(deck):
    rules = Rules(deck=deck.name)
    for seed in range(60):
        hand = random_deal(deck, seed)[0]
        answer = explain(hand, ((3, 0, 4), (0, 3), ())[seed % 3], rules=rules)
        total = sum(part.tricks for part in answer.parts)
        assert total == pytest.approx(answer.regular_before_bids)
        cards = [part.card for part in answer.parts]
        assert len(cards) == len(set(cards))
        assert all(hand >> card & 1 for card in cards)
        assert bool(answer.denied) == (abs(answer.nil_value) < 1e-12)
        if answer.denied == FOUR_SPADES:
            assert (answer.nil_by_suit[0], answer.p_nil, answer.expected_nil) == (None,) * 3
            continue
        value = math.prod(answer.nil_by_suit)
        assert answer.nil_value in (pytest.approx(value), pytest.approx(min(1, 1.15 * value)))


def test_the_answer_is_the_bid():
    options = bidder_options(big5=1, big6=1, blind_nil=1)
    reasons = set()
    for seed in range(200):
        hand = random_deal(STANDARD, seed)[0]
        previous = ((), (3,), (5, 3), (3, 4, 3))[seed % 4]
        score = ((0, 0), (400, 420), (100, 440), (460, 300))[seed // 4 % 4]
        seen = observe_auction(hand, previous, score=score)
        answer = explain_bis(seen, options)
        bid = bid_of(seen, options, seed)
        assert answer.is_blind == is_blind_bid(seen, options) == (bid == 14)
        assert answer.bid == (0 if answer.is_blind else bid)
        reasons.add(answer.reason)
    assert reasons == {"nil", "regular", "end of game", "convention", "blind nil"}


def test_expected_points_decide():
    low = hand_of("42.5432.5432.432")
    answer = explain(low, (3, 4, 3))
    assert answer.expected_nil == pytest.approx(100 * (2 * answer.p_nil - 1))
    assert (answer.bid == 0) == (answer.expected_nil > answer.threshold)
    assert answer.p_interval[0] < answer.p_nil < answer.p_interval[1]
    single = explain(low, (3, 4, 3), bidder_options(single_curve=1))
    assert single.p_interval is None
    assert single.n_curve > answer.n_curve


def test_both_readings_of_the_third_card_are_explained():
    hand = hand_of("32.Q72.5432.5432")
    printed, pattern = (
        explain(hand, (3, 4, 3), bidder_options(third_card=reading)) for reading in (0, 1)
    )
    assert [round(one.nil_by_suit[1], 2) for one in (printed, pattern)] == [0.89, 0.54]
    for one, table in ((printed, TABLE), (pattern, PATTERN_TABLE)):
        assert one.nil_value == pytest.approx(math.prod(one.nil_by_suit))
        assert one.p_nil == pytest.approx(load_curves(table).probability((3, 4, 3), one.nil_value))
        assert one.p_interval[0] < one.p_nil < one.p_interval[1]


def test_no_nil_beside_the_partners():
    answer = explain(hand_of("42.5432.5432.432"), (3, 0, 3))
    assert not answer.may_nil
    assert answer.bid >= 1


def test_impossible_hands_and_seats_are_refused():
    fourteen = hand_of("AKJ62.AQ.Q.K95432")
    with pytest.raises(InvalidDealError, match="14 cards, a hand is 13"):
        explain(fourteen)
    with pytest.raises(InvalidDealError, match="none of joker-joker-ace"):
        explain(EXAMPLE ^ 1 ^ 1 << 31, rules=Rules(deck="joker-joker-ace"))
    seen = observe_auction(EXAMPLE)
    seen.table.bid(0, 4)
    with pytest.raises(IllegalBidError, match="the auction is over for this seat"):
        bid_of(seen, PLAIN, 1)
