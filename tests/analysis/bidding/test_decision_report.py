"""The report on a bid: bidders, BIS's arithmetic, the record fenced."""

import dataclasses

from analysis.bidding.decision_report import bid_report_markdown
from analysis.bidding.decisions import bid_decisions
from analysis.bidding.verdict import bid_verdict
from tests.pages.texts import shipped

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
    assert "0.0%: the ace of spades or a fourth spade denies it" in text


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
