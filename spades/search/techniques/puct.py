"""PUCT (Rosin 2011; Silver et al. 2017, AlphaGo Zero): Q(i) + c P(m_i) sqrt(n) / (1 + n_i).

The model's P takes the place of UCB1's exploration: cards that it holds unlikely are hardly tried.
n_i: the card's visits. n: here the visits of the node in which the card was legal, as in the UCB1
of an information set search; where all cards are always legal these are all of the node's.
Q is the mean reward (0 to 1). A card is expanded before its first visit, so that no Q is missing.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel
from spades.core.options import option
from spades.search.techniques.technique import (
    Added,
    TreeTechnique,
    delay_option,
    model_option,
)
from spades.search.tree import PRIOR, VALUE, VISITS, Tree


class PuctTerms(NamedTuple):
    """``strengths`` float32 (n,): c sqrt(n) by the visits in which a card was legal."""

    strengths: NDArray[np.float32]

    @inlined_kernel
    def score_child(
        self, tree: Tree, child: Int, available: Int, visits: Int, scales: NDArray
    ) -> np.float32:
        """Q and c P sqrt(n) / (1 + n_i)."""
        n = np.int64(tree.nodes[child, VISITS])
        mean = np.float32(tree.nodes[child, VALUE]) * scales[0, np.uintp(n)]
        strength = self.strengths[np.uintp(available)]
        return mean + strength * tree.priors[child, PRIOR] / np.float32(1 + n)


@dataclass(frozen=True)
class Puct(TreeTechnique):
    """Explores by P instead of UCB1; c in rewards (0 to 1)."""

    name: ClassVar[str] = "puct"
    label: ClassVar[str] = "PUCT"
    meaning: ClassVar[str] = "PUCT (Rosin 2011, Silver 2017) explores by the model's P alone"
    place: ClassVar[int] = 3
    probes: ClassVar[tuple[str, ...]] = ("", "c_puct=0.3,delay=5")
    strength: ClassVar[str] = "c_puct"
    is_unbiased_at_0: ClassVar[bool] = False

    model: str = model_option()
    c_puct: float = option(
        1.25,
        least=0,
        most=1e6,
        label="c_puct",
        unit="rewards",
        help="Exploration by the model: c_puct P √n / (1 + n_i) is added to a card's mean reward, "
        "n_i its visits and n those in which it was legal. 0 always tries the card of the best "
        "mean.",
        usual=(0.0, 0.1, 0.2, 0.5, 1.0, 1.25, 2.0, 5.0, 10.0, 20.0),
        step=0.25,
    )
    delay: str = delay_option()

    @property
    def strength_text(self) -> str:
        return f"c_puct {self.c_puct:.12g}"

    def terms(self, room: int, reward_scale: float) -> PuctTerms:
        return PuctTerms(strength_table(self.c_puct, room))

    def added(self, n: int, reward_scale: float) -> Added:
        pull = reward_scale * self.c_puct * n**0.5
        return lambda prior, visits, _mean: pull * prior / (1 + visits)


@lru_cache(maxsize=16)
def strength_table(c_puct: float, room: int) -> NDArray[np.float32]:
    """c sqrt(n) for n = 0 .. room + 1."""
    table = (c_puct * np.sqrt(np.arange(room + 2))).astype(np.float32)
    table.setflags(write=False)
    return table
