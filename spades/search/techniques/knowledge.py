"""Knowledge bias (Devlin 2016; Baier 2018, IV-A): UCT(i) + C_BT sqrt(K / (n + K)) P(m_i).

n: the node's visits.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel
from spades.core.options import option
from spades.human.loglinear import LogLinearModel
from spades.human.networks.model import NetworkModel
from spades.search.bandit import unbiased_score
from spades.search.techniques.technique import (
    Added,
    Published,
    TreeTechnique,
    asked_option,
    delay_option,
    model_option,
)
from spades.search.tree import PRIOR, Tree


class KnowledgeTerms(NamedTuple):
    """``strengths`` float32 (n,): what P is multiplied by, by a node's visits."""

    strengths: NDArray[np.float32]

    @inlined_kernel
    def score_child(
        self, tree: Tree, child: Int, available: Int, visits: Int, scales: NDArray
    ) -> np.float32:
        """UCB1 and C_BT sqrt(K / (n + K)) P."""
        bound = unbiased_score(tree, child, available, scales)
        return bound + self.strengths[np.uintp(visits)] * tree.priors[child, PRIOR]


@dataclass(frozen=True)
class Knowledge(TreeTechnique):
    """Adds a share of P to a card's score; C_BT in rewards (0 to 1), K in visits."""

    name: ClassVar[str] = "knowledge"
    label: ClassVar[str] = "Knowledge bias"
    meaning: ClassVar[str] = "Knowledge bias (Devlin 2016) adds to a card's score"
    place: ClassVar[int] = 0
    probes: ClassVar[tuple[str, ...]] = (
        "c_bt=0.2",
        "c_bt=0.2,k=10,delay=root",
        "c_bt=0.2,delay=5",
    )
    strength: ClassVar[str] = "c_bt"
    second: ClassVar[str] = "k"
    published: ClassVar[tuple[Published, ...]] = (
        Published(0.03, LogLinearModel.kind, "Devlin 2016", (("k", 1000.0),)),
        Published(0.2, NetworkModel.kind, "Baier 2018", (("k", 1000.0),)),
        Published(0.5, NetworkModel.kind, "Baier 2018", (("k", 100.0),)),
        Published(1.0, NetworkModel.kind, "Baier 2018", (("k", 10.0),)),
    )

    model: str = model_option()
    c_bt: float = option(
        0.03,
        least=0,
        most=1e6,
        label="C_BT",
        unit="rewards",
        help="Strength of the bias: C_BT √(K / (n + K)) P is added to a card's score, n the "
        "node's visits. Published: 0.03 with the log-linear model, 0.2 with a network.",
        usual=(0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
        step=0.01,
    )
    k: float = option(
        1000.0,
        least=1e-9,
        most=1e9,
        label="K",
        unit="visits",
        help="Visits of a node at which the bias has shrunk to 71% of its strength (Devlin calls "
        "it DR). Published: 1000.",
        usual=(10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0),
        step=100.0,
    )
    delay: str = delay_option()
    asked: str = asked_option()

    @property
    def strength_text(self) -> str:
        return f"C_BT {self.c_bt:.12g}, K {self.k:.12g}"

    def terms(self, room: int, reward_scale: float) -> KnowledgeTerms:
        return KnowledgeTerms(strength_table(self.c_bt, self.k, room))

    def added(self, n: int, reward_scale: float) -> Added:
        pull = self.c_bt * math.sqrt(self.k / (n + self.k))
        return lambda prior, _visits, _mean: reward_scale * (pull * prior)


@lru_cache(maxsize=16)
def strength_table(c_bt: float, k: float, room: int) -> NDArray[np.float32]:
    """C_BT sqrt(K / (n + K)) for n = 0 .. room + 1."""
    table = (c_bt * np.sqrt(k / (np.arange(room + 2) + k))).astype(np.float32)
    table.setflags(write=False)
    return table
