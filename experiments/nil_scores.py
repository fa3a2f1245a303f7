"""Scores of forecasts of held-out nils: nil curves, logistic ones, one for all, nil value, trees.

Log-loss in nats a nil, Brier score, and the expected calibration error (ECE): over 20 bins of the
forecast, the mean distance between forecast and share made, weighted by the nils in a bin (above 0
by chance where nils are few). All intervals are at 95%, by bootstrap over rounds (one tried nil
each); differences are between forecasts of the same rounds.

``python -m experiments.fit_nil_curves`` stores the document, in the form that
``analysis.nil.scores`` reads. A forecast is a mean rounded to a ten-thousandth, far finer than the
nils of any row can tell.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from analysis.bidding.questions import format_bids
from analysis.intervals import clopper_pearson, mean_interval
from analysis.nil.rates import bin_of
from analysis.nil.scores import ALL, BETWEEN_BINS, FIRST, MEASURES, N_FIFTHS
from experiments.trials import Trials
from spades.bidding.auction import MAX_PREVIOUS, N_SEQUENCES, SEQUENCES
from spades.bidding.curves import HEARD, HEARD_OF, SuccessCurves, nil_logits
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.core.rules import NIL_BID

N_RESAMPLES = 200
SEED = 30405
FLOOR = 0.001  # keeps the raw nil value, as a forecast, off 0 and 1
DIGITS = 5
FORECAST_DIGITS = 4
RARE = 50  # nils that a sequence was fitted on
COMMON = 1000
N_BINS = 20
LEAST = 100  # nils held out that a sequence needs for a row of its own


def scores_document(
    nil_curves: SuccessCurves, logistic: SuccessCurves, fitted: Trials, held_out: Trials
) -> dict[str, Any]:
    """Scores on the rounds held out, overall, by group of sequences and by stratum; and by how much
    the nil curves are ahead of each other method."""
    forecasts = forecasts_of(nil_curves, logistic, fitted, held_out)
    made = held_out.made
    groups = {
        ALL: np.ones(len(made), dtype=np.bool_),
        **groups_of(logistic, held_out.sequence),
    }
    scores = {}
    calibration = {}
    for name, rows in groups.items():
        if not rows.any():
            continue
        group_forecasts = {method: p[rows] for method, p in forecasts.items()}
        scored, less = compared(group_forecasts, made[rows])
        scores[name] = {**scored, "nil_curves_less": less}
        calibration[name] = {
            method: _calibration_text(method, p, made[rows])
            for method, p in group_forecasts.items()
        }
    return {
        "what": nil_curves.metadata["what"],
        "rounds": {"fitted": len(fitted.seat), "held_out": len(held_out.seat)},
        "confidence": 0.95,
        "resamples": N_RESAMPLES,
        "all": scores.pop(ALL),
        "groups": scores,
        "calibration": calibration,
        "strata": score_strata(forecasts, held_out),
        "sequences": score_sequences(forecasts, held_out.sequence, made),
    }


def _calibration_text(method: str, p: FloatArray, made: BoolArray) -> str:
    bins = count_rows(bin_of(p, N_BINS), {method: p}, made)
    return BETWEEN_BINS.join(format_rows(bins))


def forecasts_of(
    nil_curves: SuccessCurves, logistic: SuccessCurves, fitted: Trials, held_out: Trials
) -> dict[str, NDArray]:
    """Chance of every nil held out, float64 (n,), by each of the five ``METHODS``."""
    intercept, slope = logistic.single
    return {
        "nil_curves": by_curves(nil_curves, held_out),
        "curves": by_curves(logistic, held_out),
        "single": expit(intercept + slope * nil_logits(held_out.value)),
        "value": by_value(held_out),
        "trees": by_trees(fitted, held_out),
    }


def by_curves(curves: SuccessCurves, held_out: Trials) -> FloatArray:
    logits, _ = curves.logits(held_out.sequence, held_out.value)
    return np.asarray(expit(logits))


def by_value(held_out: Trials) -> FloatArray:
    return np.clip(held_out.value, FLOOR, 1.0 - FLOOR)


def by_trees(fitted: Trials, held_out: Trials) -> FloatArray:
    """Forecasts of gradient-boosted trees that rise with the nil value."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # slow, and no page needs it

    trees = HistGradientBoostingClassifier(
        monotonic_cst=[1, 0, 0, 0, 0],
        max_iter=100,
        early_stopping=True,
        validation_fraction=0.1,
        random_state=SEED,
    )
    trees.fit(tree_columns(fitted), fitted.made)
    return trees.predict_proba(tree_columns(held_out))[:, 1]


