"""How well nil forecasts foretold nils held out: the stored scores, read and as tables.

``analysis.nil.scores`` makes them; ``NilScoresError`` says what
is wrong with a file that isn't sound.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.bidding.sequences import format_pattern
from analysis.nil.calibration import Bin, NilScoresError, SequenceRow, parse_bins, parse_sequence
from analysis.nil.rates import rate_columns
from spades.bidding.curves import COMMAND, TABLE

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


@dataclass(frozen=True)
class SequenceScores:
    """Forecasts of single sequences: those of at least ``least`` nils held out, ``seen`` of any.

    ``covered``: of each method, how many of the rows' 95 % intervals hold its mean forecast.
    """

    least: int
    seen: int
    covered: dict[str, int]
    rows: tuple[SequenceRow, ...]

    @property
    def n_nils(self) -> int:
        return sum(row.n for row in self.rows)


@dataclass(frozen=True)
class NilScores:
    """Scores of one table's rounds. ``groups``: measures by group of sequences, ``all`` first;
    ``calibration``: bins by group and method; ``sequences``: None in a file made without them."""

    what: str
    n_fitted: int
    n_held_out: int
    groups: dict[str, dict[str, Any]]
    calibration: dict[str, dict[str, list[Bin]]]
    sequences: SequenceScores | None


def load_scores(path: Path = SCORES) -> dict[str, NilScores]:
    """The stored scores by table, as ``AGENTS``; ``NilScoresError`` if they aren't sound."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NilScoresError(f"{path.name} is missing; {COMMAND} makes it") from None
    except (OSError, ValueError) as error:
        raise NilScoresError(f"{path.name} can't be read ({error}); {COMMAND} makes it") from None
    try:
        by_agent = document["agents"]
        return {name: _scores_of(by_agent[agent]) for name, agent in AGENTS.items()}
    except NilScoresError as error:
        raise NilScoresError(f"{path.name}: {error}; {COMMAND} makes it anew") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NilScoresError(
            f"{path.name} holds no scores of nil forecasts ({type(error).__name__}: "
            f"{str(error)[:60]}); {COMMAND} makes it anew"
        ) from None


def _scores_of(stored: dict[str, Any]) -> NilScores:
    groups = {ALL: stored["all"], **stored["groups"]}
    for scored in groups.values():
        _check_measures(scored)
    given = stored["calibration"]
    if ALL in given:
        bins = {name: {m: parse_bins(given[name][m]) for m in METHODS} for name in groups}
    else:  # written before groups had their own
        bins = {ALL: {m: [_plain_bin(row) for row in given[m]] for m in METHODS}}
    rounds = stored["rounds"]
    return NilScores(
        what=str(stored["what"]),
        n_fitted=int(rounds["fitted"]),
        n_held_out=int(rounds["held_out"]),
        groups=groups,
        calibration=bins,
        sequences=_sequences_of(stored["sequences"]) if "sequences" in stored else None,
    )


def _plain_bin(row: dict[str, Any]) -> Bin:
    return Bin(int(row["n"]), round(row["share_made"] * row["n"]), float(row["forecast"]))


def _sequences_of(stored: dict[str, Any]) -> SequenceScores:
    return SequenceScores(
        least=int(stored["least"]),
        seen=int(stored["seen"]),
        covered={name: int(stored["covered"][name]) for name in METHODS},
        rows=tuple(parse_sequence(text, len(METHODS)) for text in stored["rows"]),
    )


def _check_measures(scored: dict[str, Any]) -> None:
    """Every measure of every method is a number with an interval of two."""
    found = [scored[method][measure] for method in METHODS for measure in MEASURES]
    numbers = [[one["value"], *one["interval"]] for one in found]
    shape = len(METHODS) * len(MEASURES), 3
    if np.array(numbers, dtype=np.float64).shape != shape or int(scored["n"]) < 1:
        raise NilScoresError("a measure is not a value and an interval of two")


def score_table(scores: NilScores) -> pd.DataFrame:
    """A row a group and method: ``n`` nils, ``share_made``; ``log_loss``, ``brier``, ``ece`` with
    ``_low`` and ``_high``; ``behind``: its log-loss less the curves', with interval (NaN: they)."""
    rows = [
        _score_row(name, method, scored)
        for name, scored in scores.groups.items()
        for method in METHODS
    ]
    return pd.DataFrame(rows)


def _score_row(group: str, method: str, scored: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "group": group, "method": method, "n": scored["n"], "share_made": scored["share_made"],
    }  # fmt: skip
    for measure in MEASURES:
        one = scored[method][measure]
        low, high = one["interval"]
        row |= {measure: one["value"], f"{measure}_low": low, f"{measure}_high": high}
    behind, low, high = np.nan, np.nan, np.nan
    if method in scored.get("curves_less", {}):
        less = scored["curves_less"][method]["log_loss"]
        behind, low, high = -less["value"], -less["interval"][1], -less["interval"][0]
    return row | {"behind": behind, "behind_low": low, "behind_high": high}


def calibration_rows(scores: NilScores, group: str, methods: Sequence[str]) -> pd.DataFrame:
    """A row a method and bin of its forecast: ``forecast`` (mean), ``n``, ``made``, ``rate`` with
    its exact 95 % interval ``low`` to ``high``, ``is_covered`` if that holds the forecast."""
    found = [
        (method, *one)
        for method in methods
        for one in scores.calibration.get(group, {}).get(method, [])
    ]
    table = pd.DataFrame(found, columns=["method", "n", "made", "forecast"])
    return _with_rates(table)


def sequence_rows(scores: NilScores, methods: Sequence[str]) -> pd.DataFrame:
    """The same by single sequence of previous bids, ``bids`` as links write them."""
    rows = scores.sequences.rows if scores.sequences else ()
    found = [
        (method, format_pattern(row.previous), row.n, row.made, forecast)
        for row in rows
        for method, forecast in zip(METHODS, row.forecasts, strict=True)
        if method in methods
    ]
    return _with_rates(pd.DataFrame(found, columns=["method", "bids", "n", "made", "forecast"]))


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    counts = rate_columns(table["n"].to_numpy(np.int64), table["made"].to_numpy(np.int64))
    table = table.assign(**counts)
    return table.assign(is_covered=table["forecast"].between(table["low"], table["high"]))


def sequence_table(scores: NilScores) -> pd.DataFrame:
    """A row a sequence, those with the most nils first: ``bids``, ``n``, ``made``, ``rate``,
    ``low``, ``high``, and the mean forecast of every method."""
    rows = sequence_rows(scores, list(METHODS))
    columns = ["bids", "n", "made", "rate", "low", "high"]
    wide = rows.pivot_table(index=columns, columns="method", values="forecast").reset_index()
    wide.columns.name = None
    found = wide.reindex(columns=[*columns, *METHODS])
    return found.sort_values(["n", "bids"], ascending=[False, True], ignore_index=True)
