"""Scores of nil forecasts, against figures worked by hand and scikit-learn's."""

import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from analysis.bidding.trials import Trials
from analysis.nil.fit_curves import SCORES
from analysis.nil.scores import FORECASTS, group_scores, measures, terms_of, tree_columns
from spades.bidding.auction import INDEX_OF


def test_measures_by_hand():
    p, made = np.array([0.5, 0.5, 0.9]), np.array([True, False, True])
    loss, square, ece = measures(terms_of(p, made), np.ones(3))
    assert loss == pytest.approx(-(2 * np.log(0.5) + np.log(0.9)) / 3)
    assert square == pytest.approx((0.25 + 0.25 + 0.01) / 3)
    assert ece == pytest.approx(0.1 / 3)  # the bin of 0.5 is right on the mean
    assert measures(terms_of(p, made), np.array([2.0, 0.0, 0.0]))[2] == pytest.approx(0.5)


def test_measures_are_scikit_learns():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.01, 0.99, 500)
    made = rng.random(500) < p
    loss, square, _ = measures(terms_of(p, made), np.ones(500))
    assert loss == pytest.approx(log_loss(made, p))
    assert square == pytest.approx(brier_score_loss(made, p))


def test_a_forecast_that_knows_is_told_from_one_that_does_not():
    rng = np.random.default_rng(2)
    chance = rng.uniform(0.05, 0.95, 4000)
    made = rng.random(4000) < chance
    known = dict.fromkeys(FORECASTS, np.full(4000, 0.5)) | {"curves": chance}
    found = group_scores(known, made)
    assert found["n"] == 4000
    assert found["curves_less"]["single"]["log_loss"]["interval"][1] < 0.0
    low, high = found["curves"]["log_loss"]["interval"]
    assert low < found["curves"]["log_loss"]["value"] < high
    assert found["curves"]["ece"]["value"] < 0.03


def test_tree_columns_name_who_bid():
    trials = Trials.empty(2)
    trials.sequence[:] = INDEX_OF[(5, 0, 4)], INDEX_OF[(3,)]
    trials.value[:], trials.total[:] = 0.5, (9, 3)
    rows = tree_columns(trials)
    assert rows[0].tolist() == [0.5, 4, 0, 5, 9]
    assert rows[1, :2].tolist() == [0.5, 3]
    assert np.isnan(rows[1, 2:4]).all()


@pytest.mark.parametrize("agent", ["srp+bis", "human"])
def test_the_shipped_curves_foretell_nils_held_out(agent):
    scored = json.loads(SCORES.read_text())["agents"][agent]["all"]
    assert scored["n"] >= 100_000
    assert scored["curves"]["ece"]["interval"][1] < 0.02
    for other in ("single", "value"):
        assert scored["curves_less"][other]["log_loss"]["interval"][1] < 0.0