def tree_columns(trials: Trials) -> FloatArray:
    """Nil value, the bids of right opponent, partner and left opponent (nan: none yet), their sum.
    Float64 (n, 5)."""
    return np.column_stack([trials.value, previous_bids()[trials.sequence], trials.total])


def previous_bids() -> FloatArray:
    """Bids of right opponent, partner and left opponent in every sequence, (2955, 3); NaN for who
    hasn't bid."""
    bids = np.full((N_SEQUENCES, MAX_PREVIOUS), np.nan)
    for row, previous in zip(bids, SEQUENCES, strict=True):
        row[: len(previous)] = previous[::-1]
    return bids


def groups_of(curves: SuccessCurves, sequence: IntArray) -> dict[str, BoolArray]:
    """Which rounds belong to each group of sequences, by the previous bids and how often seen."""
    bids = previous_bids()
    n_bids = (bids >= 0).sum(axis=1)
    nil_by_right, nil_by_partner, nil_by_left = (bids == NIL_BID).T
    n_seen = curves.n
    by_sequence = {
        **{f"{n} previous bids": n_bids == n for n in range(4)},
        "a partner's nil": nil_by_partner,
        "an opponent's nil, no partner's": (nil_by_right | nil_by_left) & ~nil_by_partner,
        f"seen fewer than {RARE} times": n_seen < RARE,
        f"seen {RARE} to {COMMON - 1} times": (n_seen >= RARE) & (n_seen < COMMON),
        f"seen {COMMON} times or more": n_seen >= COMMON,
    }
    return {name: is_in_group[sequence] for name, is_in_group in by_sequence.items()}


