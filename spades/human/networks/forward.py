"""The forward pass of a network for one decision, compiled for use inside a search.

Nearly all inputs are 0 and so, after training with a penalty on activations, are most hidden units:
each layer adds up only the rows of weights whose unit is active, and the last layer is worked out
for the legal cards only. ``numbers`` holds the tensors of ``tensor_shapes`` one after another
as ``spades.human.networks.model`` lays them out. ``scratch`` is cut into parts of equal width:
inputs, two for the layers in turn, positions of active units; then what
``spades.human.networks.kept`` keeps. ``h-`` networks: see ``spades.human.networks.suits``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, lean_kernel, lowest, popcount
from spades.human.features.abstract_moves import N_SUIT_MOVES, classify_legal
from spades.human.features.view import BEST_CARD, DECK, HAND, LED_SUIT, LEGAL, PLAYED, TABLE, View
from spades.human.networks.config import (
    APPENDS,
    CARDS,
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
from spades.human.networks.inputs import card_slots, list_raw, list_scalars, slot_of
from spades.human.networks.kept import place_of_answer, place_of_facts
from spades.human.networks.layers import hidden_layer
from spades.human.networks.suits import highest_suit_logit, suit_logits
from spades.human.networks.vectors import list_positive, number_at, relu_dot, sum_rows

N_CONVOLUTION = N_SEATS * N_KERNELS * (KERNEL_SIZE + 1)


@lean_kernel
def convolve(view: View, numbers: NDArray, out: NDArray) -> None:
    """Two kernels of size four over each seat's 52 cards, after ReLU, into (4, 2, 49) flat."""
    bias_at, at = N_SEATS * N_KERNELS * KERNEL_SIZE, 0
    for block in range(N_SEATS):
        mask = view[HAND] if block == 0 else view[TABLE + block - 1]
        slots = card_slots(mask, view[DECK]) if mask else np.int64(0)
        for channel in range(block * N_KERNELS, (block + 1) * N_KERNELS):
            for position in range(N_POSITIONS):
                value = number_at(numbers, bias_at + channel)
                for step in range(KERNEL_SIZE):
                    if slots >> (position + step) & 1:
                        value += number_at(numbers, channel * KERNEL_SIZE + step)
                out[at] = max(value, np.float32(0.0))
                at += 1


@lean_kernel
def list_convolved(view: View, plan: NDArray, numbers: NDArray, x: NDArray, ids: NDArray) -> Int:
    """What the first layer reads of a network that convolves; how many inputs are listed."""
    end: Int = N_SEATS * N_KERNELS * N_POSITIONS
    if plan[APPENDS]:
        list_raw(view, plan[READS], end, x, ids)
        end += N_SEATS * N_CARDS
    if plan[HAS_TRICKS]:
        list_scalars(view, end, x, ids, 0)
        end += N_SCALARS
    convolve(view, numbers, x)
    listed = 0
    for i in range(end):  # scalars may be below 0
        ids[listed] = i
        listed += x[i] != 0.0
    return listed


@lean_kernel
def first_layer(plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View) -> Int:
    """The first hidden layer's units into the second part of ``scratch``; where its weights end."""
    width, n_units = plan[WIDTH], plan[LAYERS]
    n_inputs: Int = (N_SUIT_MOVES if plan[READS] == MOVES else N_CARDS) + 3 * N_CARDS
    if plan[CONVOLVES]:
        n_inputs = N_SEATS * N_KERNELS * N_POSITIONS + plan[APPENDS] * n_inputs
    n_inputs += N_SCALARS * plan[HAS_TRICKS]
    for i in range(n_inputs):
        scratch[i] = 0.0
    if plan[CONVOLVES]:
        n, at = list_convolved(view, plan, numbers, scratch, ids), N_CONVOLUTION
        hidden_layer(scratch, ids, n, numbers, (0, at, width), n_inputs, n_units)
        return at + (n_inputs + 1) * n_units
    if plan[HAS_TRICKS]:
        before_at = place_of_facts(view, plan, numbers, scratch, ids)
        n = list_raw(view, plan[READS], 0, scratch, ids)
        sum_rows(scratch, ids, n, numbers, scratch, (0, 0, before_at, width), n_units)
    else:
        n = list_raw(view, plan[READS], 0, scratch, ids)
        hidden_layer(scratch, ids, n, numbers, (0, 0, width), n_inputs, n_units)
    return (n_inputs + 1) * n_units


