"""Scores of forecasts of held-out nils: success curves, a single curve, the nil value, trees.

Log-loss in nats a nil, Brier score, and the expected calibration error (ECE): over 20 bins of the
forecast, the mean distance between forecast and share made, weighted by the nils in a bin (above 0
by chance where nils are few). All intervals are at 95%, by bootstrap over rounds (one tried nil
each); differences are between forecasts of the same rounds.

``python -m experiments.fit_nil_curves`` stores the scores, rounded to five places, and forecast
against outcome, by bin of the forecast in every group and by sequence of bids, as texts:
``n made forecast`` of a bin (``;`` between them), ``previous n made forecast forecast ...`` of a
sequence, ``previous`` as links write it (``3,1``; ``-``: first to bid). A forecast is a mean
rounded to a ten-thousandth, far finer than the nils of any row can tell; Clopper and Pearson's
intervals follow from n and made."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from analysis.bidding.questions import format_bids, parse_pattern
from analysis.bidding.trials import Trials
from analysis.intervals import clopper_pearson, rate_columns, with_ends
from analysis.nil.rates import bin_of, logits, previous_bids
from spades.bidding.auction import SEQUENCES
from spades.bidding.curves import COMMAND, TABLE, SuccessCurves
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import stored_table
from spades.core.rules import NIL_BID

SCORES = TABLE.with_name("nil_curve_scores.json")
AGENTS = {"srp": "srp+bis", "human": "human"}
"""Whose rounds a table of curves was fitted on, by the table's name on the Nil page."""
METHODS = {
    "curves": "success curves",
    "single": "one curve for all",
    "value": "raw nil value",
    "trees": "boosted trees",
}
MEASURES = ("log_loss", "brier", "ece")
ALL = "all"
N_RESAMPLES = 200
SEED = 30405
FLOOR = 0.001  # keeps the raw nil value, as a forecast, off 0 and 1
DIGITS = 5
FORECAST_DIGITS = 4
RARE = 50  # nils that a sequence was fitted on
COMMON = 1000
N_BINS = 20
LEAST = 100  # nils held out that a sequence needs for a row of its own
FIRST = "-"  # for no previous bid
BETWEEN_BINS = "; "
_UNKNOWN = {"value": np.nan, "interval": (np.nan, np.nan)}


class NilScoresError(SpadesError):
    """The stored scores of nil forecasts are missing or can't be read."""


def scores_document(curves: SuccessCurves, fitted: Trials, held_out: Trials) -> dict[str, Any]:
    """Scores on the rounds held out, overall and by group of sequences; and by how much the curves
    are ahead of each other method."""
    forecasts = forecasts_of(curves, fitted, held_out)
    made = held_out.made
    groups = {
        ALL: np.ones(len(made), dtype=np.bool_),
        **groups_of(curves, held_out.sequence),
    }
    scores = {}
    calibration = {}
    for name, rows in groups.items():
        if not rows.any():
            continue
        group_forecasts = {method: p[rows] for method, p in forecasts.items()}
        scored, less = compared(group_forecasts, made[rows])
        scores[name] = {**scored, "curves_less": less}
        calibration[name] = {
            method: _calibration_text(method, p, made[rows])
            for method, p in group_forecasts.items()
        }
    return {
        "what": curves.metadata["what"],
        "rounds": {"fitted": len(fitted.seat), "held_out": len(held_out.seat)},
        "confidence": 0.95,
        "resamples": N_RESAMPLES,
        "all": scores.pop(ALL),
        "groups": scores,
        "calibration": calibration,
        "sequences": score_sequences(forecasts, held_out.sequence, made),
    }


def _calibration_text(method: str, p: NDArray[np.float64], made: NDArray[np.bool_]) -> str:
    bins = count_rows(bin_of(p, N_BINS), {method: p}, made)
    return BETWEEN_BINS.join(format_rows(bins))


def forecasts_of(curves: SuccessCurves, fitted: Trials, held_out: Trials) -> dict[str, NDArray]:
    """Chance of every nil held out, float64 (n,), by each of the four ``METHODS``."""
    intercept, slope = curves.single
    return {
        "curves": by_curves(curves, held_out),
        "single": expit(intercept + slope * logits(held_out.value)),
        "value": by_value(held_out),
        "trees": by_trees(fitted, held_out),
    }


