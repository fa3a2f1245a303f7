"""Exact sampling of deals from the owner probabilities of single cards.

Every hidden card has a weight for each seat that may hold it. Among the deals with the right hand
sizes, a deal's probability is proportional to the product of its cards' weights. Cards are dealt
one by one, each with its weight times the total weight of all ways to deal the rest, which dynamic
programming over the room left in two hands gives. No deal is rejected or repaired.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import Deals, UniformDeals
from spades.belief.network import (
    PLAYER_KINDS,
    HiddenCards,
    load_network,
    observation_arrays,
    predict_owners,
)
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lean_kernel, mixed, next_state
from spades.core.observation import Observation

ROOM = HAND_SIZE + 1
DRAW_RANGE = 2.0**31
"""A card's owner is drawn with a random number from 0 to this."""
Thresholds = NDArray[np.uint32]
"""(n, 14, 14, 2), by card and room left in the first and second hand. A random number below the
first threshold gives the card to the first hand, one below the second to the second hand."""


@kernel
def compute_thresholds(weights: FloatArray, sizes: IntArray) -> Thresholds:
    """The thresholds of n cards with ``weights`` (n, 3); ``sizes`` (3,) of the hidden hands, n in
    all."""
    n = len(weights)
    thresholds = np.zeros((n, ROOM, ROOM, 2), dtype=np.uint32)
    after = np.zeros((ROOM, ROOM))  # total weight of all ways to deal the later cards
    ways = np.zeros((ROOM, ROOM))  # the same with this card
    after[0, 0] = 1.0
    for i in range(n - 1, -1, -1):
        left = n - i
        top = 0.0
        ways[:] = 0.0
        for a in range(min(sizes[0], left) + 1):
            least = max(0, left - a - sizes[2])
            most = min(sizes[1], left - a)
            for b in range(least, most + 1):
                to_first = weights[i, 0] * after[a - 1, b] if a else 0.0
                to_second = weights[i, 1] * after[a, b - 1] if b else 0.0
                total = to_first + to_second + weights[i, 2] * after[a, b]
                if total > 0.0:
                    to_first_or_second = to_first + to_second
                    thresholds[i, a, b, 0] = np.int64(to_first / total * DRAW_RANGE)
                    thresholds[i, a, b, 1] = np.int64(to_first_or_second / total * DRAW_RANGE)
                ways[a, b] = total
                top = max(top, total)
        after[:] = ways / top if top > 0.0 else ways  # only ratios matter; this avoids underflow
    return thresholds


@lean_kernel
def draw_deals(
    cards: NDArray,
    thresholds: Thresholds,
    room: tuple[Int, Int],
    seat: Int,
    state: np.uint64,
    deals: NDArray,
) -> np.uint64:
    """Fill the three hidden hands of ``deals`` (n, 4); returns the random state after them.
    ``room``: sizes of the first and second hidden hand."""
    hidden = np.int64(0)
    for card in cards:
        hidden |= np.int64(1) << card
    for i in range(len(deals)):
        a, b = room
        first = np.int64(0)
        second = np.int64(0)
        for j in range(len(cards)):
            card = np.int64(1) << cards[j]
            state = next_state(state)
            drawn = mixed(state) >> np.uint64(33)
            is_first = np.int64(drawn < thresholds[j, a, b, 0])
            is_second = np.int64(drawn < thresholds[j, a, b, 1]) - is_first
            first |= -is_first & card
            second |= -is_second & card
            a -= is_first
            b -= is_second
        deals[i, (seat + 1) & 3] = first
        deals[i, (seat + 2) & 3] = second
        deals[i, (seat + 3) & 3] = hidden ^ first ^ second
    return state