@lean_kernel
def last_layer(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> tuple[Int, Int]:
    """Run the hidden layers: (where the last one's units are in ``scratch``, output's weights)."""
    at = first_layer(plan, numbers, scratch, ids, view)
    place, n_inputs = plan[WIDTH], plan[LAYERS]
    for layer in range(1, plan[N_LAYERS]):
        n_units, above = plan[LAYERS + layer], plan[WIDTH] * (1 + layer % 2)
        n = list_positive(scratch, place, n_inputs, ids)
        hidden_layer(scratch, ids, n, numbers, (place, at, above), n_inputs, n_units)
        at += (n_inputs + 1) * n_units
        place, n_inputs = above, n_units
    return place, at


@lean_kernel
def output(
    scratch: NDArray, place: Int, numbers: NDArray, at: Int, n_units: Int, i: Int, n_outputs: Int
) -> np.float32:
    """One of the outputs, whose rows of weights begin at ``at`` and are followed by the biases."""
    return relu_dot(scratch, place, numbers, at + i * n_units, n_units) + number_at(
        numbers, at + n_outputs * n_units + i
    )


@lean_kernel
def card_logits(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View, out: NDArray
) -> Int:
    """Logits of the legal cards, lowest code first, of a network that reads cards; how many."""
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    n, left = 0, view[LEGAL]
    while left:
        slot = slot_of(lowest(left), view[DECK])
        out[n] = output(scratch, place, numbers, at, n_units, slot, N_CARDS)
        left &= left - 1
        n += 1
    return n


@lean_kernel
def move_logits(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View, out: NDArray
) -> Int:
    """The same of one that reads abstract moves; the cards of one move share its probability."""
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    unplayed = view[DECK] & ~view[PLAYED]
    n = classify_legal(view[LEGAL], view[LED_SUIT], view[BEST_CARD], unplayed, ids)
    for i in range(n):
        move, alike = np.int64(ids[i]), 0
        for other in range(n):
            alike += ids[other] == move
        logit = output(scratch, place, numbers, at, n_units, move, N_SUIT_MOVES)
        out[i] = logit - math.log(alike)
    return n


@lean_kernel
def softmax(out: NDArray, n: Int) -> None:
    """Logits of ``n`` cards to probabilities, in place."""
    top, total = out[0], 0.0
    for i in range(1, n):
        top = max(top, out[i])
    for i in range(n):
        out[i] = math.exp(np.float32(out[i] - top))  # logits are no more exact than that
        total += out[i]
    for i in range(n):
        out[i] /= total


@lean_kernel
def network_logits(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View, out: NDArray
) -> Int:
    """Logits of the legal cards, lowest code first, into ``out`` float64 (13,); how many."""
    if plan[READS] == SUITS:
        return suit_logits(plan, numbers, scratch, ids, view, out)
    if plan[READS] == MOVES:
        return move_logits(plan, numbers, scratch, ids, view, out)
    return card_logits(plan, numbers, scratch, ids, view, out)


@lean_kernel
def network_probabilities(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View, out: NDArray
) -> Int:
    """Probabilities of the legal cards, lowest code first, into ``out`` float64 (13,); how many.

    The arrays of the network as ``Prior`` has them.
    """
    if plan[READS] != CARDS:
        n = network_logits(plan, numbers, scratch, ids, view, out)
        softmax(out, n)
        return n
    at, is_known = place_of_answer(view, plan, ids)
    n = popcount(view[LEGAL])
    if is_known:
        for i in range(n):
            out[i] = scratch[at + i]
    else:
        card_logits(plan, numbers, scratch, ids, view, out)
        softmax(out, n)
        for i in range(n):
            scratch[at + i] = out[i]
    return n


@kernel
def picks_legal(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> bool:
    """Whether the output that is highest of all, 52 cards or 68 moves, is legal."""
    out = np.empty(N_RANKS)
    n = network_logits(plan, numbers, scratch, ids, view, out)
    if plan[READS] == SUITS:
        return out[:n].max() >= highest_suit_logit(plan, numbers, scratch, ids, view)
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    n_outputs = N_SUIT_MOVES if plan[READS] == MOVES else N_CARDS
    best, top = 0, -np.inf
    for i in range(n_outputs):
        logit = output(scratch, place, numbers, at, n_units, i, n_outputs)
        if logit > top:
            best, top = i, logit
    if plan[READS] == MOVES:
        moves = np.empty(N_RANKS, dtype=np.int32)
        unplayed = view[DECK] & ~view[PLAYED]
        classify_legal(view[LEGAL], view[LED_SUIT], view[BEST_CARD], unplayed, moves)
        return bool((moves[:n] == best).any())
    return bool(card_slots(view[LEGAL], view[DECK]) >> best & 1)
