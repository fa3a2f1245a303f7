"""One card of equivalent ones: what the search tries at its own seat."""

import random

import numpy as np
import pytest

from spades.core.cards import DECKS
from spades.core.equivalence import equivalent_cards
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.search import Knowledge, RuleSkew, SearchSettings, search
from spades.search.ismcts import one_of_each
from spades.search.settings import InvalidSearchError
from spades.search.tree import ON_TABLE, progress_at, start_position
from tests.positions import random_round

ON = SearchSettings(equivalence=True)


def rounds(deck, n):
    rng = random.Random(deck)
    for _ in range(n):
        yield random_round(rng, rng.randrange(50), rules=Rules(deck=deck))


@pytest.mark.parametrize("deck", DECKS)
def test_the_lowest_of_each_class_is_kept(deck):
    n_touching = 0
    for state in rounds(deck, 80):
        seen, position = observe(state), start_position(observe(state))
        hands = np.array(state.hands, dtype=np.int64)
        at, on_table = progress_at(position), position[ON_TABLE : ON_TABLE + 4]
        kept = one_of_each(seen.legal_mask, at, hands, on_table)
        classes = equivalent_cards(seen)
        assert kept == sum(1 << cards[-1] for cards in classes)
        n_touching += any(len(cards) > 1 for cards in classes)
    assert n_touching > 20


def test_only_one_card_of_a_class_is_visited_and_all_iterations_are_spent():
    for state in rounds("standard", 12):
        seen = observe(state)
        found = search(seen, iterations=300, settings=ON, seed=4)
        visited = {row.card.code for row in found.cards if row.visits}
        assert visited == {cards[-1] for cards in equivalent_cards(seen)}
        assert sum(row.visits for row in found.cards) == 300
        assert found.best.card.code in visited


def test_in_the_last_trick_nothing_changes():
    rng = random.Random(9)
    for _ in range(20):
        seen = observe(random_round(rng, rng.randrange(48, 52), rules=Rules()))
        plain, found = (search(seen, iterations=50, seed=1, settings=s) for s in (None, ON))
        assert found.cards == plain.cards


@pytest.mark.parametrize("more", [{"skew": RuleSkew()}, {"bias": Knowledge()}])
def test_it_goes_with_nothing_that_weighs_single_cards(more):
    with pytest.raises(InvalidSearchError, match="neither skew nor bias"):
        SearchSettings(equivalence=True, **more)
