"""What each candidate is worth in single deals: the determinizations behind a choice, one by one.

The value of a candidate in a deal is what a search makes of it that knows the deal: the candidate
is played, then a tree search of ``iterations`` iterations goes on with all four hands open, and its
mean over all iterations, in points for the mover's partnership, is the value. Every candidate gets
the same iterations. As all seats see through the cards, values are those of players who need no
guessing (averaging over clairvoyance, Frank and Basin 1998): differences between candidates tell
more than levels.
"""

import numpy as np

from spades.belief import Determinizer, UniformDeals
from spades.belief.determinize import Deals
from spades.core.cards import cards_in, partnership_of
from spades.core.kernel import seed_state
from spades.core.observation import Observation, observe
from spades.core.rules import Round
from spades.search.search import DEAL_STREAM, Search
from spades.search.settings import SearchSettings
from spades.search.tree import round_values

DEAL_ITERATIONS = 500


class OpenDeal:
    """A determinizer that knows the deal: the cards held now, (4,)."""

    def __init__(self, deal: Deals) -> None:
        self._deal = deal

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        return np.tile(self._deal, (n, 1)), state


def first_deals(
    observation: Observation, n: int, *, seed: int = 0, determinizer: Determinizer | None = None
) -> Deals:
    """The first ``n`` deals that a search with this seed and determinizer looks at, (n, 4)."""
    deals, _ = (determinizer or UniformDeals(observation)).sample(n, seed_state(seed, DEAL_STREAM))
    return deals


def value_in_deal(
    observation: Observation,
    deal: Deals,
    card: int,
    *,
    iterations: int = DEAL_ITERATIONS,
    seed: int = 0,
    settings: SearchSettings | None = None,
) -> float:
    """The value of one candidate in one deal (4,), points for the mover's partnership.

    ``settings`` must have no bias. Raises ``IllegalPlayError`` for a card that
    the mover can't play."""
    side = partnership_of(observation.seat)
    state = Round(observation.table.copy(), [int(hand) for hand in deal])
    state.play(card)
    if state.table.is_over:
        north, east, south, _ = state.table.tricks_taken
        return float(round_values(observation)[north, east, south]) * (1 if side == 0 else -1)
    after = observe(state)
    left = np.array(state.hands)
    run = Search(after, seed=seed, settings=settings, determinizer=OpenDeal(left), room=iterations)
    run.run(iterations)
    rows = run.result().cards
    mean = sum(row.visits * row.mean_value for row in rows if row.visits) / iterations
    return mean if partnership_of(after.seat) == side else -mean


def values_in_deal(
    observation: Observation, deal: Deals, *, seed: int = 0, settings: SearchSettings | None = None
) -> list[float]:
    """The value of every legal card, lowest code first, in one deal (4,)."""
    cards = cards_in(observation.legal_mask)
    return [value_in_deal(observation, deal, card, seed=seed, settings=settings) for card in cards]
