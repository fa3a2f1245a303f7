"""Flat-UCB of Dobre and Lascarides 2015 as a player."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from spades.agents.component import Probes
from spades.agents.player import SearchingPlayer, options_for
from spades.core.observation import Observation
from spades.core.options import borrowed, option
from spades.core.steps import Steps, last_value
from spades.human.corpus import CORPORA, DEFAULT_CORPUS, Corpus, load_corpus, suggest
from spades.search import CardStatistics, SearchResult
from spades.search.flat import (
    STANDARD_PLAYOUTS,
    FlatUcbResult,
    FlatUcbSettings,
    Seeds,
    flat_ucb_steps,
    heuristic_seeds,
)
from spades.search.settings import iterations_option

UNSEEDED = "none"
BY_HEURISTIC = "heuristic"
BY_CORPUS = "corpus"


@dataclass(frozen=True)
class FlatUcbPlayer(SearchingPlayer):
    """Flat-UCB of Dobre and Lascarides 2015, unseeded or seeded with what is known beforehand.

    The rules of thumb of its playouts stand for the paper's hand-written ``ranking``."""

    name: ClassVar[str] = "flat-ucb"
    words: ClassVar[str] = "Flat Monte Carlo"
    place: ClassVar[int] = 9
    eager: ClassVar[tuple[str, ...]] = ("settings", "loaded")
    probes: ClassVar[Probes] = {
        "": ("iterations=40", "iterations=40,epsilon=0.6,exploration=0.3"),
        "seed=heuristic": ("iterations=40,seed=heuristic",),
        "seed=corpus": ("iterations=40,seed=corpus",),
    }

    iterations: int = iterations_option(
        STANDARD_PLAYOUTS, is_shown=True, help="Playouts of a decision."
    )
    seed: str = option(
        UNSEEDED,
        choices=(UNSEEDED, BY_HEURISTIC, BY_CORPUS),
        help="The five best cards by the rules of thumb (heuristic), or what similar pairs of a "
        "corpus did.",
    )
    exploration: float = borrowed(FlatUcbSettings, "exploration")
    epsilon: float = borrowed(FlatUcbSettings, "epsilon")
    corpus: str = option(
        DEFAULT_CORPUS,
        names=CORPORA.names,
        needs=("seed", (BY_CORPUS,)),
        help="Whose pairs are the seeds.",
    )
    seed_visits: int = borrowed(
        FlatUcbSettings, "seed_visits", needs=("seed", (BY_HEURISTIC, BY_CORPUS))
    )

    @property
    def corpus_name(self) -> str | None:
        return self.corpus if self.seed == BY_CORPUS else None

    @property
    def loaded(self) -> Corpus | None:
        return load_corpus(self.corpus) if self.seed == BY_CORPUS else None

    @cached_property
    def settings(self) -> FlatUcbSettings:
        return options_for(FlatUcbSettings, self)

    def seeds(self, observation: Observation) -> Seeds | None:
        """What is known of the cards before the first playout."""
        if self.seed == BY_HEURISTIC:
            return heuristic_seeds(observation)
        if self.loaded is None:
            return None
        suggestions = suggest(self.loaded, observation)
        return Seeds(suggestions.values, suggestions.n_pairs)

    def search(self, observation: Observation, seed: int) -> FlatUcbResult:
        return last_value(self.search_in_steps(observation, seed))

    def search_in_steps(self, observation: Observation, seed: int) -> Steps[FlatUcbResult]:
        return flat_ucb_steps(
            observation,
            iterations=self.iterations,
            seed=seed,
            settings=self.settings,
            seeds=self.seeds(observation),
        )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """Mean points of the playouts, without the seeds, by which the choice goes as well."""
        result = yield from self.search_in_steps(observation, seed)
        rows = [
            CardStatistics(
                row.card, row.visits, result.iterations, row.mean_value, row.standard_error
            )
            for row in result.cards
        ]
        return SearchResult.without_tree(rows, result.best.card, seed)
