"""How often nils succeed: by sequence of bids and nil value, beside the fitted curves.

A *source* is where nils come from: the rounds that a table of curves was fitted on, or a log. Each
holds counts by sequence and nil value; every rate has its n and an exact (Clopper-Pearson) 95 %
interval, and a bin without a nil has no rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from analysis.bidding.sequences import Pattern, format_pattern, is_exact, name_of, sequences_of
from analysis.bidding.style import clopper_pearson
from spades.bidding import SuccessCurves
from spades.bidding.auction import MAX_PREVIOUS, N_BIDS, N_SEQUENCES, SEQUENCES
from spades.bidding.curves import N_VALUE_BINS, nil_logit

N_PLACES = 101  # of a curve, over the nil values 0 to 1
PARTNER_FROM_LAST = 2  # the partner bid second to last
MAX_SUM = MAX_PREVIOUS * (N_BIDS - 1)


@dataclass(frozen=True, eq=False)
class Source:
    """Nils to learn from. ``counts`` int (2955, 20, 2): nils, and nils made, by sequence and nil
    value; ``curves``: those fitted on them, None for a log."""

    label: str
    counts: NDArray[np.integer]
    curves: SuccessCurves | None = None

    @property
    def n_nils(self) -> int:
        return int(self.counts[..., 0].sum())


def pooled_chance(source: Source, pattern: Pattern, value: NDArray) -> NDArray[np.float64]:
    """The curve of a pattern at nil values above 0, shape (values,).

    Of several sequences: their curves' mean, weighted by the nils that the fit saw after each
    (unweighted if it saw none).
    """
    assert source.curves is not None
    indices = sequences_of(pattern)
    weights = source.curves.n[indices].astype(np.float64)
    weights = weights / weights.sum() if weights.any() else np.full(len(indices), 1 / len(indices))
    return weights @ chances(source.curves, indices, value)


def chances(curves: SuccessCurves, indices: NDArray, value: NDArray) -> NDArray[np.float64]:
    """Each sequence's curve at nil values above 0, shape (sequences, values)."""
    intercept, slope = curves.lines[indices].T
    return expit(intercept[:, None] + slope[:, None] * _logits(value))


def _logits(value: NDArray) -> NDArray[np.float64]:
    """What a curve is a line in, for every nil value."""
    return np.array([nil_logit.py_func(float(v)) for v in value])


def chance_at(source: Source, pattern: Pattern, value: float) -> tuple[float, float, float]:
    """Chance of a nil of this value with its 95 % interval; no interval (NaN) for a pooled curve.

    A nil value of 0 has no chance: the hand can't avoid a trick.
    """
    assert source.curves is not None
    if value <= 0.0:
        return 0.0, 0.0, 0.0
    if is_exact(pattern):
        low, high = source.curves.interval(pattern, value)
        return source.curves.probability(pattern, value), low, high
    return float(pooled_chance(source, pattern, np.array([value]))[0]), np.nan, np.nan


