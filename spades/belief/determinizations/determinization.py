"""What every determinization offers: deals for an observation, and what is known of them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spades.belief.determinize import Determinizer, owner_shares_of
from spades.belief.network import PLAYER_KINDS
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.options import check_options, option


class InvalidDealingError(SpadesError):
    """An unknown determinization, or options that don't fit it."""


@dataclass(frozen=True)
class Determinization(ABC):
    """A way to deal the cards that a seat can't see; its options are its fields.

    ``name``: in agents' texts; ``meaning``: how it deals, for people; ``place``: among the others
    in lists. ``probes``: options with which ``spades.agents.behaviour`` fingerprints it.

    ``is_uniform``: every deal that agrees with what was seen is equally likely. ``is_exact``:
    ``card_shares`` counts all deals. ``depends_on_n``: which deals are drawn depends on how many
    are wanted."""

    name: ClassVar[str]
    meaning: ClassVar[str]
    place: ClassVar[int] = 100
    probes: ClassVar[tuple[str, ...]] = ("",)
    is_uniform: ClassVar[bool] = False
    is_exact: ClassVar[bool] = False
    depends_on_n: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_options(self, InvalidDealingError)

    @abstractmethod
    def deals(self, observation: Observation, n: int | None = None) -> Determinizer:
        """The determinizer of an observation; ``n``: deals wanted, where that is known."""

    def card_shares(
        self, observation: Observation, cards: Sequence[int], n: int, state: np.uint64
    ) -> FloatArray:
        """P that each hidden seat, clockwise, holds each of the unseen ``cards``, (cards, 3): by
        ``n`` deals, or over all where ``is_exact``."""
        deals, _ = self.deals(observation).sample(n, state)
        return owner_shares_of(deals, observation.seat, cards)

    def independent_deals(self, observation: Observation, n: int, state: np.uint64) -> int:
        """How many independent deals ``n`` drawn ones are worth."""
        return n


def players_option() -> Any:
    """The option of beliefs that take the players for a kind of players."""
    return option(
        PLAYER_KINDS[0],
        choices=PLAYER_KINDS,
        label="Players",
        help="Whom beliefs take for the players: simulated humans, ISMCTS, or strong rules; any "
        "says nothing, and the posterior then takes everybody for the simulated human.",
    )
