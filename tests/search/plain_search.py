"""Prints searches of a few positions; run with NUMBA_DISABLE_JIT=1 they are plain Python."""

import random

from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import load_prior
from spades.search import (
    Experience,
    HeuristicPlayout,
    HumanPlayout,
    Knowledge,
    NilAwarePlayout,
    RuleSkew,
    SearchSettings,
    search,
)
from spades.search.flat import FlatSettings, flat_search
from spades.search.playouts.heuristic import card_scores
from tests.positions import random_bids, random_round

SETTINGS = (
    SearchSettings(),
    SearchSettings(playout=NilAwarePlayout()),
    SearchSettings(playout=HeuristicPlayout(), skew=RuleSkew()),
    SearchSettings(playout=HumanPlayout()),
    SearchSettings(bias=Knowledge(c_bt=0.3)),
    SearchSettings(bias=Experience("devlin2016-nil", w=5, delay="3")),
)


def lines():
    rng = random.Random(1)
    for i, ply in enumerate((0, 5, 18, 31, 44)):
        rules = Rules(deck="joker-joker-deuce-deuce" if i % 2 else "standard")
        state = random_round(rng, ply, rules=rules, bids=random_bids(rng))
        for settings in SETTINGS:
            prior = load_prior(settings.bias.model) if settings.bias else None
            result = search(observe(state), iterations=60, seed=i, settings=settings, prior=prior)
            yield [
                (row.card.code, row.visits, row.availability, round(row.mean_value, 6))
                for row in result.cards
            ] + [result.model_calls]
        flat = flat_search(observe(state), seed=i, settings=FlatSettings(simulations=12))
        scores = card_scores(observe(state))
        yield [(row.card.code, row.mean_value, scores[row.card.code]) for row in flat.cards] + [
            flat.choice.code
        ]


if __name__ == "__main__":
    for line in lines():
        print(line)
