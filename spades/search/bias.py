"""Bias towards human play: how much a model's word counts in a search's nodes, or after it.

Two published ways (Devlin 2016; Baier 2018, IV-A) work in the selection of a node's children:

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

The third, *pikl* (KL-regularised search, Jacob et al. 2022), leaves the search unbiased, so that
its values are honest, and weighs the root's cards once with what it found: pi(a) is proportional to
P(a) exp(Q(a) / lambda), Q the mean value and lambda in points. Below the root, in the other seats
and in the seat's own later cards, nobody leans towards the model. See ``human_policy``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.kernel import Int, compiled_method, inlined_kernel, mixed, unit
from spades.core.options import check_options, option, options_of
from spades.human import model_names
from spades.search.bandit import ucb1, unbiased_score
from spades.search.priors import AskedPrior
from spades.search.tree import (
    MAX_DEPTH,
    MAX_ITERATIONS,
    N_CHOICES,
    PRIOR,
    VALUE,
    VISITS,
    Tree,
)

KNOWLEDGE, EXPERIENCE, PIKL = "knowledge", "experience", "pikl"
IN_TREE = (KNOWLEDGE, EXPERIENCE)
TECHNIQUES = (*IN_TREE, PIKL)
TECHNIQUE_LABELS = {
    KNOWLEDGE: "Knowledge bias",
    EXPERIENCE: "Equivalent experience",
    PIKL: "piKL",
}
LIKELIEST, SAMPLE = "likeliest", "sample"
PLAYS = (LIKELIEST, SAMPLE)
UNBIASED = "none"
ROOT_ONLY, NEVER = "root", "inf"
TESTED_DELAYS = ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000")
"""Those of Baier 2018, IV-C."""
MAX_W = 100_000
_HALF = np.float32(0.5)

compiled_method("score")


class InvalidBiasError(SpadesError):
    """A bias that no search can have."""


@dataclass(frozen=True)
class BiasSettings:
    """How a search leans towards a human model, and which.

    ``model``: its name, for the record; the search is given its numbers. The usual strengths are
    those tried in the papers (Devlin 2016, fig. 1; Baier 2018, IV-B), and what lies between."""

    technique: str = option(
        KNOWLEDGE,
        choices=TECHNIQUES,
        labels=TECHNIQUE_LABELS,
        label="Technique",
        help="Knowledge bias (Devlin 2016) adds to a card's score; equivalent experience "
        "(Baier 2018) lends it visits; piKL (Jacob 2022) weighs the unbiased search's values Q "
        "with the model's P.",
    )
    model: str = option(
        "devlin2016",
        names=model_names,
        label="Human model",
        help="The human model that the search leans towards.",
    )
    c_bt: float = option(
        0.03,
        least=0,
        most=1e6,
        needs=("technique", (KNOWLEDGE,)),
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
        needs=("technique", (KNOWLEDGE,)),
        label="K",
        unit="visits",
        help="Visits of a node at which the bias has shrunk to 71% of its strength (Devlin calls "
        "it DR). Published: 1000.",
        usual=(10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0),
        step=100.0,
    )
    w: int = option(
        10,
        least=0,
        most=MAX_W,
        needs=("technique", (EXPERIENCE,)),
        label="w",
        unit="visits",
        help="Each card starts as if visited w times with mean P. Published: 10.",
        usual=(0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    )
    delay: str = option(
        "1",
        least=1,
        words=(ROOT_ONLY, NEVER),
        needs=("technique", IN_TREE),
        label="The model is called",
        help="Delayed bias (Baier 2018): the model is called only in nodes that were visited so "
        "often before; root: only there; inf: never.",
        labels={"1": "in every node", ROOT_ONLY: "at the root only", NEVER: "never"},
        form="after {} visits",
        usual=(*TESTED_DELAYS, ROOT_ONLY, NEVER),
    )
    lambda_: float = option(
        20.0,
        least=0,
        most=1e9,
        needs=("technique", (PIKL,)),
        label="λ",
        unit="points",
        help="π ∝ P exp(Q / λ): 0 is the best card, a large λ the human's.",
        usual=(0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0),
        step=5.0,
    )
    play_: str = option(
        LIKELIEST,
        choices=PLAYS,
        needs=("technique", (PIKL,)),
        label="Plays",
        help="The likeliest card of piKL's policy π, or one drawn by it (sample).",
    )

    def __post_init__(self) -> None:
        check_options(self, InvalidBiasError)

    @cached_property
    def visits(self) -> int:
        """Visits that each card starts with."""
        return self.w if self.technique == EXPERIENCE else 0

    @cached_property
    def is_ever_asked(self) -> bool:
        """Whether the tree calls the model at all."""
        return self.technique in IN_TREE and self.delay != NEVER

    def points_at(self, n: int, scale: float) -> Callable[[float, int, float], float]:
        """What the bias adds, in points, to the value of a card in a node with ``n`` visits.

        A function of the card's P, visits and mean reward in points; ``scale``: points that make
        up 1 of reward."""
        w = self.w
        if self.technique == KNOWLEDGE:
            pull = self.c_bt * math.sqrt(self.k / (n + self.k))
            return lambda prior, _visits, _mean: scale * (pull * prior)
        return lambda prior, visits, mean: (
            scale * (w * (prior - (mean / scale + 0.5)) / (visits + w)) if w else 0.0
        )


BIAS = replace(
    options_of(BiasSettings)["technique"],
    name="bias",
    default=UNBIASED,
    choices=(UNBIASED, *TECHNIQUES),
    labels={UNBIASED: "None", **TECHNIQUE_LABELS},
    label="Bias",
)
"""The technique of a search that may go without one."""


def human_policy(
    p: NDArray[np.float64], values: NDArray[np.float64], lambda_: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """piKL's probability of every card, and what ``p`` adds to its value, in points: lambda ln P.

    ``p``: of a human model; ``values`` in points, nan for a card that the search never tried, which
    counts as the mean of the others: only the model speaks for it or against it. Means of few
    visits are noisy, but UCB tries every card: of 2,500 iterations the least tried one of a
    decision has over 100 in 95% of decisions, so that Q is taken as it is, unbiased. lambda 0 is
    the limit: the best cards, by ``p`` among equals."""
    known = values[~np.isnan(values)]
    values = np.where(np.isnan(values), known.mean() if len(known) else 0.0, values)
    logs, behind = np.log(np.maximum(p, np.finfo(float).tiny)), values - values.max()
    with np.errstate(over="ignore"):  # a tiny lambda is as good as 0
        weights = logs + (behind / lambda_ if lambda_ else np.where(behind < 0, -np.inf, 0.0))
    policy = np.exp(weights - weights.max())
    return policy / policy.sum(), lambda_ * logs + 0.0


def draw_card(p: NDArray[np.float64], state: np.uint64) -> int:
    """An index, drawn by probabilities; the same for the same random state."""
    u = unit(np.uint64(mixed(state)))
    return min(int(np.searchsorted(p.cumsum(), u, "right")), len(p) - 1)


class KnowledgeTerms(NamedTuple):
    """``strengths`` float32 (n,): what P is multiplied by, by a node's visits."""

    strengths: NDArray[np.float32]

    @inlined_kernel
    def score(
        self, tree: Tree, child: Int, available: Int, visits: Int, scales: NDArray
    ) -> np.float32:
        """UCB1 and C_BT sqrt(K / (n + K)) P."""
        bound = unbiased_score(tree, child, available, scales)
        return bound + self.strengths[np.uintp(visits)] * tree.priors[child, PRIOR]


