"""Intervals at 95 %: of shares, of ratios over pairs or games, of means.

Shares of independent trials have Clopper and Pearson's (1934), as the papers report them. The two
games of a pair share their deals, so they aren't independent; what is, are the pairs. A ratio of
two sums over pairs (wins to games, points to rounds) has the interval of ``ratio_interval``, in
which a pair counts once: narrower than Clopper and Pearson's where luck of the deal decides both
games of a pair for opposite sides."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

CONFIDENCE = 0.95
Interval = tuple[float, float] | None


def share_interval(n_of: int, n: int) -> Interval:
    """Clopper and Pearson's interval of a share, None of nothing."""
    if not n:
        return None
    found = stats.binomtest(n_of, n).proportion_ci(CONFIDENCE, method="exact")
    return float(found.low), float(found.high)


def ratio_interval(numerators: NDArray, denominators: NDArray) -> Interval:
    """Interval of sum(numerators) / sum(denominators) over independent pairs.

    The delta method: with ratio r, pair i contributes e_i = numerator - r * denominator; the
    standard error is sqrt(n / (n - 1) * sum(e_i^2)) / sum(denominators), and Student's t has n - 1
    degrees of freedom. None for fewer than two pairs, and where no pair differs from the others:
    then they don't tell how much they would."""
    n, total = len(numerators), float(np.sum(denominators))
    if n < 2 or not total:
        return None
    ratio = float(np.sum(numerators)) / total
    residuals = np.asarray(numerators, dtype=float) - ratio * np.asarray(denominators, dtype=float)
    error = math.sqrt(n / (n - 1) * float(residuals @ residuals)) / total
    if error < 1e-12 * max(1.0, abs(ratio)):
        return None
    width = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return ratio - width, ratio + width


def mean_interval(values: NDArray) -> Interval:
    """Interval of the mean of independent values by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    width = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    return float(np.mean(values)) - width, float(np.mean(values)) + width


def with_ends(name: str, value: float, interval: Interval) -> dict[str, float]:
    """A value and the ends of its interval as columns ``name``, ``name_low`` and ``name_high``."""
    low, high = interval or (math.nan, math.nan)
    return {name: value, f"{name}_low": low, f"{name}_high": high}
