"""How well success curves foretell nils held out, next to a single curve, the nil value and trees.

Log-loss in nats a nil, Brier score, and the expected calibration error (ECE): over 20 bins of the
forecast, the mean distance between forecast and share made, weighted by the nils in a bin (above 0
by chance where nils are few). All intervals are at 95%, from bootstrap over rounds (one tried nil
each); differences are of the same rounds.

``python -m experiments.fit_nil_curves`` stores the scores, numbers rounded to five places, and with
them forecast against outcome, by bin of the forecast in every group and by sequence of bids, as
texts: ``n made forecast`` of a bin (``;`` between them), ``previous n made forecast forecast ...``
of a sequence, ``previous`` as links write it (``3,1``; ``-``: first to bid). A forecast is a mean
rounded to a ten-thousandth, far below what the nils of any row can tell; Clopper and Pearson's
intervals follow from n and made."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from analysis.bidding.questions import format_bids, parse_pattern
from analysis.bidding.trials import Trials
from analysis.intervals import rate_columns, share_interval, with_ends
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
N_RESAMPLES, SEED = 200, 30405
FLOOR = 0.001  # keeps the raw nil value, as a forecast, off 0 and 1
DIGITS, FORECAST_DIGITS = 5, 4
RARE, COMMON = 50, 1000  # nils that a sequence was fitted on
N_BINS = 20
LEAST = 100  # nils held out that a sequence needs for a row of its own
FIRST = "-"  # for no previous bid
BETWEEN_BINS = "; "
_UNKNOWN = {"value": np.nan, "interval": (np.nan, np.nan)}


class NilScoresError(SpadesError):
    """The stored scores of nil forecasts are missing or can't be read."""


def scores_document(curves: SuccessCurves, fitted: Trials, held_out: Trials) -> dict[str, Any]:
    """Scores on the rounds held out, overall and by group of sequences; and what the curves won."""
    forecasts = forecasts_of(curves, fitted, held_out)
    made, groups = held_out.made, groups_of(curves, held_out.sequence)
    by_group = {
        name: ({k: p[rows] for k, p in forecasts.items()}, made[rows])
        for name, rows in {ALL: np.ones(len(made), dtype=np.bool_), **groups}.items()
        if rows.any()
    }
    scores = {}
    for name, group in by_group.items():
        scored, less = compared(*group)
        scores[name] = {**scored, "curves_less": less}
    return {
        "what": curves.metadata["what"],
        "rounds": {"fitted": len(fitted.seat), "held_out": len(held_out.seat)},
        "confidence": 0.95,
        "resamples": N_RESAMPLES,
        "all": scores.pop(ALL),
        "groups": scores,
        "calibration": {
            name: {
                method: BETWEEN_BINS.join(
                    format_rows(count_rows(bin_of(p, N_BINS), {method: p}, of))
                )
                for method, p in by_method.items()
            }
            for name, (by_method, of) in by_group.items()
        },
        "sequences": score_sequences(forecasts, held_out.sequence, made),
    }


def forecasts_of(curves: SuccessCurves, fitted: Trials, held_out: Trials) -> dict[str, NDArray]:
    """Chance of every nil held out, float64 (n,), by each of the four ``METHODS``."""
    single = expit(curves.single[0] + curves.single[1] * logits(held_out.value))
    by_line = {"curves": by_curves(curves, held_out), "single": single}
    return {**by_line, "value": by_value(held_out), "trees": by_trees(fitted, held_out)}


def by_curves(curves: SuccessCurves, held_out: Trials) -> NDArray[np.float64]:
    intercept, slope = curves.lines[held_out.sequence].T
    return expit(intercept + slope * logits(held_out.value))


def by_value(held_out: Trials) -> NDArray[np.float64]:
    return np.clip(held_out.value, FLOOR, 1.0 - FLOOR)


