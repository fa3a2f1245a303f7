"""Touching cards: what lies between two cards of a hand keeps them apart or doesn't."""

import random
from itertools import combinations

import pytest

from spades.core.cards import DECKS, cards_in, suit_of
from spades.core.equivalence import equivalent_cards
from spades.core.observation import observe
from spades.core.rules import Rules
from tests.positions import random_round


def positions(deck, n, plies):
    rng = random.Random(deck)
    for _ in range(n):
        yield random_round(rng, rng.choice(plies), rules=Rules(deck=deck))


def are_touching(state, high, low):
    table = state.table
    finished = set(table.plays) - set(table.trick)
    own = set(cards_in(state.hands[table.turn]))
    there = set(cards_in(table.rules.cards.mask))
    between = [card for card in range(low + 1, high) if card in there]
    return suit_of(high) == suit_of(low) and all(card in own | finished for card in between)


@pytest.mark.parametrize("deck", DECKS)
def test_classes_are_the_legal_cards_that_touch(deck):
    for state in positions(deck, 60, range(52)):
        classes = equivalent_cards(observe(state))
        legal = [card for cards in classes for card in cards]
        assert sorted(legal) == list(cards_in(state.legal_plays()))
        together = {pair for cards in classes for pair in combinations(cards, 2)}
        for high, low in combinations(sorted(legal, reverse=True), 2):
            assert ((high, low) in together) == are_touching(state, high, low)


def outcomes(state):
    """Tricks by seat at the end of every way to play on."""
    if state.table.is_over:
        return {tuple(state.table.tricks_taken)}
    found = set()
    for card in cards_in(state.legal_plays()):
        after = state.copy()
        after.play(card)
        found |= outcomes(after)
    return found


@pytest.mark.parametrize("deck", DECKS)
def test_equivalent_cards_lead_to_the_same_endings(deck):
    n_pairs = 0
    for state in positions(deck, 40, range(40, 46)):
        for cards in equivalent_cards(observe(state)):
            ends = []
            for card in cards[:2]:
                after = state.copy()
                after.play(card)
                ends.append(outcomes(after))
            assert ends[0] == ends[-1]
            n_pairs += len(cards) > 1
    assert n_pairs > 5


def test_nobody_elses_turn_has_classes():
    state = random_round(random.Random(2), 5)
    assert equivalent_cards(observe(state, (state.table.turn + 1) % 4)) == ()
