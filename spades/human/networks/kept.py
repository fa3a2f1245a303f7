"""What a network keeps between questions; a search asks many that are alike.

- What bids and tricks add to the first layer: bids never change in a search, tricks seldom. Their
  rows of weights are summed once for each of the combinations seen last.
- Whole answers of networks that read cards: late in a round many ways lead to the same few cards.

Each is kept at the place that its key hashes to, and found by the whole key.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import Int, lean_kernel, lowest
from spades.human.features.view import (
    DECK,
    HAND,
    LEGAL,
    OTHER_BIDS,
    OTHER_TRICKS,
    OWN_BID,
    OWN_TRICKS,
    TABLE,
    View,
)
from spades.human.networks.config import (
    LAYERS,
    N_ANSWERS_KEPT,
    N_FACTS_KEPT,
    N_PARTS,
    N_RANKS,
    N_SCALARS,
    N_WORDS,
    WIDTH,
)
from spades.human.networks.inputs import list_scalars
from spades.human.networks.vectors import sum_rows

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