def by_trees(fitted: Trials, held_out: Trials) -> NDArray[np.float64]:
    """Forecasts of gradient-boosted trees that rise with the nil value."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # a second, not for the page

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
    bids, seen = previous_bids(), curves.n
    n_bids, (by_right, by_partner, by_left) = (bids >= 0).sum(axis=1), (bids == NIL_BID).T
    by_sequence = {
        **{f"{n} previous bids": n_bids == n for n in range(4)},
        "a partner's nil": by_partner,
        "an opponent's nil, no partner's": (by_right | by_left) & ~by_partner,
        f"seen fewer than {RARE} times": seen < RARE,
        f"seen {RARE} to {COMMON - 1} times": (seen >= RARE) & (seen < COMMON),
        f"seen {COMMON} times or more": seen >= COMMON,
    }
    return {name: which[sequence] for name, which in by_sequence.items()}


def compared(
    forecasts: dict[str, NDArray], made: NDArray[np.bool_]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Every measure of every forecast, and the first one's less each other's, with intervals."""
    terms = [terms_of(forecast, made) for forecast in forecasts.values()]
    n, rng = len(made), np.random.default_rng(SEED)
    drawn = (np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(N_RESAMPLES))
    weights = itertools.chain([np.ones(n)], (times.astype(np.float64) for times in drawn))
    # Measures of every method (methods, resamples + 1, 3), those of the rounds themselves first.
    found = np.array([[measures(term, times) for term in terms] for times in weights])
    found = found.swapaxes(0, 1)
    scored: dict[str, Any] = {"n": n, "share_made": round(float(made.mean()), DIGITS)}
    scored |= dict(zip(forecasts, map(_with_intervals, found), strict=True))
    less = map(_with_intervals, found[0] - found[1:])
    return scored, dict(zip(list(forecasts)[1:], less, strict=True))


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


def _with_intervals(found: NDArray) -> dict[str, dict[str, Any]]:
    """Each measure and the interval of its resamples, (resamples + 1, 3)."""
    ends = np.quantile(found[1:], (0.025, 0.975), axis=0).T
    return {
        name: {"value": round(float(value), DIGITS), "interval": [round(e, DIGITS) for e in pair]}
        for name, value, pair in zip(MEASURES, found[0], ends.tolist(), strict=True)
    }


def count_rows(
    which: NDArray[np.int64], forecasts: Mapping[str, NDArray], made: NDArray, least: int = 1
) -> pd.DataFrame:
    """A row for each of ``which`` (n,), the index, that has ``least`` nils or more. ``n``, ``made``
    and the mean of each of the ``forecasts`` (n,) by method."""
    n = np.bincount(which)
    kept = np.flatnonzero(n >= least)
    counts = {"n": n[kept], "made": np.bincount(which, made)[kept].astype(np.int64)}
    means = {name: np.bincount(which, p)[kept] / n[kept] for name, p in forecasts.items()}
    return pd.DataFrame({**counts, **means}, index=kept)


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
    counts = table[["n", "made"]].itertuples(index=False)
    low, high = np.array([share_interval(made, n) for n, made in counts]).reshape(-1, 2).T
    return {name: int(table[name].between(low, high).sum()) for name in table.columns[2:]}


def format_rows(table: pd.DataFrame, bids: Sequence[str] = ()) -> list[str]:
    """The rows of ``count_rows`` as texts, ``bids`` before them."""
    table, form = table.set_axis(bids) if bids else table, f"%.{FORECAST_DIGITS}f"
    text = table.to_csv(sep=" ", header=False, index=bool(bids), float_format=form)
    return str(text).splitlines()


