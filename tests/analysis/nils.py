"""Made-up success curves and counts for the tests of nils."""

import copy

import numpy as np
from scipy.special import expit

from analysis.nil.rates import Source
from experiments.nil_scores import scores_document
from experiments.trials import Trials
from spades.bidding import SuccessCurves
from spades.bidding.auction import INDEX_OF, N_SEQUENCES
from spades.bidding.curves import N_VALUE_BINS, NIL_TABLE, load_curves, nil_logit


def made_up_counts(cells):
    """Counts from ``{(bids before, bin): (nils, made)}``."""
    counts = np.zeros((N_SEQUENCES, N_VALUE_BINS, 2), dtype=np.int32)
    for (previous, at), numbers in cells.items():
        counts[INDEX_OF[previous], at] = numbers
    return counts


def made_up_source(cells, label="bots", **lines):
    """A source whose curves are ``lines`` by the text of the bids, elsewhere level at one half."""
    counts = made_up_counts(cells)
    table = np.zeros((N_SEQUENCES, 2))
    for text, line in lines.items():
        table[INDEX_OF[tuple(map(int, text.strip("_").split("_")))]] = line
    n, made = counts.sum(axis=1, dtype=np.int64).T
    curves = SuccessCurves(
        lines=table,
        covariance=np.tile([0.01, -0.001, 0.02], (N_SEQUENCES, 1)),
        n=n,
        made=made,
        single=np.zeros(2),
        counts=counts,
        metadata={},
    )
    return Source(label, counts, curves)


def made_up_trials(n: int, seed: int) -> Trials:
    """Nils after four sequences, made as often as their curves of the tables say."""
    rng, trials = np.random.default_rng(seed), Trials.empty(n)
    known = [INDEX_OF[bids] for bids in ((), (3,), (0, 4), (3, 3, 3))]
    trials.sequence[:] = rng.choice(known, n)
    trials.value[:] = rng.random(n)
    x = np.array([nil_logit.py_func(value) for value in trials.value])
    intercept, slope = load_curves().lines[trials.sequence].T
    is_made = rng.random(n) < expit(intercept + slope * x)
    trials.tricks[np.arange(n), trials.seat] = np.where(is_made, 0, 1)
    return trials


def made_up_scores(n: int = 2000) -> dict:
    """A document of scores of nil forecasts, as the fit of the curves writes it."""
    fitted, held_out = made_up_trials(n, seed=1), made_up_trials(n, seed=2)
    scored = scores_document(load_curves(NIL_TABLE), load_curves(), fitted, held_out)
    return {"version": 1, "agents": {"srp+bis": scored, "human": copy.deepcopy(scored)}}
