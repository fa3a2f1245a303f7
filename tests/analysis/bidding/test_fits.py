"""The fits that bidders need: rounds in which a bid is tried, the term, the curves."""

import numpy as np
import pytest
from scipy.special import expit

from analysis.bidding.fit_previous_bids import (
    best_line,
    contracts_made,
    design,
    differences_of,
    document,
    fit_lines,
)
from analysis.bidding.trials import MAX_SHIFT, STRONG, Trials, context_before_fits, try_bids
from analysis.nil.fit import cells_of, fit_curves, logits, sequence_features
from analysis.nil.fit_curves import curves_and_scores
from analysis.nil.rounds import value_counts
from spades.bidding.auction import INDEX_OF, N_SEQUENCES, SEQUENCES
from spades.bidding.hands import nil_value
from spades.core.rules import Rules
from spades.core.scoring import score_round

N = 6000


@pytest.fixture(scope="module")
def regular_trials():
    return try_bids(N, 3, tries_nil=False, agent=STRONG)


@pytest.fixture(scope="module")
def nil_trials():
    return try_bids(N, 4, tries_nil=True)


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
    again = [try_bids(50, seed, tries_nil=True) for seed in (4, 4, 5)]
    assert np.array_equal(again[0].tricks, again[1].tricks)
    assert not np.array_equal(again[0].tricks, again[2].tricks)


def test_trials_are_the_same_in_chunks_of_any_size(monkeypatch):
    whole = try_bids(50, 4, tries_nil=True)
    monkeypatch.setattr("analysis.bidding.trials.CHUNK", 8)
    for column, again in zip(whole, try_bids(50, 4, tries_nil=True), strict=True):
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
    trials = try_bids(4, 3, tries_nil=False).rows(slice(2))
    trials.bids[:], trials.seat[:] = [[3, 0, 3, 4], [5, 3, 5, 4]], (0, 1)
    trials.tricks[:] = [[3, 0, 3, 7], [4, 3, 5, 1]]
    assert contracts_made(trials) == ([0.0, 1.0], [1, 1])


def test_features_name_who_bid():
    features = sequence_features()
    right, partner, left = (slice(1 + 4 * i, 5 + 4 * i) for i in range(3))
    row = features[INDEX_OF[(5, 0, 4)]]
    assert row[right].tolist() == [1, 1, 1, 0]
    assert row[partner].tolist() == [1, 0, 0, 1]
    assert row[left].tolist() == [1, 2, 4, 0]
    assert features[0].tolist() == [1] + [0] * 13


def made_up(sequences, n, chance, seed=2):
    """Trials of which only what curves are fitted on is set."""
    rng = np.random.default_rng(seed)
    trials = Trials.empty(n)
    trials.sequence[:] = rng.choice([INDEX_OF[s] for s in sequences], n)
    trials.value[:] = rng.random(n)
    total = np.array([sum(SEQUENCES[i]) for i in trials.sequence])
    trials.total[:] = total
    trials.tricks[:, 0] = rng.random(n) >= chance(total, trials.value)
    return trials


def truth(total, value):
    return expit(0.5 + total / 10 + logits(np.atleast_1d(value)))


def test_curves_find_what_the_bids_do():
    trials = made_up([(), (3,), (6,), (3, 3), (3, 6), (2, 4, 3)], 30_000, truth)
    curves = fit_curves(trials)
    for previous in ((), (6,), (3, 6), (2, 4, 3)):
        for nil in (0.2, 0.8):
            low, high = curves.interval(previous, nil)
            expected = pytest.approx(truth(sum(previous), nil)[0], abs=0.03)
            assert curves.probability(previous, nil) == expected
            assert high - low < 0.1
    assert curves.n.sum() == 30_000
    assert curves.made.sum() == trials.made.sum()
    unseen = curves.interval((9, 9, 9), 0.5)
    assert unseen[1] - unseen[0] > 3 * (high - low)  # nobody bid so: the interval says it


def test_cells_and_counts_are_the_rounds():
    trials = made_up([(), (3, 0)], 500, truth)
    trials.value[:3] = 1.0, 0.0, 0.05
    cells, counts = cells_of(trials), value_counts(trials.sequence, trials.value, trials.made)
    assert cells.seen.sum() == counts[..., 0].sum() == 500
    assert cells.made.sum() == counts[..., 1].sum() == trials.made.sum()
    assert cells.seen @ cells.x == pytest.approx(logits(trials.value).sum())
    index = INDEX_OF[(3, 0)]
    is_in = (trials.sequence == index) & (trials.value >= 0.95)
    assert counts[index, 19].tolist() == [is_in.sum(), (is_in & trials.made).sum()]
    assert counts[trials.sequence[2], 1, 0] >= 1  # 0.05 opens the second bin


@pytest.mark.slow
def test_curves_of_played_rounds_beat_a_single_curve_and_the_raw_value():
    curves, scores = curves_and_scores(STRONG, 4000, 24_000, 8000)
    assert curves.n.sum() == 24_000
    assert scores["all"]["n"] == 8000
    losses = {name: scores["all"][name]["log_loss"]["value"] for name in ("curves", "value")}
    assert losses["curves"] < losses["value"]


def test_curves_never_fall_however_the_rounds_fell():
    trials = made_up([(), (3,), (3, 6)], 3000, lambda total, value: expit(-2.0 * logits(value)))
    curves = fit_curves(trials)
    assert curves.lines[:, 1].min() > 0.0 < curves.single[1]
    assert curves.lines[INDEX_OF[(3,)], 1] < 0.1  # as near to falling as a curve comes


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    asked = [(), (3,), (6,), (3, 3), (3, 6), (2, 4, 3)]
    covered = []
    for seed in range(8):
        curves = fit_curves(made_up(asked, 4000, truth, seed))
        for previous in asked:
            low, high = curves.interval(previous, 0.6)
            covered.append(low <= truth(sum(previous), 0.6)[0] <= high)
    assert sum(covered) >= 0.85 * len(covered)


def test_what_was_never_seen_keeps_near_the_single_curve_and_says_so():
    """Bids of 8 and more, extrapolated from 3 to 6: a curve that rises, and a wide interval."""
    curves = fit_curves(made_up([(), (3,), (4,), (5,), (6,), (3, 6)], 20_000, truth))
    seen, unseen = (curves.interval((bid,), 0.5) for bid in (4, 13))
    assert unseen[1] - unseen[0] > 3 * (seen[1] - seen[0])
    assert 0.3 < curves.lines[INDEX_OF[(13,)], 1] / curves.single[1] < 3.0


def test_a_context_before_the_fits_has_the_exact_tables():
    tables = context_before_fits(Rules()).tables
    assert nil_value(0b1111, tables.p_cnil) == 0.0
    assert tables.curves.tolist() == [[0.0, 1.0]] * (N_SEQUENCES + 1)
    assert not tables.previous.any()
