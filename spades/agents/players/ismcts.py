"""Information set Monte Carlo tree search as a player."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from spades.agents.component import Probes
from spades.agents.player import SearchingPlayer, options_for
from spades.belief import DETERMINIZATIONS, Dealing, Determinization
from spades.core.observation import Observation
from spades.core.options import borrowed
from spades.core.steps import Steps
from spades.human import any_prior
from spades.human.model import Prior
from spades.human.own import OwnModel
from spades.search import TECHNIQUES, Search, SearchResult, SearchSettings, Technique
from spades.search.objectives import Objective
from spades.search.playouts import Playout
from spades.search.search import CHUNK
from spades.search.settings import iterations_option
from spades.search.skew import RuleSkew
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD

_QUICK = "iterations=60"
_PROBED_OPTIONS: dict[str, tuple[str, ...]] = {
    "": ("", "exploration=0.3,reward_scale=200"),
    "playout=nil-aware": ("playout=nil-aware",),
    "playout=heuristic": ("playout=heuristic,epsilon=0.3",),
    "playout=human": ("playout=human",),
    "skew": ("skew=on,skew_k=30",),
    "solved": ("solved=4", "solved=2,playout=heuristic", "solved=3,playout=nil-aware"),
    "equivalence": ("equivalence=on",),
    "objective=game": ("objective=game",),
    "duck": ("duck=on",),
    "others=rules": ("others=rules",),
    "determinization=posterior,players": (
        "determinization=posterior,players=search",
        "determinization=posterior,players=rules",
    ),
}


def _probes_by_kind(option: str, kinds: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The probes of what an option chooses among, each of which declares its own."""
    return {
        f"{option}={name}": tuple(
            f"{option}={name},{options}".removesuffix(",") for options in kind.probes
        )
        for name, kind in kinds.items()
        if kind.probes
    }


_PROBED_OPTIONS |= _probes_by_kind("determinization", DETERMINIZATIONS)
_PROBED_OPTIONS |= _probes_by_kind("bias", TECHNIQUES)
_PROBED_OPTIONS |= {
    f"bias=knowledge,asked={FIRST_CHILD}": (
        f"bias=knowledge,c_bt=0.2,delay=3,asked={FIRST_CHILD}",
    ),
    f"bias=experience,asked={ALL_CHILDREN}": (
        f"bias=experience,w=10,asked={ALL_CHILDREN}",
        f"bias=experience,w=3,delay=4,asked={ALL_CHILDREN}",
    ),
}


@dataclass(frozen=True)
class IsmctsPlayer(SearchingPlayer):
    """Information set Monte Carlo tree search (single observer).

    Its options are those of ``SearchSettings`` and ``Dealing``."""

    name: ClassVar[str] = "ismcts"
    words: ClassVar[str] = "Search"
    place: ClassVar[int] = 1
    eager: ClassVar[tuple[str, ...]] = ("dealing", "search_settings", "prior")
    probes: ClassVar[Probes] = {
        part: tuple(f"{_QUICK},{options}".removesuffix(",") for options in tried)
        for part, tried in _PROBED_OPTIONS.items()
    }

    iterations: int = iterations_option(is_shown=True)
    exploration: float = borrowed(SearchSettings, "exploration")
    playout: Playout = borrowed(SearchSettings, "playout")
    reward_scale: float = borrowed(SearchSettings, "reward_scale")
    determinization: Determinization = borrowed(Dealing, "determinization")
    bias: Technique | None = borrowed(SearchSettings, "bias")
    skew: RuleSkew | None = borrowed(SearchSettings, "skew")
    equivalence: bool = borrowed(SearchSettings, "equivalence")
    objective: Objective = borrowed(SearchSettings, "objective")
    duck: bool = borrowed(SearchSettings, "duck")
    solved: int = borrowed(SearchSettings, "solved")
    others: str = borrowed(SearchSettings, "others")

    @cached_property
    def search_settings(self) -> SearchSettings:
        return options_for(SearchSettings, self)

    @cached_property
    def prior(self) -> Prior | OwnModel | None:
        """The numbers of the model that the search leans towards; those that its file held when
        the player was made."""
        return any_prior(self.bias.model) if self.bias else None

    @property
    def model_name(self) -> str | None:
        return self.bias.model if self.bias else None

    def search(self, observation: Observation, seed: int) -> SearchResult:
        return self.evaluate(observation, seed)

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        search = Search(
            observation,
            seed=seed,
            settings=self.search_settings,
            determinizer=self.dealing(observation),
            prior=self.prior,
            room=self.iterations,
        )
        while search.iterations < self.iterations:
            yield
            search.run(min(CHUNK, self.iterations - search.iterations))
        return search.result()
