"""UCB1 for a subset-armed bandit: a card's mean reward and the upper bound of what it may be."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel
from spades.search.tree import VALUE, VISITS, Tree


@lru_cache(maxsize=16)
def bandit_tables(size: int, exploration: float, reward_scale: float) -> NDArray[np.float32]:
    """Tables that spare the search its divisions, roots and logarithms, shape (3, size).

    Rows: 1 / (c n), C sqrt(ln n) and 1 / sqrt(n) for n = 0 .. size - 1 (entry 0 unused)."""
    n = np.maximum(np.arange(size), 1)
    tables = np.stack(
        [1 / (reward_scale * n), exploration * np.sqrt(np.log(n)), 1 / np.sqrt(n)]
    ).astype(np.float32)
    tables.setflags(write=False)
    return tables


@inlined_kernel
def ucb1(points: np.float32, visits: Int, available: Int, scales: NDArray) -> np.float32:
    """Mean reward and the upper bound of what it may be: ``points`` of ``visits``, as a sum."""
    mean = points * scales[0, np.uintp(visits)]
    return mean + scales[1, np.uintp(available)] * scales[2, np.uintp(visits)]


@inlined_kernel
def unbiased_score(tree: Tree, child: Int, available: Int, scales: NDArray) -> np.float32:
    """UCB1 of a child with its availability."""
    points = np.float32(tree.nodes[child, VALUE])
    return ucb1(points, np.int64(tree.nodes[child, VISITS]), available, scales)
