"""Scores of nil forecasts: by hand, against scikit-learn's, and as they are stored."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from analysis.nil.rates import bin_of
from analysis.nil.scores import METHODS, parse_rows
from experiments.nil_scores import (
    LEAST,
    N_BINS,
    compared,
    count_covered,
    count_rows,
    format_rows,
    measures,
    score_sequences,
    scores_document,
    terms_of,
    tree_columns,
)
from experiments.trials import Trials
from spades.bidding.auction import INDEX_OF
from spades.bidding.curves import NIL_TABLE, load_curves
from tests.analysis.nils import made_up_trials


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
    known = {**dict.fromkeys(METHODS, np.full(4000, 0.5)), "nil_curves": chance}
    found, less = compared(known, made)
    assert found["n"] == 4000
    assert less["single"]["log_loss"]["interval"][1] < 0.0
    low, high = found["nil_curves"]["log_loss"]["interval"]
    assert low < found["nil_curves"]["log_loss"]["value"] < high
    assert found["nil_curves"]["ece"]["value"] < 0.03


def test_tree_columns_name_who_bid():
    trials = Trials.empty(2)
    trials.sequence[:] = INDEX_OF[(5, 0, 4)], INDEX_OF[(3,)]
    trials.value[:], trials.total[:] = 0.5, (9, 3)
    rows = tree_columns(trials)
    assert rows[0].tolist() == [0.5, 4, 0, 5, 9]
    assert rows[1, :2].tolist() == [0.5, 3]
    assert np.isnan(rows[1, 2:4]).all()


def test_the_reliability_diagram_counts_every_nil():
    p, made = np.array([0.0, 0.07, 0.08, 1.0]), np.array([False, True, False, True])
    bins = count_rows(bin_of(p, N_BINS), {"p": p}, made)
    assert bins[["n", "made"]].to_numpy().tolist() == [[1, 0], [2, 1], [1, 1]]
    assert bins["p"].iloc[1] == pytest.approx(0.075)


def test_rows_read_as_they_were_written():
    bins = pd.DataFrame({"n": [12, 40], "made": [3, 40], "forecast": [0.0512, 1.0]})
    assert format_rows(bins) == ["12 3 0.0512", "40 40 1.0000"]
    assert parse_rows(format_rows(bins), ["forecast"], of_bids=False).equals(bins)
    texts = format_rows(bins, ["-", "0,13,4"])
    read = parse_rows(texts, ["forecast"], of_bids=True)
    assert read.equals(bins.assign(bids=["-", "0,13,4"])[read.columns])


def test_only_sequences_seen_often_have_a_row_and_every_seen_one_is_counted():
    often, seldom = INDEX_OF[(3, 1)], INDEX_OF[(5,)]
    sequence = np.array([often] * LEAST + [seldom] * (LEAST - 1))
    made = np.arange(len(sequence)) % 4 > 0
    right = np.full(len(sequence), 0.75)
    found = score_sequences({"right": right, "wrong": right / 2}, sequence, made)
    assert found["rows"] == [f"3,1 {LEAST} 75 0.7500 0.3750"]
    assert (found["seen"], found["shown"], found["nils_shown"]) == (2, 1, LEAST)
    assert found["covered"] == {"right": 1, "wrong": 0}


def test_intervals_hold_a_true_forecast_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    made = [int(rng.binomial(400, 0.8)) for _ in range(500)]
    covered = count_covered(pd.DataFrame({"n": 400, "made": made, "true": 0.8, "false": 0.9}))
    assert 465 <= covered["true"] <= 495  # 95%, a little more for exact intervals
    assert covered["false"] < 25


def test_the_document_of_scores_holds_groups_and_sequences_and_is_small():
    fitted, held_out = made_up_trials(4000, seed=1), made_up_trials(4000, seed=2)
    document = scores_document(load_curves(NIL_TABLE), load_curves(), fitted, held_out)
    strata = document["strata"]
    assert sum(row["n"] for row in strata) == 4000
    assert {row["heard"] for row in strata} == {
        "no bid", "one bid", "a partner's nil", "three bids",
    }  # fmt: skip
    assert len(strata) == 4 * 5
    for row in strata:
        behind, low, high = row["behind"]
        assert low < behind < high
    assert document["calibration"].keys() == {"all", *document["groups"]}
    for name, by_method in document["calibration"].items():
        scored = document["all"] if name == "all" else document["groups"][name]
        assert by_method.keys() == set(METHODS)
        for method, text in by_method.items():
            bins = parse_rows(text.split("; "), [method], of_bids=False)
            assert bins["n"].sum() == scored["n"]
    rows = parse_rows(document["sequences"]["rows"], METHODS, of_bids=True)
    assert rows["n"].sum() == document["sequences"]["nils_shown"] == 4000
    assert all(0 <= k <= len(rows) for k in document["sequences"]["covered"].values())
    assert json.loads(json.dumps(document)) == document