def compute_curves(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Curves of every source that has them: ``source``, ``sequence``, ``value``, ``chance``,
    ``low`` and ``high`` (NaN for pooled curves)."""
    parts = [
        _curve(source, pattern)
        for source in sources
        if source.curves is not None
        for pattern in patterns
    ]
    columns = ["source", "sequence", "value", "chance", "low", "high"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _curve(source: Source, pattern: Pattern) -> pd.DataFrame:
    assert source.curves is not None
    value = np.linspace(0.0, 1.0, N_PLACES)[1:]
    low = high = np.full(len(value), np.nan)
    if is_exact(pattern):
        low, high = np.array([source.curves.interval(pattern, float(v)) for v in value]).T
    return pd.DataFrame(
        {
            "source": source.label,
            "sequence": name_of(pattern),
            "value": value,
            "chance": pooled_chance(source, pattern, value),
            "low": low,
            "high": high,
        }
    )


def compute_rates(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Nils by bin of nil value: 20 rows a source and sequence.

    ``from``, ``to``: edges of the bin; ``n``, ``made``; ``rate``, ``low``, ``high``: NaN where n is
    0; ``curve``: the source's curve in the middle of the bin, NaN without one; ``bids`` the pattern
    as links write it.
    """
    return pd.concat(
        [_rates(source, pattern) for source in sources for pattern in patterns], ignore_index=True
    )


def _rates(source: Source, pattern: Pattern) -> pd.DataFrame:
    n, made = source.counts[sequences_of(pattern)].sum(axis=0, dtype=np.int64).T
    edges = np.arange(N_VALUE_BINS) / N_VALUE_BINS
    curve = np.full(N_VALUE_BINS, np.nan)
    if source.curves is not None:
        curve = pooled_chance(source, pattern, edges + 0.5 / N_VALUE_BINS)
    return pd.DataFrame(
        {
            "source": source.label,
            "sequence": name_of(pattern),
            "bids": format_pattern(pattern),
            "bin": np.arange(N_VALUE_BINS),
            "from": edges,
            "to": edges + 1 / N_VALUE_BINS,
            **rate_columns(n, made),
            "curve": curve,
        }
    )


def rate_columns(n: NDArray, made: NDArray) -> dict[str, NDArray]:
    """``n``, ``made``, ``rate``, ``low``, ``high``: exact 95 % intervals, NaN where n is 0."""
    bounds = np.array(
        [clopper_pearson(int(k), int(m)) for m, k in zip(n, made, strict=True)]
    ).reshape(-1, 2)
    empty = n == 0
    rate = np.where(empty, np.nan, made / np.maximum(n, 1))
    low, high = np.where(empty[:, None], np.nan, bounds).T
    return {"n": n, "made": made, "rate": rate, "low": low, "high": high}


def compute_totals(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """A row a source and sequence: nils, made, rate with its interval, and the chance at which
    the curve stands at nil values of 0.5 and 0.9 (NaN without a curve)."""
    rows = []
    for source in sources:
        for pattern in patterns:
            n, made = source.counts[sequences_of(pattern)].sum(axis=(0, 1), dtype=np.int64)
            found = {name: column[0] for name, column in rate_columns(n[None], made[None]).items()}
            at = np.full(2, np.nan)
            if source.curves is not None:
                at = pooled_chance(source, pattern, np.array([0.5, 0.9]))
            row = {"source": source.label, "sequence": name_of(pattern), **found}
            rows.append(row | {"at 0.5": at[0], "at 0.9": at[1]})
    return pd.DataFrame(rows)


def compute_surface(source: Source, n_previous: int, value: float) -> pd.DataFrame:
    """Chance of a nil by the partner's bid and the sum of the previous bids.

    A row a pair that can be, after two or three bids: ``partner``, ``total``, ``chance`` of the
    curves at this nil value (NaN without curves), pooled over the sequences of the pair as
    ``pooled_chance`` does; ``n``, ``made``, ``rate``, ``low``, ``high`` of the nils of every
    nil value.
    """
    table = pd.DataFrame(_pairs(n_previous), columns=["index", "partner", "total"])
    index = table["index"].to_numpy()
    seen = source.counts[index].sum(axis=1, dtype=np.int64)
    table["n"], table["made"] = seen.T
    if source.curves is not None:
        table["weight"] = source.curves.n[index]
        table["chance"] = chances(source.curves, index, np.array([value]))[:, 0]
    else:
        table["weight"], table["chance"] = 0, np.nan
    rows = []
    for (partner, total), part in table.groupby(["partner", "total"]):
        weights = part["weight"] if part["weight"].any() else None
        chance = np.average(part["chance"], weights=weights)
        rows.append((partner, total, chance, part["n"].sum(), part["made"].sum()))
    found = pd.DataFrame(rows, columns=["partner", "total", "chance", "n", "made"])
    return found.assign(**rate_columns(found["n"].to_numpy(), found["made"].to_numpy()))


def compute_cell(
    source: Source, n_previous: int, partner: int, total: int, value: float
) -> pd.DataFrame:
    """The sequences behind a cell of the surface, those with the most nils first.

    ``bids`` as links write them, ``n``, ``made``, ``rate``, ``low``, ``high`` of the nils of every
    nil value, ``chance`` of the curve at this one (NaN without curves).
    """
    indices = cell_sequences(n_previous, partner, total)
    n, made = source.counts[indices].sum(axis=1, dtype=np.int64).T
    chance = np.full(len(indices), np.nan)
    if source.curves is not None:
        chance = chances(source.curves, indices, np.array([value]))[:, 0]
    bids = [format_pattern(SEQUENCES[index]) for index in indices]
    found = pd.DataFrame({"bids": bids, **rate_columns(n, made), "chance": chance})
    return found.sort_values("n", ascending=False, kind="stable", ignore_index=True)


def cell_sequences(n_previous: int, partner: int, total: int) -> NDArray[np.int64]:
    """Indices of the sequences of that many bids with this partner's bid and this sum."""
    found = [index for index, *pair in _pairs(n_previous) if pair == [partner, total]]
    return np.array(found, dtype=np.int64)


def _pairs(n_previous: int) -> list[tuple[int, int, int]]:
    """Index, partner's bid and sum of every sequence of that many bids."""
    found = []
    for index in range(N_SEQUENCES):
        previous = SEQUENCES[index]
        if len(previous) == n_previous:
            found.append((index, previous[-PARTNER_FROM_LAST], sum(previous)))
    return found
