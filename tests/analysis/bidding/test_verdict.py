"""Why a bid: parts as tables, verdicts on made-up answers, the report in Markdown."""

import dataclasses

import pytest

from analysis.bidding.decisions import (
    BidDecision,
    BidderBid,
    bid_report_markdown,
    bid_verdict,
    curve_table,
    disagrees,
    idle_cards,
    is_close_call,
    p_needed,
    parts_table,
    suits_table,
)
from spades.bidding import BisAnswer, explain_bis, load_curves, observe_auction
from spades.bidding.answer import FOUR_SPADES, SURE_TRICK
from spades.bidding.auction import bidder_options
from spades.core.cards import STANDARD, parse_hand
from spades.core.rules import Rules
from tests.pages.texts import bid_decisions, shipped

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
    denied="",
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


HOW_OFTEN = "71.0% of 200 (64.2% to 77.2%)"


def test_the_human_bids_as_made():
    told = bid_verdict(decision(3, always("bis", 4), always("ms", 5), always("io", 3), HUMAN_3))
    assert told == (
        f"Bid 3; BIS 4, human (simulated) 3 in {HOW_OFTEN}; MS bids 5. BIS counts 4.2 tricks in "
        "the hand, 3.9 after the bids before."
    )


def test_everybody_bids_as_made():
    told = bid_verdict(decision(3, always("bis", 3), always("rb", 3), HUMAN_3))
    assert told.startswith(
        f"Bid 3: the same bid by all three bidders (human, simulated, in {HOW_OFTEN})."
    )


def test_nobody_bids_as_made():
    told = bid_verdict(decision(4, always("bis", 5), HUMAN_3, always("rb", 5)))
    assert f"Bid 4; BIS 5, human (simulated) 3 in {HOW_OFTEN} and 4 in 25.0%." in told
    assert "RB" not in told  # the table has them
    assert f"3 in {HOW_OFTEN}, 7 never." in bid_verdict(decision(7, always("bis", 5), HUMAN_3))


def test_a_nil_is_told_by_its_worth():
    nil = dataclasses.replace(
        ANSWER, bid=0, reason="nil", p_nil=0.75, p_interval=(0.7, 0.8), expected_nil=50.0
    )
    told = bid_verdict(decision(2, always("bis", 0), HUMAN_3, bis=nil))
    assert told.endswith(
        "BIS gives a nil 75.0% (70.0% to 80.0%) to succeed, +50 points expected, over its "
        "threshold of +25."
    )
    made = bid_verdict(decision(0, always("bis", 4), HUMAN_3))
    assert (
        "BIS gives a nil 40.0% (38.0% to 42.0%) to succeed, −20 points expected, not over" in made
    )
    assert made.endswith("BIS counts 4.2 tricks in the hand, 3.9 after the bids before.")
    assert "nil in 4.0%" in made


def test_a_nil_that_cards_deny():
    """A rule of BIS's is no chance of 0; that the highest spade takes a trick is a fact."""
    ace = dataclasses.replace(ANSWER, nil_value=0.0, denied=SURE_TRICK, p_nil=0.0, p_interval=None)
    told = bid_verdict(decision(0, always("bis", 4), HUMAN_3, bis=ace))
    assert "No nil: its spades take a trick for sure; BIS counts" in told
    four = {"denied": FOUR_SPADES, "p_nil": None, "p_interval": None, "expected_nil": None}
    rule = dataclasses.replace(ANSWER, nil_value=0.0, **four)
    told = bid_verdict(decision(0, always("bis", 4), HUMAN_3, bis=rule))
    assert "BIS's rule denies a nil with four spades or more, and estimates no chance" in told
    assert "%" not in told.partition("No nil")[2]


