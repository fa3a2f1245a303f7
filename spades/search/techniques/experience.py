"""Equivalent experience (Baier 2018, IV-A): a card starts as if visited w times with mean P.

P is a mean on the scale where rewards are 0 to 1, and the card counts as if it had been available
m w times, m the legal cards at the node.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, inlined_kernel
from spades.core.options import option
from spades.human.networks.model import NetworkModel
from spades.search.bandit import ucb1
from spades.search.techniques.technique import (
    FIRST_CHILD,
    Added,
    Published,
    TreeTechnique,
    asked_option,
    delay_option,
    model_option,
)
from spades.search.tree import N_CHOICES, PRIOR, VALUE, VISITS, Tree

MAX_W = 100_000
_HALF = np.float32(0.5)


class ExperienceTerms(NamedTuple):
    """``w``: visits that each card starts with; ``points``: of w rewards of 1."""

    w: Int
    points: np.float32

    @inlined_kernel
    def score_child(
        self, tree: Tree, child: Int, available: Int, visits: Int, scales: NDArray
    ) -> np.float32:
        """UCB1 of a child that had w visits with mean P, available m w times, before the first."""
        w = self.w
        points = np.float32(tree.nodes[child, VALUE])
        points += (tree.priors[child, PRIOR] - _HALF) * self.points
        n_visits = np.int64(tree.nodes[child, VISITS]) + w
        n_available = available + tree.nodes[child, N_CHOICES] * w
        return ucb1(points, n_visits, n_available, scales)


@dataclass(frozen=True)
class Experience(TreeTechnique):
    """Lends every card w visits with mean P."""

    name: ClassVar[str] = "experience"
    label: ClassVar[str] = "Equivalent experience"
    meaning: ClassVar[str] = "equivalent experience (Baier 2018) lends it visits"
    place: ClassVar[int] = 1
    probes: ClassVar[tuple[str, ...]] = ("w=10", "w=3,delay=4")
    strength: ClassVar[str] = "w"
    counts_from: ClassVar[str] = FIRST_CHILD
    published: ClassVar[tuple[Published, ...]] = (Published(10, NetworkModel.kind, "Baier 2018"),)

    model: str = model_option()
    w: int = option(
        10,
        least=0,
        most=MAX_W,
        label="w",
        unit="visits",
        help="Each card starts as if visited w times with mean P. Published: 10.",
        usual=(0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    )
    delay: str = delay_option()
    asked: str = asked_option()

    @property
    def strength_text(self) -> str:
        return f"w {self.w}"

    @property
    def visits_before(self) -> int:
        return self.w

    def terms(self, room: int, reward_scale: float) -> ExperienceTerms:
        return ExperienceTerms(self.w, np.float32(self.w * reward_scale))

    def added(self, n: int, reward_scale: float) -> Added:
        w = self.w

        def points(prior: float, visits: int, mean: float) -> float:
            if not w:
                return 0.0
            return reward_scale * (w * (prior - (mean / reward_scale + 0.5)) / (visits + w))

        return points