def by_curves(curves: SuccessCurves, held_out: Trials) -> NDArray[np.float64]:
    intercept, slope = curves.lines[held_out.sequence].T
    return expit(intercept + slope * logits(held_out.value))


def by_value(held_out: Trials) -> NDArray[np.float64]:
    return np.clip(held_out.value, FLOOR, 1.0 - FLOOR)


def by_trees(fitted: Trials, held_out: Trials) -> NDArray[np.float64]:
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


def tree_columns(trials: Trials) -> NDArray[np.float64]:
    """Nil value, the bids of right opponent, partner and left opponent (nan: none yet), their sum.
    Float64 (n, 5)."""
    return np.column_stack([trials.value, previous_bids()[trials.sequence], trials.total])


def groups_of(curves: SuccessCurves, sequence: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
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
    forecasts: dict[str, NDArray], made: NDArray[np.bool_]
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


def _resamples(n: int) -> Iterator[NDArray[np.float64]]:
    """How often each of n rounds counts, (n,): each once, then as bootstrap draws them."""
    yield np.ones(n)
    rng = np.random.default_rng(SEED)
    for _ in range(N_RESAMPLES):
        yield np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)


class Terms(NamedTuple):
    """What each round adds to the measures of a forecast, (n,): log-loss, squared error, bin of
    the forecast, and made less forecast."""

    loss: NDArray[np.float64]
    square: NDArray[np.float64]
    bin: NDArray[np.int64]
    residual: NDArray[np.float64]


def terms_of(p: NDArray[np.float64], made: NDArray[np.bool_]) -> Terms:
    residual = made - p
    p_of_outcome = np.where(made, p, 1.0 - p)
    return Terms(
        loss=-np.log(p_of_outcome),
        square=residual**2,
        bin=bin_of(p, N_BINS),
        residual=residual,
    )


def measures(terms: Terms, times: NDArray[np.float64]) -> NDArray[np.float64]:
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
    groups: NDArray[np.int64],
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


