"""Measures of models: by hand on made-up answers, and against the truth of simulated humans."""

import numpy as np
import pytest

from analysis.models.measures import (
    calibration_error,
    compute_answers,
    disagreement,
    model_measures,
    reliability,
)
from spades.human import load_model
from spades.human.features.logs import Examples
from spades.human.loglinear import LogLinearModel
from tests.human.random_networks import random_network, some_examples


@pytest.fixture(scope="module")
def examples():
    return some_examples(300, seed=8)


def test_the_generator_reaches_its_ceiling(examples):
    found = model_measures(load_model("devlin2016-nil"), examples)
    assert found["decisions"] == 300 * 52
    assert found["games"] == 300
    assert found["simulated_humans"]
    assert found["kl_to_truth"] == pytest.approx(0, abs=1e-12)
    assert found["expected_accuracy"] == pytest.approx(found["ceiling"])
    low, high = found["intervals"]["share_of_ceiling"]
    assert low < 1 < high
    assert found["illegal_first"] is None
    assert found["ece"] < 0.02


def test_a_random_legal_card_is_as_good_as_it_is(examples):
    found = model_measures(LogLinearModel.from_weights({}), examples)
    counts = np.bitwise_count(examples.views[:, 1])
    assert found["accuracy_sampled"] == pytest.approx(np.mean(1 / counts))
    assert found["log_loss"] == pytest.approx(np.mean(np.log(counts)))
    assert found["kl_to_truth"] > 0.15


def test_other_players_have_no_truth(examples):
    bots = Examples(
        examples.views, examples.cards, examples.games, np.zeros(len(examples), dtype=bool)
    )
    found = model_measures(load_model("devlin2016"), bots)
    for name in ("ceiling", "share_of_ceiling", "kl_to_truth", "expected_accuracy"):
        assert found[name] is None
    assert not found["simulated_humans"]
    assert 0 < found["accuracy"] < 1


@pytest.mark.parametrize("name", ["t-20", "abstract-20", "h-8-8-8-8"])
def test_networks_pick_illegal_cards_before_they_are_trained(name, examples):
    found = model_measures(random_network(name), examples)
    assert 0.2 < found["illegal_first"] < 1
    low, high = found["intervals"]["illegal_first"]
    assert low < found["illegal_first"] < high


def test_forced_plays_are_right_in_every_model(examples):
    answers = compute_answers(random_network("t-20").prior(), examples)
    forced = np.bitwise_count(examples.views[:, 1]) == 1
    assert answers.accuracy[forced].all()
    assert answers.accuracy_moves[forced].all()
    assert answers.log_loss[forced].to_numpy() == pytest.approx(0)
    assert answers.ceiling[forced].to_numpy() == pytest.approx(1)


def test_an_abstract_move_is_right_whenever_the_card_of_a_sure_model_is(examples):
    """Several cards may make one move: moves are guessed at least as often as sure cards."""
    answers = compute_answers(load_model("devlin2016-nil").prior(), examples)
    sure = answers.accuracy & (answers.confidence > 0.5)
    assert answers.accuracy_moves[sure].all()
    assert answers.accuracy_moves.mean() >= answers.accuracy.mean()


def test_calibration_by_hand():
    confidence = np.array([0.9, 0.9, 0.9, 0.9, 0.3, 0.3])
    right = np.array([True, True, True, False, False, False])
    rows = reliability(confidence, right, 10)
    assert [(row["n"], row["accuracy"]) for row in rows] == [(2, 0.0), (4, 0.75)]
    assert calibration_error(confidence, right) == pytest.approx((4 * 0.15 + 2 * 0.3) / 6)
    assert reliability(np.array([1.0]), np.array([True]))[0]["to"] == 1


def test_disagreement_by_hand():
    views = np.zeros((7, 24), dtype=np.int64)
    views[:, 0] = [1, 1, 1, 2, 2, 3, 4]  # the hands: two states come more than once
    cards = np.array([5, 5, 6, 7, 7, 8, 9], dtype=np.int8)
    found = disagreement(Examples(views, cards, np.arange(7, dtype=np.int32), np.ones(7, bool)))
    assert (found["states"], found["repeated_states"]) == (4, 2)
    assert found["duplicated"] == pytest.approx(5 / 7)
    assert found["disagree"] == pytest.approx((1 / 3 + 0) / 2)
    views[0, 7] = 3  # another bid: another state once bids count
    told = disagreement(
        Examples(views, cards, np.arange(7, dtype=np.int32), np.ones(7, bool)), with_tricks=True
    )
    assert told["states"] == 5
