"""Deals by weights of owners, against every deal listed."""

import random
from itertools import pairwise, product

import numpy as np
import pytest

from analysis.decisions.card_beliefs import (
    other_seats,
    uniform_shares,
    unseen_cards,
)
from spades.belief.determinize import every_deal
from spades.belief.network import SAME_SUITS, renamed_slot
from spades.belief.owners import (
    NetworkDeals,
    compute_thresholds,
    draw_deals,
    log_probabilities,
    log_total,
    owner_shares,
)
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.human import simulate_humans
from tests.belief.endings import ending
from tests.positions import random_bids, random_round, swap_hidden

CARDS = np.array([0, 3, 17, 20, 33, 50, 51], dtype=np.int64)
SIZES = np.array([3, 2, 2], dtype=np.int64)


@pytest.fixture(scope="module")
def weights():
    """Any, some of them 0."""
    found = np.random.default_rng(1).random((len(CARDS), 3)) ** 3
    found[2, 0] = found[5, 1] = found[5, 2] = 0.0
    return found


@pytest.fixture(scope="module")
def deals(weights):
    """Every deal as owners by card, and its probability."""
    owners = np.array(
        [
            owner
            for owner in product(range(3), repeat=len(CARDS))
            if np.array_equal(np.bincount(owner, minlength=3), SIZES)
        ]
    )
    p = weights[np.arange(len(CARDS)), owners].prod(axis=1)
    return owners, p / p.sum()


def test_shares_are_those_of_all_deals(weights, deals):
    owners, p = deals
    expected = np.array([[p[owners[:, i] == k].sum() for k in range(3)] for i in range(len(CARDS))])
    assert np.allclose(owner_shares(compute_thresholds(weights, SIZES), SIZES), expected)


def test_deals_come_as_often_as_their_weights_say(weights, deals):
    owners, p = deals
    n, seat = 60_000, 2
    drawn = np.zeros((n, 4), dtype=np.int64)
    thresholds = compute_thresholds(weights, SIZES)
    draw_deals(CARDS, thresholds, (3, 2), seat, seed_state(5), drawn)
    assert not drawn[:, seat].any()
    codes = np.left_shift(np.int64(1), CARDS)
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    share = dict(zip(map(tuple, found.tolist()), counts / n, strict=True))
    gap = 0.0
    for owner, chance in zip(owners, p, strict=True):
        hands = [int(codes[owner == (k - seat - 1) % 4].sum()) for k in range(4)]
        seen = share.pop(tuple(hands), 0.0)
        assert chance > 0 or not seen
        gap = max(gap, abs(seen - chance) / np.sqrt(chance / n + 1e-12))
    assert not share, "deals that can't be"
    assert gap < 5


def test_the_chance_of_a_deal_is_known(weights, deals):
    owners, p = deals
    owners, p, seat = owners[p > 0], p[p > 0], 1
    hands = np.zeros((len(p), 4), dtype=np.int64)
    for k in range(3):
        hands[:, (seat + 1 + k) % 4] = (owners == k) @ np.left_shift(np.int64(1), CARDS)
    with np.errstate(divide="ignore"):  # weights of 0, which no such deal needs
        gap = log_probabilities(hands, CARDS, weights, seat) - np.log(p)
    assert np.isfinite(gap).all()
    assert np.allclose(gap, log_total(weights, SIZES))


def observations(n, seed=3):
    rng = random.Random(seed)
    return [
        (observe(state), state)
        for state in (random_round(rng, rng.randrange(51), bids=random_bids(rng)) for _ in range(n))
    ]


def test_no_deal_contradicts_what_was_seen():
    for seen, _ in observations(60):
        deals, _ = NetworkDeals(seen).sample(50, seed_state(1))
        assert (deals[:, seen.seat] == seen.hand_mask).all()
        assert (np.bitwise_or.reduce(deals, axis=1) == seen.hand_mask | seen.unseen_mask).all()
        assert (np.bitwise_count(deals) == seen.hand_sizes).all()
        assert not (deals & np.array(seen.table.voids)).any()


def test_the_hidden_cards_change_nothing():
    rng = random.Random(8)
    for seen, state in observations(20, seed=4):
        other = observe(swap_hidden(state, seen.seat, rng), seen.seat)
        first, second = (NetworkDeals(one).sample(20, seed_state(2))[0] for one in (seen, other))
        assert np.array_equal(first, second)


def test_who_plays_is_told_and_matters():
    seen = next(simulate_humans(1, 5).records()).observation(30, 0)
    told = [
        NetworkDeals(seen, players=kind).shares(unseen_cards(seen))
        for kind in ("human", "search", "rules")
    ]
    assert all(np.abs(a - b).max() > 0.002 for a, b in pairwise(told))


def test_an_ending_with_one_deal_is_certain():
    seen = ending("SA HK D2", voids=("HD", "SD", "SH"))
    assert len(every_deal(seen)) == 1
    assert np.array_equal(
        np.sort(NetworkDeals(seen).shares(unseen_cards(seen)).ravel()), [0] * 6 + [1] * 3
    )


def test_the_network_sees_more_than_counting():
    """On rounds of simulated humans that it wasn't trained on; the shipped table measures it."""
    gains = []
    for record in simulate_humans(60, 60602).records():
        state = record.at(30)
        seen = record.observe(state)
        shares = [NetworkDeals(seen).shares(unseen_cards(seen)), uniform_shares(seen)]
        for i, card in enumerate(unseen_cards(seen)):
            holder = [state.hands[seat] >> card & 1 for seat in other_seats(seen)].index(1)
            gains.append(np.log(shares[0][i, holder]) - np.log(shares[1][i, holder]))
    assert np.mean(gains) > 0.02


def test_cards_are_named_by_their_distance_from_the_top():
    seen, _ = observations(1)[0]
    deck = seen.rules.cards.mask
    slots = {int(renamed_slot(card, deck, SAME_SUITS)) for card in range(63) if deck >> card & 1}
    assert slots == set(range(52))
