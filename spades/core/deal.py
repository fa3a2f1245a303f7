"""Random deals, and seeds derived from seeds."""

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS, Deck, Hands, four
from spades.core.kernel import Int, below, kernel, mixed, next_state, seed_state

DEAL_STREAM = 17
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_STREAM_STEP = np.uint64(0xD1B54A32D192ED03)
_START = np.uint64(0x2545F4914F6CDD1D)


def derive_seed(seed: int, *path: int) -> int:
    """A seed for one part of a piece of work: the same path, the same seed; 0 to 2**62 - 1."""
    state = int(seed_state(seed))
    for step in path:
        state = int(seed_state(state, step + 1))
    return state >> 2


@kernel
def state_of(seed: np.uint64, stream: Int) -> np.uint64:
    """The compiled twin of ``seed_state``."""
    return mixed(seed * _GAMMA + np.uint64(stream) * _STREAM_STEP + _START)


@kernel
def seed_at(state: np.uint64, step: Int) -> np.uint64:
    """``derive_seed(seed, ..., step)``, ``state`` what the path before ``step`` came to."""
    return state_of(state, step + 1) >> np.uint64(2)


def random_deal(deck: Deck, seed: int) -> Hands:
    """Four hands of 13, a mask a seat; every deal is equally likely."""
    hands = np.zeros(N_SEATS, dtype=np.int64)
    deal_cards(deck.codes.astype(np.int64), hands, seed_state(seed, DEAL_STREAM))
    return four(map(int, hands))


@kernel
def deal_cards(codes: NDArray[np.int64], hands: NDArray[np.int64], state: np.uint64) -> np.uint64:
    """Shuffle ``codes`` (52,) in place and deal 13 to each of ``hands`` (4,); the random state."""
    for i in range(N_CARDS - 1, 0, -1):
        state = next_state(state)
        j = below(mixed(state), i + 1)
        codes[i], codes[j] = codes[j], codes[i]
    for seat in range(N_SEATS):
        hands[seat] = 0
    for i in range(N_CARDS):
        hands[i & 3] |= np.int64(1) << codes[i]
    return state
