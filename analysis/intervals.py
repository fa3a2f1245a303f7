"""Intervals at 95%: of shares, of ratios over pairs or games, of means.

Shares of independent trials have Clopper and Pearson's interval (1934), as in the papers. The two
games of a pair share their deals: pairs are independent, games are not. So a ratio of two sums over
pairs (wins to games, points to rounds) has the interval of ``ratio_interval``, in which a pair
counts once. It is narrower than Clopper and Pearson's where luck of the deal decides both games of
a pair for opposite sides. Both hold for one look, after a number of games that was set beforehand;
for repeated looks there is ``sequential_interval``."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, stdtrit  # scipy.stats takes two seconds to import

CONFIDENCE = 0.95
BETS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # shares of the capital
RUNNING_AT = 400
LEAST = 1e-9  # a smaller mean counts as 0
Interval = tuple[float, float] | None


def share_interval(n_of: int, n: int) -> Interval:
    """Clopper and Pearson's interval of a share; None for no trials."""
    if not n:
        return None
    low, high = clopper_pearson(n_of, n)
    return float(low), float(high)


def is_told_apart(more: int, fewer: int) -> bool:
    """Whether what came up more often than another thing is sure to: the 95% interval of its share
    of both leaves out 50%."""
    interval = share_interval(more, more + fewer)
    return interval is not None and interval[0] > 0.5


def clopper_pearson(
    successes: ArrayLike,
    n: ArrayLike,
    *,
    n_shares: int = 1,
) -> tuple[NDArray, NDArray]:
    """Exact intervals of shares, of any shape; 0 to 1 for no trials. ``n_shares`` of them hold
    together (Bonferroni)."""
    successes = np.asarray(successes)
    failures = np.asarray(n) - successes
    tail = (1 - CONFIDENCE) / 2 / n_shares
    low = betaincinv(np.maximum(successes, 1), failures + 1, tail)
    high = betaincinv(successes + 1, np.maximum(failures, 1), 1 - tail)
    low = np.where(successes, low, 0.0)
    high = np.where(failures, high, 1.0)
    return low, high


def rate_columns(n: ArrayLike, made: ArrayLike) -> dict[str, NDArray]:
    """``n``, ``made``, ``rate``, ``low``, ``high``: exact 95% intervals, NaN where n is 0."""
    n = np.asarray(n)
    made = np.asarray(made)
    rate = made / np.maximum(n, 1)
    low, high = clopper_pearson(made, n)
    return {
        "n": n,
        "made": made,
        "rate": np.where(n, rate, np.nan),
        "low": np.where(n, low, np.nan),
        "high": np.where(n, high, np.nan),
    }


def ratio_interval(numerators: NDArray, denominators: NDArray) -> Interval:
    """Interval of sum(numerators) / sum(denominators) over independent pairs.

    The delta method: with ratio r, pair i contributes e_i = numerator - r * denominator; the
    standard error is sqrt(n / (n - 1) * sum(e_i^2)) / sum(denominators), and Student's t has n - 1
    degrees of freedom. None for fewer than two pairs, and where no pair differs from the others,
    so that there is no spread to go by."""
    n = len(numerators)
    total = float(np.sum(denominators))
    if n < 2 or not total:
        return None
    ratio = float(np.sum(numerators)) / total
    residuals = np.subtract(numerators, np.multiply(denominators, ratio))
    variance = n / (n - 1) * float(residuals @ residuals)
    error = math.sqrt(variance) / total
    if error < 1e-12 * max(1.0, abs(ratio)):
        return None
    return _t_interval(ratio, error, n)


def _t_interval(estimate: float, error: float, n: int) -> tuple[float, float]:
    """Student's interval of an estimate from n values, by its standard error."""
    width = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error
    return estimate - width, estimate + width


def sequential_interval(values: NDArray) -> Interval:
    """Interval of the mean of independent values from 0 to 1 that holds at every look: even if one
    looks after each value and stops at will, it misses the mean in at most 5% of all runs.

    Betting on bounded means (Waudby-Smith and Ramdas 2024, sections 3 and 4): if the mean is m, the
    capital prod(1 + b (x / m - 1)) of a bet b is a martingale, and so is its average over ``BETS``.
    By Ville's inequality it ever reaches 40 with a probability of at most 2.5%. The lower end is
    the least m for which it hasn't; the upper end is found the same way from 1 - x."""
    if not len(values):
        return None
    distinct, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    low = _least_mean(distinct, counts)
    high = 1 - _least_mean(1 - distinct, counts)
    return low, high


def _least_mean(values: NDArray, counts: NDArray) -> float:
    """The mean below which a bet that it is higher would have won 40 times its stake."""
    log_goal = math.log(2 / (1 - CONFIDENCE))

    def log_excess(mean: float) -> float:
        """Logarithm of the mean capital over ``BETS``, in units of the goal."""
        gains = np.outer(values / mean - 1, BETS)
        log_capitals = counts @ np.log1p(gains)
        largest = float(log_capitals.max())  # scipy's logsumexp takes longer than all the rest
        mean_capital = float(np.exp(log_capitals - largest).mean())
        return largest + math.log(mean_capital) - log_goal

    mean = float(values @ counts) / float(counts.sum())
    if mean < LEAST or log_excess(LEAST) < 0:
        return 0.0
    return float(brentq(log_excess, LEAST, mean, xtol=1e-6))


def running_widths(deviations: NDArray, n: int, *, n_means: int = 1) -> NDArray:
    """Half widths of intervals of ``n_means`` means of n independent values that hold together, at
    every look at once; ``deviations``: standard deviations of the values, any shape.

    An asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, theorem
    2.2), narrowest at ``RUNNING_AT`` values, with Bonferroni's share of the 5% for each mean. It
    relies on the central limit theorem: don't look before some dozens of values."""
    alpha = (1 - CONFIDENCE) / n_means
    log_term = -2 * math.log(alpha)
    rho_squared = (log_term + math.log(log_term) + 1) / RUNNING_AT
    spread = (n * rho_squared + 1) / (n * n * rho_squared)
    log_odds = math.log(math.sqrt(n * rho_squared + 1) / alpha)
    return deviations * math.sqrt(2 * spread * log_odds)


def mean_interval(values: NDArray) -> Interval:
    """Interval of the mean of independent values by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return _t_interval(float(np.mean(values)), error, len(values))


def difference_interval(
    value: float, interval: tuple[float, float], other: float, of_other: tuple[float, float]
) -> tuple[float, float]:
    """Interval of a value less another one that is independent of it, of the intervals of both
    (Newcombe 1998, method 10).

    >>> difference_interval(5.0, (2.0, 8.0), 1.0, (-3.0, 5.0))
    (-1.0, 9.0)
    """
    low, high = interval
    other_low, other_high = of_other
    difference = value - other
    down = math.hypot(value - low, other_high - other)
    up = math.hypot(high - value, other - other_low)
    return difference - down, difference + up


def with_ends(name: str, value: float, interval: Interval) -> dict[str, float]:
    """A value and the ends of its interval as columns ``name``, ``name_low`` and ``name_high``."""
    low, high = interval or (math.nan, math.nan)
    return {name: value, f"{name}_low": low, f"{name}_high": high}
