"""Playouts by rules of thumb and by the human model inside the search."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features.view import decision_of
from spades.human.simulated import load_simulated_human, sample_card
from spades.search import HeuristicPlayout, HumanPlayout, Search, SearchSettings, search
from spades.search.playouts import PLAYOUTS
from spades.search.tree import ON_TABLE, new_scratch, progress_at, start_position
from tests.positions import random_bids, random_round
from tests.search.test_heuristic import RULES, played_by_engine


def finished(state, playout, seed):
    """Tricks by seat at the end of a playout of the true deal."""
    observation = observe(state)
    position, scratch = start_position(observation), new_scratch()
    scratch.deal[:] = scratch.hands[:] = state.hands
    scratch.on_table[:] = position[ON_TABLE:]
    cards = playout.numbers(observation)
    taken, _ = cards.finish_round(progress_at(position), position, scratch, seed)
    assert not scratch.hands.any()
    return [int(taken) >> (8 * seat) & 255 for seat in range(4)]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: str(rules.non_defaults()))
def test_human_playouts_are_those_of_the_rules_engine(rules):
    rng, weights = random.Random(1), load_simulated_human().weights
    for i in range(20):
        state = random_round(rng, rng.randrange(52), rules=rules, bids=random_bids(rng))
        found, random_state = finished(state, HumanPlayout(), seed_state(i)), seed_state(i)
        while not state.table.is_over:
            decision = decision_of(observe(state))
            card, random_state = sample_card(
                decision, weights, np.empty(13), np.uint64(random_state)
            )
            state.play(int(card))
        assert found == state.table.tricks_taken


def test_rule_playouts_go_on_in_the_middle_of_a_trick():
    rng = random.Random(2)
    for i in range(40):
        state = random_round(rng, rng.randrange(51), bids=random_bids(rng))
        found = finished(state, HeuristicPlayout(epsilon=0.0), seed_state(i))
        assert found == played_by_engine(state, None, 0, seed_state(i))


@pytest.mark.parametrize("playout", ["heuristic", "human"])
def test_playouts_that_know_the_game_save_more_nils(playout):
    """A nil bidder with low cards is worth more to its side than random playouts say."""
    rng, gains = random.Random(4), []
    for _ in range(12):
        state = random_round(rng, 0, bids=(0, 4, 4, 3))
        if state.table.turn % 2:
            continue
        values = []
        for name in ("uniform", playout):
            settings = SearchSettings(playout=PLAYOUTS[name]())
            result = search(observe(state), iterations=600, settings=settings)
            values.append(result.best.mean_value)
        gains.append(values[1] - values[0])
    assert np.mean(gains) > 10


def test_epsilon_of_one_plays_at_random():
    """Playouts that are wholly random agree with the uniform policy within their errors."""
    state = random_round(random.Random(5), 12)
    for row, other in zip(
        search(observe(state), iterations=8000, settings=SearchSettings()).cards,
        search(
            observe(state),
            iterations=8000,
            settings=SearchSettings(playout=HeuristicPlayout(1.0)),
        ).cards,
        strict=True,
    ):
        error = np.hypot(row.standard_error, other.standard_error)
        assert abs(row.mean_value - other.mean_value) < 6 * error + 2


@pytest.mark.parametrize("playout", ["heuristic", "human"])
def test_running_on_equals_running_at_once(playout):
    observation = observe(random_round(random.Random(6), 9))
    settings = SearchSettings(playout=PLAYOUTS[playout]())
    parts = Search(observation, seed=1, settings=settings, room=10)
    for n in (1, 99, 400):
        parts.run(n)
    assert parts.result().cards == search(observation, iterations=500, seed=1,
                                          settings=settings).cards  # fmt: skip


def test_where_the_first_hand_bids_itself_every_trick_is_wanted():
    rules = Rules(first_hand_bids_itself=True)
    state = random_round(random.Random(7), 3, bids=(-1,) * 4, rules=rules)
    settings = SearchSettings(playout=HeuristicPlayout())
    assert search(observe(state), iterations=50, settings=settings).iterations == 50


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("playout=heuristic,epsilon=1.5", "epsilon is 1.5; 0 to 1 are legal"),
        ("epsilon=0.5", "epsilon does nothing with playout=uniform"),
        ("playout=psychic", "uniform, nil-aware, heuristic, human are legal"),
    ],
)
def test_playouts_that_no_search_has_are_refused(options, told):
    with pytest.raises(SpadesError, match=told):
        parse_agent(f"ismcts:{options}")
