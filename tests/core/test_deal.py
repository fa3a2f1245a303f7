"""Deals and derived seeds."""

from collections import Counter

import numpy as np
import pytest

from spades.core.cards import DECKS, check_deal
from spades.core.deal import derive_seed, random_deal


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_a_deal_is_a_deal_and_depends_on_its_seed_alone(deck):
    check_deal(random_deal(deck, 5), deck)
    assert random_deal(deck, 5) == random_deal(deck, 5)
    assert len({random_deal(deck, seed) for seed in range(200)}) == 200


def test_every_card_goes_to_every_seat_equally_often():
    deck = DECKS["standard"]
    counts = np.zeros((64, 4))
    for seed in range(4000):
        for seat, hand in enumerate(random_deal(deck, seed)):
            counts[[card for card in range(64) if hand >> card & 1], seat] += 1
    held = counts[deck.codes]
    # 1,000 expected; five standard deviations of a binomial with n 4,000 and p 1/4
    assert abs(held - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)


def test_derived_seeds_differ_by_path():
    seeds = [derive_seed(seed, *path) for seed in range(20) for path in [(), (0,), (1,), (0, 1)]]
    assert max(Counter(seeds).values()) == 1
    assert all(0 <= seed < 2**62 for seed in seeds)
