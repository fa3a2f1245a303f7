"""The likelihood of hands: as the models give it play by play, nothing kept from hand to hand."""

import random

import numpy as np
import pytest

from spades.belief.determinizations.posterior import systematic
from spades.belief.determinize import UniformDeals
from spades.belief.likelihood import (
    PlayerModel,
    bid_probability,
    distinct_hands,
    log_products,
    past_actions,
    weigh_bids,
    weigh_plays,
)
from spades.belief.network import observation_arrays
from spades.belief.players import habits_of
from spades.core.cards import cards_in
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features.card_features import legal_probabilities
from spades.human.features.view import decision_of
from spades.human.simulated import load_simulated_human
from tests.positions import random_bids, random_round

DOUBT = 0.05
HUMAN = load_simulated_human()


def model_of(players, rules):
    habits = habits_of(players)
    bids = habits.human_bids, habits.bid_given_bis
    return PlayerModel(habits.weights, HUMAN.bidder, *bids, rules.numbers, DOUBT)


def by_the_book(state, seat, weights):
    """The round played again with the hands of ``state``: what each play of a seat was worth."""
    table, found = state.table, 1.0
    again = random_round(random.Random(0), 0, rules=table.rules, bids=table.bids)
    again.table.dealer, again.table.leader = table.dealer, table.seats[0]
    again.hands = [hand | played for hand, played in zip(state.hands, table.played, strict=True)]
    for card in table.plays:
        legal = list(cards_in(again.legal_plays()))
        if again.table.turn == seat and len(legal) > 1:
            strengths = np.empty(13)
            decision = decision_of(observe(again))
            n = legal_probabilities(decision, np.array(weights), strengths)
            found *= (1 - DOUBT) * strengths[legal.index(card)] + DOUBT / n
        again.play(card)
    return found


@pytest.mark.parametrize("players", ["human", "search"])
@pytest.mark.parametrize("rules", [Rules(), Rules(deck="joker-joker-deuce-ace", spades_lead="any")])
def test_plays_are_weighed_as_one_by_one(players, rules):
    rng = random.Random(7)
    for n_played in (5, 18, 30, 41):
        state = random_round(rng, n_played, rules=rules, bids=random_bids(rng))
        seen, model = observe(state), model_of(players, rules)
        past = past_actions(seen, observation_arrays(seen))
        deals, _ = UniformDeals(seen).sample(40, seed_state(n_played))
        hands = distinct_hands(deals, past.seats)
        found = np.ones(hands.held.shape)
        weigh_plays(hands, past, model, found)
        for deal, which in zip(deals, hands.which, strict=True):
            state.hands = deal.tolist()
            for relative in range(1, 4):
                expected = by_the_book(state, past.seats[relative], model.weights)
                assert found[relative, which[relative]] == pytest.approx(expected, rel=1e-9)
        logs = np.log(found[np.arange(1, 4), hands.which[:, 1:]]).sum(axis=1)
        assert log_products(hands.which, found) == pytest.approx(logs)


def test_bids_are_weighed_as_one_by_one():
    rng, rules = random.Random(8), Rules()
    state = random_round(rng, 14, bids=(0, 4, 3, 2))
    seen, model = observe(state), model_of("human", rules)
    past = past_actions(seen, observation_arrays(seen))
    deals, _ = UniformDeals(seen).sample(300, seed_state(1))
    hands = distinct_hands(deals, past.seats)
    found = np.ones(hands.held.shape)
    weigh_bids(hands, past, model, np.zeros(found.shape, dtype=np.int8), found)
    for relative in range(1, 4):
        seat, bid = past.seats[relative], past.bids[relative]
        for i, held in enumerate(hands.held[relative, : hands.counts[relative]]):
            full = held | state.table.played[seat]
            auction = past.auction[relative]
            p = bid_probability(full, bid, auction, seat, rules.numbers, HUMAN.bidder)
            assert found[relative, i] == pytest.approx((1 - DOUBT) * p + DOUBT / 14, rel=1e-5)


def test_every_hand_is_there_once():
    deals = np.random.default_rng(1).integers(0, 6, (200, 4))
    hands = distinct_hands(deals, np.array([2, 3, 0, 1]))
    for relative, seat in ((1, 3), (2, 0), (3, 1)):
        held = hands.held[relative, : hands.counts[relative]]
        assert sorted(held) == sorted(set(deals[:, seat].tolist()))
        assert (held[hands.which[:, relative]] == deals[:, seat]).all()


def test_systematic_draws_are_as_many_as_the_weights_say():
    weights = np.array([0.0, 3.0, 0.5, 0.0, 6.5])
    counts = np.bincount(systematic(weights, 1000, 0.4), minlength=5)
    assert counts.tolist() == pytest.approx((weights * 100).tolist(), abs=1)
