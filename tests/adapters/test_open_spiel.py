"""Our agents as bots in OpenSpiel's own arena."""

import random

import pyspiel
import pytest

from spades.adapters.open_spiel import AgentBot
from spades.agents import UnknownAgentError
from spades.agents.own import OWN_PLAYERS

GAME = pyspiel.load_game("spades(num_tricks=13)")


def test_100_games_in_openspiels_arena():
    """Rules and bids against chance: no illegal action, and the rules win."""
    ahead = 0
    for seed in range(100):
        ours = [AgentBot("srp+bis", seed=seed) for _ in range(2)]
        theirs = [pyspiel.make_uniform_random_bot(player, seed) for player in (1, 3)]
        bots = [ours[0], theirs[0], ours[1], theirs[1]]
        points = pyspiel.evaluate_bots(GAME.new_initial_state(), bots, seed)
        assert points[0] == points[2]
        ahead += points[0] > points[1]
    assert ahead > 90


def test_a_search_plays_a_game():
    bots = [AgentBot("ismcts:iterations=20+human", seed=4) for _ in range(4)]
    assert len(pyspiel.evaluate_bots(GAME.new_initial_state(), bots, 4)) == 4


def test_hidden_cards_change_nothing():
    """The same own hand and table, other hands behind: the same action."""
    rng = random.Random(1)
    for _ in range(10):
        deal = rng.sample(range(52), 52)
        swapped = [deal[i ^ 2 if i % 4 in (1, 3) else i] for i in range(52)]  # East's and West's
        actions = []
        for cards in (deal, swapped):
            state = GAME.new_initial_state()
            for card in cards:
                state.apply_action(card)
            for _ in range(4):
                state.apply_action(state.legal_actions()[3])
            actions.append(AgentBot("ismcts:iterations=50", seed=2).step(state))
        assert actions[0] == actions[1]


def test_an_unknown_agent_is_refused():
    with pytest.raises(UnknownAgentError, match="unknown player 'ghost'"):
        AgentBot("ghost")


def test_a_bot_of_ones_own_plays_a_game(tmp_path, monkeypatch):
    code = "def lowest(observation, seed):\n    return next(iter(observation.legal))\n"
    (tmp_path / "spiel_bots.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ("py:spiel_bots.lowest+bis", "srp+bis") * 2
    try:
        bots = [AgentBot(name, seed=4) for name in names]
        points = pyspiel.evaluate_bots(GAME.new_initial_state(), bots, 4)
    finally:
        OWN_PLAYERS.clear()
    assert points[0] < points[1]
