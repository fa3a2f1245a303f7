"""A human model at a temperature: from its likeliest card to chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.agents.component import Probes
from spades.agents.players.direct import ModelPlayer
from spades.core.cards import cards_in
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.search.techniques.pikl import draw_card

MAX_TEMPERATURE = 1000


@dataclass(frozen=True)
class TemperedPlayer(ModelPlayer):
    """A human model at a temperature T: draws a card with probability proportional to P^(1/T)."""

    name: ClassVar[str] = "tempered"
    words: ClassVar[str] = "Tempered human"
    probes: ClassVar[Probes] = {"": ("", "temperature=0", "temperature=2,model=devlin2016")}

    temperature: float = option(
        0.5,
        least=0,
        most=MAX_TEMPERATURE,
        help="0: the likeliest card, as direct plays; 1: drawn by the model's probabilities, as "
        "direct:sample=on; more: nearer to chance.",
    )

    def choose(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        p = at_temperature(self.probabilities(observation), self.temperature)
        return legal[draw_card(p, seed_state(seed))]


def at_temperature(p: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Probabilities proportional to ``p ** (1 / temperature)``; 0 is the limit, in which the
    likeliest has probability 1, the first of several."""
    if not temperature:
        return np.eye(len(p))[p.argmax()]
    logs = np.log(np.maximum(p, np.finfo(float).tiny))
    with np.errstate(over="ignore"):  # a tiny temperature is as good as 0
        weights = np.exp((logs - logs.max()) / temperature)
    return weights / weights.sum()
