"""The forward pass of a network for one decision, compiled for use inside a search.

Nearly all inputs are 0 and so, after training with a penalty on activations, are most hidden units:
each layer adds up only the rows of weights whose unit is active, and the last layer is computed
for the legal cards only. ``numbers`` holds the tensors of ``tensor_shapes`` as ``.model`` packs
them. ``scratch`` is cut into parts of ``plan[WIDTH]`` floats: inputs, then two for the layers in
turn (or those of an ``h-`` network). ``ids`` lists inputs that aren't 0.
"""

import math

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import kernel, lean_kernel, lowest
from spades.human.features.abstract_moves import N_SUIT_MOVES, classify_legal
from spades.human.features.view import DECK, HAND, LEGAL, TABLE
from spades.human.networks.config import (
    KERNEL_SIZE,
    MOVES,
    N_CONVOLVED,
    N_FACTS,
    N_KERNELS,
    N_POSITIONS,
    N_RANKS,
    N_SCALARS,
    N_SUIT_INPUTS,
    SUITS,
    NetworkConfig,
    card_slots,
    list_binary,
    list_scalars,
    list_suit,
    slot_of,
    write_facts,
)
from spades.human.networks.vectors import list_positive, relu_dot, sum_rows

READS, HAS_TRICKS, CONVOLVES, APPENDS, N_INPUTS, WIDTH, N_LAYERS, LAYERS = range(8)
"""Places in a plan: what compiled code knows of a network's shape."""

N_PARTS = 10  # of the scratch memory at most, each as wide as the widest layer
_LISTED_AT_ONCE = 8  # ``list_positive`` may write that many ids past the last
# Parts of an ``h-`` network: the first layer of the suit at hand, the second layers of the four
# suits, the context, what it adds to the heads of spades and of side suits, the head at hand.
_FIRST, _SECOND, _CONTEXT, _HEADS, _HEAD = 1, 2, 6, 7, 9


def plan_of(config: NetworkConfig) -> NDArray[np.int64]:
    """The shape as compiled code reads it: the numbers that ``READS`` to ``LAYERS`` index.

    What is read, whether tricks are, whether it convolves and appends, the inputs of the first
    layer, the width of a part of the scratch memory, the number of hidden layers, their units from
    ``LAYERS`` on."""
    switches = [config.reads, config.has_tricks, config.convolves, config.appends]
    sizes = [config.n_inputs, _part_width(config), len(config.hidden), *config.hidden]
    return np.array([*switches, *sizes], dtype=np.int64)


def _part_width(config: NetworkConfig) -> int:
    if config.reads == SUITS:
        first, second, context, head = config.hidden
        widest = max(N_SUIT_INPUTS, 2 * second + N_FACTS, second + context, first, head, N_CARDS)
    else:
        widest = max(config.n_inputs, config.n_outputs, *config.hidden)
    return widest + _LISTED_AT_ONCE


@lean_kernel
def convolve(view, numbers, out):
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


@lean_kernel
def list_nonzero(x, n, ids):
    """List which of the first n inputs aren't 0, those below 0 too; how many."""
    listed = 0
    for i in range(n):
        ids[listed] = i
        listed += x[i] != 0.0
    return listed


@lean_kernel
def list_convolved(view, plan, numbers, x, ids):
    """What the first layer reads of a network that convolves; how many inputs are listed."""
    if plan[APPENDS]:
        list_binary(view, plan[READS], N_CONVOLVED, x, ids)
    if plan[HAS_TRICKS]:
        list_scalars(view, plan[N_INPUTS] - N_SCALARS, x, ids)
    convolve(view, numbers, x)
    return list_nonzero(x, plan[N_INPUTS], ids)