class ExperienceTerms(NamedTuple):
    """``w``: visits that each card starts with; ``points``: of w rewards of 1."""

    w: Int
    points: np.float32

    @inlined_kernel
    def score(
        self, tree: Tree, child: Int, available: Int, visits: Int, scales: NDArray
    ) -> np.float32:
        """UCB1 of a child that had w visits with mean P, available m w times, before the first."""
        w = self.w
        points = np.float32(tree.nodes[child, VALUE])
        points += (tree.priors[child, PRIOR] - _HALF) * self.points
        n_visits = np.int64(tree.nodes[child, VISITS]) + w
        n_available = available + tree.nodes[child, N_CHOICES] * w
        return ucb1(points, n_visits, n_available, scales)


class Bias(NamedTuple):
    """What the kernels need: the terms, the prior and when it is asked.

    ``terms``: with the compiled method ``score(tree, child, available, visits, scales)`` in place
    of ``unbiased_score``, ``visits`` the node's. ``prior``: one of ``spades.search.priors``.
    ``delay``: visits before the prior is asked in a node; ``deepest``: cards from the root to the
    last node where it is."""

    terms: Any
    prior: Any
    delay: Int
    deepest: Int


def bias_of(settings: BiasSettings, prior: AskedPrior, room: int, reward_scale: float) -> Bias:
    """A search's bias; ``room``: iterations that the tree has room for."""
    terms: KnowledgeTerms | ExperienceTerms
    if settings.technique == KNOWLEDGE:
        terms = KnowledgeTerms(_knowledge_table(settings.c_bt, settings.k, room))
    else:
        terms = ExperienceTerms(settings.w, np.float32(settings.w * reward_scale))
    is_at_root = settings.delay == ROOT_ONLY
    return Bias(
        terms=terms,
        prior=prior.numbers(),
        delay=1 if is_at_root else min(int(settings.delay), MAX_ITERATIONS + 1),
        deepest=0 if is_at_root or prior.is_for_root_only else MAX_DEPTH,
    )


@lru_cache(maxsize=16)
def _knowledge_table(c_bt: float, k: float, room: int) -> NDArray[np.float32]:
    """C_BT sqrt(K / (n + K)) for n = 0 .. room + 1."""
    table = (c_bt * np.sqrt(k / (np.arange(room + 2) + k))).astype(np.float32)
    table.setflags(write=False)
    return table
