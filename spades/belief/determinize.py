"""Uniform determinization: every deal that agrees with an observation is equally likely.

What a seat knows for sure of the other three hands: their sizes, and the suits each has shown out
of. Unseen cards fall into groups by who may hold them (an owner set, bits 1 2 4 for the next seat,
the partner, the previous seat). How many cards of each shared group go where has at most three
degrees of freedom; each such split is drawn with the number of deals that complete it, then the
cards of each group are drawn as a uniform subset. Nothing is rejected and nothing is patched, so
the deals are exactly uniform, also when several suits are void (spec 2, "Determinization").
"""

import math
from itertools import combinations, product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, cards_in, mask_of, suit_mask
from spades.core.errors import InvalidDealError
from spades.core.kernel import (
    Int,
    below,
    kernel,
    mixed,
    next_state,
    nth_bit,
    popcount,
    spread_bits,
    unit,
)
from spades.core.observation import Observation

Deals = NDArray[np.int64]

NEXT, PARTNER, PREVIOUS = 1, 2, 4  # owner bits; a set of owners is their sum
ALL_OWNERS = NEXT | PARTNER | PREVIOUS
_LOW_39 = np.uint64((1 << 39) - 1)
_THREE_STEPS = np.uint64(3 * 0x9E3779B97F4A7C15 % 2**64)  # three times next_state
_FACTORIALS = np.array([float(math.factorial(n)) for n in range(53)])