@kernel
def owner_shares(thresholds: Thresholds, sizes: IntArray) -> FloatArray:
    """P(hidden hand holds card) over all deals so drawn, exactly, (n, 3)."""
    n = len(thresholds)
    shares = np.zeros((n, 3))
    reached = np.zeros((ROOM, ROOM))  # P(room left in the first and second hand)
    after = np.zeros((ROOM, ROOM))
    reached[sizes[0], sizes[1]] = 1.0
    for i in range(n):
        after[:] = 0.0
        for a in range(sizes[0] + 1):
            for b in range(sizes[1] + 1):
                p = reached[a, b]
                first = p * (thresholds[i, a, b, 0] / DRAW_RANGE)
                second = p * (thresholds[i, a, b, 1] / DRAW_RANGE) - first
                third = p - first - second
                shares[i, 0] += first
                shares[i, 1] += second
                shares[i, 2] += third
                if a:
                    after[a - 1, b] += first
                if b:
                    after[a, b - 1] += second
                after[a, b] += third
        reached[:] = after
    return shares


def log_total(weights: FloatArray, sizes: IntArray) -> float:
    """Log, nats, of the total weight of all deals with hands of these ``sizes`` (3,), whose cards
    have ``weights`` (cards, 3)."""
    ways = np.zeros((ROOM, ROOM))  # total weight of the cards so far, by size of two hands
    ways[0, 0] = 1.0
    for first, second, third in weights:
        more = third * ways
        more[1:] += first * ways[:-1]
        more[:, 1:] += second * ways[:, :-1]
        ways = more
    return math.log(ways[sizes[0], sizes[1]])


@kernel
def log_probabilities(deals: NDArray, cards: NDArray, weights: NDArray, seat: Int) -> FloatArray:
    """Log probability, nats, with which each of ``deals`` (n, 4) is drawn, up to a constant, (n,).
    ``weights`` (cards, 3); ``seat``: the observer."""
    log_weights = np.log(weights)
    totals = np.zeros(len(deals))
    for i in range(len(deals)):
        second = deals[i, (seat + 2) & 3]
        third = deals[i, (seat + 3) & 3]
        for j in range(len(cards)):
            in_second = second >> cards[j] & 1
            in_third = third >> cards[j] & 1
            owner = in_second + 2 * in_third
            totals[i] += log_weights[j, owner]
    return totals


class NetworkDeals:
    """The determinizer of one observation by the belief network, which assumes ``players`` of one
    of ``PLAYER_KINDS``."""

    def __init__(self, observation: Observation, *, players: str = PLAYER_KINDS[0]) -> None:
        self.uniform = UniformDeals(observation)
        self.seat = self.uniform.seat
        self.own_hand = self.uniform.own_hand
        self._sizes = self.uniform.sizes
        self.hidden = _hidden_cards(self.uniform.groups.tolist())
        self.seen = observation_arrays(observation, PLAYER_KINDS.index(players))
        self._weights = predict_owners(self.seen, self.hidden, load_network())
        self._thresholds = compute_thresholds(self._weights, self._sizes)

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them."""
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        deals[:, self.seat] = self.own_hand
        room = self._sizes[0], self._sizes[1]
        state = draw_deals(
            self.hidden.cards, self._thresholds, room, self.seat, np.uint64(state), deals
        )
        return deals, np.uint64(state)

    def log_probabilities(self, deals: Deals) -> FloatArray:
        """Log probability, nats, with which each deal is drawn, up to a constant, (n,)."""
        return log_probabilities(deals, self.hidden.cards, self._weights, self.seat)

    def log_total(self) -> float:
        """What to subtract from ``log_probabilities`` so that they add up to 1, nats."""
        return log_total(self._weights, self._sizes)

    def shares(self, cards: Sequence[int]) -> FloatArray:
        """P that each hidden seat holds each of the unseen ``cards`` over all deals as they are
        drawn, (cards, 3)."""
        index = {card: i for i, card in enumerate(self.hidden.cards.tolist())}
        rows = [index[card] for card in cards]
        return owner_shares(self._thresholds, self._sizes)[rows].reshape(-1, 3)


def _hidden_cards(groups: list[int]) -> HiddenCards:
    """``groups``: masks by owner set."""
    cards: list[int] = []
    owners: list[int] = []
    for owner_set, mask in enumerate(groups):
        for card in cards_in(mask):
            cards.append(card)
            owners.append(owner_set)
    return HiddenCards(
        cards=np.array(cards, dtype=np.int64),
        owners=np.array(owners, dtype=np.int64),
    )
