"""Kinds of players as the posterior takes them: their bids, their plays, what it helps."""

import numpy as np
import pytest

from spades.belief import Dealing
from spades.belief.likelihood import distinct_hands, past_actions
from spades.belief.network import observation_arrays
from spades.belief.players import AuctionArrays, bis_bids, habits_of, noisy_bids, weigh_rule_plays
from spades.bidding import bid_of
from spades.bidding.auction import bidder_options
from spades.bidding.curves import bid_context
from spades.core.cards import STANDARD, cards_in
from spades.core.deal import random_deal
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.notation.log_store import open_log
from spades.rule_based.sight import opened
from tests.belief.scores import mean_log_likelihood

NOISY = bidder_options(noise=1.0, nil_rate=0.1)


def bid_by_bis(seed):
    """A round bid by BIS; who leads, and every hand's bid with noise, thousands of times."""
    state = Round.deal(Rules(), seed % 4, random_deal(STANDARD, seed))
    noisy = {}
    for turn in range(1, 5):
        seat = (state.table.dealer + turn) % 4
        seen = observe(state, seat)
        noisy[seat] = [bid_of(seen, NOISY, i) for i in range(3000)] if turn == 1 else []
        state.table.bid(seat, bid_of(seen, bidder_options(), 0))
    return state, noisy


@pytest.mark.parametrize("seed", [3, 6, 7])
def test_bids_are_those_of_bis_and_noise_is_that_of_the_noisy_bidder(seed):
    state, noisy = bid_by_bis(seed)
    seen = observe(state)
    past, found = past_actions(seen, observation_arrays(seen)), np.zeros((4, 1), dtype=np.int8)
    zeros = np.zeros(2, dtype=np.int64)
    auctions = AuctionArrays(past.auction, past.seats, zeros, zeros, bidder_options())
    hands = distinct_hands(np.array([state.hands]), past.seats)
    bis_bids(hands, np.zeros(4, dtype=np.int64), auctions, bid_context(seen.rules), found)
    assert found[1:, 0].tolist() == past.bids[1:].tolist()
    seat = (state.table.dealer + 1) % 4
    shares = np.bincount(noisy[seat], minlength=14) / 3000
    assert np.abs(shares - noisy_bids()[state.table.bids[seat]]).max() < 0.04
    assert noisy_bids().sum(axis=1) == pytest.approx(np.ones(14))


def test_strong_rules_play_what_they_play():
    """With the true hands every play is the rules'; a choice among n counts 1 - d + d / n."""
    record, doubt, n_odd = next(iter(open_log("four-srp-nil").records())), 0.2, 0
    for ply in (13, 30):
        state = record.at(ply)
        seen, expected = record.observe(state), np.ones(4)
        for i in range(ply):
            before = record.at(i)
            n = len(list(cards_in(before.legal_plays())))
            relative = (before.table.turn - seen.seat) % 4
            expected[relative] *= 1 - doubt + doubt / n if relative else 1
        deals, _ = Dealing.of("uniform")(seen).sample(50, seed_state(1))
        deals[0] = state.hands
        plays, played = np.array(seen.table.plays), np.array(seen.table.played)
        hands = distinct_hands(deals, (seen.seat + np.arange(4)) % 4)
        found = np.ones((4, 50))
        weigh_rule_plays(hands, plays, played, opened(seen), (seen.seat, doubt), found)
        by_deal = found[np.arange(4), hands.which]
        assert by_deal[0] == pytest.approx(expected)
        n_odd += (by_deal.prod(axis=1) < by_deal[0].prod() / 3).sum()
    assert n_odd > 40


def test_who_plays_is_taken_for_the_simulated_human_unless_told():
    any_, human = habits_of("any"), habits_of("human")
    assert any_.network_kind == human.network_kind == "human"
    assert (any_.trust, any_.human_bids, any_.weights.size) == (1.0, 1.0, 45)
    seen = next(iter(open_log("four-ismcts").records())).observation(20)
    drawn = {
        kind: Dealing.of("posterior", players=kind)(seen).sample(30, seed_state(2))[0].tolist()
        for kind in ("any", "human", "search", "rules")
    }
    assert drawn["any"] == drawn["human"]
    assert drawn["any"] != drawn["search"] != drawn["rules"]


def test_the_posterior_that_knows_the_rules_explains_their_cards_best():
    log = open_log("four-srp-nil").take(np.arange(100, 125))
    rounds = [record.at(13 + 13 * (i % 2)) for i, record in enumerate(log.records())]
    network = mean_log_likelihood(Dealing.of("network", players="rules"), rounds)
    assert mean_log_likelihood(Dealing.of("posterior", players="rules"), rounds) > network + 0.02
    assert mean_log_likelihood(Dealing.of("posterior"), rounds) < network
