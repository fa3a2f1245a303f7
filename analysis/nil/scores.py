"""The stored scores of forecasts of held-out nils, as tables.

``experiments.nil_scores`` makes them: log-loss in nats a nil, Brier score and expected calibration
error (ECE) of five methods, with 95% intervals, rounded to five places. Forecast against outcome is
stored by stratum (what was heard, fifth of the nil value), and as texts by bin of the forecast in
every group (``n made forecast``, ``;`` between bins) and by sequence of bids (``previous n made
forecast forecast ...``, ``previous`` as links write it: ``3,1``; ``-``: first to bid). Forecasts
are means, rounded to a ten-thousandth. Intervals of the share made follow from n and made.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.bidding.questions import parse_pattern
from analysis.intervals import rate_columns, with_ends
from spades.bidding.curves import COMMAND, HEARD, TABLE
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import stored_table

SCORES = TABLE.with_name("nil_curve_scores.json")
AGENTS = {"srp": "srp+bis", "human": "human"}
"""Whose rounds a table of curves was fitted on, by the table's name on the Bids page."""
METHODS = {
    "nil_curves": "nil curves",
    "curves": "BIS's logistic curves",
    "single": "one curve for all",
    "value": "raw nil value",
    "trees": "boosted trees",
}
MEASURES = ("log_loss", "brier", "ece")
ALL = "all"
FIRST = "-"  # for no previous bid
BETWEEN_BINS = "; "
N_FIFTHS = 5  # of the nil value, in a stratum


class NilScoresError(SpadesError):
    """The stored scores of nil forecasts are missing or can't be read."""


def parse_rows(texts: Sequence[str], methods: Sequence[str], *, of_bids: bool) -> pd.DataFrame:
    """Stored rows as a table: ``bids`` if ``of_bids``, ``n``, ``made``, a column for each method.

    Raises ``NilScoresError`` unless n > 0, 0 <= made <= n and 0 <= forecast <= 1."""
    columns = ["n", "made", *methods]
    if of_bids:
        columns = ["bids", *columns]
    cells = [text.split(" ") for text in texts]
    types = {"n": int, "made": int, **dict.fromkeys(methods, float)}
    table = pd.DataFrame(cells, columns=columns).astype(types)
    forecasts = table[list(methods)]
    are_counts = (table["n"] > 0) & table["made"].between(0, table["n"])
    are_chances = forecasts.ge(0) & forecasts.le(1)
    if not are_counts.all() or not are_chances.all(axis=None):
        raise NilScoresError(f"a row is not {' '.join(columns)}, made <= n, forecasts of 0 to 1")
    for bids in table.get("bids", ()):
        parse_pattern(bids.replace(FIRST, ""))
    return table


@dataclass(frozen=True)
class NilScores:
    """Scores of one table's rounds. ``groups``: measures by group of sequences, ``all`` first;
    ``calibration``: bins by group and method. ``strata``: a row for each kind of bids ``heard`` and
    ``fifth`` of the nil value (0 to 4): ``n``, ``made``, the mean forecast of every method;
    ``behind``, nats a nil by which the log-loss of the logistic curves is above that of the nil
    curves, ``behind_low``, ``behind_high``. ``sequences``: those of at least ``least`` nils held
    out, of ``n_seen`` of any; ``covered``: of each method, how many of their 95% intervals hold
    its mean forecast."""

    what: str
    n_fitted: int
    n_held_out: int
    groups: dict[str, dict[str, Any]]
    calibration: dict[str, dict[str, pd.DataFrame]]
    strata: pd.DataFrame
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
        strata=_parse_strata(stored["strata"]),
        least=int(sequences["least"]),
        n_seen=int(sequences["seen"]),
        covered={name: int(sequences["covered"][name]) for name in METHODS},
        sequences=rows.assign(bids=rows["bids"].replace(FIRST, "")),
    )


