"""Rounds played on from the middle: as the Python players play them, and never by hidden cards."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.agents.play import POLICIES, Continuation
from spades.belief import UniformDeals
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import Round
from spades.core.scoring import score_round
from tests.positions import random_bids, random_round, swap_hidden


def positions(n, seed, low=0, high=48):
    rng = random.Random(seed)
    return [
        random_round(rng, rng.randint(low, high), bids=[max(1, bid) for bid in random_bids(rng)])
        for _ in range(n)
    ]


def play_deals(seen, deals, policy, *, seed=0):
    """Points of every legal card in every deal, (n, cards)."""
    table, cards = Continuation(seen, policy), list(cards_in(seen.legal_mask))
    rows = [table.values(deal, cards, derive_seed(seed, i)) for i, deal in enumerate(deals)]
    return np.array(rows).reshape(len(deals), len(cards))


def played_out(state, card, policy, seed):
    """Points of N/S less E/W, bags counted at their cost, card by card in Python."""
    state = state.copy()
    state.play(card)
    while not state.table.is_over:
        seen = observe(state)
        ply = len(state.table.plays)
        state.play(parse_agent(policy).player.play(seen, derive_seed(seed, 2, ply)))
    table = state.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    worth = [p - table.rules.bag_cost * b for p, b in zip(scored.points, scored.bags, strict=True)]
    return worth[0] - worth[1]


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_each_card_is_played_on_as_the_python_players_do(policy):
    for state in positions(6, 1):
        seen = observe(state)
        cards = list(cards_in(seen.legal_mask))
        sign = 1 if seen.seat % 2 == 0 else -1
        deal, _ = UniformDeals(seen).sample(1, seed_state(2))
        full = Round(state.table.copy(), deal[0].tolist())
        expected = [sign * played_out(full, card, policy, 77) for card in cards]
        assert Continuation(seen, policy).values(deal[0], cards, 77) == expected


def test_a_table_of_values_repeats_and_follows_its_seed():
    seen = observe(positions(1, 3, 4, 12)[0])
    deals, _ = UniformDeals(seen).sample(30, seed_state(1))
    first = play_deals(seen, deals, "human", seed=5)
    assert first.shape == (30, seen.legal_mask.bit_count())
    assert np.array_equal(first, play_deals(seen, deals, "human", seed=5))
    assert not np.array_equal(first, play_deals(seen, deals, "human", seed=6))
    assert np.array_equal(first[:7], play_deals(seen, deals[:7], "human", seed=5))
    assert play_deals(seen, deals[:0], "srp").shape == (0, first.shape[1])


def test_hidden_cards_make_no_difference():
    rng = random.Random(4)
    for state in positions(4, 5, 4, 30):
        other = swap_hidden(state, state.table.turn, rng)
        tables = []
        for seen in (observe(state), observe(other)):
            deals, _ = UniformDeals(seen).sample(10, seed_state(1))
            tables.append(play_deals(seen, deals, "srp"))
        assert np.array_equal(*tables)


def test_what_cannot_be_played_is_refused():
    state = positions(1, 6, 4, 20)[0]
    seen = observe(state)
    deal = np.array(state.hands)
    with pytest.raises(SpadesError, match="no policy 'oracle'"):
        Continuation(seen, "oracle")
    with pytest.raises(SpadesError, match="can't be played; legal: "):
        Continuation(seen, "srp").values(deal, [next(cards_in(seen.unseen_mask))], 1)
    state.table.bids[:] = [-1] * 4
    with pytest.raises(SpadesError, match="bids are not known"):
        Continuation(observe(state), "srp")
