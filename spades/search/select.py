"""Selection: the card that a search tries next in a node, with and without a bias.

Every legal child of a visited node gains one availability, and the child with the largest

    X_i + C sqrt(ln n_avail(i) / n_i)

is taken. A bias (``spades.search.bias``) adds its term where the model is queried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel, kernel, lowest
from spades.core.step import Progress
from spades.search.bias import Bias
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
Pull = tuple[np.float32, np.float32, Int, np.float32]
"""What a known P is multiplied by, the most that an unknown one can add to a score, w, w c."""


@inlined_kernel
def select(
    tree: Tree, node: Int, legal: Int, scales: NDArray, pull: Pull | None, gain: Int
) -> tuple[Int, Int, bool]:
    """Best card (code), the legal cards not tried yet, whether the model has to be queried.

    Every legal child gains ``gain`` availability. The best card holds only where no card is
    untried and no query is needed: no unknown P could lift another card above it.
    """
    nodes, children = tree.nodes, tree.children
    best, top, untried = np.int64(0), np.float32(-np.inf), np.int64(0)
    top_reach, reach = top, top
    slot = np.uintp(nodes[node, SLOT])
    if slot == NO_SLOT:
        return best, legal, False
    unknown = legal & ~tree.known[slot]
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        if child == NO_NODE:
            untried |= np.int64(1) << code
        else:
            available = nodes[child, AVAILABILITY] + gain
            nodes[child, AVAILABILITY] = available
            score = could = score_of(tree, child, available, scales, pull)
            if pull is not None:
                if (unknown >> code) & 1:
                    could = score + pull[1]
                else:
                    score = could = score + pull[0] * tree.priors[child, PRIOR]
            if score > top:
                reach = max(reach, top_reach)
                top, top_reach, best = score, could, code
            else:
                reach = max(reach, could)
        legal &= legal - 1
    if pull is None or untried or not unknown:
        return best, untried, False
    return best, untried, bool(reach >= top or pull[1] == np.inf)


@inlined_kernel
def score_of(tree: Tree, child: Int, available: Int, scales: NDArray, pull: Pull | None) -> float:
    """UCB1 with availability; of equivalent experience, with the visits that it adds."""
    visits, points = np.int64(tree.nodes[child, VISITS]), np.float32(tree.nodes[child, VALUE])
    if pull is not None:
        w, w_points = pull[2], pull[3]
        visits += w
        available += tree.nodes[child, N_CHOICES] * w
        points += (tree.priors[child, PRIOR] - _HALF) * w_points
    score = points * scales[0, np.uintp(visits)]
    return score + scales[1, np.uintp(available)] * scales[2, np.uintp(visits)]


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

    P is normalised over the cards legal in this deal; only those that lack theirs get it.
    """
    scales, position, scratch = root
    strength = bias.strengths[np.uintp(tree.nodes[node, VISITS])]
    # The root's P are shown to readers; experience has no bound.
    most = np.float32(np.inf) if bias.w or node == 0 else strength
    pull = (strength, most, bias.w, bias.w_points)
    code, untried, is_unsure = select(tree, node, legal, scales, pull, 1)
    if is_unsure:
        n = query_model(bias.prior, position, at, legal, scratch)
        write_priors(tree, np.uintp(tree.nodes[node, SLOT]), legal, scratch.p, n)
        code, untried, _ = select(tree, node, legal, scales, pull, 0)
    return code, untried


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

    Availabilities are those that the selection without skew has just counted.
    """
    best, top = np.int64(0), np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[ROOT_SLOT, np.uintp(code)])
        available, visits = tree.nodes[child, AVAILABILITY], tree.nodes[child, VISITS]
        score = score_of(tree, child, available, scales, None)
        score += np.float32(skew.excess[code] * skew.sums[code] / visits)
        if score > top:
            top, best = score, code
        legal &= legal - 1
    return best
