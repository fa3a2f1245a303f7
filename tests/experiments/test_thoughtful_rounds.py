"""Rounds with thoughtful people in compiled code."""

import numpy as np

from experiments.thoughtful_rounds import play_games_with, simulate_thoughtful
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.agents.players.thoughtful import ThoughtfulPlayer
from spades.core.cards import N_CARDS, cards_in
from spades.core.rules import Rules


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


def test_games_are_those_that_are_played_card_by_card():
    bot = parse_agent("srp+bis")
    agents = (bot, bot, parse_agent("thoughtful"), bot)
    seating = Seating(agents, Rules(target=200, losing_floor=-100))
    fast = play_games_with(seating, 5, 3, 6)
    slow = play_games(seating, 5, 3, 6)
    assert np.array_equal(fast.n_rounds, slow.n_rounds)
    assert np.array_equal(fast.score, slow.score)
    for name in ("hands", "bids", "plays", "tricks", "points"):
        assert np.array_equal(getattr(fast.rounds, name), getattr(slow.rounds, name)), name


def test_other_games_are_played_as_usual():
    bot = parse_agent("wrp+bis")
    seating = Seating((bot, bot, parse_agent("human"), bot), Rules())
    fast = play_games_with(seating, 2, 0, 3)
    assert np.array_equal(fast.rounds.plays, play_games(seating, 2, 0, 3).rounds.plays)
