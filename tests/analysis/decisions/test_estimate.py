"""Values from a first guess and rounds played on: against formulas, and against simulated ones."""

import numpy as np
import pytest

from analysis.decisions.estimate import Means, Trust, estimate, means_of, with_controls
from analysis.decisions.trust import stratum_name, trust_in, trusts
from analysis.phases import PHASES, phase_of
from tests.pages.texts import shipped

TRUST = Trust({"search": 0.5}, spread=4.0, drift=0.0)


def independent(values, error):
    return Means(np.array(values, float), error**2 * np.eye(len(values)))


def test_without_rounds_a_lead_is_the_weighted_guess():
    found = estimate({"search": np.array([10.0, 0.0])}, TRUST, None)
    lead, error = found.lead(0, 1)
    assert (lead, error) == (5.0, pytest.approx(4.0 * np.sqrt(2)))


def test_a_lead_lies_between_guess_and_rounds_by_their_precisions():
    """Guess 5 with variance 32, rounds 1 with variance 8: (5 / 32 + 1 / 8) / (1 / 32 + 1 / 8)."""
    found = estimate({"search": np.array([10.0, 0.0])}, TRUST, independent([1.0, 0.0], 2.0))
    lead, error = found.lead(0, 1)
    assert lead == pytest.approx(1.8, abs=1e-3)
    assert error == pytest.approx(np.sqrt(1 / (1 / 32 + 1 / 8)), abs=1e-3)


def test_the_level_is_that_of_the_rounds():
    found = estimate({"search": np.array([10.0, 0.0])}, TRUST, independent([101.0, 100.0], 2.0))
    assert found.values.mean() == pytest.approx(100.5, abs=0.01)


def test_many_rounds_leave_only_the_drift():
    drifting = Trust({"search": 0.5}, spread=1000.0, drift=3.0)
    found = estimate({"search": np.zeros(2)}, drifting, independent([7.0, 0.0], 0.001))
    lead, error = found.lead(0, 1)
    assert lead == pytest.approx(7.0, abs=0.01)
    assert error == pytest.approx(3.0 * np.sqrt(2), rel=0.01)


def test_a_class_without_rounds_keeps_its_guess():
    points = [np.full(200, 3.0) + np.arange(200) % 2, np.zeros(0)]
    found = estimate({"search": np.array([0.0, -8.0])}, TRUST, means_of(points))
    lead, error = found.lead(0, 1)
    assert lead == pytest.approx(4.0, abs=0.1)
    assert error > 4.0


def test_means_have_the_covariance_of_what_they_share():
    """Of simulated means over 60 common rounds, and 20 more of the first alone."""
    rng = np.random.default_rng(3)
    covariance = np.array([[400.0, 240.0], [240.0, 900.0]])
    simulated, told = [], []
    for _ in range(3000):
        both = rng.multivariate_normal([5.0, 1.0], covariance, 80)
        means = means_of([both[:, 0], both[:60, 1]])
        simulated.append(means.values)
        told.append(means.covariance)
    assert np.mean(simulated, axis=0) == pytest.approx([5.0, 1.0], abs=0.3)
    spread = np.cov(np.array(simulated).T)
    assert np.mean(told, axis=0) == pytest.approx(spread, rel=0.12, abs=0.3)


def test_classes_that_were_set_aside_leave_no_negative_variance():
    """Correlations of pairs over different rounds needn't agree with one another."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        mixing = rng.normal(size=(12, 12)) + 2
        drawn = rng.normal(size=(160, 12)) @ mixing + 100 * (rng.random((160, 12)) < 0.05)
        counts = rng.choice([20, 40, 60, 160], 12)
        means = means_of([drawn[:n, i] for i, n in enumerate(counts)])
        assert np.linalg.eigvalsh(means.covariance).min() > -1e-9
        found = estimate({"search": np.zeros(12)}, TRUST, means)
        assert np.diag(found.covariance).min() > 0
        assert np.linalg.eigvalsh(found.covariance).min() > -1e-3


def test_what_has_not_happened_yet_leaves_an_error():
    constant = means_of([np.zeros(60), np.zeros(60)])
    lead, error = estimate({"search": np.zeros(2)}, TRUST, constant).lead(0, 1)
    assert lead == 0
    assert 0.3 < error < 1.0


def test_every_decision_has_a_trust():
    assert set(trusts()) == {
        stratum_name(phase, has_nil=nil) for phase in PHASES for nil in (False, True)
    }
    record = shipped("south-nil")
    assert trust_in(record.observation(0)) == trusts()["early, nil"]
    assert trust_in(shipped("bug-report-335").observation(20)) == trusts()["middle"]
    assert [phase_of(ply) for ply in (0, 15, 16, 31, 32, 51)] == [
        *("early", "early", "middle", "middle", "late", "late")
    ]


def test_controls_take_out_the_luck_that_they_share():
    """Simulated rounds: the means stay right, and their errors are as small as they are said to
    be."""
    rng = np.random.default_rng(4)
    values, told, plain = [], [], []
    for _ in range(800):
        luck = rng.normal(size=(600, 2)) * 30
        controls = luck + np.array([4.0, 0.0])
        points = luck[:80] + rng.normal(size=(80, 2)) * 10 + np.array([7.0, 0.0])
        means = with_controls(points, controls[:80], controls)
        difference = np.array([1.0, -1.0])
        values.append(difference @ means.values)
        told.append(difference @ means.covariance @ difference)
        plain.append(difference @ points.mean(axis=0))
    assert np.mean(values) == pytest.approx(7.0, abs=0.3)
    assert np.mean(told) == pytest.approx(np.var(values), rel=0.15)
    assert np.var(values) < np.var(plain) / 3


def test_controls_that_tell_nothing_change_nothing():
    points = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 2.0]])
    same = np.zeros((3, 2))
    means = with_controls(points, same, np.zeros((9, 2)))
    assert means.values == pytest.approx(points.mean(axis=0))
    assert means.covariance == pytest.approx(np.cov(points.T) / 3)
