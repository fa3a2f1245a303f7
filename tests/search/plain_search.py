"""Prints searches of a few positions; run with NUMBA_DISABLE_JIT=1 they are plain Python."""

import random

from spades.observation import observe
from spades.rules import Rules
from spades.search import SearchSettings, search
from tests.positions import random_bids, random_round


def lines():
    rng = random.Random(1)
    for i, ply in enumerate((0, 5, 18, 31, 44)):
        rules = Rules(deck="joker-joker-deuce-deuce" if i % 2 else "standard")
        state = random_round(rng, ply, rules=rules, bids=random_bids(rng))
        for playout in ("uniform", "nil-aware"):
            settings = SearchSettings(playout=playout)
            result = search(observe(state), iterations=60, seed=i, settings=settings)
            yield [
                (row.card, row.visits, row.availability, round(row.mean_value, 6))
                for row in result.cards
            ]


if __name__ == "__main__":
    for line in lines():
        print(line)
