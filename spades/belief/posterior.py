"""Posterior determinization: deals as likely as the bids and plays so far make them.

Deals are drawn uniformly from those that agree with the observation, weighted by the likelihood of
what the hidden seats bid and played (``spades.belief.likelihood``), resampled, and then moved
by swaps of two cards between two seats that leave the posterior as it is (resample-move: Gilks and
Berzuini 2001). P(card, seat) is thereby probabilistically sound as far as the human model is; none
of the papers has it (spec 2, "Determinization").
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import Deals, UniformDeals
from spades.belief.likelihood import (
    Model,
    Past,
    log_likelihoods,
    model_of,
    past_of,
    seat_log_likelihood,
)
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.core.kernel import below, kernel, mixed, next_state, nth_bit, popcount, unit
from spades.core.observation import Observation
from spades.human.simulated import load_simulated_human

PARTICLES = 400
MOVES = 24  # proposed swaps a particle
DOUBT = 0.05


class PosteriorDeals:
    """The posterior determinizer of one observation.

    ``particles``: deals that stand for the posterior; ``moves``: swaps proposed to each after
    resampling; ``doubt``: see ``spades.belief.likelihood``. ``effective_``: after the first
    sample, the effective number of the uniform deals drawn, (sum w)^2 / sum w^2.
    """

    effective_: float

    def __init__(
        self,
        observation: Observation,
        *,
        particles: int = PARTICLES,
        moves: int = MOVES,
        doubt: float = DOUBT,
    ) -> None:
        self.uniform = UniformDeals(observation)
        self.particles, self.moves = particles, moves
        self._past = past_of(observation)
        self._model = model_of(load_simulated_human(), observation, doubt)
        self._owners = allowed_cards(self.uniform)
        self._deals: Deals | None = None

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4), drawn with replacement from the particles."""
        if self._deals is None:
            self._deals, state = self._settle(np.uint64(state))
        picked = np.empty(n, dtype=np.int64)
        state = draw_below(len(self._deals), np.uint64(state), picked)
        return self._deals[picked], np.uint64(state)

    def _settle(self, state: np.uint64) -> tuple[Deals, np.uint64]:
        """The particles: drawn, weighted, resampled, moved."""
        deals, state = self.uniform.sample(4 * self.particles, state)
        likelihoods = np.empty((len(deals), N_SEATS))
        log_likelihoods(deals, self._past, self._model, likelihoods)
        total = likelihoods.sum(axis=1)
        weights = np.exp(total - total.max())
        self.effective_ = float(weights.sum() ** 2 / np.square(weights).sum())
        start, state = draw_unit(np.uint64(state))
        chosen = systematic(weights, self.particles, start)
        deals, likelihoods = deals[chosen], likelihoods[chosen]
        if self.moves:
            past, model = self._past, self._model
            state = move_deals(
                deals, likelihoods, self._owners, past, model, self.moves, np.uint64(state)
            )
        return deals, np.uint64(state)


def allowed_cards(uniform: UniformDeals) -> NDArray[np.int64]:
    """Cards that each hidden seat may hold, masks by relative seat, shape (4,)."""
    allowed = np.zeros(N_SEATS, dtype=np.int64)
    for owners, cards in enumerate(uniform.groups):
        for i in range(3):
            if owners >> i & 1:
                allowed[i + 1] |= cards
    return allowed


def systematic(weights: NDArray[np.float64], n: int, start: float) -> NDArray[np.int64]:
    """Indices of ``n`` draws by weight, evenly spaced from ``start`` (0 to 1) on."""
    cumulative = np.cumsum(weights)
    at = (np.arange(n) + start) / n * cumulative[-1]
    return np.minimum(np.searchsorted(cumulative, at, side="right"), len(weights) - 1)


@kernel
def draw_unit(state: np.uint64) -> tuple[float, np.uint64]:
    """A number from 0 to 1, and the random state after it."""
    state = next_state(state)
    return unit(mixed(state)), state


@kernel
def draw_below(n: int, state: np.uint64, out: NDArray) -> np.uint64:
    """Fill ``out`` with whole numbers from 0 to n - 1; the random state after them."""
    for i in range(len(out)):
        state = next_state(state)
        out[i] = below(mixed(state), n)
    return state


@kernel
def move_deals(
    deals: NDArray,
    likelihoods: NDArray,
    allowed: NDArray,
    past: Past,
    model: Model,
    moves: int,
    state: np.uint64,
) -> np.uint64:
    """Propose swaps of two hidden cards to every deal and take them by Metropolis' rule."""
    scratch = np.empty(HAND_SIZE)
    for i in range(len(deals)):
        for _ in range(moves):
            state = next_state(state)
            bits = mixed(state)
            first = 1 + below(bits, 3)
            second = 1 + (first + below(bits >> np.uint64(32), 2)) % 3
            a, b = past.seats[first], past.seats[second]
            hand_a, hand_b = deals[i, a], deals[i, b]
            if hand_a == 0 or hand_b == 0:
                continue
            state = next_state(state)
            bits = mixed(state)
            card_a = nth_bit(hand_a, below(bits, popcount(hand_a)))
            card_b = nth_bit(hand_b, below(bits >> np.uint64(32), popcount(hand_b)))
            if card_a & ~allowed[second] or card_b & ~allowed[first]:
                continue
            hand_a ^= card_a | card_b
            hand_b ^= card_a | card_b
            new_a = seat_log_likelihood(hand_a, first, past, model, scratch)
            new_b = seat_log_likelihood(hand_b, second, past, model, scratch)
            gain = new_a + new_b - likelihoods[i, first] - likelihoods[i, second]
            state = next_state(state)
            if gain >= 0.0 or unit(mixed(state)) < math.exp(gain):
                deals[i, a], deals[i, b] = hand_a, hand_b
                likelihoods[i, first], likelihoods[i, second] = new_a, new_b
    return state