def _parse_strata(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Raises an error unless every row has its numbers, as ``parse_rows``."""
    columns = ["n", "made", *METHODS]
    texts = [" ".join(str(row[name]) for name in columns) for row in rows]
    table = parse_rows(texts, list(METHODS), of_bids=False)
    behind = pd.DataFrame(
        [map(float, row["behind"]) for row in rows],
        columns=["behind", "behind_low", "behind_high"],
    )
    heard = [HEARD[HEARD.index(row["heard"])] for row in rows]
    fifths = [range(N_FIFTHS)[int(row["fifth"])] for row in rows]
    return pd.concat([table.assign(heard=heard, fifth=fifths), behind], axis=1)


def _parse_bins(text: str) -> pd.DataFrame:
    bins = text.split(BETWEEN_BINS) if text else []
    return parse_rows(bins, ["forecast"], of_bids=False)


def _check_measures(scored: dict[str, Any]) -> None:
    """Raises an error unless every measure of every method is a number with an interval."""
    measures = [scored[method][name] for method, name in itertools.product(METHODS, MEASURES)]
    measures += [less["log_loss"] for less in scored["nil_curves_less"].values()]
    for measure in measures:
        low, high = measure["interval"]
        _ = [float(number) for number in (measure["value"], low, high)]
    if int(scored["n"]) < 1:
        raise NilScoresError("scores of no nil")


def score_table(scores: NilScores) -> pd.DataFrame:
    """A row for each group and method: ``n`` nils, ``share_made``; ``log_loss``, ``brier``, ``ece``
    with ``_low`` and ``_high``; ``behind``: its log-loss minus the nil curves', with interval (NaN
    for the nil curves)."""
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
        if method in scored["nil_curves_less"]:
            less = scored["nil_curves_less"][method]["log_loss"]
            low, high = less["interval"]
            row |= with_ends("behind", -less["value"], (-high, -low))
        rows.append(row)
    return pd.DataFrame(rows)


def calibration_rows(scores: NilScores, group: str, methods: Sequence[str]) -> pd.DataFrame:
    """A row for each method and bin of its forecast: ``forecast`` (mean), ``n``, ``made``, ``rate``
    with its exact 95% interval ``low`` to ``high``, ``is_covered`` if that holds the forecast."""
    bins = scores.calibration[group]
    tables = [bins[method].assign(method=method) for method in methods]
    table = pd.concat(tables, ignore_index=True)
    return _with_rates(table[["method", "n", "made", "forecast"]])


def sequence_rows(scores: NilScores, methods: Sequence[str]) -> pd.DataFrame:
    """The same by single sequence of previous bids, ``bids`` as links write them."""
    shown = [method for method in METHODS if method in methods]
    table = scores.sequences.melt(["bids", "n", "made"], shown, "method", "forecast")
    return _with_rates(table[["method", "bids", "n", "made", "forecast"]])


def nil_values(fifth: int) -> str:
    """A stratum's nil values, ``0.2 to 0.4``."""
    return f"{fifth / N_FIFTHS:.1f} to {(fifth + 1) / N_FIFTHS:.1f}"


def stratum_rows(scores: NilScores, methods: Sequence[str]) -> pd.DataFrame:
    """The same by ``heard`` and ``fifth`` of the nil value."""
    shown = [method for method in METHODS if method in methods]
    table = scores.strata.melt(["heard", "fifth", "n", "made"], shown, "method", "forecast")
    return _with_rates(table[["method", "heard", "fifth", "n", "made", "forecast"]])


def stratum_table(scores: NilScores) -> pd.DataFrame:
    """A row for each stratum: ``heard``, ``fifth``, ``n``, ``made``, ``rate``, ``low``, ``high``,
    the mean forecast of every method, ``behind`` with its ends."""
    table = scores.strata
    return table.assign(**rate_columns(table["n"], table["made"]))


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(**rate_columns(table["n"], table["made"]))
    is_covered = table["forecast"].between(table["low"], table["high"])
    return table.assign(is_covered=is_covered)


def sequence_table(scores: NilScores) -> pd.DataFrame:
    """A row for each sequence, those with the most nils first: ``bids``, ``n``, ``made``, ``rate``,
    ``low``, ``high``, and the mean forecast of every method."""
    table = scores.sequences
    table = table.assign(**rate_columns(table["n"], table["made"]))
    table = table[["bids", "n", "made", "rate", "low", "high", *METHODS]]
    return table.sort_values(["n", "bids"], ascending=[False, True], ignore_index=True)
