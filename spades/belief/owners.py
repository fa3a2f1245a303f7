"""Full deals by the owners' probabilities, drawn exactly.

Given for each hidden card a weight for each seat that may hold it, a deal is as likely as the
product of its cards' weights, among the deals whose hands have the right sizes. Cards are dealt one
after the other, each by its weight times the total weight of all ways to deal the rest (dynamic
programming over the room left in two hands): nothing is rejected, nothing is patched.
"""

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import Deals, UniformDeals
from spades.belief.network import KINDS, Hidden, ask, load_network, seen_of
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.kernel import Int, kernel, lean_kernel, mixed, next_state
from spades.core.observation import Observation

ROOM = HAND_SIZE + 1
PARTS = 2.0**31  # into which a card's chances are cut
Chances = NDArray[np.uint32]  # (n, 14, 14, 2)


@kernel
def chances_of(weights: NDArray[np.float64], sizes: NDArray[np.int64]) -> Chances:
    """By card and room left in the first and second hand: below which of 2**31 numbers a card goes
    to the first hand, and below which to the first or second. ``weights`` (n, 3), ``sizes`` (3,),
    of n cards in all."""
    n = len(weights)
    found = np.zeros((n, ROOM, ROOM, 2), dtype=np.uint32)
    after, ways = np.zeros((ROOM, ROOM)), np.zeros((ROOM, ROOM))  # weight of all ways to go on
    after[0, 0] = 1.0
    for i in range(n - 1, -1, -1):
        left, top = n - i, 0.0
        ways[:] = 0.0
        for a in range(min(sizes[0], left) + 1):
            for b in range(max(0, left - a - sizes[2]), min(sizes[1], left - a) + 1):
                to_first = weights[i, 0] * after[a - 1, b] if a else 0.0
                to_second = weights[i, 1] * after[a, b - 1] if b else 0.0
                total = to_first + to_second + weights[i, 2] * after[a, b]
                if total > 0.0:
                    found[i, a, b, 0] = np.int64(to_first / total * PARTS)
                    found[i, a, b, 1] = np.int64((to_first + to_second) / total * PARTS)
                ways[a, b] = total
                top = max(top, total)
        after[:] = ways / top if top > 0.0 else ways  # only ratios mean anything
    return found


@lean_kernel
def draw_deals(
    cards: NDArray,
    chances: Chances,
    room: tuple[Int, Int],
    seat: Int,
    state: np.uint64,
    deals: NDArray,
) -> np.uint64:
    """Fill ``deals`` (n, 4), whose own hands are there; returns the random state after them."""
    everything = np.int64(0)
    for card in cards:
        everything |= np.int64(1) << card
    for i in range(len(deals)):
        a, b = room
        first = second = np.int64(0)
        for j in range(len(cards)):
            card = np.int64(1) << cards[j]
            state = next_state(state)
            at = mixed(state) >> np.uint64(33)
            is_first = np.int64(at < chances[j, a, b, 0])
            is_second = np.int64(at < chances[j, a, b, 1]) - is_first
            first |= -is_first & card
            second |= -is_second & card
            a -= is_first
            b -= is_second
        deals[i, (seat + 1) & 3] = first
        deals[i, (seat + 2) & 3] = second
        deals[i, (seat + 3) & 3] = everything ^ first ^ second
    return state


@kernel
def owner_shares(chances: Chances, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """P that each hand holds each card over all those deals, (n, 3)."""
    n = len(chances)
    shares, reached, after = np.zeros((n, 3)), np.zeros((ROOM, ROOM)), np.zeros((ROOM, ROOM))
    reached[sizes[0], sizes[1]] = 1.0
    for i in range(n):
        after[:] = 0.0
        for a in range(sizes[0] + 1):
            for b in range(sizes[1] + 1):
                first = reached[a, b] * (chances[i, a, b, 0] / PARTS)
                second = reached[a, b] * (chances[i, a, b, 1] / PARTS) - first
                third = reached[a, b] - first - second
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


@kernel
def log_chances(deals: NDArray, cards: NDArray, weights: NDArray, seat: Int) -> NDArray[np.float64]:
    """Log of how likely each of ``deals`` (n, 4) is to be drawn, up to a constant, (n,)."""
    logs, found = np.log(weights), np.zeros(len(deals))
    for i in range(len(deals)):
        second, third = deals[i, (seat + 2) & 3], deals[i, (seat + 3) & 3]
        for j in range(len(cards)):
            found[i] += logs[j, (second >> cards[j] & 1) + 2 * (third >> cards[j] & 1)]
    return found


class NetworkDeals:
    """The determinizer of one observation by the belief network. ``players``: of ``KINDS``."""

    def __init__(self, observation: Observation, *, players: str = KINDS[0]) -> None:
        self.uniform = uniform = UniformDeals(observation)
        self.seat, self.own_hand, self._sizes = uniform.seat, uniform.own_hand, uniform.sizes
        groups = [
            (card, own)
            for own, mask in enumerate(uniform.groups.tolist())
            for card in cards_in(mask)
        ]
        found = np.array(groups, dtype=np.int64).reshape(-1, 2).T
        self.hidden = Hidden(*map(np.ascontiguousarray, found))
        self.seen = seen_of(observation, KINDS.index(players))
        self._weights = ask(self.seen, self.hidden, load_network())
        self._chances = chances_of(self._weights, self._sizes)

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them."""
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        deals[:, self.seat] = self.own_hand
        drawn = self.hidden.cards, self._chances, (self._sizes[0], self._sizes[1])
        state = draw_deals(*drawn, self.seat, np.uint64(state), deals)
        return deals, np.uint64(state)

    def log_chances(self, deals: Deals) -> NDArray[np.float64]:
        """Log of how likely each deal is to be drawn, up to a constant, (n,)."""
        return log_chances(deals, self.hidden.cards, self._weights, self.seat)

    def shares(self) -> NDArray[np.float64]:
        """P that each other seat holds each of ``hidden.cards``, exactly, (n, 3)."""
        return owner_shares(self._chances, self._sizes)
