"""The forward pass of a network for one decision, compiled for use inside a search.

Nearly all inputs are 0 and so, after training with a penalty on activations, are most hidden units:
each layer adds up only the rows of weights whose unit is active, and the last layer is worked out
for the legal cards only. ``numbers`` holds the tensors of :func:`tensor_shapes` one after another,
``scratch`` is cut into parts of equal width:
inputs, two for the layers in turn, positions of active units. ``h-`` networks: see
:mod:`spades.human.networks.suits`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spades.cards import N_CARDS, N_SEATS
from spades.human.abstract_moves import N_SUIT_MOVES, classify_legal
from spades.human.networks.config import (
    APPENDS,
    CONVOLVES,
    HAS_TRICKS,
    KERNEL_SIZE,
    LAYERS,
    MOVES,
    N_KERNELS,
    N_LAYERS,
    N_POSITIONS,
    N_RANKS,
    N_SCALARS,
    READS,
    SUITS,
    WIDTH,
)
from spades.human.networks.inputs import (
    BEST_CARD,
    DECK,
    HAND,
    LED_SUIT,
    LEGAL,
    PLAYED,
    card_slots,
    list_raw,
    list_scalars,
    slot_of,
)
from spades.human.networks.layers import dot, hidden_layer, list_active
from spades.human.networks.suits import highest_suit_logit, suit_logits
from spades.human.view import TABLE, View
from spades.kernel import Int, kernel, lowest, popcount


@kernel
def convolve(view: View, numbers: NDArray, out: NDArray) -> None:
    """Two kernels of size four over each seat's 52 cards, after ReLU, into (4, 2, 49) flat."""
    bias_at, at = N_SEATS * N_KERNELS * KERNEL_SIZE, 0
    for block in range(N_SEATS):
        mask = view[HAND] if block == 0 else view[TABLE + block - 1]
        slots = card_slots(mask, view[DECK]) if mask else np.int64(0)
        for channel in range(block * N_KERNELS, (block + 1) * N_KERNELS):
            for position in range(N_POSITIONS):
                value = numbers[bias_at + channel]
                for step in range(KERNEL_SIZE):
                    if slots >> (position + step) & 1:
                        value += numbers[channel * KERNEL_SIZE + step]
                out[at] = max(value, np.float32(0.0))
                at += 1


@kernel
def list_inputs(view: View, plan: NDArray, numbers: NDArray, x: NDArray, ids: NDArray) -> Int:
    """What the first layer reads, into ``x`` and ``ids``; how many inputs are listed."""
    x[:] = 0.0
    if not plan[CONVOLVES]:
        n = list_raw(view, plan[READS], 0, x, ids)
        if plan[HAS_TRICKS]:
            n = list_scalars(view, N_SEATS * N_CARDS, x, ids, n)
        return n
    n_convolved: Int = N_SEATS * N_KERNELS * N_POSITIONS
    start: Int = n_convolved
    if plan[APPENDS]:
        list_raw(view, plan[READS], start, x, ids)
        start += N_SEATS * N_CARDS
    if plan[HAS_TRICKS]:
        list_scalars(view, start, x, ids, 0)
        start += N_SCALARS
    convolve(view, numbers, x[:n_convolved])
    listed = 0
    for i in range(start):  # scalars may be below 0
        ids[listed] = i
        listed += x[i] != 0.0
    return listed