@lean_kernel
def first_layer(plan, numbers, scratch, ids, view):
    """The first hidden layer's units into the second part of ``scratch``; where its weights end."""
    width, n_units, n_inputs = plan[WIDTH], plan[LAYERS], plan[N_INPUTS]
    at = plan[CONVOLVES] * N_SEATS * N_KERNELS * (KERNEL_SIZE + 1)
    for i in range(n_inputs):
        scratch[i] = 0.0
    if plan[HAS_TRICKS] and not plan[CONVOLVES]:
        n = list_scalars(view, N_SEATS * N_CARDS, scratch, ids)
        bias = (N_SEATS * N_CARDS + N_SCALARS) * n_units
        sum_rows(scratch, ids, n, numbers, numbers, (0, 0, bias, width), n_units)
        n = list_binary(view, plan[READS], 0, scratch, ids)
        sum_rows(scratch, ids, n, numbers, scratch, (0, 0, width, width), n_units)
    else:
        if plan[CONVOLVES]:
            n = list_convolved(view, plan, numbers, scratch, ids)
        else:
            n = list_binary(view, plan[READS], 0, scratch, ids)
        places = 0, at, at + n_inputs * n_units, width
        sum_rows(scratch, ids, n, numbers, numbers, places, n_units)
    return at + (n_inputs + 1) * n_units


@lean_kernel
def last_layer(plan, numbers, scratch, ids, view):
    """Run the hidden layers: (where the last one's units are in ``scratch``, output's weights)."""
    at = first_layer(plan, numbers, scratch, ids, view)
    place, n_inputs = plan[WIDTH], plan[LAYERS]
    for layer in range(1, plan[N_LAYERS]):
        n_units, above = plan[LAYERS + layer], plan[WIDTH] * (1 + layer % 2)
        n = list_positive(scratch, place, n_inputs, ids)
        places = place, at, at + n_inputs * n_units, above
        sum_rows(scratch, ids, n, numbers, numbers, places, n_units)
        at += (n_inputs + 1) * n_units
        place, n_inputs = above, n_units
    return place, at


@lean_kernel
def output(scratch, place, numbers, at, n_units, i, n_outputs):
    """One of the outputs, whose rows of weights begin at ``at`` and are followed by the biases."""
    bias = numbers[at + n_outputs * n_units + i]
    return relu_dot(scratch, place, numbers, at + i * n_units, n_units) + bias


@lean_kernel
def suit_offsets(plan):
    """Where in a suit's weights its second layer, head and output begin, and where they end."""
    first, second = plan[LAYERS], plan[LAYERS + 1]
    context, head = plan[LAYERS + 2], plan[LAYERS + 3]
    second_at = (N_SUIT_INPUTS + 1) * first
    head_at = second_at + (first + 1) * second
    output_at = head_at + (second + context + 1) * head
    return second_at, head_at, output_at, output_at + N_RANKS * (head + 1)


@lean_kernel
def suit_layers(plan, numbers, scratch, ids, view):
    """The two layers of each of the four suits, after ReLU, into their parts of ``scratch``."""
    width, n_first, n_second = plan[WIDTH], plan[LAYERS], plan[LAYERS + 1]
    second_at, head_at, _, size = suit_offsets(plan)
    first = _FIRST * width
    for suit in range(4):
        start, second = np.int64(0) if suit == 0 else size, (_SECOND + suit) * width
        for i in range(N_SUIT_INPUTS):
            scratch[i] = 0.0
        n = list_suit(view, suit, scratch, ids)
        places = np.int64(0), start, start + second_at - n_first, first
        sum_rows(scratch, ids, n, numbers, numbers, places, n_first)
        n = list_positive(scratch, first, n_first, ids)
        places = first, start + second_at, start + head_at - n_second, second
        sum_rows(scratch, ids, n, numbers, numbers, places, n_second)
        for i in range(second, second + n_second):
            scratch[i] = max(scratch[i], np.float32(0.0))


@lean_kernel
def context_layer(plan, numbers, scratch, ids, view):
    """All suits and the facts of the table into the context; what it adds to the heads."""
    width, n_second, n_context = plan[WIDTH], plan[LAYERS + 1], plan[LAYERS + 2]
    n_head, context, n_inputs = plan[LAYERS + 3], _CONTEXT * width, 2 * n_second + N_FACTS
    _, head_at, output_at, size = suit_offsets(plan)
    for i in range(n_second):
        spades = _SECOND * width + i
        scratch[i] = scratch[spades]
        scratch[n_second + i] = (
            scratch[spades + width] + scratch[spades + 2 * width] + scratch[spades + 3 * width]
        )
    write_facts(view, scratch, 2 * n_second)
    n = list_nonzero(scratch, n_inputs, ids)
    places = np.int64(0), 2 * size, 2 * size + n_inputs * n_context, context
    sum_rows(scratch, ids, n, numbers, numbers, places, n_context)
    n = list_positive(scratch, context, n_context, ids)
    for kind in range(2):
        weights, bias = head_at + n_second * n_head, output_at - n_head
        places = context, kind * size + weights, kind * size + bias, (_HEADS + kind) * width
        sum_rows(scratch, ids, n, numbers, numbers, places, n_head)


