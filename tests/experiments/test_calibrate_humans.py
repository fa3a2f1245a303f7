"""The calibration of the simulated humans."""

import json

import numpy as np
import pytest

from experiments.calibrate_humans import (
    PUBLISHED,
    START,
    Figures,
    Fit,
    calibrate,
    figures_of,
    sanity_of,
    standard_errors,
)
from spades.core.rules import Rules
from spades.human.simulated import TABLE, load_simulated_human, simulate_rounds


def test_the_stored_table_says_what_it_is_and_what_it_reaches():
    table = json.loads(TABLE.read_text())
    assert "no human data" in table["what"]
    assert table["command"] == "python -m experiments.calibrate_humans"
    assert table["published"] == PUBLISHED._asdict()
    assert table["fit"]["seed"] != table["achieved"]["seed"]


def test_calibration_is_deterministic():
    assert calibrate(400, 5) == calibrate(400, 5)


def test_calibration_meets_other_targets_on_its_own_rounds():
    target = Figures(sum_of_bids=11.0, nil_share=0.08, nil_made=0.7)
    fit = calibrate(2000, 6, target)
    found = figures_of(simulate_rounds(2000, 6, rules=Rules(), human=fit.human))
    assert found.sum_of_bids == pytest.approx(11.0, abs=0.01)
    assert found.nil_share == pytest.approx(0.08, abs=0.001)
    assert found.nil_made == pytest.approx(0.7, abs=0.03)


def test_standard_errors_are_those_of_repeated_simulations():
    human = Fit(START, 1.0).human
    runs = [simulate_rounds(400, seed, rules=Rules(), human=human) for seed in range(60)]
    spread = np.std([figures_of(run) for run in runs], axis=0, ddof=1)
    claimed = np.mean([standard_errors(run) for run in runs], axis=0)
    np.testing.assert_allclose(spread, claimed, rtol=0.35)


@pytest.mark.slow
def test_marginals_of_20000_fresh_rounds_are_within_3_percent():
    rounds = simulate_rounds(20_000, 90210, rules=Rules(), human=load_simulated_human())
    for found, published in zip(figures_of(rounds), PUBLISHED, strict=True):
        assert found == pytest.approx(published, rel=0.03)


def test_sanity_figures():
    rounds = simulate_rounds(4000, 3, rules=Rules(), human=load_simulated_human())
    found = sanity_of(rounds)
    assert sum(found["bid_shares"].values()) == pytest.approx(1.0, abs=0.001)
    assert np.mean(found["nil_share_by_turn"]) == pytest.approx(found["bid_shares"]["0"], abs=0.001)
    assert 0.7 < found["contracts_made"] < 0.95
    assert found["sum_of_bids_above_13"] < 0.06