@kernel
def last_layer(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> tuple[Int, Int]:
    """Run the hidden layers: (where the last one's units are in ``scratch``, output's weights)."""
    width = plan[WIDTH]
    ids = scratch[3 * width : 4 * width].view(np.int32)
    n_inputs, at = (N_SUIT_MOVES if plan[READS] == MOVES else N_CARDS) + 3 * N_CARDS, np.int64(0)
    if plan[CONVOLVES]:
        n_inputs = N_SEATS * N_KERNELS * N_POSITIONS + plan[APPENDS] * n_inputs
        at = np.int64(N_SEATS * N_KERNELS * (KERNEL_SIZE + 1))
    n_inputs += N_SCALARS * plan[HAS_TRICKS]
    x = scratch[:n_inputs]
    n_active = list_inputs(view, plan, numbers, x, ids)
    place = np.int64(0)
    for layer in range(plan[N_LAYERS]):
        n_units = plan[LAYERS + layer]
        place = width * (1 + layer % 2)
        units = scratch[place : place + n_units]
        hidden_layer(x, ids, n_active, numbers, at, units)
        at, x = at + (x.size + 1) * n_units, units
        if layer + 1 < plan[N_LAYERS]:
            n_active = list_active(units, ids)
    return place, at


@kernel
def card_logits(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View, out: NDArray) -> Int:
    """Logits of the legal cards, lowest code first, of a network that reads cards; how many."""
    place, at = last_layer(plan, numbers, scratch, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    units = scratch[place : place + n_units]
    n, left = 0, view[LEGAL]
    while left:
        slot = slot_of(lowest(left), view[DECK])
        out[n] = dot(units, numbers, at + slot * n_units) + numbers[at + N_CARDS * n_units + slot]
        left &= left - 1
        n += 1
    return n


@kernel
def move_logits(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View, out: NDArray) -> Int:
    """The same of one that reads abstract moves; the cards of one move share its probability."""
    place, at = last_layer(plan, numbers, scratch, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    units = scratch[place : place + n_units]
    moves = scratch[: plan[WIDTH]].view(np.int32)[:N_RANKS]
    unplayed = view[DECK] & ~view[PLAYED]
    n = classify_legal(view[LEGAL], view[LED_SUIT], view[BEST_CARD], unplayed, moves)
    for i in range(n):
        move, alike = np.int64(moves[i]), 0
        for other in range(n):
            alike += moves[other] == move
        logit = (
            dot(units, numbers, at + move * n_units) + numbers[at + N_SUIT_MOVES * n_units + move]
        )
        out[i] = logit - math.log(alike)
    return n


@kernel
def softmax(out: NDArray, n: Int) -> None:
    """Logits of ``n`` cards to probabilities, in place."""
    top, total = out[0], 0.0
    for i in range(1, n):
        top = max(top, out[i])
    for i in range(n):
        out[i] = math.exp(out[i] - top)
        total += out[i]
    for i in range(n):
        out[i] /= total


@kernel
def network_logits(
    plan: NDArray, numbers: NDArray, scratch: NDArray, view: View, out: NDArray
) -> Int:
    """Logits of the legal cards, lowest code first, into ``out`` float64 (13,); how many."""
    if plan[READS] == SUITS:
        return suit_logits(plan, numbers, scratch, view, out)
    if plan[READS] == MOVES:
        return move_logits(plan, numbers, scratch, view, out)
    return card_logits(plan, numbers, scratch, view, out)


@kernel
def network_probabilities(
    plan: NDArray, numbers: NDArray, scratch: NDArray, view: View, out: NDArray
) -> Int:
    """Probabilities of the legal cards, lowest code first, into ``out`` float64 (13,); how many.

    ``plan``, ``numbers`` and ``scratch`` as :class:`~spades.human.prior.Prior` has them.
    """
    n = network_logits(plan, numbers, scratch, view, out)
    softmax(out, n)
    return n


@kernel
def picks_legal(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> bool:
    """Whether the output that is highest of all, 52 cards or 68 moves, is legal."""
    out = np.empty(N_RANKS)
    n = network_logits(plan, numbers, scratch, view, out)
    if plan[READS] == SUITS:
        return out[:n].max() >= highest_suit_logit(plan, numbers, scratch, view)
    place, at = last_layer(plan, numbers, scratch, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    units = scratch[place : place + n_units]
    n_outputs = N_SUIT_MOVES if plan[READS] == MOVES else N_CARDS
    best, top = 0, -np.inf
    for i in range(n_outputs):
        logit = dot(units, numbers, at + i * n_units) + numbers[at + n_outputs * n_units + i]
        if logit > top:
            best, top = i, logit
    if plan[READS] == MOVES:
        moves = np.empty(N_RANKS, dtype=np.int32)
        unplayed = view[DECK] & ~view[PLAYED]
        classify_legal(view[LEGAL], view[LED_SUIT], view[BEST_CARD], unplayed, moves)
        return bool((moves[:n] == best).any())
    return bool(card_slots(view[LEGAL], view[DECK]) >> best & 1)


@kernel
def predict_views(
    plan: NDArray, numbers: NDArray, scratch: NDArray, views: NDArray, out: NDArray
) -> None:
    """Probabilities of many views, by dense index, into ``out`` (n, 52), zeros before."""
    probabilities = np.empty(N_RANKS)
    for row in range(len(views)):
        view = views[row]
        n = network_probabilities(plan, numbers, scratch, view, probabilities)
        left = view[LEGAL]
        for i in range(n):
            out[row, popcount(view[DECK] & ((left & -left) - 1))] = probabilities[i]
            left &= left - 1
