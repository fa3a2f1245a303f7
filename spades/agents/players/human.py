"""The simulated human, and models of persons."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.agents.component import HUMAN_PLAYS, Probes, UnknownAgentError
from spades.agents.player import Player
from spades.core.documents import MAX_INT
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.records import SIMULATED_HUMAN
from spades.human import human_card, load_prior
from spades.human.simulated import MAX_SPREAD, spread_human


@dataclass(frozen=True)
class HumanPlayer(Player):
    """The simulated human: samples its card from ``devlin2016-nil``; no human plays."""

    name: ClassVar[str] = "human"
    words: ClassVar[str] = "Simulated human"
    place: ClassVar[int] = 2
    code: ClassVar[int] = HUMAN_PLAYS
    kind: ClassVar[str] = SIMULATED_HUMAN
    eager: ClassVar[tuple[str, ...]] = ("weights",)
    probes: ClassVar[Probes] = {
        "": ("",),
        "spread": ("spread=0.5,player=7", "spread=0.2"),
        "person": ("person=devlin2016",),
    }

    spread: float = option(
        0.0,
        least=0,
        most=MAX_SPREAD,
        unit="nats",
        help="Another simulated human: each weight is moved by its own normal of this standard "
        "deviation.",
    )
    player: int = option(
        0, least=0, most=MAX_INT, help="With spread: the number that draws its weights."
    )
    person: str = option(
        "", help="By a person's model (train person) instead: its name or its file. Without spread."
    )

    @property
    def model_name(self) -> str | None:
        return self.person or None

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Of the card model, nats, (42,) or (45,)."""
        if (self.player and not self.spread) or (self.person and self.spread):
            raise UnknownAgentError(
                "spread= takes player=, not person=, and no player= is without it"
            )
        if not self.person:
            return spread_human(self.spread, self.player).weights
        weights = load_prior(self.person).weights
        if not weights.size:
            raise UnknownAgentError(f"person={self.person} is no log-linear model, as persons' are")
        return weights

    def choose(self, observation: Observation, seed: int) -> int:
        return human_card(observation, seed_state(seed), self.weights)[0]
