"""How well dealt cards explain the true ones, for tests."""

import numpy as np

from spades.core.cards import cards_in
from spades.core.kernel import seed_state
from spades.core.observation import observe


def mean_log_likelihood(make, rounds):
    """Mean log P of where the hidden cards are, nats a card, by 300 deals smoothed with one."""
    found = []
    for state in rounds:
        seen = observe(state)
        deals, _ = make(seen).sample(300, seed_state(1))
        for card in cards_in(seen.unseen_mask):
            holder = next(seat for seat in range(4) if state.hands[seat] >> card & 1)
            share = np.mean((deals[:, holder] >> card) & 1)
            found.append(np.log((300 * share + 1 / 3) / 301))
    return float(np.mean(found))
