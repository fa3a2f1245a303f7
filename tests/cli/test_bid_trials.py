"""Trials of a bid as a document and as text, against rounds made up by hand."""

import json

import numpy as np
import pytest

from analysis.bidding.bid_trials import BidTrials, TriedBid
from spades.cli.bid import range_lines, trials_document, trials_lines

NIL_POINTS, REGULAR_POINTS = [130, 131, -72, 139], [39, 40, 41, 55]


def outcome(bid, points, made):
    points, made = np.array(points), np.array(made)
    name = str(bid or "nil")
    return TriedBid(bid, name, points, points - 10, np.ones(4, np.int64), made)


@pytest.fixture
def document():
    nil = outcome(0, NIL_POINTS, [True, True, False, True])
    regular = outcome(4, REGULAR_POINTS, [True] * 4)
    return trials_document(BidTrials((nil, regular), "bis", 0, 4, 4, None))


def test_bins_are_common_without_gaps_and_hold_every_round(document):
    lows, width = document["bins"]["low"], document["bins"]["width"]
    assert (width, lows[0], lows[-1]) == (10, -80, 130)
    assert np.diff(lows).tolist() == [width] * (len(lows) - 1)
    for row, points in zip(document["bids"], (NIL_POINTS, REGULAR_POINTS), strict=True):
        by_hand = [sum(low <= p < low + width for p in points) for low in lows]
        assert row["counts"] == by_hand
        assert sum(row["counts"]) == row["n"] == 4


def test_the_mean_has_its_interval_and_deviation(document):
    nil, regular = document["bids"]
    assert (nil["name"], regular["name"]) == ("nil", "4")
    assert nil["mean"] == 82.0
    assert nil["sd"] == pytest.approx(np.std(NIL_POINTS, ddof=1))
    assert nil["interval"][0] < -72 < nil["mean"] < nil["interval"][1]  # wide: four rounds
    assert json.loads(json.dumps(document)) == document


def test_the_text_has_shares_by_range(document):
    assert [line.split() for line in range_lines(document)] == [
        ["−100", "to", "−51", "25.0%", "0.0%"],
        ["+0", "to", "+49", "0.0%", "75.0%"],
        ["+50", "to", "+99", "0.0%", "25.0%"],
        ["+100", "to", "+149", "75.0%", "0.0%"],
    ]
    text = "\n".join(trials_lines(document))
    assert "4 simulated rounds each" in text
    assert "nil  +82.0 (95%: " in text
