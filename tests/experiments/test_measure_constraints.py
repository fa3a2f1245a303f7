"""Constraints measured: by hand, and of few rounds."""

import numpy as np
import pytest

from analysis.models.measures import compute_answers
from analysis.papers.constraints import DEFAULT, load_constraints, read_measured
from experiments import measure_constraints
from experiments.measure_constraints import (
    Measuring,
    accuracy_of,
    estimates_in,
    inputs_of_tree,
    measure_states,
    measure_tree,
    opponent_of,
    store,
)
from experiments.papers import baier_networks, cohensius, cohensius_people, stand_in
from experiments.papers.claims import Estimate
from experiments.papers.lab import Lab
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.core.cards import N_CARDS
from spades.core.rules import Rules
from spades.human import load_model, simulate_humans
from spades.human.features.logs import examples_of_log
from tests.results import own_results  # noqa: F401 - a fixture of every test here


def test_the_gap_is_that_of_rounds_without_nil():
    points = np.zeros((2, 6, 2))
    points[:, 5] = [[500, 400], [300, 260]]
    points[:, 0] = 9999
    rounds = np.full((2, 6), 10)
    gap = cohensius_people.no_nil_gap({"srp+bis": {"points": points, "rounds": rounds}})
    assert gap.value == pytest.approx((100 + 40) / 20)
    assert gap.n == 20


def test_rows_are_put_beside_those_of_other_populations(tmp_path):
    table = tmp_path / "table.json"
    store(DEFAULT, {"no-nil-gap": Estimate(5.0, (4.0, 6.0), 100, "rounds")}, table)
    store(DEFAULT, {"disagreement": Estimate(0.3, (0.29, 0.31), 50, "states")}, table)
    rows = read_measured(table)["human"]
    assert list(rows) == ["disagreement", "no-nil-gap"], "in the list's order"
    assert rows["no-nil-gap"]["verdict"] == "agrees"
    assert rows["disagreement"]["verdict"] == "differs"
    assert rows["disagreement"]["published"] == "20%"


def test_equal_states_are_counted_over_all_plays(monkeypatch, tmp_path):
    monkeypatch.setattr(measure_constraints, "ROUNDS", 400)
    monkeypatch.setattr(measure_constraints, "user_folder", lambda: tmp_path)
    one = Measuring(DEFAULT, Lab(0.0))
    found = measure_states(one)
    assert found["repeated-states"].n == 400 * N_CARDS
    assert 0 < found["repeated-states"].value < 0.1
    assert found["disagreement"].n > 20


@pytest.mark.slow
def test_a_table_with_other_people_has_the_papers_rows():
    documents = cohensius.rounds_with(Lab(0.0), "wrp+human")
    found = estimates_in(documents)
    assert set(found) == {"sum-of-bids", "branching"}
    assert 9 < found["sum-of-bids"].value < 12


def test_the_opponents_are_those_of_the_papers_rows():
    assert "iterations=50" in opponent_of("direct-50")
    assert all(one.figure for one in load_constraints() if one.is_held_out)


def test_cards_that_an_agent_plays_are_counted():
    player = parse_agent("srp")
    log = play_games(Seating((player,) * 4, Rules()), 3, 0, 1).log()
    assert stand_in.count_by_agent(log, 0, "srp") == len(log) * N_CARDS, "its own cards"
    assert stand_in.count_by_agent(log, 0, "random") < 0.7 * len(log) * N_CARDS


def test_the_tree_chooses_among_legal_abstract_moves(monkeypatch, tmp_path):
    monkeypatch.setattr(measure_constraints, "ROUNDS", 400)
    monkeypatch.setattr(measure_constraints, "TREE_ROUNDS", 300)
    monkeypatch.setattr(measure_constraints, "TEST_ROUNDS", 50)
    monkeypatch.setattr(measure_constraints, "user_folder", lambda: tmp_path)
    one = Measuring(DEFAULT, Lab(0.0))
    inputs, moves = inputs_of_tree(one.fresh)
    assert inputs.shape == (50 * N_CARDS, 68 + 3 * 64)
    assert inputs[np.arange(len(moves)), moves].all(), "the move that was played is legal"
    n_on_table = inputs[:, 68:].reshape(50, N_CARDS, -1).sum(axis=2)
    assert np.array_equal(n_on_table, np.tile(np.arange(N_CARDS) % 4, (50, 1)))
    found = measure_tree(one)["decision-tree"]
    assert found.n == 50 * N_CARDS
    assert 0.5 < found.value < 0.68, "better than chance, worse than the players' own model"


def test_a_network_of_abstract_moves_is_judged_by_these():
    examples = examples_of_log(simulate_humans(60, 5))
    model = load_model("devlin2016-nil")
    moves = accuracy_of(model, examples, baier_networks.MOVES)
    answers = compute_answers(model.prior(), examples)
    assert moves.value == pytest.approx(answers["accuracy_moves"].mean())
    assert moves.value > accuracy_of(model, examples).value


def test_an_accuracy_is_the_share_of_cards_that_are_the_likeliest():
    examples = examples_of_log(simulate_humans(100, 5))
    accuracy = accuracy_of(load_model("devlin2016-nil"), examples)
    assert accuracy.n == 5200
    assert accuracy.value == pytest.approx(0.684, abs=0.02)
