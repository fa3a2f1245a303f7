"""Uncertainty over games: a Poisson bootstrap and random halves, on arrays of counts by game.

Counts have shape (games, classes), and the rows of all groups mean the same games: a game is
drawn with everything that was played in it, so that humans and bots of the same games stay
together. Each game's weight is an independent Poisson(1) number (the bootstrap of Hanley and
MacGibbon 2006), from a fixed seed: the same data give the same interval.

Above ``MAX_BLOCKS`` games, games are first pooled at random into that many blocks of equal
size, which are drawn in their stead; the games being independent, the variance is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

REPLICATES = 1000
SPLITS = 200
MAX_BLOCKS = 2000
LEVEL = 0.95
SEED = 20160


@lru_cache(maxsize=4)
def _weights(n_blocks: int) -> NDArray[np.float32]:
    """How often each block is drawn in each replicate, shape (``REPLICATES``, n_blocks)."""
    rng = np.random.default_rng(SEED)
    return rng.poisson(1.0, (REPLICATES, n_blocks)).astype(np.float32)


def _pool(counts: NDArray) -> NDArray[np.float32]:
    """Counts by game as counts by block, shape (at most ``MAX_BLOCKS``, classes)."""
    n, classes = counts.shape
    if n <= MAX_BLOCKS:
        return counts.astype(np.float32)
    order = np.random.default_rng(SEED).permutation(n)
    per_block = -(-n // MAX_BLOCKS)
    padded = np.zeros((per_block * MAX_BLOCKS, classes), dtype=counts.dtype)
    padded[:n] = counts[order]
    return padded.reshape(per_block, MAX_BLOCKS, classes).sum(axis=0).astype(np.float32)


@dataclass(frozen=True)
class ByGame:
    """Counts by game, shape (games of all logs, classes); one row a game, in every group."""

    counts: NDArray[np.int32]

    @cached_property
    def total(self) -> NDArray[np.int64]:
        """Counts over all games, (classes,)."""
        return self.counts.sum(axis=0, dtype=np.int64)

    @cached_property
    def n_games(self) -> int:
        """Games in which anything was counted."""
        return int(np.count_nonzero(self.counts.any(axis=1)))

    @cached_property
    def replicates(self) -> NDArray[np.float64]:
        """Totals of every class in each resampling, shape (``REPLICATES``, classes)."""
        blocks = _pool(self.counts)
        return (_weights(len(blocks)) @ blocks).astype(np.float64)

    @cached_property
    def halves(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Totals of two random halves of the games, two arrays of shape (``SPLITS``, classes)."""
        blocks = _pool(self.counts[self.counts.any(axis=1)])
        n = len(blocks)
        order = np.random.default_rng(SEED).random((SPLITS, n)).argsort(axis=1)
        in_half = np.zeros((SPLITS, n), dtype=np.float32)
        np.put_along_axis(in_half, order[:, : n // 2], 1.0, axis=1)
        half = (in_half @ blocks).astype(np.float64)
        return half, blocks.sum(axis=0, dtype=np.float64) - half

    def interval(
        self, statistic: Callable[[NDArray], NDArray]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """95 % percentile interval over games of a statistic of totals (..., classes).

        NaN where there are fewer than two games. Replicates in which the statistic is not
        defined (no play of the category drawn) don't count.
        """
        if self.n_games < 2:
            nothing = np.full(np.shape(statistic(self.total)), np.nan)
            return nothing, nothing
        return percentiles(statistic(self.replicates))


def percentiles(values: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of the middle 95 % of replicates (axis 0); NaN replicates left out."""
    ordered = np.sort(values, axis=0)  # NaN last
    n = np.count_nonzero(~np.isnan(ordered), axis=0)
    return tuple(_at(ordered, (n - 1) * tail) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))  # type: ignore[return-value]


def _at(ordered: NDArray, position: NDArray) -> NDArray[np.float64]:
    """Values at fractional positions of axis 0, interpolated."""
    position = np.maximum(position, 0)
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    low = np.take_along_axis(ordered, np.asarray(below)[None], axis=0)[0]
    high = np.take_along_axis(ordered, np.asarray(above)[None], axis=0)[0]
    part = position - below
    return np.asarray(np.where(part > 0, low + part * (high - low), low))
