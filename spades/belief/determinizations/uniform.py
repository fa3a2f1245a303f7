"""Uniform determinization (``spades.belief.determinize``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spades.belief.determinizations.determinization import Determinization
from spades.belief.determinize import UniformDeals
from spades.core.kernel import FloatArray
from spades.core.observation import Observation


@dataclass(frozen=True)
class UniformDeterminization(Determinization):
    """Every deal that agrees with what was seen is equally likely."""

    name: ClassVar[str] = "uniform"
    meaning: ClassVar[str] = "every deal that agrees with what was seen is equally likely"
    place: ClassVar[int] = 0
    probes: ClassVar[tuple[str, ...]] = ()  # what agents do by default
    is_uniform: ClassVar[bool] = True
    is_exact: ClassVar[bool] = True

    def deals(self, observation: Observation, n: int | None = None) -> UniformDeals:
        return UniformDeals(observation)

    def card_shares(
        self, observation: Observation, cards: Sequence[int], n: int, state: np.uint64
    ) -> FloatArray:
        return UniformDeals(observation).shares(cards)