class Determinizer(Protocol):
    """Draws full deals for an observation; the search takes any."""

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals, shape (n, 4), a hand mask a seat, and the random state after them."""
        ...


class UniformDeals:
    """The uniform determinizer of one observation."""

    def __init__(self, observation: Observation) -> None:
        self.seat = observation.seat
        self.groups, self.sizes = owner_groups(observation)
        self.splits = enumerate_splits(self.groups, self.sizes, _FACTORIALS)
        if not len(self.splits):
            raise InvalidDealError(f"no deal agrees with what was seen | {observation.text()}")
        self.own_hand = observation.hand_mask

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        state = sample_uniform(
            self.groups, self.splits, self.seat, self.own_hand, np.uint64(state), deals
        )
        return deals, np.uint64(state)


def owner_groups(observation: Observation) -> tuple[Deals, Deals]:
    """Unseen cards by owner set, shape (8,), and the three hidden hand sizes, shape (3,)."""
    hidden = [(observation.seat + i) % N_SEATS for i in (1, 2, 3)]
    sizes = observation.hand_sizes
    unseen, lacks = observation.unseen_mask, [observation.table.lacks(seat) for seat in hidden]
    groups = [0] * (ALL_OWNERS + 1)
    for suit in map(suit_mask, range(4)):
        owners = sum(1 << i for i, lack in enumerate(lacks) if not lack & suit)
        groups[owners] |= unseen & suit
    return np.array(groups, dtype=np.int64), np.array([sizes[seat] for seat in hidden])


def deal_count(observation: Observation) -> float:
    """Number of deals that agree with an observation (exact up to 2**53)."""
    splits = enumerate_splits(*owner_groups(observation), _FACTORIALS)
    return float(splits[-1, 3]) if len(splits) else 0.0


def every_deal(observation: Observation) -> Deals:
    """All deals that agree with an observation, (``deal_count``, 4): a hand mask a seat."""
    groups, sizes = owner_groups(observation)
    ab, ac, bc = (int(groups[i]) for i in (NEXT | PARTNER, NEXT | PREVIOUS, PARTNER | PREVIOUS))
    deals, abc, to = [], int(groups[ALL_OWNERS]), [int(groups[1 << i]) for i in range(3)]
    for x, y, z, _, a, b in enumerate_splits(groups, sizes, _FACTORIALS).astype(np.int64).tolist():
        for p, q, r in product(_subsets(ab, x), _subsets(ac, y), _subsets(bc, z)):
            for s in _subsets(abc, a):
                for t in _subsets(abc ^ s, b):
                    others = (p | q | s, ab ^ p | r | t, ac ^ q | bc ^ r | abc ^ s ^ t)
                    deals.append([hand | more for hand, more in zip(to, others, strict=True)])
    found = np.array(deals, dtype=np.int64).reshape(-1, 3)
    return np.roll(np.insert(found, 0, observation.hand_mask, axis=1), observation.seat, axis=1)


def _subsets(mask: int, size: int) -> list[int]:
    """All subsets of so many cards of a mask."""
    return [mask_of(cards) for cards in combinations(cards_in(mask), size)]


@kernel
def enumerate_splits(
    groups: Deals, sizes: Deals, factorials: NDArray[np.float64]
) -> NDArray[np.float64]:
    """All splits of the shared groups: rows (x, y, z, cumulative number of deals, a, b).

    x of the cards that next or partner may hold go to next, y of those of next or previous go to
    next, z of those of partner or previous go to partner; a and b of the cards that anyone may
    hold go to next and partner. Empty where a card has no owner."""
    n_ab = popcount(groups[NEXT | PARTNER])
    n_ac = popcount(groups[NEXT | PREVIOUS])
    n_bc = popcount(groups[PARTNER | PREVIOUS])
    n_abc = popcount(groups[ALL_OWNERS])
    need_a = sizes[0] - popcount(groups[NEXT])
    need_b = sizes[1] - popcount(groups[PARTNER])
    need_c = sizes[2] - popcount(groups[PREVIOUS])
    rows = np.empty(((n_ab + 1) * (n_ac + 1) * (n_bc + 1), 6))
    n, total = 0, 0.0
    fits = groups[0] == 0 and need_a + need_b + need_c == n_ab + n_ac + n_bc + n_abc
    for x in range(n_ab + 1 if fits else 0):
        for y in range(n_ac + 1):
            for z in range(n_bc + 1):
                a = need_a - x - y
                b = need_b - (n_ab - x) - z
                c = need_c - (n_ac - y) - (n_bc - z)
                if a < 0 or b < 0 or c < 0:
                    continue
                deals = factorials[n_abc] / (factorials[a] * factorials[b] * factorials[c])
                deals *= _choose(factorials, n_ab, x)
                deals *= _choose(factorials, n_ac, y) * _choose(factorials, n_bc, z)
                total += deals
                rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = x, y, z, total
                rows[n, 4], rows[n, 5] = a, b
                n += 1
    return rows[:n]


@kernel
def _choose(factorials: NDArray[np.float64], n: Int, k: Int) -> float:
    return factorials[n] / (factorials[k] * factorials[n - k])


@kernel
def sample_uniform(
    groups: Deals,
    splits: NDArray[np.float64],
    seat: Int,
    own_hand: Int,
    state: np.uint64,
    deals: Deals,
) -> np.uint64:
    """Fill ``deals`` (n, 4) with uniform deals; returns the random state after them."""
    ab, ac, bc = groups[NEXT | PARTNER], groups[NEXT | PREVIOUS], groups[PARTNER | PREVIOUS]
    abc = groups[ALL_OWNERS]
    size_c = popcount(abc)
    total = splits[len(splits) - 1, 3]
    for i in range(len(deals)):
        row = np.uintp(0)
        if len(splits) > 1:
            state = next_state(state)
            row = _row_at(splits, unit(mixed(state)) * total)
        x, y, z = np.int64(splits[row, 0]), np.int64(splits[row, 1]), np.int64(splits[row, 2])
        ab_next, state = random_subset(ab, x, state)
        ac_next, state = random_subset(ac, y, state)
        bc_partner, state = random_subset(bc, z, state)
        a = groups[NEXT] | ab_next | ac_next
        b = groups[PARTNER] | (ab ^ ab_next) | bc_partner
        c = groups[PREVIOUS] | (ac ^ ac_next) | (bc ^ bc_partner)
        if size_c:
            free_a, state = random_subset(abc, np.int64(splits[row, 4]), state)
            free_b, state = random_subset(abc ^ free_a, np.int64(splits[row, 5]), state)
            a |= free_a
            b |= free_b
            c |= abc ^ free_a ^ free_b
        deals[i, seat] = own_hand
        deals[i, (seat + 1) & 3] = a
        deals[i, (seat + 2) & 3] = b
        deals[i, (seat + 3) & 3] = c
    return state


@kernel
def _row_at(splits: NDArray[np.float64], cumulative: float) -> Int:
    low, high = 0, len(splits) - 1
    while low < high:
        middle = (low + high) >> 1
        if splits[middle, 3] > cumulative:
            high = middle
        else:
            low = middle + 1
    return np.uintp(low)


@kernel
def random_subset(mask: Int, size: Int, state: np.uint64) -> tuple[Int, np.uint64]:
    """A uniform subset of ``size`` cards of ``mask``: (subset, state).

    Every card is first taken with one probability near size / n, a multiple of 1/8 made of random
    words; cards drawn at random then leave or join until the size is right. By symmetry among the
    cards the result is uniform whatever that probability; a good one only saves draws."""
    n = popcount(mask)
    if size == 0:
        return np.int64(0), state
    if size == n:
        return mask, state
    taken = _coin_flips(16 * size, n, state)
    state = state + _THREE_STEPS
    subset = spread_bits(np.int64(taken & _LOW_39) & ((np.int64(1) << n) - 1), mask)
    excess = popcount(subset) - size
    pool = subset if excess > 0 else mask & ~subset
    left = popcount(pool)
    for _ in range(abs(excess)):
        state = next_state(state)
        card = nth_bit(pool, below(mixed(state), left))
        pool ^= card
        subset ^= card
        left -= 1
    return subset, state


@kernel
def _coin_flips(sixteenfold_size: Int, n: Int, state: np.uint64) -> np.uint64:
    """64 bits, each set with the multiple of 1/8 (at most 3/4) nearest to size / n."""
    state = next_state(state)
    first = mixed(state)
    state = next_state(state)
    second = mixed(state)
    state = next_state(state)
    third = mixed(state)
    if sixteenfold_size <= 3 * n:
        return first & second & third
    if sixteenfold_size <= 5 * n:
        return first & second
    if sixteenfold_size <= 7 * n:
        return first & (second | third)
    if sixteenfold_size <= 9 * n:
        return first
    if sixteenfold_size <= 11 * n:
        return first | (second & third)
    return first | second
