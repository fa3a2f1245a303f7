"""Selection: the card that a search tries next in a node, with and without a bias.

Every legal child of a visited node gains one availability, and the child with the largest

    X_i + C sqrt(ln n_avail(i) / n_i)

is taken. A bias (``spades.search.techniques``) adds its term where the model is queried.

A model is asked in a node once all its legal cards were tried, or before (``Bias.asks_first``).
Then each card gets a node with its P at once; one without a visit is a card not tried yet. Where
the bias lends it visits (``Bias.lends``) it is scored like the others; elsewhere n_i is 0, the
bound infinite, and it comes before those that were tried, as without a bias.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel, kernel, lowest
from spades.core.step import Progress
from spades.search.bandit import unbiased_score
from spades.search.skew import Skew
from spades.search.techniques.technique import Bias
from spades.search.tree import (
    AVAILABILITY,
    N_CHOICES,
    NO_NODE,
    NO_SLOT,
    PRIOR,
    ROOT_SLOT,
    SLOT,
    VISITS,
    Position,
    Scratch,
    Tree,
    add_child,
    slot_of,
)


@inlined_kernel
def select(tree: Tree, node: Int, legal: Int, scales: NDArray) -> tuple[Int, Int]:
    """Best card (code) without a bias, void while a card is untried; the untried cards."""
    best = np.int64(0)
    top = np.float32(-np.inf)
    untried = np.int64(0)
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
            score = unbiased_score(tree, child, available, scales)
            if score > top:
                top = score
                best = code
        legal &= legal - 1
    return best, untried


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
    slot = np.uintp(tree.nodes[node, SLOT])
    if bias.asks_first:
        slot = np.uintp(slot_of(tree, node))
        if legal & ~tree.known[slot]:
            n = bias.prior.query_prior(position, at, legal, scratch)
            add_children(tree, node, slot, legal, at.turn & 1)
            write_priors(tree, slot, legal, scratch.p, n)
            if bias.lends:
                tree.ready[slot] |= legal
    elif slot == NO_SLOT:
        return np.int64(0), legal
    visits = np.int64(tree.nodes[node, VISITS])
    if legal & ~tree.ready[slot] == 0:
        return best_known(tree, slot, legal, scales, bias.terms, visits, 1), np.int64(0)
    untried = make_available(tree, slot, legal)
    if untried:
        return np.int64(0), untried
    if legal & ~tree.known[slot]:
        n = bias.prior.query_prior(position, at, legal, scratch)
        write_priors(tree, slot, legal, scratch.p, n)
    tree.ready[slot] |= legal
    return best_known(tree, slot, legal, scales, bias.terms, visits, 0), untried


@inlined_kernel
def add_children(tree: Tree, node: Int, slot: Int, legal: Int, team: Int) -> None:
    """Give each legal card that has none a node that was neither visited nor available yet."""
    while legal:
        code = lowest(legal)
        if tree.children[slot, np.uintp(code)] == NO_NODE:
            child = add_child(tree, node, code, team)
            tree.nodes[child, AVAILABILITY] = 0
        legal &= legal - 1


@inlined_kernel
def make_available(tree: Tree, slot: Int, legal: Int) -> Int:
    """Add one availability to every legal card tried; those not tried yet."""
    untried = np.int64(0)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[slot, np.uintp(code)])
        if child == NO_NODE or tree.nodes[child, VISITS] == 0:
            untried |= np.int64(1) << code
        else:
            tree.nodes[child, AVAILABILITY] += 1
        legal &= legal - 1
    return untried


@inlined_kernel
def best_known(
    tree: Tree, slot: Int, legal: Int, scales: NDArray, terms: Any, visits: Int, gain: Int
) -> Int:
    """Best of cards whose P are known, by a bias's terms; each gains ``gain`` availability.

    ``visits``: of the node."""
    best = np.int64(0)
    top = np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[slot, np.uintp(code)])
        available = tree.nodes[child, AVAILABILITY] + gain
        tree.nodes[child, AVAILABILITY] = available
        score = terms.score_child(tree, child, available, visits, scales)
        if score > top:
            top = score
            best = code
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
    best = np.int64(0)
    top = np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(tree.children[ROOT_SLOT, np.uintp(code)])
        available = tree.nodes[child, AVAILABILITY]
        visits = tree.nodes[child, VISITS]
        score = unbiased_score(tree, child, available, scales)
        score += np.float32(skew.excess[code] * skew.sums[code] / visits)
        if score > top:
            top = score
            best = code
        legal &= legal - 1
    return best
