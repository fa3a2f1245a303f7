"""The stored scores of four kinds of forecasts of held-out nils, as tables.

``experiments/nil_scores.py`` says what is scored and how it is stored. All intervals are at 95%;
those of shares made follow from the counts (Clopper and Pearson)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.bidding.questions import parse_pattern
from analysis.intervals import rate_columns, with_ends
from spades.bidding.curves import COMMAND, TABLE
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import stored_table

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
FIRST = "-"  # for no previous bid
BETWEEN_BINS = "; "
_UNKNOWN = {"value": np.nan, "interval": (np.nan, np.nan)}


class NilScoresError(SpadesError):
    """The stored scores of nil forecasts are missing or can't be read."""


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