def score_sequences(
    forecasts: Mapping[str, NDArray[np.float64]],
    sequence: NDArray[np.int64],
    made: NDArray[np.bool_],
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


def parse_rows(texts: Sequence[str], methods: Sequence[str], *, of_bids: bool) -> pd.DataFrame:
    """What ``format_rows`` wrote: ``bids`` if ``of_bids``, ``n``, ``made``, a column for each
    method. Raises ``NilScoresError`` unless 0 <= made <= n, n > 0 and forecasts are 0 to 1."""
    columns = ["n", "made", *methods]
    if of_bids:
        columns = ["bids", *columns]
    table = pd.DataFrame([text.split(" ") for text in texts], columns=columns)
    table = table.astype({"n": int, "made": int, **dict.fromkeys(methods, float)})
    are_counts = (table["n"] > 0) & table["made"].between(0, table["n"])
    forecasts = table[[*methods]]
    are_chances = ((forecasts >= 0) & (forecasts <= 1)).all(axis=1)
    if not (are_counts & are_chances).all():
        raise NilScoresError(f"a row is not {' '.join(columns)}, made <= n, forecasts of 0 to 1")
    for bids in table.get("bids", ()):
        parse_pattern(bids.replace(FIRST, ""))
    return table


@dataclass(frozen=True)
class NilScores:
    """Scores of one table's rounds. ``groups``: measures by group of sequences, ``all`` first;
    ``calibration``: bins by group and method. ``sequences``: those of at least ``least`` nils held
    out, of ``n_seen`` of any; ``covered``: of each method, how many of their 95% intervals hold
    its mean forecast."""

    what: str
    n_fitted: int
    n_held_out: int
    groups: dict[str, dict[str, Any]]
    calibration: dict[str, dict[str, pd.DataFrame]]
    least: int
    n_seen: int
    covered: dict[str, int]
    sequences: pd.DataFrame


def load_scores(path: Path = SCORES) -> dict[str, NilScores]:
    """The stored scores by table, as ``AGENTS``; ``NilScoresError`` if they aren't sound."""
    with stored_table(path, COMMAND, NilScoresError):
        by_agent = read_json(path)["agents"]
        return {name: _scores_of(by_agent[agent]) for name, agent in AGENTS.items()}


def _scores_of(stored: dict[str, Any]) -> NilScores:
    groups = {ALL: stored["all"], **stored["groups"]}
    for scored in groups.values():
        _check_measures(scored)
    calibration = {}
    for group in groups:
        bins = stored["calibration"][group]
        calibration[group] = {method: _parse_bins(bins[method]) for method in METHODS}
    sequences = stored["sequences"]
    rows = parse_rows(sequences["rows"], list(METHODS), of_bids=True)
    return NilScores(
        what=str(stored["what"]),
        n_fitted=int(stored["rounds"]["fitted"]),
        n_held_out=int(stored["rounds"]["held_out"]),
        groups=groups,
        calibration=calibration,
        least=int(sequences["least"]),
        n_seen=int(sequences["seen"]),
        covered={name: int(sequences["covered"][name]) for name in METHODS},
        sequences=rows.assign(bids=rows["bids"].replace(FIRST, "")),
    )


def _parse_bins(text: str) -> pd.DataFrame:
    bins = text.split(BETWEEN_BINS) if text else []
    return parse_rows(bins, ["forecast"], of_bids=False)


def _check_measures(scored: dict[str, Any]) -> None:
    """Raises ``NilScoresError`` unless every measure of every method is a number with an interval
    of two."""
    numbers = []
    for method, measure in itertools.product(METHODS, MEASURES):
        stored = scored[method][measure]
        numbers.append([stored["value"], *stored["interval"]])
    is_complete = np.array(numbers, dtype=np.float64).shape == (len(numbers), 3)
    if not is_complete or int(scored["n"]) < 1:
        raise NilScoresError("a measure is not a value and an interval of two")


def score_table(scores: NilScores) -> pd.DataFrame:
    """A row for each group and method: ``n`` nils, ``share_made``; ``log_loss``, ``brier``, ``ece``
    with ``_low`` and ``_high``; ``behind``: its log-loss less the curves', with interval (NaN for
    the curves)."""
    rows = []
    for (group, scored), method in itertools.product(scores.groups.items(), METHODS):
        row = {
            "group": group,
            "method": method,
            "n": scored["n"],
            "share_made": scored["share_made"],
        }
        for measure in MEASURES:
            stored = scored[method][measure]
            row |= with_ends(measure, stored["value"], stored["interval"])
        ahead = scored.get("curves_less", {}).get(method, {}).get("log_loss", _UNKNOWN)
        low, high = ahead["interval"]
        row |= with_ends("behind", -ahead["value"], (-high, -low))
        rows.append(row)
    return pd.DataFrame(rows)


def calibration_rows(scores: NilScores, group: str, methods: Sequence[str]) -> pd.DataFrame:
    """A row for each method and bin of its forecast: ``forecast`` (mean), ``n``, ``made``, ``rate``
    with its exact 95% interval ``low`` to ``high``, ``is_covered`` if that holds the forecast."""
    bins = scores.calibration[group]
    table = pd.concat([bins[method].assign(method=method) for method in methods], ignore_index=True)
    return _with_rates(table[["method", "n", "made", "forecast"]])


def sequence_rows(scores: NilScores, methods: Sequence[str]) -> pd.DataFrame:
    """The same by single sequence of previous bids, ``bids`` as links write them."""
    shown = [method for method in METHODS if method in methods]
    table = scores.sequences.melt(["bids", "n", "made"], shown, "method", "forecast")
    return _with_rates(table[["method", "bids", "n", "made", "forecast"]])


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(**rate_columns(table["n"], table["made"]))
    return table.assign(is_covered=table["forecast"].between(table["low"], table["high"]))


def sequence_table(scores: NilScores) -> pd.DataFrame:
    """A row for each sequence, those with the most nils first: ``bids``, ``n``, ``made``, ``rate``,
    ``low``, ``high``, and the mean forecast of every method."""
    table = scores.sequences
    table = table.assign(**rate_columns(table["n"], table["made"]))
    table = table[["bids", "n", "made", "rate", "low", "high", *METHODS]]
    return table.sort_values(["n", "bids"], ascending=[False, True], ignore_index=True)
