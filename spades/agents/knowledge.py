"""The knowledge-based player of Whitehouse 2013 and the star levels of AI Factory Spades.

The published knowledge-based player bids by ``kb``: ``flat-mc+kb``, ``stars:level=5+kb``. A text
without a bidder keeps the bidder of all other texts, the simulated human.
"""

from __future__ import annotations

from dataclasses import dataclass

from spades.agents.players import IsmctsPlayer, Player, UnknownAgentError
from spades.belief import Dealing
from spades.core.cards import cards_in
from spades.core.observation import Observation
from spades.core.records import BOT
from spades.search.flat import FlatSettings, flat_search

FLAT, ISMCTS = "flat-mc", "ismcts"
SIMULATIONS = {1: 8, 2: 16, 3: 32, 4: 64, 5: 128, 6: 256}
"""Simulations a legal card by level. Published: 5 stars 128, 4 stars half as many. Ours: halved
again for every star below, doubled for the sixth."""
ITERATIONS = {4: 1000, 5: 2500}
"""Published iterations of the two levels that the paper's game gave to ISMCTS."""


@dataclass(frozen=True)
class FlatPlayer:
    """Flat Monte Carlo over the legal cards with rules of thumb in playouts and bonuses.

    The options of ``FlatSettings`` and, for how hidden cards are drawn
    (``biased`` in the paper), of ``Dealing``.
    """

    simulations: int = FlatSettings.simulations
    epsilon: float = FlatSettings.epsilon
    best_bonus: float = FlatSettings.best_bonus
    second_bonus: float = FlatSettings.second_bonus
    determinization: str = Dealing.determinization
    without: str = Dealing.without
    share: float = Dealing.share

    def __post_init__(self) -> None:
        _ = self.settings  # refuses what the search would
        _ = self.dealing

    @property
    def kind(self) -> str:
        return BOT

    @property
    def dealing(self) -> Dealing:
        """How hidden cards are drawn."""
        return Dealing(self.determinization, self.without, self.share)

    @property
    def settings(self) -> FlatSettings:
        return FlatSettings(self.simulations, self.epsilon, self.best_bonus, self.second_bonus)

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        if len(legal) == 1:
            return legal[0]
        determinizer = self.dealing(observation)
        found = flat_search(
            observation, seed=seed, settings=self.settings, determinizer=determinizer
        )
        return found.best.card


@dataclass(frozen=True)
class StarsPlayer:
    """A star level of AI Factory Spades (Whitehouse 2013), hidden cards drawn with its bias.

    ``by=flat-mc``: the knowledge-based player, level 1 to 6, ``SIMULATIONS`` a legal card. Its
    default level in the paper is 3 stars; its hardest, not in the game, "effectively a 6-star".
    ``by=ismcts``: the game of 2013, in which ISMCTS with the skew plays 4 and 5 stars
    (``ITERATIONS``) and the knowledge-based player the levels below.
    """

    level: int = 5
    by: str = FLAT

    def __post_init__(self) -> None:
        if self.by not in (FLAT, ISMCTS):
            raise UnknownAgentError(f"by={self.by} is unknown; {FLAT} and {ISMCTS} are legal")
        highest = max(ITERATIONS if self.by == ISMCTS else SIMULATIONS)
        if not 1 <= self.level <= highest:
            raise UnknownAgentError(
                f"level is {self.level}; 1 to {highest} stars are legal with by={self.by}"
            )

    @property
    def player(self) -> Player:
        """Who plays at this level."""
        if self.by == ISMCTS and self.level in ITERATIONS:
            iterations = ITERATIONS[self.level]
            return IsmctsPlayer(iterations=iterations, determinization="biased", skew=True)
        return FlatPlayer(simulations=SIMULATIONS[self.level], determinization="biased")

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        return self.player.play(observation, seed)
