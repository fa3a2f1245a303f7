"""Objectives: what a search is rewarded for, points of the round or the chance to win the game."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.winning import GameStakes, UnknownChanceError, game_stakes
from spades.search.tree import round_values


class UnknownStakesError(SpadesError):
    """An objective that needs to know what the record doesn't say."""


@dataclass(frozen=True)
class Objective(ABC):
    """What is rewarded; ``is_points``: whether values are points of the round."""

    name: ClassVar[str]
    label: ClassVar[str]
    is_points: ClassVar[bool]

    @abstractmethod
    def stakes(self, observation: Observation) -> GameStakes | None:
        """What the game is at; None where it doesn't matter."""

    @abstractmethod
    def rewards(self, observation: Observation, stakes: GameStakes | None) -> NDArray[np.int32]:
        """Rewards for N/S by the tricks of N, E and S, (14, 14, 14)."""


@dataclass(frozen=True)
class RoundPoints(Objective):
    """The points of the round, as published."""

    name: ClassVar[str] = "round"
    label: ClassVar[str] = "Points of the round"
    is_points: ClassVar[bool] = True

    def stakes(self, observation: Observation) -> None:
        return None

    def rewards(self, observation: Observation, stakes: GameStakes | None) -> NDArray[np.int32]:
        return round_values(observation)


@dataclass(frozen=True)
class GameChance(Objective):
    """The chance to win the game, in match points (``spades.core.winning.GameStakes``).

    It needs the score before the round."""

    name: ClassVar[str] = "game"
    label: ClassVar[str] = "Chance to win the game"
    is_points: ClassVar[bool] = False

    def stakes(self, observation: Observation) -> GameStakes:
        try:
            return game_stakes(observation)
        except UnknownChanceError as error:
            raise UnknownStakesError(str(error)) from None

    def rewards(self, observation: Observation, stakes: GameStakes | None) -> NDArray[np.int32]:
        return (stakes or self.stakes(observation)).table


OBJECTIVES: dict[str, type[Objective]] = {kind.name: kind for kind in (RoundPoints, GameChance)}
"""All objectives, by the names that agents' texts give them."""
