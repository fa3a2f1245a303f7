"""Prints flat searches of a few positions; run with NUMBA_DISABLE_JIT=1 they are plain Python."""

import random

from spades.core.observation import observe
from spades.core.rules import Rules
from spades.search.flat import flat_ucb, heuristic_seeds
from tests.positions import random_bids, random_round


def lines():
    rng = random.Random(1)
    for i, ply in enumerate((0, 5, 18, 31, 44)):
        rules = Rules(deck="joker-joker-deuce-deuce" if i % 2 else "standard")
        seen = observe(random_round(rng, ply, rules=rules, bids=random_bids(rng)))
        for seeds in (None, heuristic_seeds(seen)):
            found = flat_ucb(seen, iterations=30, seed=i, seeds=seeds)
            yield [
                (row.card.code, row.visits, round(row.mean_value, 6), round(row.value, 9))
                for row in found.cards
            ]


if __name__ == "__main__":
    for line in lines():
        print(line)
