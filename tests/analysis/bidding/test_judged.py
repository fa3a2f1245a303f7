"""Bids judged: by what the seat saw, on rounds played out, with honest errors."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.bidding import judged
from analysis.bidding.judged import (
    DEALS_A_BLOCK,
    PLAYER,
    BidEvidence,
    JudgedBid,
    TriedAuctions,
    bid_series,
    bids_to_judge,
    judge_bids,
    judge_in_steps,
    observation_before,
)
from analysis.decisions.conclusion import CLEAR, LEANS, NETWORK, TOSS_UP, Conclusion, estimate_text
from analysis.decisions.estimate import Trust
from analysis.runs.series import StoredSeries
from spades.agents import parse_agent
from spades.agents.play import LEVEL, Seating, play_cards
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.rules import NO_BID, Round
from spades.core.scoring import evaluation_table
from spades.core.steps import last_value
from tests.analysis.decisions.made_up import class_value
from tests.pages.texts import shipped

SOUTH = 2


@pytest.fixture(autouse=True)
def own_results(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def items_of(record, seat, bids, n, seed=0):
    series = bid_series(record, TriedAuctions(observation_before(record, seat), seed), bids)
    series.extend(n)
    last_value(series.steps())
    return series.items


def test_a_seat_is_shown_what_it_saw_when_it_was_to_bid():
    record = shipped("south-nil")
    seen = observation_before(record, SOUTH)
    assert (seen.seat, seen.hand_mask) == (SOUTH, int(record.hands[SOUTH]))
    heard = [bid for bid in seen.table.bids if bid != NO_BID]
    assert heard == [record.bids[0], record.bids[1]]
    with pytest.raises(SpadesError, match="the bids are not known"):
        observation_before(replace(record, bids=(NO_BID,) * 4), SOUTH)


def test_the_bid_made_the_usual_ones_and_nil_are_tried():
    record = shipped("south-nil")
    tried = bids_to_judge(observation_before(record, SOUTH), 9)
    assert {0, 9} <= set(tried)
    assert tried == sorted(tried)


def test_hidden_hands_and_what_follows_change_nothing():
    """The others' cards swapped, the later bids and all plays taken away: the same points."""
    record = shipped("south-nil")
    north, east, south, west = record.hands
    swapped = replace(record, hands=(west, north, south, east), plays=())
    bids = [0, 2]
    assert items_of(record, SOUTH, bids, 3) == items_of(swapped, SOUTH, bids, 3)


def test_rounds_are_played_out_as_the_python_players_do():
    """The dealer bids last, so that nobody bids after."""
    record = shipped("south-nil")
    seat = record.dealer
    tried = TriedAuctions(observation_before(record, seat), seed=3)
    agent = parse_agent(PLAYER)
    seating = Seating((agent,) * 4, record.rules)
    bids = list(record.bids)
    bids[seat] = 2
    state = Round.deal(record.rules, record.dealer, tried.deals[0].tolist())
    for other in range(4):
        state.table.bids[other] = bids[other]
    play_cards(seating, state, derive_seed(3, 0), LEVEL)
    table = evaluation_table(record.rules, tuple(bids), (False,) * 4)
    north, east, south, _ = state.table.tricks_taken
    sign = 1 if seat % 2 == 0 else -1
    assert tried.points_by_search(2, 0) == sign * table[north, east, south]


def few_deals(monkeypatch, record, seat, n):
    """Only the first deals that the bids before allow."""
    deals = TriedAuctions(observation_before(record, seat), 0).deals[:n]
    monkeypatch.setattr(TriedAuctions, "deals", deals)


def test_a_hopeless_bid_is_clearly_worse_and_what_it_gives_away_is_said(monkeypatch):
    record = shipped("south-nil")
    wild = replace(record, bids=(13, *record.bids[1:]))
    few_deals(monkeypatch, wild, 0, 60)
    bid = last_value(judge_in_steps(wild, 0, budget=1e9))
    assert bid.made == "13"
    assert bid.given_away > 50
    assert 0 < bid.se < bid.given_away / 4
    assert "North bid 13: " in bid.text()
    assert f"gives away {estimate_text(bid.given_away, bid.se)}" in bid.text()
    document = bid.document()
    assert document["bids"][-1]["bid"] == "13"
    assert document["deals"] == 60


