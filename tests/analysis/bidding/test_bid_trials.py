"""Bids tried over simulated rounds: hand-worked points, what is drawn, what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.bidding import bid_trials
from analysis.bidding.bid_trials import (
    bids_to_try,
    histogram_table,
    mean_interval,
    seating_of,
    trials_table,
    tried_bid,
    try_bids,
)
from spades.agents import UnknownAgentError, parse_bidder
from spades.agents.compiled import Rounds
from spades.bidding import observe_auction
from spades.bidding.auction import bidder_options
from spades.cli.bid import trials_document
from spades.core.cards import DECKS, STANDARD, parse_hand
from spades.core.errors import IllegalBidError, InvalidDealError, SpadesError
from spades.core.rules import Rules

LOW = "42.J543.9832.Q64"
BOSSES = "AKQJT98765432..."  # thirteen tricks, however the rest lies


def seen(hand=LOW, previous=(), **options):
    rules = options.pop("rules", None) or Rules()
    return observe_auction(parse_hand(hand, rules.cards), previous, rules=rules, **options)


@pytest.fixture
def played(monkeypatch):
    """Hands and bids of the rounds that are played."""
    rounds, play = [], bid_trials.play_bid_rounds

    def spy(seating, hands, bids, *rest, **options):
        rounds.append((hands, bids))
        return play(seating, hands, bids, *rest, **options)

    monkeypatch.setattr(bid_trials, "play_bid_rounds", spy)
    return rounds


def test_a_hand_that_plays_itself():
    """Thirteen tricks: 13 is made beside a nil only, and a nil never."""
    trials = try_bids(seen(BOSSES), [13, 0], n=200)
    thirteen, nil = trials.bids
    assert (thirteen.tricks == 13).all()
    assert (nil.tricks == 13).all()
    assert set(thirteen.points[thirteen.made]) <= {230}
    assert (thirteen.points[~thirteen.made] <= -140).all()
    assert nil.name == "nil"
    assert not nil.made.any()


def test_the_outcome_of_a_round_by_hand():
    rounds = Rounds.empty(2)
    rounds.bids[:], rounds.tricks[:] = [(0, 4, 3, 4), (0, 4, 3, 4)], [(0, 5, 4, 4), (1, 4, 2, 6)]
    rounds.points[:], rounds.bags[:] = [(131, 81), (-70, 82)], [(1, 1), (0, 2)]
    rounds.bags_before[:] = (9, 9)
    north = tried_bid(rounds, 0, 0, Rules())
    assert north.points.tolist() == [31, -70]  # the tenth bag costs 100
    assert north.difference.tolist() == [31 + 19, -70 + 18]
    assert north.made.tolist() == [True, False]
    east = tried_bid(rounds, 4, 1, Rules(bag_limit=0))
    assert east.points.tolist() == [81, 82]
    assert east.made.all()
    assert east.name == "4"


def test_bids_are_tried_on_the_same_deals_and_repeat():
    trials = try_bids(seen(), [0, 1], n=300, seed=3)
    again, other = (try_bids(seen(), [1], n=300, seed=seed).bids[0] for seed in (3, 4))
    np.testing.assert_array_equal(trials.bids[1].points, again.points)
    assert (trials.bids[1].points != other.points).any()
    assert (trials.n, trials.n_drawn, trials.tolerance) == (300, 300, None)


def test_the_hand_and_the_bids_made_stay_and_the_rest_is_drawn(played):
    observation = seen(previous=(3, 4))
    try_bids(observation, [1], n=200)
    hands, bids = played[0]
    assert (hands[:, 0] == observation.hand).all()
    assert (bids[:, 2] == 3).all()
    assert (bids[:, 3] == 4).all()
    assert (bids[:, 0] == 1).all()
    assert len(np.unique(hands[:, 1])) > 190


def test_deals_agree_with_the_bids_before(played):
    """A right-hand opponent who bid 6 holds more spades than one who bid 1."""
    for previous in ((6,), (1,)):
        trials = try_bids(seen(previous=previous), [1], n=300, bidder="rb")
        assert trials.tolerance == 0
    six, one = (np.bitwise_count(hands[:, 3] & 0xFFFF).mean() for hands, _ in played)
    assert one + 0.5 < 13 * 11 / 39 < six - 0.5


def test_bids_that_nobody_would_make_condition_nothing():
    trials = try_bids(seen(previous=(13, 13)), [1], n=50)
    assert (trials.n, trials.n_drawn, trials.tolerance) == (50, 200_000, None)


def test_kept_deals_are_those_on_which_the_bidder_bids_so(played):
    try_bids(seen(previous=(2, 3)), [1], n=60, bidder="ms")
    master = parse_bidder("ms")
    for hands in played[0][0].tolist():
        first, second = observe_auction(hands[2], ()), observe_auction(hands[3], (2,))
        assert (master.bid(first, 0), master.bid(second, 0)) == (2, 3)


def test_table_has_means_intervals_and_shares():
    trials = try_bids(seen(previous=(3,)), [0, 1], n=400)
    table = trials_table(trials).set_index("bid")
    nil, one = trials.bids
    assert table.loc[0, "name"] == "nil"
    assert table.loc[1, "name"] == "1"
    assert table.loc[0, "points"] == pytest.approx(nil.points.mean())
    low, high = stats.t.interval(
        0.95, 399, loc=nil.points.mean(), scale=stats.sem(nil.points, ddof=1)
    )
    assert (table.loc[0, "points_low"], table.loc[0, "points_high"]) == pytest.approx((low, high))
    assert table.loc[0, "made"] == nil.made.sum()
    assert table.loc[0, "made_share_low"] < table.loc[0, "made_share"]
    assert table.loc[0, "less_first"] == 0
    assert table.loc[1, "less_first"] == pytest.approx((one.points - nil.points).mean())
    spread = histogram_table(trials)
    assert spread.groupby("bid")["count"].sum().tolist() == [400, 400]
    document = trials_document(trials)
    assert json.loads(json.dumps(document))["bids"][0]["n"] == 400
    assert document["previous_bids_within"] == 0


def test_one_round_has_no_interval():
    trials = try_bids(seen(), [1], n=1)
    assert mean_interval(trials.bids[0].points) is None
    assert trials_document(trials)["bids"][0]["interval"] is None
    assert pd.isna(trials_table(trials).loc[0, "sd"])


@pytest.mark.parametrize("deck", DECKS)
def test_every_deck_and_no_nil(deck):
    rules = Rules(deck=deck, nil=None)
    hand = DECKS[deck].mask & ((1 << 13) - 1)
    observation = observe_auction(hand, (), rules=rules)
    assert bids_to_try(observation, bidder_options()) != []
    trials = try_bids(observation, [0], n=20, bidder="human")
    assert trials.bids[0].name == "0"


def test_bids_to_try_are_legal_ones():
    assert bids_to_try(seen(), bidder_options())[0] == 0
    least = seen(previous=(1, 3), rules=Rules(min_bid=4))
    assert bids_to_try(least, bidder_options()) == [3]


def test_refusals():
    with pytest.raises(IllegalBidError, match="a bid of 14; 0 to 13"):
        try_bids(seen(), [14])
    with pytest.raises(SpadesError, match="0 rounds to simulate; 1 to 100,000"):
        try_bids(seen(), [1], n=0)
    with pytest.raises(UnknownAgentError):
        try_bids(seen(), [1], bidder="nobody")
    with pytest.raises(InvalidDealError, match="12 cards"):
        try_bids(observe_auction(parse_hand("432.543.983.Q64", STANDARD)), [1])
    assert seating_of(Rules(), "bis").is_compiled
