"""Direct imitation: a human model plays."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.agents.component import Probes
from spades.agents.player import Player
from spades.core.cards import cards_in
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.human import any_prior, model_names
from spades.human.model import Prior, legal_priors
from spades.human.own import OwnModel
from spades.search.techniques.pikl import draw_card


@dataclass(frozen=True)
class ModelPlayer(Player):
    """Plays by a human model alone."""

    eager: ClassVar[tuple[str, ...]] = ("prior",)

    model: str = option("devlin2016-nil", names=model_names, help="The human model.")

    @property
    def model_name(self) -> str | None:
        return self.model

    @property
    def prior(self) -> Prior | OwnModel:
        return any_prior(self.model)

    def probabilities(self, observation: Observation) -> NDArray[np.float64]:
        """How likely the model holds each legal card, lowest code first."""
        prior = self.prior
        if isinstance(prior, OwnModel):
            return prior.asked(observation)
        return legal_priors(prior, observation)


@dataclass(frozen=True)
class DirectPlayer(ModelPlayer):
    """Direct imitation (Baier 2018): the legal card that a human model holds likeliest."""

    name: ClassVar[str] = "direct"
    words: ClassVar[str] = "Likeliest human card"
    place: ClassVar[int] = 6
    probes: ClassVar[Probes] = {"": ("", "sample=on")}

    sample: bool = option(
        False, help="A card drawn by the model's probabilities, instead of the likeliest."
    )

    def choose(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        p = self.probabilities(observation)
        chosen = draw_card(p, seed_state(seed)) if self.sample else int(p.argmax())
        return legal[chosen]
