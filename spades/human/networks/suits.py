"""The forward pass of an ``h-`` network for one decision, compiled.

Parts of ``scratch``, each ``plan[WIDTH]`` floats: inputs, the first layer of the suit at hand, the
second layers of the four suits, the context, what it adds to the heads of spades and of side suits,
the head at hand. ``ids`` lists inputs that aren't 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, lean_kernel, lowest
from spades.human.features.view import DECK, LEGAL, View
from spades.human.networks.config import LAYERS, N_FACTS, N_RANKS, N_SUIT_INPUTS, WIDTH
from spades.human.networks.inputs import list_suit, slot_of, write_facts
from spades.human.networks.layers import hidden_layer
from spades.human.networks.vectors import list_positive, number_at, relu_dot, sum_rows

_FIRST, _SECOND, _CONTEXT, _HEADS, _HEAD = 1, 2, 6, 7, 9


@lean_kernel
def offsets(plan: NDArray) -> tuple[Int, Int, Int, Int]:
    """Where in a suit's weights its second layer, head and output begin, and where they end."""
    first, second, context, head = (
        plan[LAYERS],
        plan[LAYERS + 1],
        plan[LAYERS + 2],
        plan[LAYERS + 3],
    )
    second_at = (N_SUIT_INPUTS + 1) * first
    head_at = second_at + (first + 1) * second
    output_at = head_at + (second + context + 1) * head
    return second_at, head_at, output_at, output_at + N_RANKS * (head + 1)


@lean_kernel
def suit_layers(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> None:
    """The two layers of each of the four suits, after ReLU, into their parts of ``scratch``."""
    width, n_first, n_second = plan[WIDTH], plan[LAYERS], plan[LAYERS + 1]
    second_at, _, _, size = offsets(plan)
    first = _FIRST * width
    for suit in range(4):
        start, second = np.int64(0) if suit == 0 else size, (_SECOND + suit) * width
        for i in range(N_SUIT_INPUTS):
            scratch[i] = 0.0
        n = list_suit(view, suit, scratch, ids)
        hidden_layer(scratch, ids, n, numbers, (0, start, first), N_SUIT_INPUTS, n_first)
        n = list_positive(scratch, first, n_first, ids)
        places = first, start + second_at, second
        hidden_layer(scratch, ids, n, numbers, places, n_first, n_second)
        for i in range(second, second + n_second):
            scratch[i] = max(scratch[i], np.float32(0.0))


@lean_kernel
def context_layer(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> None:
    """What all suits and the facts of the table come to, into its part of ``scratch``."""
    width, n_second = plan[WIDTH], plan[LAYERS + 1]
    n_inputs = 2 * n_second + N_FACTS
    for i in range(n_second):
        spades = _SECOND * width + i
        scratch[i] = scratch[spades]
        scratch[n_second + i] = (
            scratch[spades + width] + scratch[spades + 2 * width] + scratch[spades + 3 * width]
        )
    write_facts(view, scratch, 2 * n_second)
    n = 0
    for i in range(n_inputs):  # unknown bids are below 0
        ids[n] = i
        n += scratch[i] != 0.0
    places = 0, 2 * offsets(plan)[3], _CONTEXT * width
    hidden_layer(scratch, ids, n, numbers, places, n_inputs, plan[LAYERS + 2])


@lean_kernel
def start_heads(plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray) -> None:
    """What the context adds to the heads of spades and of side suits."""
    width, n_context, n_head = plan[WIDTH], plan[LAYERS + 2], plan[LAYERS + 3]
    _, head_at, output_at, size = offsets(plan)
    context = _CONTEXT * width
    n = list_positive(scratch, context, n_context, ids)
    for kind in range(2):
        weights = kind * size + head_at + plan[LAYERS + 1] * n_head
        bias = kind * size + output_at - n_head
        places = context, weights, bias, (_HEADS + kind) * width
        sum_rows(scratch, ids, n, numbers, numbers, places, n_head)


@lean_kernel
def suit_head(plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, suit: Int) -> None:
    """The head of one suit, into its part of ``scratch``."""
    width, n_second, n_head = plan[WIDTH], plan[LAYERS + 1], plan[LAYERS + 3]
    _, head_at, _, size = offsets(plan)
    kind, second = min(suit, 1), (_SECOND + suit) * width
    n = list_positive(scratch, second, n_second, ids)
    places = second, kind * size + head_at, (_HEADS + kind) * width, _HEAD * width
    sum_rows(scratch, ids, n, numbers, scratch, places, n_head)


@lean_kernel
def run_to_heads(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> None:
    """Everything before the suits' own heads."""
    suit_layers(plan, numbers, scratch, ids, view)
    context_layer(plan, numbers, scratch, ids, view)
    start_heads(plan, numbers, scratch, ids)


@lean_kernel
def suit_output(plan: NDArray, numbers: NDArray, scratch: NDArray, suit: Int, rank: Int) -> float:
    """Logit of one card of the suit whose head is at hand."""
    n_head = plan[LAYERS + 3]
    _, _, output_at, size = offsets(plan)
    at = min(suit, 1) * size + output_at
    logit = relu_dot(scratch, _HEAD * plan[WIDTH], numbers, at + rank * n_head, n_head)
    return logit + number_at(numbers, at + N_RANKS * n_head + rank)


@lean_kernel
def suit_logits(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View, out: NDArray
) -> Int:
    """Logits of the legal cards, lowest code first; how many."""
    run_to_heads(plan, numbers, scratch, ids, view)
    n, left, before = 0, view[LEGAL], -1
    while left:
        card = lowest(left)
        suit = card >> 4
        if suit != before:
            suit_head(plan, numbers, scratch, ids, suit)
            before = suit
        rank = slot_of(card, view[DECK]) - N_RANKS * suit
        out[n] = suit_output(plan, numbers, scratch, suit, rank)
        left &= left - 1
        n += 1
    return n


@lean_kernel
def highest_suit_logit(
    plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray, view: View
) -> float:
    """The highest of all 52 logits."""
    run_to_heads(plan, numbers, scratch, ids, view)
    top = -np.inf
    for suit in range(4):
        suit_head(plan, numbers, scratch, ids, suit)
        for rank in range(N_RANKS):
            top = max(top, suit_output(plan, numbers, scratch, suit, rank))
    return top