@lean_kernel
def suit_head(plan, numbers, scratch, ids, suit):
    width, n_second, n_head = plan[WIDTH], plan[LAYERS + 1], plan[LAYERS + 3]
    _, head_at, _, size = suit_offsets(plan)
    kind, second = min(suit, 1), (_SECOND + suit) * width
    n = list_positive(scratch, second, n_second, ids)
    places = second, kind * size + head_at, (_HEADS + kind) * width, _HEAD * width
    sum_rows(scratch, ids, n, numbers, scratch, places, n_head)


@lean_kernel
def suit_output(plan, numbers, scratch, suit, rank):
    """Logit of one card of the suit whose head is at hand."""
    n_head = plan[LAYERS + 3]
    _, _, output_at, size = suit_offsets(plan)
    at = min(suit, 1) * size + output_at
    return output(scratch, _HEAD * plan[WIDTH], numbers, at, n_head, rank, N_RANKS)


@lean_kernel
def suit_logits(plan, numbers, scratch, ids, view, out):
    """Logits of the legal cards of an ``h-`` network, lowest code first; how many."""
    suit_layers(plan, numbers, scratch, ids, view)
    context_layer(plan, numbers, scratch, ids, view)
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
def network_logits(plan, numbers, scratch, ids, view, out):
    """Logits of the legal cards; the cards of one abstract move share its probability."""
    if plan[READS] == SUITS:
        return suit_logits(plan, numbers, scratch, ids, view, out)
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    if plan[READS] == MOVES:
        n = classify_legal(view, ids)
        for i in range(n):
            move, alike = np.int64(ids[i]), 0
            for other in range(n):
                alike += ids[other] == move
            logit = output(scratch, place, numbers, at, n_units, move, N_SUIT_MOVES)
            out[i] = logit - math.log(alike)
        return n
    n, left = 0, view[LEGAL]
    while left:
        slot = slot_of(lowest(left), view[DECK])
        out[n] = output(scratch, place, numbers, at, n_units, slot, N_CARDS)
        left &= left - 1
        n += 1
    return n


@lean_kernel
def softmax32(out, n):
    top, total = out[0], 0.0
    for i in range(1, n):
        top = max(top, out[i])
    for i in range(n):
        out[i] = math.exp(np.float32(out[i] - top))  # logits are no more exact than that
        total += out[i]
    for i in range(n):
        out[i] /= total


@lean_kernel
def network_probabilities(plan, numbers, scratch, ids, view, out):
    """Probabilities of the legal cards, lowest code first, into ``out`` float64 (13,); how many."""
    n = network_logits(plan, numbers, scratch, ids, view, out)
    softmax32(out, n)
    return n


@kernel
def picks_legal(plan, numbers, scratch, ids, view):
    """Whether the output that is highest of all, 52 cards or 68 moves, is legal."""
    out, top = np.empty(N_RANKS), -np.inf
    n = network_logits(plan, numbers, scratch, ids, view, out)
    if plan[READS] == SUITS:
        for suit in range(4):
            suit_head(plan, numbers, scratch, ids, suit)
            for rank in range(N_RANKS):
                top = max(top, suit_output(plan, numbers, scratch, suit, rank))
        return out[:n].max() >= top
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    n_outputs = N_SUIT_MOVES if plan[READS] == MOVES else N_CARDS
    best = 0
    for i in range(n_outputs):
        logit = output(scratch, place, numbers, at, n_units, i, n_outputs)
        if logit > top:
            best, top = i, logit
    if plan[READS] == MOVES:
        classify_legal(view, ids)
        return bool((ids[:n] == best).any())
    return bool(card_slots(view[LEGAL], view[DECK]) >> best & 1)
