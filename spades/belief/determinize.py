"""Uniform determinization: every deal that agrees with an observation is equally likely.

What a seat knows for sure of the other three hands: their sizes, and the suits in which each is
void. Unseen cards fall into groups by who may hold them (an owner set, bits 1 2 4 for the next
seat, the partner, the previous seat). How many cards of each shared group go to which seat is a
split; one is drawn with probability proportional to the number of deals that complete it, then the
cards of each group are drawn as a uniform subset. No deal is rejected or repaired, so the deals are
exactly uniform, also when several seats are void in several suits.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Protocol

import numpy as np

from spades.core.cards import N_SEATS, cards_in, mask_of, suit_mask
from spades.core.errors import InvalidDealError
from spades.core.kernel import (
    FloatArray,
    Int,
    IntArray,
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

Deals = IntArray

# Owner bits; an owner set is their sum.
NEXT_BIT = 1
PARTNER_BIT = 2
PREVIOUS_BIT = 4
ALL_OWNERS = NEXT_BIT | PARTNER_BIT | PREVIOUS_BIT
_LOW_39 = np.uint64((1 << 39) - 1)
_THREE_STEPS = np.uint64(3 * 0x9E3779B97F4A7C15 % 2**64)  # three times next_state
_FACTORIALS = np.array([float(math.factorial(n)) for n in range(53)])


class Determinizer(Protocol):
    """Draws full deals for an observation; the search takes any."""

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals, hand masks by seat (n, 4), and the random state after them."""
        ...


class UniformDeals:
    """The uniform determinizer of one observation."""

    def __init__(self, observation: Observation) -> None:
        self.seat = observation.seat
        self.own_hand = observation.hand_mask
        self.groups, self.sizes = owner_groups(observation)
        self.splits = enumerate_splits(self.groups, self.sizes, _FACTORIALS)
        if not len(self.splits):
            raise InvalidDealError(f"no deal agrees with what was seen | {observation.text()}")

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        state = sample_uniform(
            self.groups, self.splits, self.seat, self.own_hand, np.uint64(state), deals
        )
        return deals, np.uint64(state)

    def shares(self, cards: Sequence[int]) -> FloatArray:
        """P that each hidden seat holds each of the unseen ``cards`` over all deals, (cards, 3).

        A group's cards are with a seat equally often: the mean share over the splits, by their
        deals."""
        n_deals = np.diff(self.splits[:, 3], prepend=0.0)
        sizes = [int(group).bit_count() for group in self.groups]
        x, y, z, _, a, b = self.splits.T
        none = np.zeros(len(x))
        counts = {  # by group, of each seat, over the splits
            NEXT_BIT: (none + sizes[1], none, none),
            PARTNER_BIT: (none, none + sizes[2], none),
            NEXT_BIT | PARTNER_BIT: (x, sizes[3] - x, none),
            PREVIOUS_BIT: (none, none, none + sizes[4]),
            NEXT_BIT | PREVIOUS_BIT: (y, none, sizes[5] - y),
            PARTNER_BIT | PREVIOUS_BIT: (none, z, sizes[6] - z),
            ALL_OWNERS: (a, b, sizes[7] - a - b),
        }
        rows = []
        for card in cards:
            group = next(group for group in counts if int(self.groups[group]) >> card & 1)
            mean_counts = [float(n @ n_deals / n_deals.sum()) for n in counts[group]]
            rows.append([mean / sizes[group] for mean in mean_counts])
        return np.array(rows).reshape(-1, 3)


def owner_shares_of(
    deals: Deals, observer: int, cards: Sequence[int], weights: FloatArray | None = None
) -> FloatArray:
    """The share of ``deals`` (n, 4), equally or by their weights, in which each seat hidden from
    the observer holds each of ``cards``, (cards, 3)."""
    codes = np.array(cards, dtype=np.int64)
    held = deals[:, None, hidden_seats(observer)] >> codes[None, :, None] & 1
    return np.average(held, axis=0, weights=weights)


def hidden_seats(seat: int) -> list[int]:
    """The seats whose hands ``seat`` doesn't see, clockwise."""
    return [(seat + i) % N_SEATS for i in (1, 2, 3)]


def owner_groups(observation: Observation) -> tuple[Deals, IntArray]:
    """Masks of the unseen cards by owner set, (8,), and the three hidden hand sizes, (3,)."""
    hidden = hidden_seats(observation.seat)
    lacks = [observation.table.lacks(seat) for seat in hidden]
    groups = np.zeros(ALL_OWNERS + 1, dtype=np.int64)
    for suit in range(4):
        cards = suit_mask(suit)
        owners = sum(1 << i for i, lacked in enumerate(lacks) if not lacked & cards)
        groups[owners] |= observation.unseen_mask & cards
    return groups, np.array(observation.hand_sizes)[hidden]


def deal_count(observation: Observation) -> float:
    """Number of deals that agree with an observation (exact up to 2**53)."""
    splits = enumerate_splits(*owner_groups(observation), _FACTORIALS)
    return float(splits[-1, 3]) if len(splits) else 0.0


def every_deal(observation: Observation) -> Deals:
    """All deals that agree with an observation, hand masks by seat (``deal_count``, 4)."""
    groups, sizes = owner_groups(observation)
    splits = enumerate_splits(groups, sizes, _FACTORIALS).astype(np.int64).tolist()
    hidden_hands: list[tuple[int, int, int]] = []
    for split in splits:
        hidden_hands += _deals_of_split(groups.tolist(), split)
    others = np.array(hidden_hands, dtype=np.int64).reshape(-1, 3)
    from_observer = np.insert(others, 0, observation.hand_mask, axis=1)
    return np.roll(from_observer, observation.seat, axis=1)


