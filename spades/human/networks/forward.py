"""The forward pass of a network for one decision, compiled for use inside a search.

Nearly all inputs are 0, and after training with a penalty on activations so are most hidden units:
each layer adds up only the rows of weights of active units, and the output is computed for the
legal cards only. ``numbers`` holds the tensors of ``tensor_shapes`` as ``.model`` packs them.
``scratch`` is divided into parts of ``plan[WIDTH]`` floats: the inputs, then two that alternate for
the layers (or those of an ``h-`` network). ``ids`` lists the inputs that aren't 0. In a function's
locals ``at`` is a position in ``numbers`` and ``place`` one in ``scratch``.
"""

import math

import numpy as np

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import IntArray, kernel, lean_kernel, lowest
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
"""Places in a plan, the shape of a network for compiled code."""

N_PARTS = 10  # most parts of the scratch memory, each as wide as the widest layer
_LISTED_AT_ONCE = 8  # ``list_positive`` may write that many ids past the last
# Parts of an ``h-`` network: the first layer of the current suit, the second layers of the four
# suits, the context, its contributions to the heads of spades and of side suits, the current head.
_FIRST = 1
_SECOND = 2
_CONTEXT = 6
_HEADS = 7
_HEAD = 9


def plan_of(config: NetworkConfig) -> IntArray:
    """The shape for compiled code: ``reads``, ``has_tricks``, ``convolves`` and ``appends``, the
    number of inputs of the first layer, the width of a part of the scratch memory, the number of
    hidden layers, and their sizes from ``LAYERS`` on."""
    plan = [
        config.reads,
        config.has_tricks,
        config.convolves,
        config.appends,
        config.n_inputs,
        _part_width(config),
        len(config.hidden),
        *config.hidden,
    ]
    return np.array(plan, dtype=np.int64)


def _part_width(config: NetworkConfig) -> int:
    """Width of a part of the scratch memory."""
    if config.reads == SUITS:
        first, second, context, head = config.hidden
        widest = max(N_SUIT_INPUTS, 2 * second + N_FACTS, second + context, first, head, N_CARDS)
    else:
        widest = max(config.n_inputs, config.n_outputs, *config.hidden)
    return widest + _LISTED_AT_ONCE


@lean_kernel
def convolve(view, numbers, out):
    """Write the convolution of each seat's 52 cards by two kernels of size four, after ReLU, into
    ``out`` (4 * 2 * 49,)."""
    bias_at = N_SEATS * N_KERNELS * KERNEL_SIZE
    at = 0
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
    """List the non-zero ones of the first n inputs; returns their number."""
    listed = 0
    for i in range(n):
        ids[listed] = i
        listed += x[i] != 0.0
    return listed


@lean_kernel
def list_convolved(view, plan, numbers, x, ids):
    """List the inputs of the first layer of a network that convolves; returns their number."""
    if plan[APPENDS]:
        list_binary(view, plan[READS], N_CONVOLVED, x, ids)
    if plan[HAS_TRICKS]:
        list_scalars(view, plan[N_INPUTS] - N_SCALARS, x, ids)
    convolve(view, numbers, x)
    return list_nonzero(x, plan[N_INPUTS], ids)


@lean_kernel
def first_layer(plan, numbers, scratch, ids, view):
    """Write the first hidden layer's units into the second part of ``scratch``; returns where its
    weights end in ``numbers``."""
    width = plan[WIDTH]
    n_units = plan[LAYERS]
    n_inputs = plan[N_INPUTS]
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
    """Run the hidden layers; returns where the last one's units are in ``scratch``, and where the
    output's weights are in ``numbers``."""
    at = first_layer(plan, numbers, scratch, ids, view)
    place = plan[WIDTH]
    n_inputs = plan[LAYERS]
    for layer in range(1, plan[N_LAYERS]):
        n_units = plan[LAYERS + layer]
        above = plan[WIDTH] * (1 + layer % 2)
        n = list_positive(scratch, place, n_inputs, ids)
        places = place, at, at + n_inputs * n_units, above
        sum_rows(scratch, ids, n, numbers, numbers, places, n_units)
        at += (n_inputs + 1) * n_units
        place = above
        n_inputs = n_units
    return place, at


@lean_kernel
def output(scratch, place, numbers, at, n_units, i, n_outputs):
    """Output ``i``; the rows of weights begin at ``at`` and are followed by the biases."""
    bias = numbers[at + n_outputs * n_units + i]
    return relu_dot(scratch, place, numbers, at + i * n_units, n_units) + bias


@lean_kernel
def suit_offsets(plan):
    """Offsets of the second layer, head and output within a suit's weights, and their end."""
    first = plan[LAYERS]
    second = plan[LAYERS + 1]
    context = plan[LAYERS + 2]
    head = plan[LAYERS + 3]
    second_at = (N_SUIT_INPUTS + 1) * first
    head_at = second_at + (first + 1) * second
    output_at = head_at + (second + context + 1) * head
    return second_at, head_at, output_at, output_at + N_RANKS * (head + 1)


