"""Bids as decisions: what bidders see, how often they bid what, links and rules as text."""

import dataclasses

import pytest

from analysis.bidding.decisions import BIDDERS_COMPARED, ask_bidder, ask_bidders, bids_table
from analysis.bidding.questions import observe_bids, parse_previous
from spades.agents import UnknownAgentError, parse_bidder
from spades.bidding import observe_auction
from spades.core.cards import STANDARD, parse_hand
from spades.core.records import Record
from spades.core.rules import NO_BID, Rules
from tests.pages.texts import ALL_HANDS, bid_decisions, shipped

LOW = "42.J543.9832.Q64"


def seen(hand=LOW, previous=(3, 4)):
    return observe_auction(parse_hand(hand, STANDARD), previous)


@pytest.mark.parametrize("name", ALL_HANDS)
def test_bidders_see_what_the_seat_saw(name):
    record = shipped(name)
    decisions = bid_decisions(record, ("rb", "bis"), n=3)
    if not record.has_bids:
        assert decisions == ()
        return
    order = [(record.dealer + i) % 4 for i in range(1, 5)]
    assert [decision.seat for decision in decisions] == order
    for i, decision in enumerate(decisions):
        observation = decision.observation
        assert observation.hand == record.hands[decision.seat]
        assert observation.table.bids[decision.seat] == NO_BID
        assert decision.previous == [record.bids[seat] for seat in order[:i]]
        assert (observation.score_before, decision.made) == (
            record.score_before,
            record.bids[decision.seat],
        )


def test_other_hands_change_nothing():
    """Two deals in which North holds the same: all that bidders say of its bid is the same."""
    record = shipped("four-bots")
    first = (record.dealer + 1) % 4
    others = [seat for seat in range(4) if seat != first]
    hands = list(record.hands)
    hands[others[0]], hands[others[1]] = hands[others[1]], hands[others[0]]
    swapped = dataclasses.replace(record, hands=tuple(hands), plays=())
    here, there = bid_decisions(record, n=20)[0], bid_decisions(swapped, n=20)[0]
    assert (here.bids, here.bis) == (there.bids, there.bis)


def test_who_draws_at_random_is_asked_often():
    answers = {answer.bidder: answer for answer in ask_bidders(seen(), n=50)}
    assert tuple(answers) == BIDDERS_COMPARED
    assert {name for name, answer in answers.items() if answer.is_random} == {"kb", "human"}
    human = answers["human"]
    assert sum(count for _, count in human.counts) == human.n == 50
    assert human.share_of(human.bid) == max(count for _, count in human.counts) / 50
    assert human.share_of(13) == 0
    rb = parse_bidder("rb")
    assert answers["rb"].counts == ((rb.bid(seen(), 0), 1),)
    assert not ask_bidder(seen(), "kb:randomness=0").is_random
    assert ask_bidder(seen(), "noisy:noise=3", n=40).n == 40
    with pytest.raises(UnknownAgentError):
        ask_bidder(seen(), "nobody")


def test_table_of_bids():
    table = bids_table(ask_bidders(seen(), ("human", "io"), n=80), Rules())
    human = table[table["bidder"] == "human"]
    assert human["count"].sum() == 80
    assert (human["low"] < human["share"]).all()
    assert table[table["bidder"] == "io"][["share", "low", "high"]].values.tolist() == [[1, 1, 1]]
    assert set(table[table["bid"] == 0]["name"]) <= {"nil"}


def test_a_decision_as_a_question_is_the_same_question():
    record = dataclasses.replace(
        shipped("south-nil"), score_before=(120, 80), bags_before=(3, 7), plays=()
    )
    west = bid_decisions(record, ("bis",))[3]
    assert west.seat == 3
    asked = west.question()
    assert (asked["score"], asked["bags"], asked["previous"]) == ("80,120", "7,3", "5,3,0")
    hand, previous = parse_hand(asked["hand"], STANDARD), parse_previous(asked["previous"])
    seen = observe_bids(hand, previous, rules=Rules(), score=(80, 120), bags=(7, 3))
    assert parse_bidder("bis").bid(seen, 0) == west.bids[0].bid


def test_a_blind_nil_is_told_from_one_after_looking():
    record = shipped("south-nil")
    blind = dataclasses.replace(record, blind=(False, False, True, False), plays=())
    assert isinstance(blind, Record)
    south = bid_decisions(blind, ("bis",))[2]
    assert south.is_blind
    assert not south.bids[0].is_blind
