"""Rounds in which a bid is tried, and the term in the previous bids fitted to them."""

import numpy as np
import pytest

from experiments.fit_previous_bids import (
    best_line,
    contracts_made,
    design,
    differences_of,
    document,
    fit_lines,
)
from experiments.trials import MAX_SHIFT, STRONG, context_before_fits, simulate_trials
from spades.bidding.auction import N_SEQUENCES, SEQUENCES
from spades.bidding.hands import nil_value
from spades.core.rules import Rules
from spades.core.scoring import score_round

pytestmark = pytest.mark.xdist_group("previous-bids")  # one worker makes what they share

N = 6000


@pytest.fixture(scope="module")
def regular_trials():
    return simulate_trials(N, 3, tries_nil=False, agent=STRONG)


@pytest.fixture(scope="module")
def nil_trials():
    return simulate_trials(N, 4, tries_nil=True)


def test_trials_are_whole_rounds(regular_trials, nil_trials):
    for trials in (regular_trials, nil_trials):
        assert np.all(trials.tricks.sum(axis=1) == 13)
        assert np.all((trials.bids >= 0) & (trials.bids <= 13))
        assert np.bincount(trials.position).tolist() == [N // 4] * 4
        assert {len(SEQUENCES[i]) for i in trials.sequence} == {0, 1, 2, 3}


def test_the_seat_bids_what_is_tried(regular_trials, nil_trials):
    rows = np.arange(N)
    tried = regular_trials.bids[rows, regular_trials.seat]
    wanted = np.clip(np.floor(regular_trials.before + regular_trials.shift + 0.5), 1, 13)
    assert np.array_equal(tried, wanted)
    assert abs(regular_trials.shift).max() <= MAX_SHIFT
    assert np.all(nil_trials.bids[rows, nil_trials.seat] == 0)
    assert np.quantile(nil_trials.value, 0.9) > 0.7  # good nil hands are not rare here


def test_previous_bids_are_those_before_the_seat(regular_trials):
    for i in range(0, N, 101):
        seat, position = regular_trials.seat[i], regular_trials.position[i]
        order = [(seat - position + k) % 4 for k in range(position)]
        previous = tuple(int(regular_trials.bids[i, s]) for s in order)
        assert SEQUENCES[regular_trials.sequence[i]] == previous
        assert regular_trials.total[i] == sum(previous)


def test_trials_repeat_by_seed():
    again = [simulate_trials(50, seed, tries_nil=True) for seed in (4, 4, 5)]
    assert np.array_equal(again[0].tricks, again[1].tricks)
    assert not np.array_equal(again[0].tricks, again[2].tricks)


def test_trials_are_the_same_in_chunks_of_any_size(monkeypatch):
    whole = simulate_trials(50, 4, tries_nil=True)
    monkeypatch.setattr("experiments.trials.CHUNK", 8)
    for column, again in zip(whole, simulate_trials(50, 4, tries_nil=True), strict=True):
        assert np.array_equal(column, again)


def test_score_differences_are_the_scores(regular_trials):
    rules = Rules()
    differences = differences_of(regular_trials, rules)
    for i in range(0, N, 97):
        bids, tricks = regular_trials.bids[i].tolist(), regular_trials.tricks[i].tolist()
        scored = score_round(rules, bids, [False] * 4, tricks)
        worth = [p - 10 * b for p, b in zip(scored.points, scored.bags, strict=True)]
        us = regular_trials.seat[i] % 2
        assert differences[i] == worth[us] - worth[1 - us]


def test_the_best_shift_is_found(regular_trials):
    x = design(regular_trials)
    y = (
        3.0
        + 2.0 * regular_trials.before
        - 4.0 * (regular_trials.shift - (0.4 - 0.1 * regular_trials.total)) ** 2
    )
    lines, errors = fit_lines(regular_trials, y)
    assert lines[0] == pytest.approx([0.4, 0.0], abs=1e-6)
    for line in lines[1:]:
        assert line == pytest.approx([0.4, -0.1], abs=1e-6)
    assert errors.max() < 1e-6
    with pytest.raises(ValueError, match="no shift is best"):
        best_line(x, x[:, 2])


def test_the_document_of_the_term():
    table = document(2 * N, 4 * N)
    assert np.shape(table["previous"]) == np.shape(table["previous_standard_errors"]) == (4, 2)
    assert table["fit"]["rounds"] == 4 * N
    assert sum(table["made_n"]) == 4 * N  # BIS never bids nil on its partner's
    assert all(0.5 < share < 1.0 for share in table["made"])


def test_contracts_are_those_of_the_partnership_that_tries_nothing():
    trials = simulate_trials(4, 3, tries_nil=False).rows(slice(2))
    trials.bids[:], trials.seat[:] = [[3, 0, 3, 4], [5, 3, 5, 4]], (0, 1)
    trials.tricks[:] = [[3, 0, 3, 7], [4, 3, 5, 1]]
    assert contracts_made(trials) == ([0.0, 1.0], [1, 1])


def test_a_context_before_the_fits_has_the_exact_tables():
    tables = context_before_fits(Rules()).tables
    assert [nil_value(0b1111, of_reading) for of_reading in tables.p_cnil] == [0.0, 0.0]
    assert tables.curves.tolist() == [[[0.0, 1.0]] * (N_SEQUENCES + 1)] * 2
    assert not tables.previous.any()