def test_all_readers_see_the_deals_that_the_budget_allowed(monkeypatch):
    """The budget ends within a block of deals, of which none is stored; others try more deals."""
    record = shipped("south-nil")
    monkeypatch.setattr(judged, "LEAST_DEALS", DEALS_A_BLOCK)
    few_deals(monkeypatch, record, SOUTH, 60)

    def made_within(series, budget):
        for _ in series.steps():
            if series.done == DEALS_A_BLOCK + 7:
                break
            yield
        return budget

    with monkeypatch.context() as hurried:
        hurried.setattr(judged, "made_within", made_within)
        first = last_value(judge_in_steps(record, SOUTH))
    assert first.conclusion.rounds == DEALS_A_BLOCK
    again = last_value(judge_in_steps(record, SOUTH))
    assert again.document() == first.document()


def test_leads_are_drawn_towards_what_the_network_makes_of_all_deals(monkeypatch):
    record = shipped("south-nil")
    few_deals(monkeypatch, record, SOUTH, 60)

    def leads(weight, spread):
        """Points of the first bid over the others."""
        trust = Trust({NETWORK: weight}, spread=spread, drift=0.0)
        evidence = BidEvidence(record, SOUTH, budget=1e9, trust=trust)
        last_value(evidence.steps())
        values = {row.cards[0]: row.value for row in evidence.concluded(60).classes}
        return np.array([values["nil"] - values[name] for name in evidence.names[1:]])

    network = leads(1.0, 0.01)
    searched = leads(1.0, 1e4)
    assert np.abs(network - searched).max() > 5
    way = searched - network
    went = (leads(1.0, 10.0) - network) @ way / (way @ way)
    assert 0.1 < went < 0.9
    assert leads(0.5, 0.01) == pytest.approx(network / 2, abs=0.1)


def test_another_trust_is_another_judge(monkeypatch):
    """A stored number of deals counts for the trust by which it was enough."""
    few_deals(monkeypatch, shipped("south-nil"), SOUTH, 60)
    kept = []

    def stored(kind, question, *rest, **options):
        kept.append(question)
        return StoredSeries(kind, question, *rest, **options)

    monkeypatch.setattr(judged, "StoredSeries", stored)
    for spread in (1.0, 2.0):
        trust = Trust({NETWORK: 1.0}, spread=spread, drift=0.0)
        monkeypatch.setattr(judged, "trust_in_bids", lambda trust=trust: trust)
        last_value(judge_in_steps(shipped("south-nil"), SOUTH))
    one, other = (question for question in kept if "trust" in question)
    assert one != other


def test_no_more_deals_are_tried_than_the_bids_before_allow(monkeypatch):
    few_deals(monkeypatch, shipped("south-nil"), SOUTH, 70)
    evidence = BidEvidence(shipped("south-nil"), SOUTH, budget=1e9, threshold=0.001)
    last_value(evidence.steps())
    assert evidence.series.done == 60


def test_what_is_not_judged_says_why():
    record = shipped("south-nil")
    blind = replace(record, blind=(False, False, True, False))
    told = last_value(judge_in_steps(blind, SOUTH)).text()
    assert told == "South bid blind nil: not judged, it was bid before the hand was seen"
    hurried = last_value(judge_in_steps(record, SOUTH, budget=0.0))
    assert (hurried.given_away, hurried.se) == (None, None)
    assert "the budget is too short" in hurried.text()
    assert judge_bids(replace(record, bids=(NO_BID,) * 4)) == []


def a_bid(kind, *behind):
    classes = tuple(
        class_value((str(i + 3),), gap, (gap - 0.5, gap + 0.5), value=-gap, gap_error=0.25)
        for i, gap in enumerate(behind)
    )
    return Conclusion(kind, classes, 1.0, 200)


def test_a_bid_as_good_as_the_best_gives_nothing_away():
    toss_up = JudgedBid(SOUTH, "4", a_bid(TOSS_UP, 0.0, 0.4, 9.0))
    assert (toss_up.given_away, toss_up.se) == (0, 0)
    assert toss_up.text() == "South bid 4: toss-up between 3 and 4 (200 deals)"
    faulted = JudgedBid(SOUTH, "5", a_bid(CLEAR, 0.0, 4.0, 9.0))
    assert (faulted.given_away, faulted.se) == (9.0, 0.25)
    assert "clear: 3, 4.0 points over 4 (95%: 3.5 to 4.5; 200 deals); gives away 9.0" in (
        faulted.text()
    )
    assert np.isclose(faulted.document()["given_away"], 9.0)
    leaning = JudgedBid(SOUTH, "4", a_bid(LEANS, 0.0, 4.0, 9.0))
    assert leaning.text().endswith("gives away 4.0 points (95%: 3.5 to 4.5), not settled")
