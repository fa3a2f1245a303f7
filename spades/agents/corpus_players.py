"""Players after Dobre and Lascarides 2015: Flat-UCB, a corpus alone, and the heuristic.

What is ``ranking`` in the paper, the hand-written heuristic that plays playouts, seeds and every
opponent, is here the rules of thumb of ``spades.search.heuristic``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spades.agents.players import Player, UnknownAgentError
from spades.core.cards import cards_in
from spades.core.observation import Observation
from spades.core.records import BOT
from spades.human.corpus import DEFAULT_CORPUS, load_corpus, suggest
from spades.search.flat_ucb import (
    STANDARD_PLAYOUTS,
    FlatUcbResult,
    FlatUcbSettings,
    Seeds,
    flat_ucb,
    heuristic_seeds,
)
from spades.search.rule_playouts import card_scores
from spades.search.tree import MAX_ITERATIONS

UNSEEDED, BY_HEURISTIC, BY_CORPUS = "none", "heuristic", "corpus"


def corpus_seeds(observation: Observation, corpus: str) -> Seeds:
    """Seeds from what a corpus suggests."""
    found = suggest(load_corpus(corpus), observation)
    return Seeds(found.values, found.n_pairs)


@dataclass(frozen=True)
class FlatUcbPlayer:
    """Flat-UCB: ``iterations`` playouts a move, C of UCB, epsilon of the playouts' rules of thumb.

    ``seed``: ``none``; ``heuristic``, the five best cards by the rules of thumb; or ``corpus``,
    what similar pairs of ``corpus`` did. ``seed_visits``: playouts that a seed stands for.
    """

    iterations: int = STANDARD_PLAYOUTS
    seed: str = UNSEEDED
    exploration: float = FlatUcbSettings.exploration
    epsilon: float = FlatUcbSettings.epsilon
    corpus: str = DEFAULT_CORPUS
    seed_visits: int = FlatUcbSettings.seed_visits

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MAX_ITERATIONS:
            raise UnknownAgentError(
                f"iterations is {self.iterations}; 1 to {MAX_ITERATIONS} are legal"
            )
        if self.seed not in SEEDERS:
            raise UnknownAgentError(f"unknown seed {self.seed!r}; {', '.join(SEEDERS)} are known")
        for name, owners in (("corpus", (BY_CORPUS,)), ("seed_visits", (BY_HEURISTIC, BY_CORPUS))):
            if self.seed not in owners and getattr(self, name) != getattr(FlatUcbPlayer, name):
                belongs = " and ".join(f"seed={owner}" for owner in owners)
                raise UnknownAgentError(
                    f"{name} does nothing with seed={self.seed}; it belongs to {belongs}"
                )
        if self.seed == BY_CORPUS:
            load_corpus(self.corpus)  # refuses an unknown name before any card is played
        _ = self.settings  # refuses what the search would

    @property
    def kind(self) -> str:
        return BOT

    @property
    def settings(self) -> FlatUcbSettings:
        return FlatUcbSettings(self.exploration, self.epsilon, self.seed_visits)

    def search(self, observation: Observation, seed: int) -> FlatUcbResult:
        """What the player finds about every legal card."""
        return flat_ucb(
            observation,
            iterations=self.iterations,
            seed=seed,
            settings=self.settings,
            seeds=SEEDERS[self.seed](observation, self.corpus),
        )

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[0] if len(legal) == 1 else self.search(observation, seed).best.card


SEEDERS: dict[str, Callable[[Observation, str], Seeds | None]] = {
    UNSEEDED: lambda observation, corpus: None,
    BY_HEURISTIC: lambda observation, corpus: heuristic_seeds(observation),
    BY_CORPUS: corpus_seeds,
}


@dataclass(frozen=True)
class CorpusPlayer:
    """No playouts: the card with the highest Q of a corpus, the same card every time."""

    corpus: str = DEFAULT_CORPUS

    def __post_init__(self) -> None:
        load_corpus(self.corpus)  # refuses an unknown name before any card is played

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[0] if len(legal) == 1 else suggest(load_corpus(self.corpus), observation).best


def corpus_of(player: Player) -> str | None:
    """The name of the corpus that a player leans on, None if it has none."""
    if isinstance(player, FlatUcbPlayer):
        return player.corpus if player.seed == BY_CORPUS else None
    return player.corpus if isinstance(player, CorpusPlayer) else None


@dataclass(frozen=True)
class ThumbPlayer:
    """The card that looks best by the rules of thumb, the lowest code among equals."""

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        scores = card_scores(observation)
        return max(scores, key=lambda card: (scores[card], -card))
