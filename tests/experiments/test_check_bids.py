"""Judged bids held against rounds played: summaries of made-up results."""

import numpy as np
import pytest

from experiments.check_bids import auctions_row, pairs_row


def made_up(n, off=0.0, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0, 20, n)
    return [
        {
            "kind": "clear",
            "judged": value + off + rng.normal(0, 3.0),
            "judged_error": 3.0,
            "played": value + rng.normal(0, 4.0),
            "played_error": 4.0,
        }
        for value in truth
    ]


def test_right_errors_hold_the_difference_in_95_of_100():
    row = auctions_row(made_up(2000))
    assert row["mean_square"] == pytest.approx(1.0, abs=0.1)
    assert row["within"] / 2000 == pytest.approx(0.95, abs=0.015)
    low, high = row["mean_difference_interval"]
    assert (low + high) / 2 == pytest.approx(0, abs=0.4)


def test_a_judge_that_is_off_is_found():
    row = auctions_row(made_up(2000, off=5.0))
    assert row["mean_square"] > 1.5
    assert row["mean_difference_interval"][0] > 4


def test_the_bid_that_the_judge_puts_first_tells_nothing():
    first = {"kind": "clear", "judged": 0, "judged_error": 0, "played": 0, "played_error": 0}
    row = auctions_row([first, *made_up(20)])
    assert (row["auctions"], row["other_bid_first"]) == (21, 20)


def test_points_of_pairs_have_an_interval():
    row = pairs_row([1.0, 3.0, 2.0, 2.0])
    assert (row["deals"], row["points"]) == (4, 2.0)
    assert row["interval"][0] < 2.0 < row["interval"][1]
