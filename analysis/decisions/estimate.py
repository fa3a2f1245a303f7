"""What alternatives are worth, from a first guess and rounds that strong agents play on from each.

Values of a decision's classes of cards, points, are taken to be a level that all share, plus a
weighted sum of what the first judges say of each (``weights``), plus a normal error of standard
deviation ``spread``. The mean over the rounds played on is such a value, with the error of a mean
and a normal one of standard deviation ``drift``: those who play the rounds on are not quite those
of the truth set. The estimate is the values' normal distribution given all of this. A lead is thus
drawn towards what the first judges say, the more the fewer rounds there are, and its interval holds
the errors of the judges beside the noise of the rounds.

``Trust`` is fitted to one half of the truth set (``python -m experiments.fit_judge``) and checked
on the other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spades.core.kernel import FloatArray

_ANY_LEVEL = 1e6  # variance of the level that all classes share, points squared
_NO_ROUNDS = 1e9  # variance of a mean over no rounds
_RARE = 30.0  # points from the mean: one more round lies there, for what hasn't happened yet


class Means(NamedTuple):
    """Mean points of n alternatives over rounds played on: ``values`` (n,), and the ``covariance``
    (n, n) of these means."""

    values: FloatArray
    covariance: FloatArray


@dataclass(frozen=True, eq=False)
class Estimate:
    """What n alternatives are worth, normal: ``values`` (n,), their means, points; ``covariance``
    (n, n)."""

    values: FloatArray
    covariance: FloatArray

    @property
    def best(self) -> int:
        return int(self.values.argmax())

    def lead(self, one: int, other: int) -> tuple[float, float]:
        """How many points ``one`` is worth more than ``other``, and the standard deviation."""
        variances = self.covariance[one, one] + self.covariance[other, other]
        variance = max(0.0, variances - 2 * self.covariance[one, other])
        return float(self.values[one] - self.values[other]), math.sqrt(variance)


@dataclass(frozen=True)
class Trust:
    """How far the judges are trusted in decisions of a stratum: the ``weights`` of the first ones'
    values, by name; points ``spread`` and ``drift``, as the module says."""

    weights: Mapping[str, float]
    spread: float
    drift: float


def means_of(points: Sequence[FloatArray]) -> Means:
    """Means over rounds: ``points`` holds an array for each alternative, round by round from the
    first; round i is of the same deal for all, and one that was set aside has fewer of them."""
    counts = np.array([len(own) for own in points])
    values = np.array([own.mean() if len(own) else 0.0 for own in points])
    spreads = np.array([_spread(own) for own in points])
    covariance = _correlations(points) * np.outer(spreads, spreads)
    covariance /= np.maximum(1, np.maximum.outer(counts, counts))
    covariance[np.diag_indices(len(points))] += np.where(counts == 0, _NO_ROUNDS, 0.0)
    return Means(values, covariance)


def with_controls(points: FloatArray, controls: FloatArray, all_controls: FloatArray) -> Means:
    """Means of ``points`` (rounds, n), made surer by controls: what other players make of the same
    rounds, (rounds, n), and of many more, ``all_controls`` (N, n). Where the controls of the rounds
    at hand lie above those of all, the points are taken to do so too, by the slope of the one on
    the other."""
    own = points - points.mean(axis=1, keepdims=True)  # the level that all share tells nothing
    beside = controls - controls.mean(axis=1, keepdims=True)
    own = own - own.mean(axis=0)
    beside = beside - beside.mean(axis=0)
    squares = float((beside**2).sum())
    slope = float((own * beside).sum()) / squares if squares else 0.0
    left = points - slope * controls
    values = left.mean(axis=0) + slope * all_controls.mean(axis=0)
    of_left = np.atleast_2d(np.cov(left, rowvar=False)) / len(left)
    of_controls = np.atleast_2d(np.cov(all_controls, rowvar=False)) / len(all_controls)
    return Means(values, of_left + slope**2 * of_controls)


def _correlations(points: Sequence[FloatArray]) -> FloatArray:
    """Correlations of the alternatives' points, each pair's over its common rounds; as close to
    these as a matrix can be in which they agree with one another."""
    n = len(points)
    correlations = np.eye(n)
    for i in range(n):
        for j in range(i):
            n_common = min(len(points[i]), len(points[j]))
            one = points[i][:n_common]
            other = points[j][:n_common]
            if n_common > 1 and one.std() > 0 and other.std() > 0:
                correlations[i, j] = correlations[j, i] = np.corrcoef(one, other)[0, 1]
    eigenvalues, vectors = np.linalg.eigh(correlations)
    possible = (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(possible))
    return possible / np.outer(scale, scale)


def _spread(values: FloatArray) -> float:
    """The standard deviation of one more value, in which rare ones have a part."""
    if not len(values):
        return 0.0
    squares = len(values) * float(values.var()) + _RARE**2
    return math.sqrt(squares / len(values))


def estimate(guesses: Mapping[str, FloatArray], trust: Trust, means: Means | None) -> Estimate:
    """The estimate from the first judges' values, (n,) each by name, and the means over the rounds;
    without rounds from the guesses alone."""
    weights = trust.weights
    guess = sum((weights[name] * values for name, values in guesses.items()), start=np.zeros(1))
    n = len(guess)
    own = trust.spread**2 * np.eye(n)
    if means is None:
        return Estimate(guess, own)
    prior = own + _ANY_LEVEL
    seen = prior + means.covariance + trust.drift**2 * np.eye(n)
    gain = np.linalg.solve(seen, prior).T
    values = guess + gain @ (means.values - guess)
    return Estimate(values, prior - gain @ prior)
