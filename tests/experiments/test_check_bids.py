"""Judged bids held against rounds played: fits to and summaries of made-up results."""

import numpy as np
import pytest

from analysis.decisions.conclusion import NETWORK
from analysis.decisions.estimate import Estimate, Means, estimate
from experiments.check_bids import Case, fit, losses_row, pairs_row


def made_up(n, off=0.0, seed=1):
    """Losses judged and played, with their errors, of ``n`` auctions."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0, 20, n)
    judged = truth + off + rng.normal(0, 3.0, n)
    played = truth + rng.normal(0, 4.0, n)
    return np.array([judged, np.full(n, 3.0), played, np.full(n, 4.0)]).T


def test_right_errors_hold_the_difference_in_95_of_100():
    row = losses_row(made_up(2000))
    assert row["mean_square"] == pytest.approx(1.0, abs=0.1)
    assert row["within"] / 2000 == pytest.approx(0.95, abs=0.015)
    low, high = row["mean_difference_interval"]
    assert (low + high) / 2 == pytest.approx(0, abs=0.4)


def test_a_judge_that_is_off_is_found():
    row = losses_row(made_up(2000, off=5.0))
    assert row["mean_square"] > 1.5
    assert row["mean_difference_interval"][0] > 4
    assert row["slope_interval"][1] < 0.8


def test_the_bid_that_the_judge_puts_first_tells_nothing():
    row = losses_row([[0, 0, 0, 0], *made_up(20)])
    assert row["other_bid_first"] == 20


def auctions(n=200, weight=0.8, spread=4.0, noise=8.0, seed=3):
    """What a network says of four bids in each, and what is seen in searched and in other deals."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        guess = rng.normal(0, 15, 4)
        true = weight * guess + rng.normal(0, spread, 4)
        seen = [
            Means(true + rng.normal(0, noise, 4), noise**2 * np.eye(4))
            for _ in ("searched", "played")
        ]
        cases.append(Case(guess, *seen))
    return cases


@pytest.fixture(scope="module")
def trust():
    return fit(auctions())


def test_the_trust_in_the_network_is_found(trust):
    assert trust.weights[NETWORK] == pytest.approx(0.8, abs=0.05)
    assert trust.spread == pytest.approx(4.0, abs=0.7)
    assert trust.drift < 2


def test_fitted_trust_takes_the_luck_of_the_first_bid_out(trust):
    """In other auctions than those fitted to; the last bid is the one made."""
    alone = []
    drawn = []
    for case in auctions(600, seed=4):
        _, other_deals = case.true
        error = np.sqrt(2 * other_deals[0, 0])
        for losses, found in (
            (alone, Estimate(*case.means)),
            (drawn, estimate({NETWORK: case.guess}, trust, case.means)),
        ):
            played = case.true.values[found.best] - case.true.values[3]
            losses.append([*found.lead(found.best, 3), played, error])
    assert losses_row(alone)["mean_difference_interval"][0] > 1
    row = losses_row(drawn)
    low, high = row["mean_difference_interval"]
    assert low < 0.5
    assert high > -0.5
    assert row["mean_square"] == pytest.approx(1.0, abs=0.15)
    assert row["slope"] == pytest.approx(1.0, abs=0.06)


def test_points_of_pairs_have_an_interval():
    row = pairs_row([1.0, 3.0, 2.0, 2.0])
    assert (row["deals"], row["points"]) == (4, 2.0)
    assert row["interval"][0] < 2.0 < row["interval"][1]
