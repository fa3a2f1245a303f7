"""Flat Monte Carlo, the knowledge-based player of Whitehouse 2013."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from spades.agents.component import Probes
from spades.agents.player import SearchingPlayer, options_for
from spades.belief import Dealing, Determinization
from spades.core.observation import Observation
from spades.core.options import borrowed
from spades.core.steps import Steps
from spades.search import SearchResult
from spades.search.flat import FlatSettings, flat_search_steps


@dataclass(frozen=True)
class FlatPlayer(SearchingPlayer):
    """Whitehouse 2013's knowledge-based player, which bids by ``kb``: ``flat-mc+kb``.

    Flat Monte Carlo over the legal cards with rules of thumb in playouts and bonuses. The options
    of ``FlatSettings`` and, for how hidden cards are drawn (``biased`` in the paper), ``Dealing``.
    """

    name: ClassVar[str] = "flat-mc"
    words: ClassVar[str] = "Monte Carlo by knowledge"
    place: ClassVar[int] = 7
    eager: ClassVar[tuple[str, ...]] = ("settings", "dealing")
    probes: ClassVar[Probes] = {
        "": ("simulations=8", "simulations=4,epsilon=0.5,best_bonus=0"),
        "determinization": (
            "simulations=4,determinization=biased",
            "simulations=4,determinization=mixed",
            "simulations=4,determinization=posterior",
        ),
    }

    simulations: int = borrowed(FlatSettings, "simulations", is_shown=True)
    epsilon: float = borrowed(FlatSettings, "epsilon")
    best_bonus: float = borrowed(FlatSettings, "best_bonus")
    second_bonus: float = borrowed(FlatSettings, "second_bonus")
    determinization: Determinization = borrowed(Dealing, "determinization")

    @cached_property
    def settings(self) -> FlatSettings:
        return options_for(FlatSettings, self)

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        return flat_search_steps(
            observation,
            seed=seed,
            settings=self.settings,
            determinizer=self.dealing(observation),
        )
