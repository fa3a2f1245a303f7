"""The forward pass of a network for one decision, compiled for use inside a search.

Nearly all inputs are 0 and so, after training with a penalty on activations, are most hidden units:
each layer adds up only the rows of weights whose unit is active, and the last layer is worked out
for the legal cards only. ``numbers`` holds the tensors of ``tensor_shapes`` one after another
as ``spades.human.networks.model`` lays them out. ``scratch`` is cut into parts of equal width:
inputs, two for the layers in turn, positions of active units; then what
``spades.human.networks.forward`` keeps. ``h-`` networks: see ``spades.human.networks.forward``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, lean_kernel, lowest, popcount
from spades.human.features.abstract_moves import N_SUIT_MOVES, classify_legal
from spades.human.features.view import (
    BEST_CARD,
    DECK,
    HAND,
    LED_SUIT,
    LEGAL,
    OTHER_BIDS,
    OTHER_TRICKS,
    OWN_BID,
    OWN_TRICKS,
    PLAYED,
    TABLE,
    View,
)
from spades.human.networks.config import (
    APPENDS,
    CARDS,
    CONVOLVES,
    HAS_TRICKS,
    KERNEL_SIZE,
    LAYERS,
    MOVES,
    N_ANSWERS_KEPT,
    N_FACTS,
    N_FACTS_KEPT,
    N_KERNELS,
    N_LAYERS,
    N_PARTS,
    N_POSITIONS,
    N_RANKS,
    N_SCALARS,
    N_SUIT_INPUTS,
    N_WORDS,
    READS,
    SUITS,
    WIDTH,
)
from spades.human.networks.inputs import (
    card_slots,
    list_raw,
    list_scalars,
    list_suit,
    slot_of,
    write_facts,
)
from spades.human.networks.vectors import list_positive, number_at, relu_dot, sum_rows


@lean_kernel
def hidden_layer(
    scratch: NDArray,
    ids: NDArray,
    n_active: Int,
    numbers: NDArray,
    places: tuple[Int, Int, Int],
    n_inputs: Int,
    n: Int,
) -> None:
    """A layer of n units, before ReLU, from the inputs listed in ``ids``.

    ``places``: where the inputs begin in ``scratch``, the weights in ``numbers``, and the units in
    ``scratch``. There is a row of weights for every input, and the bias follows them.
    """
    x_at, at, out_at = places
    bias_at = at + n_inputs * n
    sum_rows(scratch, ids, n_active, numbers, numbers, (x_at, at, bias_at, out_at), n)


_FACT_BITS, _CARD_BITS = 4, 7
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing
_TO_FACTS, _TO_ANSWERS = np.uint64(60), np.uint64(56)


@lean_kernel
def facts_key(view: View) -> Int:
    """Bids and tricks of the four seats, 4 bits each."""
    key = np.int64(0)
    for i in range(2):
        key = key << _FACT_BITS | (view[OWN_BID + i] + 1)
        key = key << _FACT_BITS | (view[OTHER_BIDS + i] + 1)
        key = key << _FACT_BITS | view[OWN_TRICKS + i]
        key = key << _FACT_BITS | view[OTHER_TRICKS + i]
    return key


@lean_kernel
def place_of_facts(
    view: View, plan: NDArray, numbers: NDArray, scratch: NDArray, ids: NDArray
) -> Int:
    """Where in ``scratch`` the first layer's units stand before any card is added.

    For networks that read cards, then bids and tricks; the inputs in ``scratch`` are 0 before.
    """
    width, n_units, key = plan[WIDTH], plan[LAYERS], facts_key(view)
    slot = np.int64(np.uint64(key) * _SPREAD >> _TO_FACTS)
    place = (N_PARTS + slot) * width
    if ids[width + slot] != key:
        n_cards = N_SEATS * N_CARDS
        n = list_scalars(view, n_cards, scratch, ids, 0)
        bias = (n_cards + N_SCALARS) * n_units
        sum_rows(scratch, ids, n, numbers, numbers, (0, 0, bias, place), n_units)
        ids[width + slot] = key
    return place


@lean_kernel
def place_of_answer(view: View, plan: NDArray, ids: NDArray) -> tuple[Int, bool]:
    """Where in ``scratch`` the answer to a question about cards belongs; whether it is there.

    From now on it is taken to be there: write it.
    """
    table = facts_key(view)
    for i in range(TABLE, TABLE + N_SEATS - 1):
        table = table << _CARD_BITS | (lowest(view[i]) + 1 if view[i] else 0)
    mixed = np.uint64(view[HAND]) * _SPREAD ^ np.uint64(table)
    slot = np.int64(mixed * _SPREAD >> _TO_ANSWERS)
    at = plan[WIDTH] + N_FACTS_KEPT + slot * N_WORDS
    is_there = ids[at] == view[HAND] and ids[at + 1] == table
    is_there = is_there and ids[at + 2] == view[LEGAL] and ids[at + 3] == view[DECK]
    ids[at], ids[at + 1], ids[at + 2], ids[at + 3] = view[HAND], table, view[LEGAL], view[DECK]
    return (N_PARTS + N_FACTS_KEPT) * plan[WIDTH] + slot * N_RANKS, is_there


assert 1 << (64 - int(_TO_FACTS)) == N_FACTS_KEPT
assert 1 << (64 - int(_TO_ANSWERS)) == N_ANSWERS_KEPT


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
