"""The check of chances: what luck adds is taken off."""

import numpy as np
import pytest

from experiments.check_chances import check, mean_square, over_strata
from experiments.fit_chances import NOISE


def drawn(n=300, fault=0.0, times=100):
    """Chances, and what came of them where they are too low by ``fault``."""
    rng = np.random.default_rng(2)
    for _ in range(times):
        p = rng.uniform(0.2, 0.8, n)
        yield p, rng.random(n) < p + fault


@pytest.mark.parametrize("fault", [0.0, 0.1])
def test_the_mean_square_is_right_in_the_mean(fault):
    squares = [mean_square(*one) for one in drawn(fault=fault)]
    error = np.std(squares) / len(squares) ** 0.5
    assert np.mean(squares) == pytest.approx(fault**2, abs=3 * error)
    assert error < 0.001


def test_chances_without_fault_are_told_from_others():
    (right,), (wrong,) = drawn(times=1), drawn(times=1, fault=0.15)
    assert check(*right)["luck"] > 0.05
    assert check(*wrong)["luck"] < 0.01


def test_the_number_needed_brings_the_noise_down_to_the_bound():
    (few,) = drawn(times=1, n=500)
    found = check(*few)
    assert found["ece_without_fault"] > NOISE
    (many,) = drawn(times=1, n=found["n_needed"])
    assert check(*many)["ece_without_fault"] == pytest.approx(NOISE, abs=0.002)


def test_strata_count_by_their_n():
    same = {"came_true": 0.5, "mean": 0.5, "ece_without_fault": 0.01}
    rows = [
        {"n": 300, "ece": 0.02, "mean_square": 0.0004, **same},
        {"n": 100, "ece": 0.06, "mean_square": -0.0004, **same},
    ]
    found = over_strata(rows)
    assert (found["n"], found["ece"]) == (400, 0.03)
    assert found["rms"] == pytest.approx(0.0141, abs=0.0001)
