"""Verdicts on bids: who agrees, how often, and BIS's arithmetic, on made-up answers."""

import dataclasses

import pytest

from analysis.bidding.decisions import BidDecision, BidderBid, bid_decisions
from analysis.bidding.verdict import bid_verdict, break_even, disagrees, is_close_call
from spades.bidding import BisAnswer
from spades.core.rules import Rules
from tests.pages.texts import shipped

ANSWER = BisAnswer(
    bid=4,
    is_blind=False,
    reason="regular",
    parts=(),
    regular_before_bids=4.21,
    previous_term=-0.36,
    regular=4,
    nil_by_suit=(1.0, 0.5, 0.5, 0.5),
    nil_value=0.125,
    p_nil=0.4,
    p_interval=(0.38, 0.42),
    n_curve=5000,
    may_nil=True,
    threshold=25.0,
    expected_nil=-20.0,
    expected_regular=30.0,
)


def always(name, bid):
    return BidderBid(name, bid, False, ((bid, 1),), 1)


def often(name, *counts):
    return BidderBid(name, counts[0][0], False, counts, sum(count for _, count in counts))


def decision(made, *bids, bis=ANSWER, is_blind=False, rules=None) -> BidDecision:
    """South's third bid on South-nil's hand, with answers of one's own."""
    given = bid_decisions(shipped("south-nil"), ("bis",))[2]
    seen = given.observation
    if rules is not None:
        seen = dataclasses.replace(seen, table=dataclasses.replace(seen.table, rules=rules))
    return dataclasses.replace(
        given, made=made, is_blind=is_blind, bids=bids, bis=bis, observation=seen
    )


HUMAN_3 = often("human", (3, 142), (4, 50), (0, 8))


def test_who_disagrees():
    bis = always("bis", 4)
    assert not disagrees(decision(4, bis, HUMAN_3))  # as BIS
    assert not disagrees(decision(3, bis, HUMAN_3))  # as the commonest human
    assert disagrees(decision(5, bis, HUMAN_3, always("rb", 5)))  # only RB bids so
    assert disagrees(decision(4, always("bis", 5), HUMAN_3))  # a human's second bid is none
    assert disagrees(decision(0, always("bis", 0), often("human", (0, 9)), is_blind=True))
    assert not disagrees(decision(5, always("rb", 4)))  # nobody to disagree with


def test_the_human_bids_as_made():
    told = bid_verdict(decision(3, always("bis", 4), always("ms", 5), always("io", 3), HUMAN_3))
    assert told == (
        "Bid 3; BIS 4, human (simulated) 3 in 71% of 200 [64%, 77%]; MS bids 5. BIS counts 4.2 "
        "tricks in the hand, 3.9 after the bids before."
    )


def test_everybody_bids_as_made():
    told = bid_verdict(decision(3, always("bis", 3), always("rb", 3), HUMAN_3))
    assert told.startswith(
        "Bid 3: the same bid by all three bidders (human, simulated, in 71% of 200 [64%, 77%])."
    )


def test_nobody_bids_as_made():
    told = bid_verdict(decision(4, always("bis", 5), HUMAN_3, always("rb", 5)))
    assert "Bid 4; BIS 5, human (simulated) 3 in 71% of 200 [64%, 77%] and 4 in 25%." in told
    assert "RB" not in told  # the table has them
    assert "3 in 71% of 200 [64%, 77%], 7 never." in bid_verdict(
        decision(7, always("bis", 5), HUMAN_3)
    )


def test_a_nil_is_told_by_its_worth():
    nil = dataclasses.replace(
        ANSWER, bid=0, reason="nil", p_nil=0.75, p_interval=(0.7, 0.8), expected_nil=50.0
    )
    told = bid_verdict(decision(2, always("bis", 0), HUMAN_3, bis=nil))
    assert told.endswith(
        "BIS gives a nil 75.0% [70.0%, 80.0%] to succeed, +50 points expected, over its threshold "
        "of +25."
    )
    made = bid_verdict(decision(0, always("bis", 4), HUMAN_3))
    assert "BIS gives a nil 40.0% [38.0%, 42.0%] to succeed, -20 points expected, not over" in made
    assert made.endswith("BIS counts 4.2 tricks in the hand, 3.9 after the bids before.")
    assert "nil in 4%" in made


def test_a_nil_that_cards_deny():
    denied = dataclasses.replace(ANSWER, nil_value=0.0, p_nil=0.0, expected_nil=-100.0)
    told = bid_verdict(decision(0, always("bis", 4), HUMAN_3, bis=denied))
    assert "no chance: the ace of spades or a fourth spade denies it" in told


def test_a_close_call_is_said():
    """Break-even of a nil of 100 against 25 points: 2 p - 1 = 0.25."""
    close = dataclasses.replace(ANSWER, p_nil=0.63, p_interval=(0.62, 0.64), expected_nil=26.0)
    here = decision(0, always("bis", 0), HUMAN_3, bis=close)
    assert break_even(here) == pytest.approx(0.625)
    assert is_close_call(here)
    assert "too close to call" in bid_verdict(here)
    assert not is_close_call(decision(0, always("bis", 4), HUMAN_3))
    unknown = dataclasses.replace(close, p_interval=None)
    assert not is_close_call(decision(0, always("bis", 0), HUMAN_3, bis=unknown))


def test_other_reasons_are_named():
    ended = dataclasses.replace(ANSWER, bid=5, reason="end of game")
    told = bid_verdict(decision(4, always("bis", 5), HUMAN_3, bis=ended))
    assert "a bid of 4; it bids 5, because somebody can win the game this round." in told
    said = dataclasses.replace(ANSWER, bid=5, reason="convention")
    assert "to say something to the partner" in bid_verdict(
        decision(4, always("bis", 5), HUMAN_3, bis=said)
    )
    blind = dataclasses.replace(ANSWER, bid=0, is_blind=True, reason="blind nil")
    assert "before looking" in bid_verdict(decision(4, always("bis", 0), HUMAN_3, bis=blind))


def test_without_nil_nothing_is_said_of_one():
    told = bid_verdict(decision(0, always("bis", 4), HUMAN_3, rules=Rules(nil=None)))
    assert "Bid 0;" in told
    assert "nil" not in told


def test_real_answers_have_verdicts():
    for name in ("bug-report-335", "four-bots", "south-nil"):
        for found in bid_decisions(shipped(name), n=20):
            told = bid_verdict(found)
            assert told.startswith("Bid ")
            assert told.endswith(".")
            assert "simulated" in told
