"""What every technique offers that leans a search towards a human model.

Most work in the selection of a node's children (``TreeTechnique``); others weigh the root's cards
once, after the search. A technique is a dataclass whose fields are its options. ``name``, ``label``
and ``meaning`` are what texts and pages say of it, ``place`` is where lists have it, and
``strength`` is the option that says how much the model counts. At strength 0 most search as without
a bias (``is_unbiased_at_0``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.kernel import Int, compiled_method
from spades.core.options import Option, check_options, option, options_of, values_of
from spades.human import model_names
from spades.search.priors import AskedPrior
from spades.search.tree import MAX_DEPTH, MAX_ITERATIONS

if TYPE_CHECKING:
    from spades.search.result import SearchResult

UNBIASED = "none"
DEFAULT_MODEL = "devlin2016"
ROOT_ONLY = "root"
NEVER = "inf"
WHEN_NEEDED = "when-needed"
FIRST_CHILD = "first-child"
ALL_CHILDREN = "all-children"
TESTED_DELAYS = ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000")
"""Those of Baier 2018, IV-C."""

compiled_method("score_child")


class InvalidBiasError(SpadesError):
    """A bias that no search can have."""


class Published(NamedTuple):
    """A strength that a paper recommends for a kind of model and ``values`` of other options."""

    strength: float
    kind: str
    paper: str
    values: tuple[tuple[str, float], ...] = ()


class Bias(NamedTuple):
    """What the kernels need of a technique: its terms, the prior and when that is asked.

    ``terms``: with the compiled method ``score_child(tree, child, available, visits, scales)`` in
    place of ``unbiased_score``, ``visits`` the node's. ``prior``: one of ``spades.search.priors``.
    ``delay``: visits before the prior is asked in a node; ``deepest``: cards from the root to the
    last node where it is. ``asks_first``: 1 where it is asked before all cards there were tried,
    and ``lends``: 1 where cards not tried are then scored like the others."""

    terms: Any
    prior: Any
    delay: Int
    deepest: Int
    asks_first: Int
    lends: Int


Added = Callable[[float, int, float], float]
"""What a bias adds to the value of a card, in points, by its P, visits and mean points."""


def model_option() -> Any:
    """The option of every technique that names its model."""
    return option(
        DEFAULT_MODEL,
        names=model_names,
        label="Human model",
        help="The human model that the search leans towards.",
    )


def delay_option() -> Any:
    """The option of every ``TreeTechnique`` that says when the model is called."""
    return option(
        "1",
        least=1,
        words=(ROOT_ONLY, NEVER),
        label="The model is called",
        help="Delayed bias (Baier 2018): the model is called only in nodes that were visited so "
        "often before; root: only there; inf: never.",
        labels={"1": "in every node", ROOT_ONLY: "at the root only", NEVER: "never"},
        form="after {} visits",
        usual=(*TESTED_DELAYS, ROOT_ONLY, NEVER),
    )


def asked_option() -> Any:
    """The option of a ``TreeTechnique`` that says which cards must have been tried before."""
    return option(
        WHEN_NEEDED,
        choices=(WHEN_NEEDED, FIRST_CHILD, ALL_CHILDREN),
        label="First called in a node",
        help="When its answer first counts: for equivalent experience when the search tries the "
        "first card of a node, as Baier 2018 says, since it lends visits to a card before that is "
        "tried; for knowledge bias once every legal card was tried. Or always at one of these.",
        labels={
            WHEN_NEEDED: "when its answer counts",
            FIRST_CHILD: "at the first card",
            ALL_CHILDREN: "after all cards",
        },
    )


@dataclass(frozen=True)
class Technique(ABC):
    """A way to lean a search towards the human model called ``model``.

    Each is a frozen dataclass that declares its options in the order in which texts list them."""

    name: ClassVar[str]
    label: ClassVar[str]
    meaning: ClassVar[str]
    place: ClassVar[int] = 100
    strength: ClassVar[str]
    second: ClassVar[str] = ""  # another option that says how much, if there is one
    is_unbiased_at_0: ClassVar[bool] = True
    published: ClassVar[tuple[Published, ...]] = ()
    probes: ClassVar[tuple[str, ...]] = ("",)  # options with which ``behaviour`` fingerprints it

    model: str

    def __post_init__(self) -> None:
        check_options(self, InvalidBiasError)

    @classmethod
    def strength_option(cls) -> Option:
        """The declaration of the option ``strength``."""
        return options_of(cls)[cls.strength]

    @property
    @abstractmethod
    def strength_text(self) -> str:
        """How strong it is, in a few words: ``C_BT 0.03, K 1000``."""

    @property
    @abstractmethod
    def mode_text(self) -> str:
        """How it is used otherwise, in a few words: ``delay 1``; empty if there is but one way."""

    @property
    def has_policy(self) -> bool:
        """Whether it gives every card a probability of being played, beside the visits."""
        return False

    def has_values(self, published: Published) -> bool:
        """Whether the other options are those with which a paper recommends a strength."""
        values = values_of(self)
        return all(values[name] == value for name, value in published.values)

    def matches(self, published: Published) -> bool:
        """Whether a paper recommends this strength, whatever the model and the delay."""
        is_as_strong = values_of(self)[self.strength] == published.strength
        return is_as_strong and self.has_values(published)

    def weighed(self, result: SearchResult, p: NDArray[np.float64] | None = None) -> SearchResult:
        """The search's result as the technique has it in the end. ``p``: of the model for each
        card, None where the cards know it."""
        return result


class TreeTechnique(Technique):
    """A technique that works in the nodes of the tree.

    Once a node has had ``delay`` visits, the model is called for the legal cards that lack their P
    (Baier 2018, IV-A to IV-C):

    - ``first-child``, the paper's text: "at the time of expansion of its first child node", which
      for delay 1 is "at the second visit to a node", for delay d at its visit d + 1, the root's
      visits being the iterations. From then on "every selection step" is biased. Equivalent
      experience starts a new node with w visits and mean P "before sampling any rollouts from it":
      a card not tried yet has a finite bound and waits until that is the highest; its availability
      starts at m w and grows at each visit where it is legal. Knowledge bias leaves n_i = 0 and the
      bound infinite: cards not tried yet come first, at random, as without a bias.
    - ``all-children``: once every legal card there has a child. Untried cards come first, at
      random, whatever the model says. That is the same for knowledge bias, but for the deal by
      which another seat's P is told, and calls the model less often.
    - ``when-needed``: when its answer first counts (``counts_from``): by the first of these for
      equivalent experience, by the second for knowledge bias, where the first costs time alone.

    P is normalised over the cards that were legal in the deal at hand. The mover of the root holds
    the same cards in every deal: one call settles its nodes. Another seat's hand changes from deal
    to deal, and a card that wasn't legal at the first call gets its P at the first deal where it is
    (the papers don't say)."""

    counts_from: ClassVar[str] = ALL_CHILDREN  # or FIRST_CHILD: when the model's answer counts

    delay: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._asked == self.counts_from:  # the same search, so the same text
            object.__setattr__(self, "asked", WHEN_NEEDED)

    @property
    def _asked(self) -> str:
        """When the model is first called in a node, for techniques that leave a choice."""
        return str(getattr(self, "asked", WHEN_NEEDED))

    @property
    def mode_text(self) -> str:
        when = "root only" if self.delay == ROOT_ONLY else f"delay {self.delay}"
        if self._asked == WHEN_NEEDED:
            return when
        return f"{when}, called {options_of(type(self))['asked'].value_label(self._asked)}"

    @property
    def asks_first(self) -> bool:
        """Whether the model is asked before all legal cards of a node were tried."""
        asked = self.counts_from if self._asked == WHEN_NEEDED else self._asked
        return asked == FIRST_CHILD

    @property
    def queries_model(self) -> bool:
        """Whether the tree calls the model at all."""
        return self.delay != NEVER

    @property
    def visits_before(self) -> int:
        """Visits that each card starts with."""
        return 0

    @abstractmethod
    def terms(self, room: int, reward_scale: float) -> Any:
        """Numbers for ``Bias.terms``; ``room``: iterations that the tree has room for."""

    @abstractmethod
    def added(self, n: int, reward_scale: float) -> Added:
        """What it adds in a node with ``n`` visits."""

    def bias(self, prior: AskedPrior, room: int, reward_scale: float) -> Bias:
        """What the kernels of a search need."""
        is_at_root = self.delay == ROOT_ONLY
        return Bias(
            terms=self.terms(room, reward_scale),
            prior=prior.numbers(),
            delay=1 if is_at_root else min(int(self.delay), MAX_ITERATIONS + 1),
            deepest=0 if is_at_root or prior.is_for_root_only else MAX_DEPTH,
            asks_first=int(self.asks_first),
            lends=int(self.asks_first and self.visits_before > 0),
        )