def _deals_of_split(groups: list[int], split: list[int]) -> Iterator[tuple[int, int, int]]:
    """The three hidden hands of every deal with one split (a row of ``enumerate_splits``)."""
    x, y, z, _, a, b = split
    ab = groups[NEXT_BIT | PARTNER_BIT]
    ac = groups[NEXT_BIT | PREVIOUS_BIT]
    bc = groups[PARTNER_BIT | PREVIOUS_BIT]
    abc = groups[ALL_OWNERS]
    for ab_next, ac_next, bc_partner in product(_subsets(ab, x), _subsets(ac, y), _subsets(bc, z)):
        for free_a in _subsets(abc, a):
            for free_b in _subsets(abc ^ free_a, b):
                free_c = abc ^ free_a ^ free_b
                yield (
                    groups[NEXT_BIT] | ab_next | ac_next | free_a,
                    groups[PARTNER_BIT] | (ab ^ ab_next) | bc_partner | free_b,
                    groups[PREVIOUS_BIT] | (ac ^ ac_next) | (bc ^ bc_partner) | free_c,
                )


def _subsets(mask: int, size: int) -> list[int]:
    """All subsets of ``size`` cards of a mask."""
    return [mask_of(cards) for cards in combinations(cards_in(mask), size)]


@kernel
def enumerate_splits(groups: Deals, sizes: Deals, factorials: FloatArray) -> FloatArray:
    """All splits of the shared groups: rows (x, y, z, cumulative number of deals, a, b).

    The next seat receives x of the cards that only it or the partner may hold, and y of those that
    only it or the previous seat may hold; the partner receives z of those that only it or the
    previous seat may hold. Of the cards that anyone may hold, a go to the next seat and b to the
    partner. No rows where a card has no owner."""
    n_ab = popcount(groups[NEXT_BIT | PARTNER_BIT])
    n_ac = popcount(groups[NEXT_BIT | PREVIOUS_BIT])
    n_bc = popcount(groups[PARTNER_BIT | PREVIOUS_BIT])
    n_abc = popcount(groups[ALL_OWNERS])
    need_a = sizes[0] - popcount(groups[NEXT_BIT])
    need_b = sizes[1] - popcount(groups[PARTNER_BIT])
    need_c = sizes[2] - popcount(groups[PREVIOUS_BIT])
    rows = np.empty(((n_ab + 1) * (n_ac + 1) * (n_bc + 1), 6))
    n = 0
    total = 0.0
    n_shared = n_ab + n_ac + n_bc + n_abc
    fits = groups[0] == 0 and need_a + need_b + need_c == n_shared
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
                rows[n, 0] = x
                rows[n, 1] = y
                rows[n, 2] = z
                rows[n, 3] = total
                rows[n, 4] = a
                rows[n, 5] = b
                n += 1
    return rows[:n]


@kernel
def _choose(factorials: FloatArray, n: Int, k: Int) -> float:
    return factorials[n] / (factorials[k] * factorials[n - k])


@kernel
def sample_uniform(
    groups: Deals,
    splits: FloatArray,
    seat: Int,
    own_hand: Int,
    state: np.uint64,
    deals: Deals,
) -> np.uint64:
    """Fill ``deals`` (n, 4) with uniform deals; returns the random state after them."""
    ab = groups[NEXT_BIT | PARTNER_BIT]
    ac = groups[NEXT_BIT | PREVIOUS_BIT]
    bc = groups[PARTNER_BIT | PREVIOUS_BIT]
    abc = groups[ALL_OWNERS]
    n_abc = popcount(abc)
    total = splits[len(splits) - 1, 3]
    for i in range(len(deals)):
        row = np.uintp(0)
        if len(splits) > 1:
            state = next_state(state)
            row = _row_at(splits, unit(mixed(state)) * total)
        ab_next, state = random_subset(ab, np.int64(splits[row, 0]), state)
        ac_next, state = random_subset(ac, np.int64(splits[row, 1]), state)
        bc_partner, state = random_subset(bc, np.int64(splits[row, 2]), state)
        a = groups[NEXT_BIT] | ab_next | ac_next
        b = groups[PARTNER_BIT] | (ab ^ ab_next) | bc_partner
        c = groups[PREVIOUS_BIT] | (ac ^ ac_next) | (bc ^ bc_partner)
        if n_abc:
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
def _row_at(splits: FloatArray, cumulative: float) -> Int:
    """The first row with more than so many deals up to and including it."""
    low = 0
    high = len(splits) - 1
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

    Every card is first taken with the same probability, the multiple of 1/8 nearest to size / n;
    then random cards are removed or added until the size is right. By symmetry among the cards the
    result is uniform whatever that probability; a close one only saves draws."""
    n = popcount(mask)
    if size == 0:
        return np.int64(0), state
    if size == n:
        return mask, state
    taken = _coin_flips(16 * size, n, state)
    state = state + _THREE_STEPS
    low_n = (np.int64(1) << n) - 1
    subset = spread_bits(np.int64(taken & _LOW_39) & low_n, mask)
    excess = popcount(subset) - size
    candidates = subset if excess > 0 else mask & ~subset  # to remove, or to add
    n_candidates = popcount(candidates)
    for _ in range(abs(excess)):
        state = next_state(state)
        card = nth_bit(candidates, below(mixed(state), n_candidates))
        candidates ^= card
        subset ^= card
        n_candidates -= 1
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
