"""Bias towards human play inside the search: how much a model's word counts in a node.

Two published ways (Devlin 2016; Baier 2018, IV-A), both in the selection of a node's children:

- *knowledge*: UCT(i) + C_BT sqrt(K / (n + K)) P(m_i), n the node's visits;
- *experience* (equivalent experience): child i counts as if it had been visited w times before,
  with mean P(m_i) on the scale where rewards are 0 to 1, and had been available m w times, m the
  legal cards at the node.

Once a node has had ``delay`` visits and every legal card there has a child, the model is called for
those that lack their P. Untried cards are expanded at random whatever the model says, so calling it
earlier would choose the same cards. P is normalised over the cards that were legal in the deal at
hand. The mover of the root holds the same cards in every deal: one call settles its nodes. Another
seat's hand changes from deal to deal, and a card that wasn't legal at the first call gets its P at
the first deal where it is (the papers don't say).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.documents import parse_integer
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.kernel import Int
from spades.core.options import check_options, option
from spades.human.model import Prior, copy_of_thread
from spades.search.tree import MAX_DEPTH, MAX_ITERATIONS

KNOWLEDGE, EXPERIENCE = "knowledge", "experience"
TECHNIQUES = (KNOWLEDGE, EXPERIENCE)
UNBIASED = "none"
ROOT_ONLY, NEVER = "root", "inf"
TESTED_DELAYS = ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000")
"""Those of Baier 2018, IV-C."""
MAX_W = 100_000


class InvalidBiasError(SpadesError):
    """A bias that no search can have."""


@dataclass(frozen=True)
class BiasSettings:
    """How a search leans towards a human model, and which.

    ``technique``: one of ``TECHNIQUES``. ``model``: the name of the model, for the record; the
    search is given its numbers. ``c_bt``, ``k``: of knowledge bias, C_BT in rewards (0 to 1).
    ``w``: of equivalent experience, visits. ``delay``: visits that a node must have had before the
    model is called there, a whole number from 1, ``root`` for the root only, ``inf`` for never.
    """

    technique: str = option(KNOWLEDGE, choices=TECHNIQUES)
    model: str = "devlin2016"
    c_bt: float = option(0.03, least=0, most=1e6)
    k: float = option(1000.0, least=1e-9, most=1e9)
    w: int = option(10, least=0, most=MAX_W)
    delay: str = "1"

    def __post_init__(self) -> None:
        check_options(self, InvalidBiasError)
        if self.delay not in (ROOT_ONLY, NEVER):
            try:
                parse_integer(self.delay, 1)
            except InvalidRecordError:
                legal = f"a whole number from 1, {ROOT_ONLY} and {NEVER} are legal"
                raise InvalidBiasError(f"delay is {shown(self.delay)}; {legal}") from None

    @cached_property
    def visits(self) -> int:
        """Visits that each card starts with."""
        return self.w if self.technique == EXPERIENCE else 0

    @cached_property
    def strength(self) -> float:
        """C_BT, 0 for a technique that has none."""
        return self.c_bt if self.technique == KNOWLEDGE else 0.0

    @cached_property
    def is_ever_asked(self) -> bool:
        """Whether the model is called at all."""
        return self.delay != NEVER

    @cached_property
    def asked_from(self) -> int:
        """Visits that a node must have had before the model is called there, of one that is."""
        return 1 if self.delay == ROOT_ONLY else min(int(self.delay), MAX_ITERATIONS + 1)

    @cached_property
    def deepest(self) -> int:
        """Cards from the root to the last node where the model is called."""
        return 0 if self.delay == ROOT_ONLY else MAX_DEPTH

    def points_at(self, n: int, scale: float) -> Callable[[float, int, float], float]:
        """What the bias adds, in points, to the value of a card in a node with ``n`` visits.

        A function of the card's P, visits and mean reward in points; ``scale``: points that make
        up 1 of reward.
        """
        w = self.w
        if self.technique == KNOWLEDGE:
            pull = self.c_bt * math.sqrt(self.k / (n + self.k))
            return lambda prior, _visits, _mean: scale * (pull * prior)
        return lambda prior, visits, mean: (
            scale * (w * (prior - (mean / scale + 0.5)) / (visits + w)) if w else 0.0
        )


Experience = tuple[Int, np.float32]
"""w of equivalent experience, and w c."""


class Bias(NamedTuple):
    """What the kernels need: the model, how much it counts and when it is queried.

    ``strengths`` float32 (n,): what P is multiplied by, by a node's visits. ``experience`` None:
    compiled without it, so that a search with knowledge pays nothing for it. ``delay``: visits
    before the model is queried in a node; ``deepest``: cards from the root to the last node where
    it is.
    """

    prior: Prior
    strengths: NDArray[np.float32]
    experience: Experience | None
    delay: Int
    deepest: Int


def bias_of(settings: BiasSettings, prior: Prior, room: int, reward_scale: float) -> Bias:
    """A search's bias; ``room``: iterations that the tree has room for."""
    w = settings.visits
    return Bias(
        prior=copy_of_thread(prior),
        strengths=_knowledge_table(settings.strength, settings.k, room),
        experience=(w, np.float32(w * reward_scale)) if w else None,
        delay=settings.asked_from,
        deepest=settings.deepest,
    )


@lru_cache(maxsize=16)
def _knowledge_table(c_bt: float, k: float, room: int) -> NDArray[np.float32]:
    """C_BT sqrt(K / (n + K)) for n = 0 .. room + 1."""
    table = (c_bt * np.sqrt(k / (np.arange(room + 2) + k))).astype(np.float32)
    table.setflags(write=False)
    return table
