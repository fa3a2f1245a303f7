"""Mixed determinization: some deals are biased, the others uniform."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spades.belief.determinizations.biased import BiasedDeals, BiasedDeterminization
from spades.belief.determinizations.determinization import Determinization
from spades.belief.determinize import Deals, UniformDeals
from spades.core.cards import N_SEATS
from spades.core.kernel import random_words, unit
from spades.core.observation import Observation
from spades.core.options import borrowed, option


@dataclass(frozen=True)
class MixedDeals:
    """A determinizer whose deals are biased with probability ``share``, otherwise uniform."""

    biased: BiasedDeals
    uniform: UniformDeals
    share: float

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them; each is drawn biased or uniform."""
        words, state = random_words(n, state)
        is_biased = unit.py_func(words) < self.share
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        deals[is_biased], state = self.biased.sample(int(is_biased.sum()), state)
        deals[~is_biased], state = self.uniform.sample(int((~is_biased).sum()), state)
        return deals, state


@dataclass(frozen=True)
class MixedDeterminization(Determinization):
    """A share of the deals is biased, with the options of ``BiasedDeterminization``."""

    name: ClassVar[str] = "mixed"
    meaning: ClassVar[str] = "a share of them biased"
    place: ClassVar[int] = 2
    probes: ClassVar[tuple[str, ...]] = ("share=0.3",)

    without: str = borrowed(BiasedDeterminization, "without")
    share: float = option(
        0.5,
        least=0,
        most=1,
        label="Share of biased deals",
        help="Share of deals that are biased; the others are uniform.",
        step=0.1,
    )
    floor: float = borrowed(BiasedDeterminization, "floor")

    def deals(self, observation: Observation, n: int | None = None) -> MixedDeals:
        biased = BiasedDeterminization(without=self.without, floor=self.floor)
        return MixedDeals(biased.deals(observation), UniformDeals(observation), self.share)
