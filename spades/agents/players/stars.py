"""The star levels of AI Factory Spades (Whitehouse 2013)."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from spades.agents.component import Probes, UnknownAgentError
from spades.agents.player import SearchingPlayer
from spades.agents.players.flat import FlatPlayer
from spades.agents.players.ismcts import IsmctsPlayer
from spades.belief.determinizations.biased import BiasedDeterminization
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.steps import Steps
from spades.search import SearchResult
from spades.search.skew import RuleSkew

FLAT = FlatPlayer.name
ISMCTS = IsmctsPlayer.name
SIMULATIONS = {1: 8, 2: 16, 3: 32, 4: 64, 5: 128, 6: 256}
"""Simulations a legal card by level. Published: 5 stars 128, 4 stars half as many. Ours: halved
again for every star below, doubled for the sixth."""
ITERATIONS = {4: 1000, 5: 2500}
"""Published iterations of the two levels that the paper's game gave to ISMCTS."""


@dataclass(frozen=True)
class StarsPlayer(SearchingPlayer):
    """A star level of AI Factory Spades (Whitehouse 2013), hidden cards drawn with its bias.

    ``by=flat-mc``: the knowledge-based player, level 1 to 6, ``SIMULATIONS`` a legal card. Its
    default level in the paper is 3 stars; its hardest, not in the game, "effectively a 6-star".
    ``by=ismcts``: the game of 2013, in which ISMCTS with the skew plays 4 and 5 stars
    (``ITERATIONS``) and the knowledge-based player the levels below."""

    name: ClassVar[str] = "stars"
    words: ClassVar[str] = "AI Factory"
    place: ClassVar[int] = 8
    eager: ClassVar[tuple[str, ...]] = ("player",)
    probes: ClassVar[Probes] = {"": ("level=1", "level=6", "level=4,by=ismcts")}

    level: int = option(
        5, least=1, most=max(SIMULATIONS), is_shown=True, help="Stars; 1 to 5 with by=ismcts."
    )
    by: str = option(
        FLAT,
        choices=(FLAT, ISMCTS),
        help="The knowledge-based player at every level, or the game of 2013, in which ISMCTS "
        "plays 4 and 5 stars.",
    )

    @cached_property
    def player(self) -> SearchingPlayer:
        """Who plays at the level."""
        if self.by == ISMCTS and self.level > max(ITERATIONS):
            raise UnknownAgentError(
                f"level is {self.level}; 1 to {max(ITERATIONS)} are legal with by={self.by}"
            )
        if self.by == ISMCTS and self.level in ITERATIONS:
            return IsmctsPlayer(
                iterations=ITERATIONS[self.level],
                determinization=BiasedDeterminization(),
                skew=RuleSkew(),
            )
        return FlatPlayer(
            simulations=SIMULATIONS[self.level], determinization=BiasedDeterminization()
        )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        return self.player.evaluate_in_steps(observation, seed)
