"""Kernels of the uniform determinization: subsets, owner sets, plain twins."""

import itertools
import math
from contextlib import contextmanager

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import spades.core.kernel
from spades.belief import determinize
from spades.belief.determinize import (
    _FACTORIALS,
    ALL_OWNERS,
    _choose,
    _coin_flips,
    _row_at,
    enumerate_splits,
    owner_groups,
    random_subset,
    sample_uniform,
)
from spades.core.cards import NORTH, cards_in, mask_of
from spades.core.kernel import seed_state
from tests.belief.endings import ENDINGS, P_LEAST, p_uniform

every_ending = pytest.mark.parametrize("observation", ENDINGS.values(), ids=ENDINGS)


# All seven owner sets at once (four suits make at most four; the kernel takes any)


def seven_groups():
    """One card of each single owner, one or two of each shared set; hands of four."""
    groups, card = np.zeros(8, dtype=np.int64), 0
    for owners in range(1, 8):
        for _ in range(1 if owners.bit_count() == 1 else 2 + (owners == ALL_OWNERS)):
            groups[owners] |= 1 << card
            card += 1
    return groups, np.array([4, 4, 4])


def every_deal_of(groups, sizes):
    owners_of = {card: owners for owners in range(8) for card in cards_in(int(groups[owners]))}
    found = []
    for seats in itertools.product(range(3), repeat=len(owners_of)):
        if all(owners >> seat & 1 for seat, owners in zip(seats, owners_of.values(), strict=True)):
            held = [
                mask_of(c for c, s in zip(owners_of, seats, strict=True) if s == i)
                for i in range(3)
            ]
            if [hand.bit_count() for hand in held] == list(sizes):
                found.append(tuple(held))
    return found


def test_all_seven_owner_sets_at_once_are_uniform():
    groups, sizes = seven_groups()
    possible = every_deal_of(groups, sizes)
    splits = enumerate_splits(groups, sizes, _FACTORIALS)
    assert splits[-1, 3] == len(possible) > 50
    deals = np.empty((200 * len(possible), 4), dtype=np.int64)
    sample_uniform(groups, splits, 2, 1 << 40, seed_state(13), deals)
    assert set(deals[:, 2].tolist()) == {1 << 40}
    drawn = [tuple(hands) for hands in deals[:, [3, 0, 1]].tolist()]
    assert p_uniform(drawn, possible) > P_LEAST


# Subsets and plain twins

FORTY = mask_of(range(3, 63, 2)) | mask_of(range(0, 20, 2))
SUBSETS = [(n, k) for n in (1, 2, 3, 5, 8) for k in range(n + 1)]


def subsets(mask, size, n_draws, seed):
    state, drawn = seed_state(seed), []
    for _ in range(n_draws):
        subset, state = random_subset(np.int64(mask), size, state)
        state = np.uint64(state)
        drawn.append(int(subset))
    return drawn


@pytest.mark.parametrize(("n", "k"), SUBSETS)
def test_a_random_subset_is_uniform(n, k):
    held = [0, 5, 17, 31, 32, 46, 61, 62][:n]
    possible = [mask_of(chosen) for chosen in itertools.combinations(held, k)]
    drawn = subsets(mask_of(held), k, 60 * len(possible), seed=17 * n + k)
    if len(possible) == 1:
        assert set(drawn) == set(possible)
    else:
        assert p_uniform(drawn, possible) > P_LEAST / len(SUBSETS)


@pytest.mark.parametrize("k", [1, 7, 13, 20, 26, 33, 38])
def test_cards_and_pairs_of_a_large_random_subset(k):
    """39 cards: each is in with k / 39, each pair with the hypergeometric chance."""
    cards_held = list(cards_in(FORTY))[:39]
    n = 8_000
    drawn = np.array(subsets(mask_of(cards_held), k, n, seed=k))
    inside = np.array([drawn >> card & 1 for card in cards_held])
    assert (inside.sum(axis=0) == k).all()
    p = k / 39
    assert (abs(inside.sum(axis=1) - n * p) < 5 * math.sqrt(n * p * (1 - p))).all()
    p_pair = p * (k - 1) / 38
    off = abs(inside @ inside.T - n * p_pair)[np.triu_indices(39, 1)]
    assert (off <= 5.5 * math.sqrt(n * p_pair * (1 - p_pair)) + 1).all()


@contextmanager
def plain_kernels():
    """Kernels called by plain twins are plain too; their 64-bit sums wrap as compiled ones do."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        for module in (determinize, spades.core.kernel):
            for name, value in list(vars(module).items()):
                if isinstance(value, Dispatcher):
                    patch.setattr(module, name, value.py_func)
        yield


def plain(kernel, *arguments):
    """What the plain twin of a compiled kernel gives."""
    with plain_kernels():
        return kernel.py_func(*arguments)


def test_random_subset_equals_its_plain_twin():
    state = seed_state(3)
    for size in range(40):
        mask = np.int64(mask_of(list(cards_in(FORTY))[:39]))
        subset, after = random_subset(mask, size, state)
        assert plain(random_subset, mask, size, state) == (subset, after)
        state = np.uint64(after)


@pytest.mark.parametrize("eighths", range(1, 16))
def test_coin_flips_equal_their_plain_twin(eighths):
    state = seed_state(eighths)
    assert plain(_coin_flips, 2 * eighths, 2, state) == _coin_flips(2 * eighths, 2, state)


@every_ending
def test_the_other_kernels_equal_their_plain_twins(observation):
    groups, sizes = owner_groups(observation)
    splits = enumerate_splits(groups, sizes, _FACTORIALS)
    assert (plain(enumerate_splits, groups, sizes, _FACTORIALS) == splits).all()
    for cumulative in (0.0, 0.3 * splits[-1, 3], np.nextafter(splits[-1, 3], 0.0)):
        assert plain(_row_at, splits, cumulative) == _row_at(splits, cumulative)
    deals, twins = np.empty((2, 40, 4), dtype=np.int64)
    own = observation.hand_mask
    state = sample_uniform(groups, splits, NORTH, own, seed_state(8), deals)
    after = plain(sample_uniform, groups, splits, NORTH, own, seed_state(8), twins)
    assert state == after
    assert (deals == twins).all()


def test_number_of_choices():
    for n in range(40):
        for k in range(n + 1):
            assert _choose(_FACTORIALS, n, k) == pytest.approx(math.comb(n, k), rel=1e-12)
            assert plain(_choose, _FACTORIALS, n, k) == _choose(_FACTORIALS, n, k)
