"""Determinization by the belief network (``spades.belief.owners``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spades.belief.determinizations.determinization import Determinization, players_option
from spades.belief.owners import NetworkDeals
from spades.core.kernel import FloatArray
from spades.core.observation import Observation


@dataclass(frozen=True)
class NetworkDeterminization(Determinization):
    """Deals drawn by the belief network's probabilities; ``players``: the kind of players that the
    network is told."""

    name: ClassVar[str] = "network"
    meaning: ClassVar[str] = "by what a network learned of bids and plays"
    place: ClassVar[int] = 4
    probes: ClassVar[tuple[str, ...]] = ("", "players=search")
    is_exact: ClassVar[bool] = True

    players: str = players_option()

    def deals(self, observation: Observation, n: int | None = None) -> NetworkDeals:
        return NetworkDeals(observation, players=self.players)

    def card_shares(
        self, observation: Observation, cards: Sequence[int], n: int, state: np.uint64
    ) -> FloatArray:
        return self.deals(observation).shares(cards)
