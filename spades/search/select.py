"""Selection: the card that a search tries next in a node, with and without a bias.

Every legal child of a visited node gains one availability, and the child with the largest

    X_i + C sqrt(ln n_avail(i) / n_i)

is taken. A bias (``spades.search.bias``) adds its term where the model is queried.
"""

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel, kernel, lowest
from spades.core.step import Progress
from spades.search.bias import Bias, Experience
from spades.search.playouts import query_model
from spades.search.skew import Skew
from spades.search.tree import (
    AVAILABILITY,
    N_CHOICES,
    NO_NODE,
    NO_SLOT,
    PRIOR,
    ROOT_SLOT,
    SLOT,
    VALUE,
    VISITS,
    Position,
    Scratch,
    Tree,
)

_HALF = np.float32(0.5)
Pull = tuple[np.float32, Experience | None]
"""Of a bias: what P is multiplied by, and equivalent experience."""


@inlined_kernel
def select(tree: Tree, node: Int, legal: Int, scales: NDArray) -> tuple[Int, Int]:
    """Best card (code) without a bias, void while a card is untried; the untried cards."""
    best, top, untried = np.int64(0), np.float32(-np.inf), np.int64(0)
    slot = np.uintp(tree.nodes[node, SLOT])
    if slot == NO_SLOT:
        return best, legal
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[slot, np.uintp(code)])
        if child == NO_NODE:
            untried |= np.int64(1) << code
        else:
            available = tree.nodes[child, AVAILABILITY] + 1
            tree.nodes[child, AVAILABILITY] = available
            score = score_of(tree, child, available, scales, None, None)
            if score > top:
                top, best = score, code
        legal &= legal - 1
    return best, untried


@inlined_kernel
def score_of(
    tree: Tree,
    child: Int,
    available: Int,
    scales: NDArray,
    strength: np.float32 | None,
    experience: Experience | None,
) -> np.float32:
    """UCB1 with availability, and what a bias adds: P times its strength, or w visits."""
    visits, points = np.int64(tree.nodes[child, VISITS]), np.float32(tree.nodes[child, VALUE])
    if experience is not None:
        w, w_points = experience
        visits += w
        available += tree.nodes[child, N_CHOICES] * w
        points += (tree.priors[child, PRIOR] - _HALF) * w_points
    score = points * scales[0, np.uintp(visits)]
    score += scales[1, np.uintp(available)] * scales[2, np.uintp(visits)]
    if strength is not None:
        score += strength * tree.priors[child, PRIOR]
    return score


@inlined_kernel
def select_biased(
    tree: Tree,
    node: Int,
    legal: Int,
    bias: Bias,
    root: tuple[NDArray, Position, Scratch],
    at: Progress,
) -> tuple[Int, Int]:
    """``select`` with a bias; ``root``: scales, start position, scratch.

    P is normalised over the cards legal in this deal; only those that lack theirs get it."""
    scales, position, scratch = root
    slot, best = np.uintp(tree.nodes[node, SLOT]), np.int64(0)
    if slot == NO_SLOT:
        return best, legal
    pull = (bias.strengths[np.uintp(tree.nodes[node, VISITS])], bias.experience)
    if legal & ~tree.known[slot] == 0:
        return best_known(tree, slot, legal, scales, pull, 1), np.int64(0)
    untried = make_available(tree, slot, legal)
    if untried:
        return best, untried
    n = query_model(bias.prior, position, at, legal, scratch)
    write_priors(tree, slot, legal, scratch.p, n)
    return best_known(tree, slot, legal, scales, pull, 0), untried


@inlined_kernel
def make_available(tree: Tree, slot: Int, legal: Int) -> Int:
    """Add one availability to every legal card tried; those not tried yet."""
    untried = np.int64(0)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[slot, np.uintp(code)])
        if child == NO_NODE:
            untried |= np.int64(1) << code
        else:
            tree.nodes[child, AVAILABILITY] += 1
        legal &= legal - 1
    return untried


@inlined_kernel
def best_known(tree: Tree, slot: Int, legal: Int, scales: NDArray, pull: Pull, gain: Int) -> Int:
    """Best of cards whose P are known; each gains ``gain`` availability."""
    best, top = np.int64(0), np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[slot, np.uintp(code)])
        available = tree.nodes[child, AVAILABILITY] + gain
        tree.nodes[child, AVAILABILITY] = available
        score = score_of(tree, child, available, scales, pull[0], pull[1])
        if score > top:
            top, best = score, code
        legal &= legal - 1
    return best


@inlined_kernel
def write_priors(tree: Tree, slot: Int, legal: Int, p: NDArray, n: Int) -> None:
    """Write what a model said of a node's ``n`` legal cards to those whose P is unknown."""
    left = legal
    for i in range(n):
        if tree.known[slot] & left & -left == 0:
            child = np.uintp(tree.children[slot, np.uintp(lowest(left))])
            tree.nodes[child, N_CHOICES] = n
            tree.priors[child, PRIOR] = p[i]
        left &= left - 1
    tree.known[slot] |= legal
    tree.used[2] += 1


@kernel
def select_skewed(tree: Tree, legal: Int, scales: NDArray, skew: Skew) -> Int:
    """The root's best card (code) with what the skew adds; every legal card has a child.

    Availabilities are those that the selection without skew has just counted."""
    best, top = np.int64(0), np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[ROOT_SLOT, np.uintp(code)])
        available, visits = tree.nodes[child, AVAILABILITY], tree.nodes[child, VISITS]
        score = score_of(tree, child, available, scales, None, None)
        score += np.float32(skew.excess[code] * skew.sums[code] / visits)
        if score > top:
            top, best = score, code
        legal &= legal - 1
    return best