def parse_rows(texts: Sequence[str], methods: Sequence[str], *, of_bids: bool) -> pd.DataFrame:
    """What ``format_rows`` wrote: ``bids`` if so, ``n``, ``made``, a column a method. Raises
    ``ValueError`` for what it didn't write: 0 <= made <= n, n above 0, forecasts 0 to 1."""
    columns = [*["bids"] * of_bids, "n", "made", *methods]
    table = pd.DataFrame([text.split(" ") for text in texts], columns=columns)
    table = table.astype({"n": int, "made": int, **dict.fromkeys(methods, float)})
    is_sound = table["made"].between(0, table["n"]) & (table["n"] > 0)
    if not (is_sound & table[[*methods]].clip(0, 1).eq(table[[*methods]]).all(axis=1)).all():
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
    bins, sequences = stored["calibration"], stored["sequences"]
    rows = parse_rows(sequences["rows"], list(METHODS), of_bids=True)
    return NilScores(
        what=str(stored["what"]),
        n_fitted=int(stored["rounds"]["fitted"]),
        n_held_out=int(stored["rounds"]["held_out"]),
        groups=groups,
        calibration={g: {m: _bins(bins[g][m]) for m in METHODS} for g in groups},
        least=int(sequences["least"]),
        n_seen=int(sequences["seen"]),
        covered={name: int(sequences["covered"][name]) for name in METHODS},
        sequences=rows.assign(bids=rows["bids"].replace(FIRST, "")),
    )


def _bins(text: str) -> pd.DataFrame:
    return parse_rows(text.split(BETWEEN_BINS) if text else [], ["forecast"], of_bids=False)


def _check_measures(scored: dict[str, Any]) -> None:
    """Every measure of every method is a number with an interval of two."""
    found = [scored[method][measure] for method in METHODS for measure in MEASURES]
    numbers = [[one["value"], *one["interval"]] for one in found]
    if np.array(numbers, dtype=np.float64).shape != (len(found), 3) or int(scored["n"]) < 1:
        raise NilScoresError("a measure is not a value and an interval of two")


def score_table(scores: NilScores) -> pd.DataFrame:
    """A row a group and method: ``n`` nils, ``share_made``; ``log_loss``, ``brier``, ``ece`` with
    ``_low`` and ``_high``; ``behind``: its log-loss less the curves', with interval (NaN: they)."""
    rows = []
    for (group, scored), method in itertools.product(scores.groups.items(), METHODS):
        row = {"group": group, "method": method, **{k: scored[k] for k in ("n", "share_made")}}
        for measure in MEASURES:
            one = scored[method][measure]
            row |= with_ends(measure, one["value"], one["interval"])
        less = scored.get("curves_less", {}).get(method, {}).get("log_loss", _UNKNOWN)
        low, high = less["interval"]
        rows.append(row | with_ends("behind", -less["value"], (-high, -low)))
    return pd.DataFrame(rows)


def calibration_rows(scores: NilScores, group: str, methods: Sequence[str]) -> pd.DataFrame:
    """A row a method and bin of its forecast: ``forecast`` (mean), ``n``, ``made``, ``rate`` with
    its exact 95% interval ``low`` to ``high``, ``is_covered`` if that holds the forecast."""
    bins = scores.calibration[group]
    found = pd.concat([bins[method].assign(method=method) for method in methods])
    return _with_rates(found[["method", "n", "made", "forecast"]].reset_index(drop=True))


def sequence_rows(scores: NilScores, methods: Sequence[str]) -> pd.DataFrame:
    """The same by single sequence of previous bids, ``bids`` as links write them."""
    shown = [method for method in METHODS if method in methods]
    found = scores.sequences.melt(["bids", "n", "made"], shown, "method", "forecast")
    return _with_rates(found[["method", "bids", "n", "made", "forecast"]])


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    counts = table[["n", "made"]].to_numpy(np.int64).T
    table = table.assign(**rate_columns(*counts))
    return table.assign(is_covered=table["forecast"].between(table["low"], table["high"]))


def sequence_table(scores: NilScores) -> pd.DataFrame:
    """A row a sequence, those with the most nils first: ``bids``, ``n``, ``made``, ``rate``,
    ``low``, ``high``, and the mean forecast of every method."""
    counts = scores.sequences[["n", "made"]].to_numpy(np.int64).T
    found = scores.sequences.assign(**rate_columns(*counts))
    found = found[["bids", "n", "made", "rate", "low", "high", *METHODS]]
    return found.sort_values(["n", "bids"], ascending=[False, True], ignore_index=True)
