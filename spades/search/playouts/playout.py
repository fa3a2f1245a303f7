"""What every playout policy offers: numbers for the kernels, and its options."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from spades.core.errors import SpadesError
from spades.core.kernel import compiled_method
from spades.core.observation import Observation
from spades.core.options import check_options

compiled_method("finish_round")
compiled_method("choose_card")


class InvalidPlayoutError(SpadesError):
    """A playout policy that can't be."""


@dataclass(frozen=True)
class Playout(ABC):
    """A policy that finishes a round from a leaf of the tree; its options are its fields.

    ``name``: in agents' texts; ``meaning``: who plays, for people; ``place``: where lists have it.
    ``chooses_cards``: whether its numbers have ``choose_card`` as well, which solved endings need.
    """

    name: ClassVar[str]
    meaning: ClassVar[str]
    place: ClassVar[int] = 100
    chooses_cards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, InvalidPlayoutError)

    @abstractmethod
    def numbers(self, observation: Observation) -> Any:
        """What the kernels need, a named tuple with these compiled methods:

        - ``finish_round(at, position, scratch, state)`` plays to the end of the round and returns
          the tricks taken (as in ``Progress``) and the random state; the hands of ``scratch`` are
          used up;
        - ``choose_card(hands, at, bits)`` returns the card of the seat to play, as a mask.
        """
