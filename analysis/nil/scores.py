"""How well success curves foretell nils held out, beside a single curve, the nil value and trees.

Log-loss in nats a nil, Brier score, and the expected calibration error (ECE): over 20 bins of the
forecast, the mean distance between forecast and share made, weighted by the nils in a bin. A group
of few nils has an ECE above 0 for any forecast, by chance; the interval says how far. All intervals
are at 95 %, from bootstrap over rounds (a round has one nil that is tried); differences are of the
same rounds. The raw nil value as a forecast is kept off 0 and 1 by a thousandth. Beside them stand
forecast against share made, by bin of the forecast in every group and by single sequence
(``analysis.nil.calibration``). Numbers are rounded to five places.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier

from analysis.bidding.trials import Trials
from analysis.nil.calibration import N_BINS, count_bins, format_bins, score_sequences
from analysis.nil.rounds import bin_of
from spades.bidding.auction import N_SEQUENCES, SEQUENCES
from spades.bidding.curves import SuccessCurves, nil_logit
from spades.core.rules import NIL_BID

N_RESAMPLES, SEED = 200, 30405
FLOOR = 0.001
DIGITS = 5
RARE, COMMON = 50, 1000  # nils that a sequence was fitted on
FORECASTS = ("curves", "single", "value", "trees")
MEASURES = ("log_loss", "brier", "ece")


def forecasts_of(curves: SuccessCurves, fitted: Trials, asked: Trials) -> dict[str, NDArray]:
    """Chance of every nil asked about, float64 (n,), by each of the four ``FORECASTS``."""
    x = np.array([nil_logit(value) for value in asked.value])
    lines = curves.lines[asked.sequence]
    return {
        "curves": expit(lines[:, 0] + lines[:, 1] * x),
        "single": expit(curves.single[0] + curves.single[1] * x),
        "value": np.clip(asked.value, FLOOR, 1.0 - FLOOR),
        "trees": by_trees(fitted, asked),
    }


def by_trees(fitted: Trials, asked: Trials) -> NDArray[np.float64]:
    """Forecasts of gradient-boosted trees that rise with the nil value."""
    trees = HistGradientBoostingClassifier(
        monotonic_cst=[1, 0, 0, 0, 0],
        max_iter=100,
        early_stopping=True,
        validation_fraction=0.1,
        random_state=SEED,
    )
    trees.fit(tree_columns(fitted), fitted.made)
    return trees.predict_proba(tree_columns(asked))[:, 1]


def tree_columns(trials: Trials) -> NDArray[np.float64]:
    """Nil value, the bids of right opponent, partner and left opponent (nan: none yet), their sum.

    Float64 (n, 5).
    """
    bids = np.full((N_SEQUENCES, 3), np.nan)
    for index in range(N_SEQUENCES):
        previous = SEQUENCES[index]
        bids[index, : len(previous)] = previous[::-1]
    return np.column_stack([trials.value, bids[trials.sequence], trials.total])


def scores_document(curves: SuccessCurves, fitted: Trials, held_out: Trials) -> dict[str, Any]:
    """Scores on the rounds held out, overall and by group of sequences; and what the curves won."""
    forecasts = forecasts_of(curves, fitted, held_out)
    made, groups = held_out.made, groups_of(curves, held_out.sequence)
    everything = {"all": np.ones(len(made), dtype=np.bool_), **groups}
    by_group = {
        name: ({k: p[rows] for k, p in forecasts.items()}, made[rows])
        for name, rows in everything.items()
        if rows.any()
    }
    scores = {name: group_scores(*group) for name, group in by_group.items()}
    return {
        "what": curves.metadata["what"],
        "rounds": {"fitted": len(fitted.seat), "held_out": len(held_out.seat)},
        "confidence": 0.95,
        "resamples": N_RESAMPLES,
        "all": scores.pop("all"),
        "groups": scores,
        "calibration": {
            name: {method: format_bins(count_bins(p, of)) for method, p in asked.items()}
            for name, (asked, of) in by_group.items()
        },
        "sequences": score_sequences(forecasts, held_out.sequence, made),
    }


def groups_of(curves: SuccessCurves, sequence: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
    """Which rounds belong to each group of sequences, by the previous bids and how often seen."""
    bids = [SEQUENCES[index] for index in range(N_SEQUENCES)]
    partner_nil = np.array([len(b) > 1 and b[-2] == NIL_BID for b in bids])
    nils = np.array([b.count(NIL_BID) for b in bids])
    seen = curves.n
    by_sequence = {
        **{f"{n} previous bids": np.array([len(b) == n for b in bids]) for n in range(4)},
        "a partner's nil": partner_nil,
        "an opponent's nil, no partner's": (nils > 0) & ~partner_nil,
        f"seen fewer than {RARE} times": seen < RARE,
        f"seen {RARE} to {COMMON - 1} times": (seen >= RARE) & (seen < COMMON),
        f"seen {COMMON} times or more": seen >= COMMON,
    }
    return {name: which[sequence] for name, which in by_sequence.items()}


def group_scores(forecasts: dict[str, NDArray], made: NDArray[np.bool_]) -> dict[str, Any]:
    """Every measure of every forecast, and the curves' less each other's, with intervals."""
    terms = [terms_of(forecasts[name], made) for name in FORECASTS]
    n, rng = len(made), np.random.default_rng(SEED)
    whole = np.array([measures(term, np.ones(n)) for term in terms])
    again = np.empty((N_RESAMPLES, *whole.shape))
    for resample in again:
        times = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        resample[:] = [measures(term, times) for term in terms]
    scored: dict[str, Any] = {"n": n, "share_made": round(float(made.mean()), DIGITS)}
    for i, name in enumerate(FORECASTS):
        scored[name] = _with_intervals(whole[i], again[:, i])
    scored["curves_less"] = {
        name: _with_intervals(whole[0] - whole[i], again[:, 0] - again[:, i])
        for i, name in enumerate(FORECASTS[1:], start=1)
    }
    return scored


class Terms(NamedTuple):
    """What each round adds to the measures of a forecast, (n,): log-loss, squared error, bin of
    the forecast, and made less forecast."""

    loss: NDArray[np.float64]
    square: NDArray[np.float64]
    bin: NDArray[np.int64]
    residual: NDArray[np.float64]


def terms_of(p: NDArray[np.float64], made: NDArray[np.bool_]) -> Terms:
    residual = made - p
    return Terms(-np.log(np.where(made, p, 1.0 - p)), residual**2, bin_of(p, N_BINS), residual)


def measures(terms: Terms, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-loss, Brier score and ECE of rounds counted ``times`` (n,) each."""
    off = np.abs(np.bincount(terms.bin, times * terms.residual)).sum()
    return np.array([times @ terms.loss, times @ terms.square, off]) / times.sum()


def _with_intervals(values: NDArray, resampled: NDArray) -> dict[str, dict[str, Any]]:
    """Each measure and the interval of its resamples (resamples, 3)."""
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    return {
        name: {
            "value": round(float(values[i]), DIGITS),
            "interval": [round(float(low[i]), DIGITS), round(float(high[i]), DIGITS)],
        }
        for i, name in enumerate(MEASURES)
    }
