"""The fit of the success curves: truth is found, unseen bids are said to be uncertain."""

import numpy as np
import pytest
from scipy.special import expit

from analysis.nil.rounds import value_counts
from experiments.fit_nil_curves import (
    cells_of,
    fit_and_score,
    fit_curves,
    fit_shapes,
    sequence_features,
)
from experiments.trials import STRONG, Trials
from spades.bidding.auction import INDEX_OF, SEQUENCES
from spades.bidding.curves import KNOTS, nil_logits


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
    return expit(0.5 + total / 10 + nil_logits(np.atleast_1d(value)))


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
    cells, counts = (
        cells_of(trials, nil_logits(trials.value)),
        value_counts(trials.sequence, trials.value, trials.made),
    )
    assert cells.seen.sum() == counts[..., 0].sum() == 500
    assert cells.made.sum() == counts[..., 1].sum() == trials.made.sum()
    assert cells.seen @ cells.x == pytest.approx(nil_logits(trials.value).sum())
    index = INDEX_OF[(3, 0)]
    is_in = (trials.sequence == index) & (trials.value >= 0.95)
    assert counts[index, 19].tolist() == [is_in.sum(), (is_in & trials.made).sum()]
    assert counts[trials.sequence[2], 1, 0] >= 1  # 0.05 opens the second bin


@pytest.mark.exhaustive
def test_curves_of_played_rounds_beat_a_single_curve_and_the_raw_value():
    logistic, shaped, scores = fit_and_score(STRONG, 4000, 12_000, 8000)
    assert logistic.n.sum() == shaped.n.sum() == 12_000
    assert np.diff(shaped.shape).min() > 0.0
    assert scores["all"]["n"] == 8000
    losses = {name: scores["all"][name]["log_loss"]["value"] for name in ("curves", "value")}
    assert losses["curves"] < losses["value"]


def test_curves_never_fall_however_the_rounds_fell():
    trials = made_up([(), (3,), (3, 6)], 3000, lambda total, value: expit(-2.0 * nil_logits(value)))
    curves = fit_curves(trials)
    assert curves.lines[:, 1].min() > 0.0 < curves.single[1]
    assert curves.lines[INDEX_OF[(3,)], 1] < 0.1  # as near to falling as a curve comes


@pytest.mark.exhaustive
def test_intervals_cover_the_truth_about_as_often_as_they_say():
    asked = [(), (3,), (6,), (3, 3), (3, 6), (2, 4, 3)]
    covered = []
    for seed in range(5):
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


def stairs(total, value):
    """A chance that leaps at 0.4, which no logit follows."""
    return expit(total / 10 + np.where(np.atleast_1d(value) < 0.4, -1.5, 0.5))


@pytest.mark.slow
def test_a_shape_follows_what_a_logit_misses():
    trials = made_up([(), (3,), (3, 6), (0, 3)], 60_000, stairs)
    logistic = fit_curves(trials)
    shapes = fit_shapes(logistic.lines, trials)
    curves = fit_curves(trials, shapes)
    assert np.diff(curves.shape).min() > 0.0  # a chance never falls with the nil value
    for previous in ((), (3,), (3, 6)):
        for value in (0.1, 0.3, 0.5, 0.9):
            true = stairs(sum(previous), value)[0]
            assert curves.probability(previous, value) == pytest.approx(true, abs=0.04)
            low, high = curves.interval(previous, value)
            assert high - low < 0.1
    misses = [abs(logistic.probability((), v) - stairs(0, v)[0]) for v in (0.05, 0.35, 0.45, 0.95)]
    assert max(misses) > 0.1
    never_heard = curves.shape[3]  # no round had three bids before
    assert never_heard == pytest.approx(nil_logits(KNOTS))


@pytest.mark.exhaustive
def test_intervals_of_shaped_curves_cover_the_truth():
    covered = []
    for seed in range(5):
        trials = made_up([(), (3,), (3, 6)], 4000, truth, seed)
        curves = fit_curves(trials, fit_shapes(fit_curves(trials).lines, trials))
        for previous in ((), (3,), (3, 6)):
            for value in (0.2, 0.6, 0.85):
                low, high = curves.interval(previous, value)
                covered.append(low <= truth(sum(previous), value)[0] <= high)
    assert sum(covered) >= 0.85 * len(covered)


def test_the_fit_of_a_shape_goes_to_the_end():
    """From where it ends, no step of the shape makes the rounds likelier."""
    trials = made_up([()], 40_000, lambda total, value: 0.2 + 0.6 * value**3)
    lines = np.tile([0.0, 0.5], (len(SEQUENCES), 1))
    found = fit_shapes(lines, trials)

    def loss(values):
        p = expit(0.5 * np.interp(trials.value, KNOTS, values))
        prior = nil_logits(KNOTS)
        off = np.append(values[0] - prior[0], np.diff(values) - np.diff(prior))
        return -np.log(np.where(trials.made, p, 1.0 - p)).sum() + off @ off / 2.0

    least = loss(found.values[0])
    for knot in range(len(KNOTS)):
        for step in (-0.02, 0.02):
            moved = found.values[0].copy()
            moved[knot:] += step  # a step of the shape, the others as they are
            is_allowed = np.diff(moved).min() > 0.0
            assert loss(moved) > least - 0.3 or not is_allowed
