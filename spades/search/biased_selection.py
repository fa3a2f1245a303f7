"""Selection in a search with a bias: the model is called where its answer can change the choice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS
from spades.core.kernel import Int, highest, lean_kernel, lowest
from spades.human.features.view import CARDS_PLAYED, OTHER_BIDS, OTHER_TRICKS, TABLE, VOIDS
from spades.search.playouts import winning_card
from spades.search.tree import (
    ASKED,
    AVAILABILITY,
    BIDS,
    DECK,
    NIL_RULE,
    NO_NODE,
    NO_SLOT,
    PLAYED,
    PRIOR,
    SLOT,
    VALUE,
    VISITS,
    VOIDS_SHOWN,
)

_HALF = np.float32(0.5)


@lean_kernel
def fill_view(view, position, deal, hands, on_table, table):
    """Write what the seat to play sees in a node into ``view`` (24,).

    ``position``: the root's; ``deal``, ``hands`` (4,): cards there and now. ``table``: trick, led
    mask, cards in the trick, seat to play, legal cards, packed tricks, voids since the root.
    """
    trick, led, n_played, turn, legal, taken, voids = table
    left, partner, right = (turn + 1) & 3, (turn + 2) & 3, (turn + 3) & 3
    view[0], view[1] = hands[turn], legal
    view[2] = lowest(led) >> 4 if n_played else -1
    view[3] = highest(winning_card(trick, led)) if n_played else -1
    view[4] = position[DECK] & ~(hands[0] | hands[1] | hands[2] | hands[3])
    view[5], view[6] = position[DECK], n_played
    view[7], view[8] = position[BIDS + turn], position[BIDS + partner]
    view[9], view[10] = (taken >> (turn << 3)) & 255, (taken >> (partner << 3)) & 255
    view[11] = position[NIL_RULE]
    view[OTHER_BIDS], view[OTHER_BIDS + 1] = position[BIDS + left], position[BIDS + right]
    view[OTHER_TRICKS] = (taken >> (left << 3)) & 255
    view[OTHER_TRICKS + 1] = (taken >> (right << 3)) & 255
    for i in range(N_SEATS):
        seat = (turn + i) & 3
        if i:
            view[TABLE + i - 1] = on_table[seat] & trick
        view[CARDS_PLAYED + i] = position[PLAYED + seat] | (deal[seat] & ~hands[seat])
    shown = position[VOIDS_SHOWN] | voids
    view[VOIDS] = ((shown >> (turn << 2)) | (shown << (16 - (turn << 2)))) & 0xFFFF


@lean_kernel
def choose_unless_asked(
    nodes: NDArray,
    priors: NDArray,
    children: NDArray,
    known: Int,
    node: Int,
    legal: Int,
    scales: NDArray,
    knowledge: tuple[np.float32, np.float32],
) -> tuple[Int, Int, bool]:
    """Best card (code) of a node whose P are not all known, cards not tried yet, whether to ask.

    ``known``: cards whose P are. ``knowledge``: what a known P is multiplied by, and what an
    unknown one can add to a score. Every legal child gains one availability. The best card holds
    only where the model need not be asked: no unknown P could lift another card above it.
    """  # fmt: skip
    best, untried = np.int64(0), np.int64(0)
    slot = np.uintp(nodes[node, SLOT])
    if slot == NO_SLOT:
        return best, legal, False
    left = legal
    while left:
        child = np.uintp(children[slot, np.uintp(lowest(left))])
        if child == NO_NODE:
            untried |= left & -left
        else:
            nodes[child, AVAILABILITY] += 1
        left &= left - 1
    if untried:
        return best, untried, False
    strength, most = knowledge
    top, top_reach, reach = np.float32(-np.inf), np.float32(-np.inf), np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        visits = np.uintp(nodes[child, VISITS])
        score = np.float32(nodes[child, VALUE]) * scales[0, visits]
        score += scales[1, np.uintp(nodes[child, AVAILABILITY])] * scales[2, visits]
        could = score + most
        if known & legal & -legal:
            score += strength * priors[child, PRIOR]
            could = score
        if score > top:
            reach = max(reach, top_reach)
            top, top_reach, best = score, could, code
        else:
            reach = max(reach, could)
        legal &= legal - 1
    return best, untried, bool(reach >= top or most == np.inf)


@lean_kernel
def select_by_knowledge(
    nodes: NDArray,
    priors: NDArray,
    children: NDArray,
    slot: Int,
    legal: Int,
    scales: NDArray,
    knowledge: np.float32,
) -> Int:
    """Best card (code) by UCT + ``knowledge`` P, of cards whose P are known.

    ``slot``: the node's row of ``children``; ``priors``: the nodes read as float32. Every legal
    child gains one availability.
    """
    best, top = np.int64(0), np.float32(-np.inf)
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        visits = np.uintp(nodes[child, VISITS])
        available = np.uintp(nodes[child, AVAILABILITY] + 1)
        nodes[child, AVAILABILITY] = available
        score = np.float32(nodes[child, VALUE]) * scales[0, visits]
        score += scales[1, available] * scales[2, visits]
        score += knowledge * priors[child, PRIOR]
        if score > top:
            top, best = score, code
        legal &= legal - 1
    return best


@lean_kernel
def select_by_experience(
    nodes: NDArray,
    priors: NDArray,
    children: NDArray,
    slot: Int,
    legal: Int,
    scales: NDArray,
    experience: tuple[Int, np.float32],
) -> Int:
    """The same with w visits of mean P in every card; ``experience``: w, and w * c in points."""
    best, top = np.int64(0), np.float32(-np.inf)
    w, w_points = experience
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        nodes[child, AVAILABILITY] += 1
        visits = np.uintp(nodes[child, VISITS] + w)
        available = np.uintp(nodes[child, AVAILABILITY] + nodes[child, ASKED] * w)
        points = np.float32(nodes[child, VALUE]) + (priors[child, PRIOR] - _HALF) * w_points
        score = points * scales[0, visits]
        score += scales[1, available] * scales[2, visits]
        if score > top:
            top, best = score, code
        legal &= legal - 1
    return best


@lean_kernel
def write_priors(
    nodes: NDArray,
    priors: NDArray,
    children: NDArray,
    asked: NDArray,
    slot: Int,
    legal: Int,
    p: NDArray,
    n: Int,
) -> None:
    """What the model said of a node's n legal cards: those whose P is not known get it.

    All lose the availability that ``choose_unless_asked`` gave them.
    """
    left = legal
    for i in range(n):
        child = np.uintp(children[slot, np.uintp(lowest(left))])
        nodes[child, AVAILABILITY] -= 1
        if asked[slot] & left & -left == 0:
            nodes[child, ASKED] = n
            priors[child, PRIOR] = p[i]
        left &= left - 1
    asked[slot] |= legal
