"""Forecast against outcome of nils held out: by bin of the forecast, and by sequence of bids.

Stored in text, a row each, for a file that stays small: ``n made forecast`` of a bin (rows of one
diagram in one text, separated by ``;``), ``previous n made forecast forecast ...`` of a sequence,
``previous`` as links write it (``3,1``; ``-``: first to bid). ``forecast`` is the mean of the
forecasts. Intervals are not stored: they are Clopper and Pearson's of n and made. Forecasts are
rounded to a ten-thousandth, far below what the nils of any row can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.sequences import Pattern, format_pattern, parse_pattern
from analysis.intervals import share_interval
from analysis.nil.rounds import bin_of
from spades.bidding.auction import N_SEQUENCES, SEQUENCES
from spades.core.errors import SpadesError

N_BINS = 20
LEAST = 100  # nils held out that a sequence needs for a row of its own
FIRST = "-"  # for no previous bid
DIGITS = 4
BETWEEN_BINS = "; "


class NilScoresError(SpadesError):
    """The stored scores of nil forecasts are missing or can't be read."""


class Bin(NamedTuple):
    """Nils whose forecasts lie in one bin: how many, how many made, the mean forecast."""

    n: int
    made: int
    forecast: float


class SequenceRow(NamedTuple):
    """Nils held out after one sequence of bids: n, made, the mean forecast of each method."""

    previous: Pattern
    n: int
    made: int
    forecasts: tuple[float, ...]


def count_bins(p: NDArray[np.float64], made: NDArray[np.bool_]) -> list[Bin]:
    """The reliability diagram of forecasts ``p`` (n,), of the bins with nils."""
    which = bin_of(p, N_BINS)
    n = np.bincount(which, minlength=N_BINS)
    forecast, n_made = np.bincount(which, p, N_BINS), np.bincount(which, made, N_BINS)
    return [Bin(int(n[i]), int(n_made[i]), float(forecast[i] / n[i])) for i in np.flatnonzero(n)]


def format_bins(bins: list[Bin]) -> str:
    return BETWEEN_BINS.join(f"{row.n} {row.made} {row.forecast:.{DIGITS}f}" for row in bins)


def parse_bins(text: str) -> list[Bin]:
    """The inverse of ``format_bins``; ``NilScoresError`` for what it didn't write."""
    rows = text.split(BETWEEN_BINS) if text else []
    found = [_counts(row.split(" "), 1) for row in rows]
    return [Bin(n, made, forecasts[0]) for n, made, forecasts in found]


def score_sequences(
    forecasts: Mapping[str, NDArray[np.float64]],
    sequence: NDArray[np.int64],
    made: NDArray[np.bool_],
) -> dict[str, Any]:
    """Every sequence of at least ``LEAST`` nils, and how many intervals hold each forecast.

    ``forecasts`` by method, ``sequence`` (indices) and ``made``, all (n,).
    """
    n = np.bincount(sequence, minlength=N_SEQUENCES)
    n_made = np.bincount(sequence, made, N_SEQUENCES)
    sums = [np.bincount(sequence, p, N_SEQUENCES) for p in forecasts.values()]
    rows = [
        SequenceRow(SEQUENCES[i], int(n[i]), int(n_made[i]), tuple(s[i] / n[i] for s in sums))
        for i in np.flatnonzero(n >= LEAST)
    ]
    return {
        "least": LEAST,
        "seen": int((n > 0).sum()),
        "shown": len(rows),
        "nils_shown": sum(row.n for row in rows),
        "covered": dict(zip(forecasts, count_covered(rows, len(forecasts)), strict=True)),
        "columns": f"previous n made {' '.join(forecasts)}",
        "rows": [format_sequence(row) for row in rows],
    }


def count_covered(rows: list[SequenceRow], n_methods: int) -> list[int]:
    """Of each method, how many of the rows' intervals of the share made hold its forecast."""
    found = [0] * n_methods
    for row in rows:
        low, high = share_interval(row.made, row.n) or (0.0, 1.0)
        for at, forecast in enumerate(row.forecasts):
            found[at] += int(low <= forecast <= high)
    return found


def format_sequence(row: SequenceRow) -> str:
    forecasts = " ".join(f"{forecast:.{DIGITS}f}" for forecast in row.forecasts)
    return f"{format_pattern(row.previous) or FIRST} {row.n} {row.made} {forecasts}"


def parse_sequence(text: str, n_methods: int) -> SequenceRow:
    """The inverse of ``format_sequence``; ``NilScoresError`` for what it didn't write."""
    previous, *numbers = text.split(" ")
    n, made, forecasts = _counts(numbers, n_methods)
    try:
        pattern = parse_pattern("" if previous == FIRST else previous)
    except SpadesError as error:
        raise NilScoresError(f"row {text[:60]!r}: {error}") from None
    return SequenceRow(pattern, n, made, forecasts)


def _counts(words: list[str], n_forecasts: int) -> tuple[int, int, tuple[float, ...]]:
    """n, made and forecasts, checked: 0 <= made <= n, n above 0, forecasts 0 to 1."""
    said = f"{' '.join(words)[:60]!r}"
    try:
        n, made, forecasts = int(words[0]), int(words[1]), tuple(map(float, words[2:]))
    except (ValueError, IndexError):
        raise NilScoresError(f"{said} is not n, made and {n_forecasts} forecasts") from None
    is_sound = 0 <= made <= n and n > 0 and all(0.0 <= p <= 1.0 for p in forecasts)
    if len(forecasts) != n_forecasts or not is_sound:
        raise NilScoresError(f"{said} is not n, made <= n and {n_forecasts} forecasts of 0 to 1")
    return n, made, forecasts
