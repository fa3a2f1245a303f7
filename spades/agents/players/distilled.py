"""``best`` distilled into a network, which needs no search."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.agents.component import Probes
from spades.agents.player import Player
from spades.core.cards import HAND_SIZE
from spades.core.kernel import (
    FloatArray,
    Int,
    kernel,
    lowest,
    mixed,
    nth_bit,
    popcount,
    seed_state,
    unit,
)
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.paths import DATA
from spades.human.features.view import LEGAL, View, view_of
from spades.human.files import read_once
from spades.human.model import Prior, own_copy
from spades.human.networks.forward import network_logits
from spades.human.networks.model import NetworkModel

FILE = DATA / "players" / "distilled.safetensors"
LEARNT_AT = 8.0
"""Points that make a factor of e in the probabilities that the network was trained on."""
MAX_TEMPERATURE = 1000


@dataclass(frozen=True)
class DistilledPlayer(Player):
    """Plays as ``best`` would, by a network trained on its searches: some microseconds a card.

    Made by ``python -m experiments.distil_best``."""

    name: ClassVar[str] = "distilled"
    words: ClassVar[str] = "Distilled search"
    place: ClassVar[int] = 12
    probes: ClassVar[Probes] = {"": ("", "temperature=3")}

    temperature: float = option(
        0.0,
        least=0,
        most=MAX_TEMPERATURE,
        unit="points",
        help="0: the card that it holds best; else one drawn, a card that it holds so many points "
        "worse with a chance smaller by a factor of e.",
    )

    def choose(self, observation: Observation, seed: int) -> int:
        network = own_copy(load_distilled())
        logits = np.zeros(HAND_SIZE)
        view = view_of(observation)
        return int(chosen_card(network, view, self.temperature, seed_state(seed), logits))


def load_distilled() -> Prior:
    """The network, compiled; ``ModelFileError`` where its file is missing or malformed."""
    return read_once(_prior_of, FILE)


def _prior_of(path: Path) -> Prior:
    return NetworkModel.load(path).prior()


@kernel
def chosen_card(
    network: Prior, view: View, temperature: float, state: np.uint64, logits: NDArray
) -> Int:
    """The card that the network plays in a view; ``logits`` float64 (13,) is overwritten."""
    _, _, plan, numbers, scratch, ids = network
    legal = view[LEGAL]
    n = popcount(legal)
    network_logits(plan, numbers, scratch, ids, view, logits)
    if temperature > 0.0:
        place = drawn_place(logits[:n], LEARNT_AT / temperature, unit(mixed(state)))
    else:
        place = np.int64(np.argmax(logits[:n]))
    return lowest(nth_bit(legal, place))


@kernel
def drawn_place(logits: FloatArray, scale: float, u: float) -> Int:
    """An index drawn with probabilities proportional to exp(scale * logits), by a number from
    0 to 1; ``logits`` are overwritten."""
    top = logits.max()
    total = 0.0
    for i in range(len(logits)):
        logits[i] = np.exp(scale * (logits[i] - top))
        total += logits[i]
    left = u * total
    for i in range(len(logits) - 1):
        left -= logits[i]
        if left < 0.0:
            return np.int64(i)
    return np.int64(len(logits) - 1)
