"""The log-linear fit: gradient and information by hand, generating weights recovered."""

import numpy as np
import pytest
from scipy.stats import chi2

from spades.core.errors import SpadesError
from spades.human import simulate_humans
from spades.human.features.card_features import N_FEATURES
from spades.human.features.logs import examples_of_log, split_by_game
from spades.human.loglinear import (
    DEVLIN_2016_WEIGHTS,
    Descent,
    FitOptions,
    LogLinearModel,
    _descend,
    competitions_of,
    curvature,
    invert,
    log_loss,
)
from spades.human.model import CancelledError
from spades.human.simulated import SimulatedHuman, load_simulated_human
from tests.human.random_networks import some_examples

QUICK = FitOptions(has_nil=True, repeats=1, passes=3, polish=True)


@pytest.fixture(scope="module")
def competitions():
    return competitions_of(some_examples(20).unforced)


def numeric_gradient(data, weights, h=1e-5):
    rows = np.arange(len(data.chosen))
    steps = h * np.eye(weights.size)
    return np.array(
        [
            (log_loss(data, rows, weights + s)[0] - log_loss(data, rows, weights - s)[0])
            for s in steps
        ]
    ) * (len(rows) / (2 * h))


@pytest.mark.parametrize("size", [42, 45])
def test_the_gradient_is_that_of_the_loss(competitions, size):
    weights = np.random.default_rng(0).normal(size=size)
    gradient, _ = curvature(competitions, np.arange(len(competitions.chosen)), weights)
    np.testing.assert_allclose(gradient, numeric_gradient(competitions, weights), atol=1e-3)


def test_the_information_is_the_gradients_slope(competitions):
    weights, rows = np.random.default_rng(1).normal(size=45), np.arange(len(competitions.chosen))
    _, information = curvature(competitions, rows, weights)
    for feature in (0, 20, 33, 44):
        step = np.zeros(45)
        step[feature] = 1e-5
        after, before = (curvature(competitions, rows, weights + s)[0] for s in (step, -step))
        slope = (after - before) / 2e-5
        np.testing.assert_allclose(slope, information[feature], atol=1e-3)


def test_a_step_of_descent_by_hand(competitions):
    """One batch of everything from 0: the weights go down the mean gradient."""
    rows, weights = np.arange(len(competitions.chosen)), np.zeros(42)
    gradient, _ = curvature(competitions, rows, weights)
    _descend(competitions, rows, weights, 0.003, len(rows))
    np.testing.assert_allclose(weights, -0.003 * gradient / len(rows), atol=1e-12)


def test_competitions_hold_every_legal_card():
    examples = some_examples(3).unforced
    data = competitions_of(examples)
    counts = [int(legal).bit_count() for legal in examples.views[:, 1]]
    assert np.diff(data.starts).tolist() == counts
    assert (data.chosen >= data.starts[:-1]).all()
    assert (data.chosen < data.starts[1:]).all()


def recovered(human, n_rounds, options):
    """(chi-square of the fitted against the generating weights, degrees of freedom, z scores)."""
    examples = examples_of_log(simulate_humans(n_rounds, 11, human=human))
    model = LogLinearModel(options=options, seed=2).fit(examples)
    chosen = examples.unforced
    training = split_by_game(chosen.games, (0.6, 0.2, 0.2), 2)[0]
    _, information = curvature(competitions_of(chosen), training, model.weights_)
    _, projection = invert(information)
    off = projection @ (model.weights_ - human.weights[: model.weights_.size])
    errors = np.sqrt(np.diag(model.covariance_))
    return off @ information @ off, round(np.trace(projection)), off / np.maximum(errors, 1e-9)


@pytest.mark.parametrize("has_nil", [True, False])
def test_the_fit_recovers_the_generating_weights(has_nil):
    """Up to what no decision can tell: 4 sums of the 45 weights are alike for all legal cards."""
    human = load_simulated_human()
    if not has_nil:
        human = SimulatedHuman.of(human.bidder, {})
    options = FitOptions(has_nil=has_nil, repeats=1, passes=3, polish=True)
    distance, freedom, z = recovered(human, 2000, options)
    assert N_FEATURES - 5 <= freedom <= options.n_weights
    assert chi2.ppf(0.001, freedom) < distance < chi2.ppf(0.999, freedom)
    assert np.abs(z).max() < 4


def test_the_published_descent_goes_the_same_way():
    options = FitOptions(has_nil=True, repeats=2, passes=12)
    examples = some_examples(600)
    seen = []
    model = LogLinearModel(options=options).fit(examples, tell=seen.append)
    assert [progress.epoch for progress in seen] == [*range(1, 13)] * 2
    assert seen[11].validation_loss < seen[0].validation_loss
    assert model.weights_.shape == (45,)
    truth = np.array(list(DEVLIN_2016_WEIGHTS.values()))
    assert np.corrcoef(model.weights_[:42], truth)[0, 1] > 0.5
    assert model.facts_["data"]["examples"] == 600 * 52
    assert len(model.facts_["test_accuracies"]) == 2


def test_the_same_seed_the_same_weights():
    examples = some_examples(30)
    first, second = (LogLinearModel(options=QUICK, seed=5).fit(examples) for _ in range(2))
    assert np.array_equal(first.weights_, second.weights_)


def test_a_fit_stops_when_told_to():
    with pytest.raises(CancelledError, match="stopped"):
        LogLinearModel(options=QUICK).fit(some_examples(10), is_cancelled=lambda: True)


def test_a_stopped_fit_goes_on_to_the_same_weights(tmp_path):
    options, examples = FitOptions(repeats=3, passes=3), some_examples(40)
    whole = LogLinearModel(options=options, seed=5).fit(examples)
    kept, n_told = tmp_path / ".a.checkpoint", []
    for n_more in (1, 4):
        told = []
        with pytest.raises(CancelledError):
            LogLinearModel(options=options, seed=5).fit(
                examples,
                tell=told.append,
                is_cancelled=lambda told=told, n=n_more: len(told) == n,
                checkpoint=kept,
            )
        n_told.append(len(told))
    last = []
    again = LogLinearModel(options=options, seed=5)
    again.fit(examples, tell=last.append, checkpoint=kept)
    assert n_told == [1, 4]
    assert len(last) == 9 - 5
    assert np.array_equal(again.weights_, whole.weights_)
    assert again.facts_["test_accuracies"] == whole.facts_["test_accuracies"]
    assert again.facts_["metrics"] == whole.facts_["metrics"]
    assert not kept.exists()


def test_early_stopping_ends_a_fit_that_gains_nothing():
    options = FitOptions(repeats=1, passes=50, patience=2, learning_rate=10.0)
    assert LogLinearModel(options=options).fit(some_examples(20)).facts_["epochs"] < 50


def test_the_weights_of_the_lowest_validation_loss_are_kept(competitions):
    options = FitOptions(learning_rate=10.0, batch=20)
    parts = np.array_split(np.arange(len(competitions.chosen)), 3)
    descent = Descent(np.zeros((2, 42)), np.random.default_rng(7))
    losses = [descent.one_pass(options, competitions, parts).validation_loss for _ in range(4)]
    assert min(losses) < losses[-1]
    assert descent.best_loss == min(losses)
    assert log_loss(competitions, parts[1], descent.weights[1])[0] == min(losses)


def test_options_that_cannot_fit_are_refused():
    with pytest.raises(SpadesError, match="can't fit"):
        FitOptions(batch=0)
