"""Candidates in single deals: which deals, whose points, what is exact at the end."""

import random

import numpy as np
import pytest

from spades.belief import BiasedDeals, UniformDeals
from spades.core.cards import cards_in
from spades.core.errors import SpadesError
from spades.core.observation import observe
from spades.core.rules import Round
from spades.core.scoring import evaluation_table
from spades.search import Search
from spades.search.deals import first_deals, value_in_deal, values_in_deal
from tests.positions import random_bids, random_round, swap_hidden


def positions(n, seed, low, high):
    rng = random.Random(seed)
    found = []
    while len(found) < n:
        state = random_round(rng, rng.randint(low, high), bids=random_bids(rng))
        if state.legal_plays() & (state.legal_plays() - 1):
            found.append(state)
    return found


class Recorder:
    """A determinizer that notes what a search was given."""

    def __init__(self, inner):
        self.inner, self.seen = inner, []

    def sample(self, n, state):
        deals, state = self.inner.sample(n, state)
        self.seen += deals.tolist()
        return deals, state


@pytest.mark.parametrize("kind", [UniformDeals, BiasedDeals])
def test_the_deals_are_the_first_that_a_search_looks_at(kind):
    for state in positions(4, 1, 0, 30):
        seen = observe(state)
        recorder = Recorder(kind(seen))
        Search(seen, seed=11, determinizer=recorder).run(5000)
        deals = first_deals(seen, 60, seed=11, determinizer=kind(seen))
        assert deals.tolist() == recorder.seen[:60]


def outcomes(state):
    """Points of N/S in every way the round may end, all hands open."""
    table = state.table
    if table.is_over:
        rewards = evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))
        north, east, south, _ = table.tricks_taken
        return {int(rewards[north, east, south])}
    found = set()
    for card in cards_in(state.legal_plays()):
        after = state.copy()
        after.play(card)
        found |= outcomes(after)
    return found


def test_values_are_those_of_the_ends_that_can_be_reached():
    exact = 0
    for state in positions(40, 2, 40, 46):
        seen, sign = observe(state), 1 if state.table.turn % 2 == 0 else -1
        for card in cards_in(seen.legal_mask):
            after = state.copy()
            after.play(card)
            ends = {sign * end for end in outcomes(after)}
            value = value_in_deal(seen, np.array(state.hands), card, iterations=200)
            assert min(ends) - 1e-6 <= value <= max(ends) + 1e-6
            exact += len(ends) == 1
    assert exact > 20  # some were settled, and valued exactly


def test_a_card_that_ends_the_round_is_scored_at_once():
    state = random_round(random.Random(4), 51, bids=(3, 3, 4, 2))
    seen = observe(state)
    (card,) = cards_in(seen.legal_mask)
    value = value_in_deal(seen, np.array(state.hands), card)
    sign = 1 if seen.seat % 2 == 0 else -1
    assert {sign * value} == outcomes(state)


def test_a_covered_nil_is_worth_more_than_one_let_go():
    """Two tricks to go: West's king takes a heart, but nobody covers South's three of clubs."""
    state = random_round(random.Random(0), 0, bids=(4, 3, 0, 3))
    deck = state.table.rules.cards
    hands = ["H2 C2", "H4 D4", "H3 C3", "HK D5"]
    full = [deck.parse_cards(hand.split()) for hand in hands]
    state = Round(ended_but_two(state, full), full)
    seen = observe(state)
    assert seen.seat == 0
    worth = {
        deck.format_card(card): value_in_deal(seen, np.array(full), card, iterations=400)
        for card in cards_in(seen.legal_mask)
    }
    assert worth["H2"] > worth["C2"] + 50


def ended_but_two(state, full):
    """A table at which 44 cards were played, North to lead, South without a trick."""
    table = state.table.copy()
    played = [c for c in cards_in(table.rules.cards.mask) if not any(h >> c & 1 for h in full)]
    table.dealer = 3
    table.plays[:] = played
    table.seats[:] = [i % 4 for i in range(44)]
    table.winners[:] = [0, 1, 3, 0, 1, 3, 0, 1, 3, 0, 0]
    table.leader = 0
    for seat in (0, 1, 3):
        table.tricks_taken[seat] = table.winners.count(seat)
    return table


def sampled(seen, n, seed=0):
    """The first deals of a search, and every card's value in each."""
    deals = first_deals(seen, n, seed=seed)
    return deals.tolist(), [values_in_deal(seen, deal, seed=seed) for deal in deals]


def test_samples_have_a_value_for_every_card_and_repeat():
    seen = observe(positions(1, 5, 8, 20)[0])
    deals, values = sampled(seen, 7, seed=3)
    assert {len(row) for row in values} == {seen.legal_mask.bit_count()}
    assert (deals, values) == sampled(seen, 7, seed=3)
    assert deals != sampled(seen, 7, seed=4)[0]


def test_hidden_cards_make_no_difference():
    rng = random.Random(6)
    for state in positions(4, 7, 4, 30):
        other = swap_hidden(state, state.table.turn, rng)
        assert sampled(observe(state), 5) == sampled(observe(other), 5)


def test_a_card_that_cannot_be_played_is_refused():
    state = positions(1, 8, 4, 20)[0]
    seen = observe(state)
    other = next(cards_in(seen.unseen_mask))
    with pytest.raises(SpadesError, match="doesn't hold it"):
        value_in_deal(seen, np.array(state.hands), other)