@lean_kernel
def suit_layers(plan, numbers, scratch, ids, view):
    """Write the two layers of each suit, after ReLU, into their parts of ``scratch``."""
    width = plan[WIDTH]
    n_first = plan[LAYERS]
    n_second = plan[LAYERS + 1]
    second_at, head_at, _, size = suit_offsets(plan)
    first = _FIRST * width
    for suit in range(4):
        start = np.int64(0) if suit == 0 else size
        second = (_SECOND + suit) * width
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
    """Compute the context from all suits and the facts of the table, and its contributions to the
    heads."""
    width = plan[WIDTH]
    n_second = plan[LAYERS + 1]
    n_context = plan[LAYERS + 2]
    n_head = plan[LAYERS + 3]
    context = _CONTEXT * width
    n_inputs = 2 * n_second + N_FACTS
    _, head_at, output_at, size = suit_offsets(plan)
    for i in range(n_second):
        spades = _SECOND * width + i
        scratch[i] = scratch[spades]
        hearts = scratch[spades + width]
        diamonds = scratch[spades + 2 * width]
        clubs = scratch[spades + 3 * width]
        scratch[n_second + i] = hearts + diamonds + clubs
    write_facts(view, scratch, 2 * n_second)
    n = list_nonzero(scratch, n_inputs, ids)
    places = np.int64(0), 2 * size, 2 * size + n_inputs * n_context, context
    sum_rows(scratch, ids, n, numbers, numbers, places, n_context)
    n = list_positive(scratch, context, n_context, ids)
    for kind in range(2):
        weights = head_at + n_second * n_head
        bias = output_at - n_head
        places = context, kind * size + weights, kind * size + bias, (_HEADS + kind) * width
        sum_rows(scratch, ids, n, numbers, numbers, places, n_head)


@lean_kernel
def suit_head(plan, numbers, scratch, ids, suit):
    """Compute the head of a suit, which becomes the current one."""
    width = plan[WIDTH]
    n_second = plan[LAYERS + 1]
    n_head = plan[LAYERS + 3]
    _, head_at, _, size = suit_offsets(plan)
    kind = min(suit, 1)
    second = (_SECOND + suit) * width
    n = list_positive(scratch, second, n_second, ids)
    places = second, kind * size + head_at, (_HEADS + kind) * width, _HEAD * width
    sum_rows(scratch, ids, n, numbers, scratch, places, n_head)


@lean_kernel
def suit_output(plan, numbers, scratch, suit, rank):
    """Logit of one card of the suit whose head is the current one."""
    n_head = plan[LAYERS + 3]
    _, _, output_at, size = suit_offsets(plan)
    at = min(suit, 1) * size + output_at
    return output(scratch, _HEAD * plan[WIDTH], numbers, at, n_head, rank, N_RANKS)


@lean_kernel
def suit_logits(plan, numbers, scratch, ids, view, out):
    """Write the logits of the legal cards of an ``h-`` network, lowest code first; returns their
    number."""
    suit_layers(plan, numbers, scratch, ids, view)
    context_layer(plan, numbers, scratch, ids, view)
    n = 0
    remaining = view[LEGAL]
    before = -1
    while remaining:
        card = lowest(remaining)
        suit = card >> 4
        if suit != before:
            suit_head(plan, numbers, scratch, ids, suit)
            before = suit
        rank = slot_of(card, view[DECK]) - N_RANKS * suit
        out[n] = suit_output(plan, numbers, scratch, suit, rank)
        remaining &= remaining - 1
        n += 1
    return n


@lean_kernel
def network_logits(plan, numbers, scratch, ids, view, out):
    """Write the logits of the legal cards; returns their number. Cards with the same abstract move
    share its probability."""
    if plan[READS] == SUITS:
        return suit_logits(plan, numbers, scratch, ids, view, out)
    place, at = last_layer(plan, numbers, scratch, ids, view)
    n_units = plan[LAYERS + plan[N_LAYERS] - 1]
    if plan[READS] == MOVES:
        n = classify_legal(view, ids)
        for i in range(n):
            move = np.int64(ids[i])
            n_alike = 0
            for other in range(n):
                n_alike += ids[other] == move
            logit = output(scratch, place, numbers, at, n_units, move, N_SUIT_MOVES)
            out[i] = logit - math.log(n_alike)
        return n
    n = 0
    remaining = view[LEGAL]
    while remaining:
        slot = slot_of(lowest(remaining), view[DECK])
        out[n] = output(scratch, place, numbers, at, n_units, slot, N_CARDS)
        remaining &= remaining - 1
        n += 1
    return n


@lean_kernel
def softmax32(out, n):
    top = out[0]
    total = 0.0
    for i in range(1, n):
        top = max(top, out[i])
    for i in range(n):
        out[i] = math.exp(np.float32(out[i] - top))  # float32: logits aren't more precise
        total += out[i]
    for i in range(n):
        out[i] /= total


@lean_kernel
def network_probabilities(plan, numbers, scratch, ids, view, out):
    """Write the probabilities of the legal cards, lowest code first, into ``out`` float64 (13,);
    returns their number."""
    n = network_logits(plan, numbers, scratch, ids, view, out)
    softmax32(out, n)
    return n


@kernel
def picks_legal(plan, numbers, scratch, ids, view):
    """Whether the highest of all outputs, 52 cards or 68 moves, is legal."""
    out = np.empty(N_RANKS)
    top = -np.inf
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
            best = i
            top = logit
    if plan[READS] == MOVES:
        classify_legal(view, ids)
        return bool((ids[:n] == best).any())
    return bool(card_slots(view[LEGAL], view[DECK]) >> best & 1)
