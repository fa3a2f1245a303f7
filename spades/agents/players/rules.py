"""Players by rules, which play the same card every time."""

from dataclasses import dataclass
from typing import ClassVar

from spades.agents.component import STRONG_PLAYS, WEAK_PLAYS
from spades.agents.player import Player
from spades.core.observation import Observation
from spades.rule_based import public_of, strong_card, weak_card
from spades.search.playouts.heuristic import card_scores


@dataclass(frozen=True)
class StrongPlayer(Player):
    """SRP, the strong rule-based player of Cohensius 2020; plays the same card every time."""

    name: ClassVar[str] = "srp"
    words: ClassVar[str] = "Rules"
    place: ClassVar[int] = 3
    code: ClassVar[int] = STRONG_PLAYS

    def choose(self, observation: Observation, seed: int) -> int:
        return int(strong_card(observation.hand_mask, public_of(observation)))


@dataclass(frozen=True)
class WeakPlayer(Player):
    """WRP, a recreational player by rules of thumb; plays the same card every time."""

    name: ClassVar[str] = "wrp"
    words: ClassVar[str] = "Simple rules"
    place: ClassVar[int] = 4
    code: ClassVar[int] = WEAK_PLAYS

    def choose(self, observation: Observation, seed: int) -> int:
        return int(weak_card(observation.hand_mask, public_of(observation)))


@dataclass(frozen=True)
class ThumbPlayer(Player):
    """The card that looks best by the rules of thumb, the lowest code among equals."""

    name: ClassVar[str] = "thumb"
    words: ClassVar[str] = "Rules of thumb"
    place: ClassVar[int] = 13

    def choose(self, observation: Observation, seed: int) -> int:
        scores = card_scores(observation)
        return max(scores, key=lambda card: (scores[card], -card))
