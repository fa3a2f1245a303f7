"""Plays like: losses by iterations and bias, their intervals, the skill axis."""

import numpy as np
import pytest

from analysis.people import plays_like as module
from analysis.people.plays_like import (
    load_references,
    plays_like,
    sample,
    search_settings,
    settings,
)
from analysis.people.predictions import Choices
from experiments import place_agents
from experiments.simulated_players import SEAT, simulated_log
from spades.core.errors import SpadesError
from tests.analysis.workers import InProcess


@pytest.fixture
def quick(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    monkeypatch.setattr(module, "ITERATIONS", (20, 50, 100))
    monkeypatch.setattr(module, "BIASED_AT", 50)
    monkeypatch.setattr(module, "BIASES", (0.1, 2.0))
    return InProcess(monkeypatch)


def choices_of(agent, n_games=3):
    log = simulated_log(agent, n_games, 7)
    return Choices.of(log, np.tile(np.arange(4) == SEAT, (len(log), 1)))


def test_the_grid_spans_what_is_promised():
    agents = [agent for agent, _, _ in settings()]
    assert agents[0] == "ismcts:iterations=100"
    assert "ismcts:iterations=200000" in agents
    assert sum("bias=knowledge" in agent for agent in agents) == len(module.BIASES)


def test_samples_are_drawn_in_order_and_too_few_are_refused():
    choices = choices_of("human")
    found = sample(choices, 60)
    assert len(found) == 60
    assert (np.diff(found.rows * 52 + found.plies) > 0).all()
    with pytest.raises(SpadesError, match=r"39 of \d+ choices between"):
        sample(choices, 39)
    with pytest.raises(SpadesError, match="60 of 39 choices"):
        sample(choices.take(slice(39)), 60)


def test_a_player_is_placed(quick):
    choices = sample(choices_of("human"), 40)
    assert search_settings(choices)
    found = plays_like(choices)
    rows = found["rows"]
    assert [row["iterations"] for row in rows] == [20, 50, 100, 50, 50]
    for row in rows:
        assert row["interval"][0] <= row["loss"] <= row["interval"][1]
        assert row["power"] > 0
    plain = [row["loss"] for row in rows[:3]]
    assert found["best_iterations"]["best"] == (20, 50, 100)[int(np.argmin(plain))]
    at = [rows[1]["loss"], rows[3]["loss"], rows[4]["loss"]]
    assert found["best_c_bt"]["best"] == (0, 0.1, 2.0)[int(np.argmin(at))]
    chance = np.log(choices.counts).mean()
    assert found["chance"] == pytest.approx(chance)
    assert rows[4]["loss"] < rows[1]["loss"] < chance + 0.05  # a human is like a biased search


def test_one_game_has_no_interval(quick):
    choices = sample(choices_of("human", 1), 40)
    search_settings(choices)
    found = plays_like(choices)
    assert found["best_iterations"]["interval"] is None
    assert {row["interval"] for row in found["rows"]} == {None}


def test_a_second_search_finds_all_stored(quick):
    choices = sample(choices_of("human"), 40)
    assert search_settings(choices)
    assert quick.done
    quick.done.clear()
    assert search_settings(choices)
    assert not quick.done


def test_agents_are_placed_as_players_are(quick, monkeypatch):
    monkeypatch.setattr(place_agents, "AGENTS", ("human", "ismcts:iterations=50"))
    monkeypatch.setattr(place_agents, "N_GAMES", 3)
    monkeypatch.setattr(place_agents, "N_DECISIONS", 40)
    found = place_agents.document()
    assert [row["agent"] for row in found["rows"]] == ["human", "ismcts:iterations=50"]
    for row in found["rows"]:
        low, high = row["interval"]
        assert low <= row["best"] <= high
        assert row["best"] in module.ITERATIONS


def test_the_shipped_axis_tells_more_iterations_from_fewer():
    """Each search is placed where it was made, as far as its interval tells."""
    rows = {row["agent"]: row for row in load_references()["rows"]}
    assert rows.keys() == set(place_agents.AGENTS)
    for n in (100, 500, 2500, 10000):
        low, high = rows[f"ismcts:iterations={n}"]["interval"]
        assert low <= n <= high
    assert rows["ismcts:iterations=100"]["best"] < rows["ismcts:iterations=2500"]["best"]
