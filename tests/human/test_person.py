"""One person's model: the maximum a posteriori, its errors, its prior."""

import json

import numpy as np
import pytest
from scipy.stats import norm

from experiments.fit_spreads import fit_spreads
from experiments.simulated_players import simulated_examples
from spades.human import load_model
from spades.human.loglinear import Competitions, competitions_of, curvature, log_loss
from spades.human.person import (
    ALL_FEATURES,
    SCALES,
    TABLE,
    PersonError,
    fit_at_scale,
    fit_person,
    fit_weights,
    load_spreads,
)
from spades.human.simulated import load_simulated_human, spread_human

AGENT = "human:spread=0.5,player=3"
TRUTH = spread_human(0.5, 3).weights
POPULATION = load_simulated_human().weights


@pytest.fixture(scope="module")
def examples():
    return simulated_examples(AGENT, 30, 1)


@pytest.fixture(scope="module")
def data(examples):
    return competitions_of(examples)


def test_the_fit_is_the_maximum_of_the_posterior(data):
    rows, spreads = np.arange(len(data.chosen)), np.linspace(0.3, 0.8, 45)
    person = fit_weights(data, rows, spreads)
    precision = 1 / (person.scale * spreads) ** 2
    gradient, information = curvature(data, rows, person.weights)
    assert np.abs(gradient + precision * (person.weights - POPULATION)).max() < 1e-2
    covariance = np.linalg.inv(information + np.diag(precision))
    assert np.allclose(person.errors, np.sqrt(np.diag(covariance)))
    assert (person.errors < person.scale * spreads).all()


def test_a_person_is_closer_to_the_truth_than_the_population(data):
    person = fit_weights(data, np.arange(len(data.chosen)), load_spreads())
    fresh = competitions_of(simulated_examples(AGENT, 60, 2))
    rows = np.arange(len(fresh.chosen))
    true, own, population = (
        log_loss(fresh, rows, weights)[0] for weights in (TRUTH, person.weights, POPULATION)
    )
    assert true < own < population
    assert population - own > 0.8 * (population - true)
    assert (np.abs(person.weights - TRUTH) < 1.96 * person.errors).mean() > 0.85


def test_evidence_and_errors_are_those_of_the_posterior_of_one_weight():
    """40 choices between a card with the first feature and one with none, 30 times the first."""
    n, n_first = 40, 30
    chosen = 2 * np.arange(n) + (np.arange(n) >= n_first)
    features = np.tile(np.array([1, 0]), n)
    data = Competitions(features, np.zeros((2 * n, 3), np.float32), chosen, 2 * np.arange(n + 1))
    axis, fits = np.linspace(-12, 12, 20_001), {}
    for scale in (0.5, 2.0):
        person = fit_at_scale(data, np.arange(n), np.full(45, 0.8), POPULATION, scale)
        likelihood = n_first * -np.log1p(np.exp(-axis)) + (n - n_first) * -np.log1p(np.exp(axis))
        density = np.exp(likelihood) * norm.pdf(axis, POPULATION[0], scale * 0.8)
        total = np.trapezoid(density, axis)
        mean = np.trapezoid(density * axis, axis) / total
        variance = np.trapezoid(density * (axis - mean) ** 2, axis) / total
        assert person.weights[0] == pytest.approx(axis[density.argmax()], abs=2e-3)
        assert person.errors[0] == pytest.approx(np.sqrt(variance), rel=0.05)
        assert person.errors[1:] == pytest.approx(scale * 0.8)
        fits[scale] = np.log(total) - person.evidence
    assert fits[0.5] == pytest.approx(fits[2.0], abs=0.02)


def test_one_decision_leaves_the_population(data):
    person = fit_weights(data, np.arange(1), load_spreads())
    assert np.abs(person.weights - POPULATION).max() < load_spreads().max()
    assert np.allclose(person.errors, person.scale * load_spreads(), rtol=0.1)


def test_the_scale_says_how_far_a_person_is_from_the_population(data):
    usual = competitions_of(simulated_examples("human", 30, 1))
    scales = [
        fit_weights(choices, np.arange(len(choices.chosen)), np.full(45, 0.5)).scale
        for choices in (usual, data)
    ]
    assert scales[0] < 0.5 <= scales[1]
    assert set(scales) < set(SCALES)


@pytest.mark.slow
def test_the_spreads_of_a_group_are_found():
    group = [
        competitions_of(simulated_examples(f"human:spread=1,player={i}", 12, i)) for i in range(15)
    ]
    spreads = fit_spreads(group)
    assert spreads.shape == (45,)
    assert 0.75 < np.sqrt((spreads**2).mean()) < 1.2


def test_a_model_of_a_person_is_a_file_like_the_others(examples, tmp_path):
    model, path = fit_person("me", "South", examples), tmp_path / "me.safetensors"
    model.save(path)
    back = load_model(str(path))
    assert np.array_equal(back.weights_, model.weights_)
    assert back.facts_["player"] == "South"
    assert back.facts_["data"]["games"] == 30
    assert back.facts_["prior"]["population"] == "devlin2016-nil"
    assert len(back.facts_["standard_errors"]) == len(back.facts_["prior"]["spreads"]) == 45


def test_a_player_without_a_choice_is_refused(examples):
    with pytest.raises(PersonError, match="South never had a choice between two legal cards"):
        fit_person("me", "South", examples.take(slice(0)))


@pytest.mark.parametrize("damage", [{"spreads": 3}, {"spreads": {}}, "short", None])
def test_a_damaged_table_of_spreads_is_refused(damage, tmp_path):
    path, table = tmp_path / "spreads.json", json.loads(TABLE.read_text())
    if damage == "short":
        table["spreads"][ALL_FEATURES[3]] = 0.0
    if damage is not None:
        table |= damage if isinstance(damage, dict) else {}
        path.write_text(json.dumps(table))
    with pytest.raises(PersonError, match=r"python -m experiments\.fit_spreads"):
        load_spreads(path)
