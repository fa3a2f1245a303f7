"""Prints what a small corpus suggests; run with NUMBA_DISABLE_JIT=1 the kernels are plain."""

import random

from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.corpus import build_corpus, suggest
from tests.positions import random_bids, random_round


def lines():
    for deck in ("standard", "joker-joker-deuce-deuce"):
        rules = Rules(deck=deck)
        log = simulate_humans(3, 4, rules=rules)
        corpus = build_corpus(log, "small", source="simulated", pairs=60, seed=1)
        yield [corpus.hash, corpus.plies.tolist(), corpus.rounds.tolist()]
        rng = random.Random(1)
        for ply in (0, 13, 34):
            seen = observe(random_round(rng, ply, rules=rules, bids=random_bids(rng)))
            found = suggest(corpus, seen)
            yield [
                found.cards.tolist(),
                found.n_pairs.tolist(),
                found.options.tolist(),
                [round(value, 12) for value in found.values.tolist()],
            ]


if __name__ == "__main__":
    for line in lines():
        print(line)
