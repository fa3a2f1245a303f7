"""The player that draws lots."""

from dataclasses import dataclass
from typing import ClassVar

from spades.agents.component import RANDOM_PLAYS
from spades.agents.player import Player
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.observation import Observation


@dataclass(frozen=True)
class RandomPlayer(Player):
    """Any legal card, each equally likely."""

    name: ClassVar[str] = "random"
    words: ClassVar[str] = "Random cards"
    place: ClassVar[int] = 0
    code: ClassVar[int] = RANDOM_PLAYS

    def choose(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[derive_seed(seed) % len(legal)]
