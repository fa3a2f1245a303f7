"""Playouts by the simulated human: each seat samples its card from the model by what it sees."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from spades.core.cards import N_CARDS
from spades.core.kernel import Int, inlined_kernel, lean_kernel, lowest, mixed, next_state, unit
from spades.core.observation import Observation
from spades.core.step import Progress, after_card, legal_cards
from spades.human import load_prior
from spades.human.model import Prior, copy_of_thread
from spades.human.simulated import MODEL_NAME
from spades.search.playouts.playout import Playout
from spades.search.priors import query_model
from spades.search.tree import Position, Scratch


@lean_kernel
def play_by_model(
    at: Progress, position: Position, scratch: Scratch, model: Prior, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Finish a round with cards sampled from a human model: (tricks taken, random state)."""
    hands = scratch.hands
    while at.ply < N_CARDS:
        legal = legal_cards(hands[at.turn], at)
        state = next_state(state)
        if legal & (legal - 1):
            n = query_model(model, position, at, legal, scratch)
            u = unit(mixed(state))
            for i in range(n - 1):
                u -= scratch.p[i]
                if u < 0.0:
                    break
                legal &= legal - 1
        code = lowest(legal)
        hands[at.turn] ^= np.int64(1) << code
        scratch.on_table[at.turn] = np.int64(1) << code
        at = after_card(at, code)
    return at.taken, state


class ModelCards(NamedTuple):
    """``model``: whose probabilities the cards are sampled by."""

    model: Prior

    @inlined_kernel
    def finish_round(
        self, at: Progress, position: Position, scratch: Scratch, state: np.uint64
    ) -> tuple[Int, np.uint64]:
        """``play_by_model`` by the policy's model."""
        return play_by_model(at, position, scratch, self.model, state)


@dataclass(frozen=True)
class HumanPlayout(Playout):
    """Cards sampled from the simulated human."""

    name: ClassVar[str] = "human"
    meaning: ClassVar[str] = "the simulated human"
    place: ClassVar[int] = 3
    chooses_cards: ClassVar[bool] = False

    def numbers(self, observation: Observation) -> ModelCards:
        return ModelCards(copy_of_thread(load_prior(MODEL_NAME)))
