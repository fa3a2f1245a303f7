"""The forward pass of an ``h-`` network for one decision, compiled.

Parts of ``scratch``, each ``plan[WIDTH]`` floats: inputs, positions of those that aren't 0, the
first layer of the suit at hand, the second layers of the four suits, the context, what it adds to
the heads of spades and of side suits, the head at hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.human.networks.config import LAYERS, N_FACTS, N_RANKS, N_SUIT_INPUTS, WIDTH
from spades.human.networks.inputs import DECK, LEGAL, list_suit, slot_of, write_facts
from spades.human.networks.layers import add_active, dot, hidden_layer, list_active
from spades.human.view import View
from spades.kernel import Int, kernel, lowest

_IDS, _FIRST, _SECOND, _CONTEXT, _HEADS, _HEAD = 1, 2, 3, 7, 8, 10


@kernel
def part(scratch: NDArray, width: Int, place: Int, n: Int) -> NDArray:
    return scratch[place * width : place * width + n]


@kernel
def positions(scratch: NDArray, width: Int) -> NDArray:
    return scratch[_IDS * width : (_IDS + 1) * width].view(np.int32)


@kernel
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


@kernel
def suit_layers(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> None:
    """The two layers of each of the four suits, after ReLU, into their parts of ``scratch``."""
    width, n_second = plan[WIDTH], plan[LAYERS + 1]
    second_at, _, _, size = offsets(plan)
    ids, x = positions(scratch, width), part(scratch, width, 0, N_SUIT_INPUTS)
    first = part(scratch, width, _FIRST, plan[LAYERS])
    for suit in range(4):
        start = np.int64(0) if suit == 0 else size
        x[:] = 0.0
        n = list_suit(view, suit, x, ids)
        hidden_layer(x, ids, n, numbers, start, first)
        second = part(scratch, width, _SECOND + suit, n_second)
        hidden_layer(first, ids, list_active(first, ids), numbers, start + second_at, second)
        for i in range(n_second):
            second[i] = max(second[i], np.float32(0.0))


@kernel
def context_layer(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> None:
    """What all suits and the facts of the table come to, into its part of ``scratch``."""
    width, n_second = plan[WIDTH], plan[LAYERS + 1]
    ids, x = positions(scratch, width), part(scratch, width, 0, 2 * n_second + N_FACTS)
    for i in range(n_second):
        spades = _SECOND * width + i
        x[i] = scratch[spades]
        x[n_second + i] = (
            scratch[spades + width] + scratch[spades + 2 * width] + scratch[spades + 3 * width]
        )
    write_facts(view, x, 2 * n_second)
    n = 0
    for i in range(x.size):  # unknown bids are below 0
        ids[n] = i
        n += x[i] != 0.0
    context = part(scratch, width, _CONTEXT, plan[LAYERS + 2])
    hidden_layer(x, ids, n, numbers, 2 * offsets(plan)[3], context)


@kernel
def start_heads(plan: NDArray, numbers: NDArray, scratch: NDArray) -> None:
    """What the context adds to the heads of spades and of side suits."""
    width, n_context, n_head = plan[WIDTH], plan[LAYERS + 2], plan[LAYERS + 3]
    _, head_at, output_at, size = offsets(plan)
    ids, context = positions(scratch, width), part(scratch, width, _CONTEXT, n_context)
    n = list_active(context, ids)
    for kind in range(2):
        start = kind * size
        bias = start + output_at - n_head
        head = part(scratch, width, _HEADS + kind, n_head)
        head[:] = numbers[bias : bias + n_head]
        context_at = start + head_at + plan[LAYERS + 1] * n_head
        add_active(context, ids, n, numbers, context_at, head)


@kernel
def suit_head(plan: NDArray, numbers: NDArray, scratch: NDArray, suit: Int) -> None:
    """The head of one suit, into its part of ``scratch``."""
    width, n_second, n_head = plan[WIDTH], plan[LAYERS + 1], plan[LAYERS + 3]
    _, head_at, _, size = offsets(plan)
    kind = min(suit, 1)
    ids, head = positions(scratch, width), part(scratch, width, _HEAD, n_head)
    head[:] = part(scratch, width, _HEADS + kind, n_head)
    second = part(scratch, width, _SECOND + suit, n_second)
    add_active(second, ids, list_active(second, ids), numbers, kind * size + head_at, head)


@kernel
def run_to_heads(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> None:
    """Everything before the suits' own heads."""
    suit_layers(plan, numbers, scratch, view)
    context_layer(plan, numbers, scratch, view)
    start_heads(plan, numbers, scratch)


@kernel
def suit_output(plan: NDArray, numbers: NDArray, scratch: NDArray, suit: Int, rank: Int) -> float:
    """Logit of one card of the suit whose head is at hand."""
    n_head = plan[LAYERS + 3]
    _, _, output_at, size = offsets(plan)
    at = min(suit, 1) * size + output_at
    head = part(scratch, plan[WIDTH], _HEAD, n_head)
    return dot(head, numbers, at + rank * n_head) + numbers[at + N_RANKS * n_head + rank]


@kernel
def suit_logits(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View, out: NDArray) -> Int:
    """Logits of the legal cards, lowest code first; how many."""
    run_to_heads(plan, numbers, scratch, view)
    n, left, before = 0, view[LEGAL], -1
    while left:
        card = lowest(left)
        suit = card >> 4
        if suit != before:
            suit_head(plan, numbers, scratch, suit)
            before = suit
        rank = slot_of(card, view[DECK]) - N_RANKS * suit
        out[n] = suit_output(plan, numbers, scratch, suit, rank)
        left &= left - 1
        n += 1
    return n


@kernel
def highest_suit_logit(plan: NDArray, numbers: NDArray, scratch: NDArray, view: View) -> float:
    """The highest of all 52 logits."""
    run_to_heads(plan, numbers, scratch, view)
    top = -np.inf
    for suit in range(4):
        suit_head(plan, numbers, scratch, suit)
        for rank in range(N_RANKS):
            top = max(top, suit_output(plan, numbers, scratch, suit, rank))
    return top
