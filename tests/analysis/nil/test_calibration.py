"""Calibration of nil forecasts: counted by hand, written and read back, refused when unsound."""

import json

import numpy as np
import pytest

from analysis.nil.calibration import (
    LEAST,
    Bin,
    NilScoresError,
    SequenceRow,
    count_bins,
    count_covered,
    format_bins,
    format_sequence,
    parse_bins,
    parse_sequence,
    score_sequences,
)
from analysis.nil.scores import FORECASTS, scores_document
from spades.bidding.auction import INDEX_OF
from spades.bidding.curves import load_curves
from tests.analysis.nils import made_up_trials


def test_the_reliability_diagram_counts_every_nil():
    p, made = np.array([0.0, 0.07, 0.08, 1.0]), np.array([False, True, False, True])
    assert [(row.n, row.made) for row in count_bins(p, made)] == [(1, 0), (2, 1), (1, 1)]
    assert count_bins(p, made)[1].forecast == pytest.approx(0.075)


def test_bins_read_as_they_were_written():
    bins = [Bin(12, 3, 0.0512), Bin(40, 40, 1.0)]
    assert format_bins(bins) == "12 3 0.0512; 40 40 1.0000"
    assert parse_bins(format_bins(bins)) == bins
    assert parse_bins(format_bins([])) == []


@pytest.mark.parametrize("previous", [(), (3,), (0, 13, 4)])
def test_sequences_read_as_they_were_written(previous):
    row = SequenceRow(previous, 200, 150, (0.75, 0.5))
    assert parse_sequence(format_sequence(row), 2) == row


@pytest.mark.parametrize(
    "text", ["", "3,1", "3,1 9 x 0.5", "3,1 9 10 0.5", "3,1 0 0 0.5", "3,1 9 3 1.5", "3,99 9 3 0.5"]
)
def test_an_unsound_row_is_refused_with_its_text(text):
    with pytest.raises(NilScoresError):
        parse_sequence(text, 1)


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
    rows = [SequenceRow((), 400, int(rng.binomial(400, 0.8)), (0.8, 0.9)) for _ in range(500)]
    true, false = count_covered(rows, 2)
    assert 465 <= true <= 495  # 95 %, a little more for exact intervals
    assert false < 25


def test_the_document_of_scores_holds_groups_and_sequences_and_is_small():
    fitted, held_out = made_up_trials(4000, seed=1), made_up_trials(4000, seed=2)
    document = scores_document(load_curves(), fitted, held_out)
    assert document["calibration"].keys() == {"all", *document["groups"]}
    for name, by_method in document["calibration"].items():
        scored = document["all"] if name == "all" else document["groups"][name]
        assert by_method.keys() == set(FORECASTS)
        for text in by_method.values():
            assert sum(row.n for row in parse_bins(text)) == scored["n"]
    rows = [parse_sequence(text, len(FORECASTS)) for text in document["sequences"]["rows"]]
    assert sum(row.n for row in rows) == document["sequences"]["nils_shown"] == 4000
    assert all(0 <= k <= len(rows) for k in document["sequences"]["covered"].values())
    assert json.loads(json.dumps(document)) == document