def test_a_close_call_is_said():
    """Break-even of a nil of 100 against 25 points: 2 p - 1 = 0.25."""
    close = dataclasses.replace(ANSWER, p_nil=0.63, p_interval=(0.62, 0.64), expected_nil=26.0)
    here = decision(0, always("bis", 0), HUMAN_3, bis=close)
    assert p_needed(here.bis, Rules()) == pytest.approx(0.625)
    assert is_close_call(close, Rules())
    assert "too close to call" in bid_verdict(here)
    assert not is_close_call(ANSWER, Rules())
    assert not is_close_call(dataclasses.replace(close, p_interval=None), Rules())


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


PAPER = parse_hand("AKJ62.AQ.Q.K9543", STANDARD)


@pytest.fixture(scope="module")
def answer():
    return explain_bis(observe_auction(PAPER, (3, 1)), bidder_options())


def test_parts_add_up_to_the_regular_bid(answer):
    table = parts_table(answer, STANDARD)
    assert table["step"].tolist()[-1] == "previous bids"
    assert table["tricks"][:-1].sum() == pytest.approx(answer.regular_before_bids)
    assert table["end"].iloc[-1] == pytest.approx(answer.regular_before_bids + answer.previous_term)
    assert round(table["end"].iloc[-1]) == answer.regular
    assert table["start"][1:].to_numpy() == pytest.approx(table["end"][:-1].to_numpy())
    assert (table["tricks"] != 0).all()
    assert table.set_index("step").loc["S2", ["role", "cuts"]].tolist() == ["cut", "D"]


def test_every_card_counts_or_is_idle(answer):
    table = parts_table(answer, STANDARD)
    idle = idle_cards(answer, PAPER, STANDARD)
    assert sorted([*table["step"][:-1], *idle]) == sorted(STANDARD.format_cards(PAPER).split())
    assert "DQ" in idle


def test_curve_and_what_nil_needs(answer):
    curve = curve_table((3, 1))
    assert curve["p"].is_monotonic_increasing
    assert (curve["low"] <= curve["p"]).all()
    assert (curve["p"] <= curve["high"]).all()
    assert curve["p"].iloc[-1] == load_curves().probability((3, 1), 1.0)
    assert p_needed(answer, Rules()) == 0.625
    assert p_needed(answer, Rules(nil=None)) is None
    assert suits_table(answer)["p"].tolist() == list(answer.nil_by_suit)


LINK = "http://localhost/?hand=four-bots&bid=2"


def report(name, i):
    record = shipped(name)
    return bid_report_markdown(record, bid_decisions(record)[i], LINK)


def test_a_bid_with_every_bidder_and_the_nil():
    text, record = report("four-bots", 1), shipped("four-bots")
    assert text.startswith("## Spades: West to bid, bid 2 of 4\n\n")
    assert bid_verdict(bid_decisions(record)[1]) in text
    assert "West (bot) bid 1 after 4. A disagreement" in text
    assert "commonest): yes." in text
    assert "| bis | nil | always |  |  |  |" in text
    assert "| io | 1 | always |  |  | made |" in text
    assert "| human (simulated) | nil | 100.0% of 200 | 98.2% to 100.0% |  |  |" in text
    expected = bid_decisions(record)[1].bis.expected_nil
    assert f"| nil expected | {expected:+.1f} points |" in text
    assert f"Link: <{LINK}>" in text
    assert "```\n[" in text


def test_the_first_bid_and_a_nil_that_cards_deny():
    text = report("south-nil", 0)
    assert "bid 5 as the first." in text
    assert "commonest): yes." in text
    assert "| chance of nil | BIS's rule denies a nil with four spades or more" in text


def test_rules_without_nil():
    text = report("bug-report-335", 2)
    assert "| nil | none in these rules |" in text
    assert "commonest): no." in text


def test_names_stand_in_the_fence_alone():
    record = dataclasses.replace(shipped("four-bots"), players=("# a", "```b", "c|d", "*e*"))
    text = bid_report_markdown(record, bid_decisions(record, n=5)[0], LINK)
    head, _, fenced = text.partition("### Record")
    assert not any(name in head for name in record.players)
    assert fenced.strip().startswith("````")
