"""Rounds of four thoughtful people in compiled code."""

import numpy as np

from experiments.thoughtful_rounds import simulate_thoughtful
from spades.agents.players.thoughtful import ThoughtfulPlayer
from spades.core.cards import N_CARDS, cards_in


def test_rounds_are_legal_and_their_cards_as_likely_as_the_player_says():
    player = ThoughtfulPlayer(lambda_=20.0)
    log = simulate_thoughtful(40, 7, player)
    assert log.agents == ("thoughtful:lambda=20.0",)
    expected = 0.0
    variance = 0.0
    hits = 0
    for i in range(len(log)):
        record = log.record(i)  # refuses illegal cards
        for ply in range(0, N_CARDS, 3):
            seen = record.observation(ply)
            if seen.legal_mask.bit_count() == 1:
                continue
            p = player.probabilities(seen)
            top = p.max()
            likeliest = list(cards_in(seen.legal_mask))[int(p.argmax())]
            expected += top
            variance += top * (1 - top)
            hits += record.plays[ply].code == likeliest
    assert abs(hits - expected) < 4 * np.sqrt(variance)


def test_the_same_seed_plays_the_same_rounds():
    one, again, other = (simulate_thoughtful(5, seed) for seed in (3, 3, 4))
    assert np.array_equal(one.plays, again.plays)
    assert not np.array_equal(one.plays, other.plays)