def compared(
    forecasts: dict[str, NDArray], made: BoolArray
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Every measure of every forecast, and the first one's less each other's, with intervals."""
    terms = [terms_of(forecast, made) for forecast in forecasts.values()]
    by_resample = [
        [measures(method_terms, times) for method_terms in terms] for times in _resamples(len(made))
    ]
    values = np.array(by_resample).swapaxes(0, 1)  # (methods, resamples + 1, measures)
    scored: dict[str, Any] = {
        "n": len(made),
        "share_made": round(float(made.mean()), DIGITS),
    }
    differences = {}
    for i, method in enumerate(forecasts):
        scored[method] = _with_intervals(values[i])
        if i > 0:
            differences[method] = _with_intervals(values[0] - values[i])
    return scored, differences


def _resamples(n: int) -> Iterator[FloatArray]:
    """How often each of n rounds counts, (n,): each once, then as bootstrap draws them."""
    yield np.ones(n)
    rng = np.random.default_rng(SEED)
    for _ in range(N_RESAMPLES):
        yield np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)


class Terms(NamedTuple):
    """What each round adds to the measures of a forecast, (n,): log-loss, squared error, bin of
    the forecast, and made less forecast."""

    loss: FloatArray
    square: FloatArray
    bin: IntArray
    residual: FloatArray


def terms_of(p: FloatArray, made: BoolArray) -> Terms:
    residual = made - p
    p_of_outcome = np.where(made, p, 1.0 - p)
    return Terms(
        loss=-np.log(p_of_outcome),
        square=residual**2,
        bin=bin_of(p, N_BINS),
        residual=residual,
    )


def measures(terms: Terms, times: FloatArray) -> FloatArray:
    """Log-loss, Brier score and ECE of rounds counted ``times`` (n,) each."""
    miscalibration = np.abs(np.bincount(terms.bin, times * terms.residual)).sum()
    sums = np.array([times @ terms.loss, times @ terms.square, miscalibration])
    return sums / times.sum()


def _with_intervals(values: NDArray) -> dict[str, dict[str, Any]]:
    """Each measure with its interval. ``values`` (resamples + 1, measures), the first of the rounds
    themselves."""
    intervals = np.quantile(values[1:], (0.025, 0.975), axis=0).T
    return {
        name: {
            "value": round(float(value), DIGITS),
            "interval": [round(end, DIGITS) for end in interval],
        }
        for name, value, interval in zip(MEASURES, values[0], intervals.tolist(), strict=True)
    }


def count_rows(
    groups: IntArray,
    forecasts: Mapping[str, NDArray],
    made: NDArray,
    least: int = 1,
) -> pd.DataFrame:
    """A row for each group (its number is the index) of ``least`` nils or more: ``n``, ``made`` and
    the mean forecast of each method. ``groups``, ``made`` and each of the ``forecasts`` (n,)."""
    n = np.bincount(groups)
    kept = np.flatnonzero(n >= least)
    n_made = np.bincount(groups, made)
    columns: dict[str, NDArray] = {
        "n": n[kept],
        "made": n_made[kept].astype(np.int64),
    }
    for method, p in forecasts.items():
        columns[method] = np.bincount(groups, p)[kept] / n[kept]
    return pd.DataFrame(columns, index=kept)


def score_strata(forecasts: Mapping[str, FloatArray], held_out: Trials) -> list[dict[str, Any]]:
    """Calibration by what was heard and fifth of the nil value, and by how many nats a nil the log-
    loss of the logistic curves is above that of the nil curves, with its interval."""
    made = held_out.made
    behind = terms_of(forecasts["curves"], made).loss - terms_of(forecasts["nil_curves"], made).loss
    stratum = HEARD_OF[held_out.sequence] * N_FIFTHS + bin_of(held_out.value, N_FIFTHS)
    table = count_rows(stratum, forecasts, made)
    rows = []
    for index, row in zip(table.index, table.to_dict("records"), strict=True):
        of_stratum = behind[stratum == index]
        low, high = mean_interval(of_stratum) or (math.nan, math.nan)
        rows.append(
            {
                "heard": HEARD[index // N_FIFTHS],
                "fifth": int(index % N_FIFTHS),
                **{name: round(value, FORECAST_DIGITS) for name, value in row.items()},
                "behind": [round(float(end), DIGITS) for end in (of_stratum.mean(), low, high)],
            }
        )
    return rows


def score_sequences(
    forecasts: Mapping[str, FloatArray],
    sequence: IntArray,
    made: BoolArray,
) -> dict[str, Any]:
    """Every sequence of at least ``LEAST`` nils, and how many intervals hold each forecast.
    ``forecasts`` by method, ``sequence`` (indices) and ``made``, all (n,)."""
    table = count_rows(sequence, forecasts, made, LEAST)
    bids = [format_bids(SEQUENCES[index]) or FIRST for index in table.index]
    return {
        "least": LEAST,
        "seen": len(np.unique(sequence)),
        "shown": len(table),
        "nils_shown": int(table["n"].sum()),
        "covered": count_covered(table),
        "columns": f"previous n made {' '.join(forecasts)}",
        "rows": format_rows(table, bids),
    }


def count_covered(table: pd.DataFrame) -> dict[str, int]:
    """Of each method, how many of the rows' intervals of the share made hold its forecast."""
    low, high = clopper_pearson(table["made"], table["n"])
    covered = {}
    for method in table.columns[2:]:
        is_covered = table[method].between(low, high)
        covered[method] = int(is_covered.sum())
    return covered


def format_rows(table: pd.DataFrame, bids: Sequence[str] = ()) -> list[str]:
    """The rows of ``count_rows`` as texts, ``bids`` before them."""
    if bids:
        table = table.set_axis(bids)
    text = table.to_csv(
        sep=" ", header=False, index=bool(bids), float_format=f"%.{FORECAST_DIGITS}f"
    )
    return str(text).splitlines()
