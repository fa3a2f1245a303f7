"""Calibration of chances: a line found again, and errors as they are by hand."""

import numpy as np
import pytest

from analysis.decisions.chances import PATH
from experiments.fit_chances import (
    NOISE,
    Chances,
    beyond_luck,
    calibration_error,
    chances_at,
    check,
    fit,
    n_needed,
)
from spades.core.documents import load_object, read_text
from tests.pages.texts import shipped


def simulated(n=20_000, offset=0.4, slope=0.7, seed=1):
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.02, 0.98, n)
    odds = offset + slope * np.log(shares / (1 - shares))
    came_true = rng.random(n) < 1 / (1 + np.exp(-odds))
    return Chances(shares, came_true, np.arange(n) % 2 == 0)


def test_the_line_behind_simulated_chances_is_found():
    found = fit(simulated().half(fitted=True))
    assert found == pytest.approx((0.4, 0.7), abs=0.06)


def test_calibrated_chances_are_off_by_no_more_than_luck():
    chances = simulated()
    row = check(fit(chances.half(fitted=True)), chances.half(fitted=False))
    assert row["n"] == 10_000
    assert row["ece_before"] > 0.05
    assert row["ece"] < 2 * row["ece_without_fault"] < 0.03


def test_luck_is_taken_off_in_squares():
    assert beyond_luck(0.05, 0.03) == pytest.approx(0.04)
    assert beyond_luck(0.02, 0.03) == 0
    assert n_needed(500, 2 * NOISE) == 2000


def test_most_strata_are_off_by_no_more_than_three_points_beyond_luck():
    strata = [
        row
        for row in load_object(read_text(PATH))["checks"]
        if not row["stratum"].startswith("any")
    ]
    assert len(strata) == 30
    for row in strata:
        left = beyond_luck(row["ece"], row["ece_without_fault"])
        assert row["ece_beyond_luck"] == pytest.approx(left, abs=0.0001)
        assert row["n_needed"] == n_needed(row["n"], row["ece_without_fault"])
    assert sum(row["ece_beyond_luck"] > NOISE for row in strata) <= 3
    assert max(row["ece_beyond_luck"] for row in strata) < 0.045


def test_the_calibration_error_is_the_mean_distance_of_the_bins():
    p = np.array([0.12, 0.18, 0.95, 0.91])
    came_true = np.array([False, True, True, True])
    assert calibration_error(p, came_true) == pytest.approx((0.5 - 0.15) / 2 + (1 - 0.93) / 2)


def test_chances_at_a_ply_are_open_and_of_the_card_played():
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        found += chances_at(shipped("bug-report-335"), "early", "search", rng)
    assert {quantity for _, quantity, _, _ in found} == {"own contract", "their contract"}
    for stratum, _, share, came_true in found:
        assert stratum.startswith("search, early")
        assert 0 <= share <= 1
        assert came_true in (True, False)
