"""Players: from what a seat may see to the card it plays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from spades.agents.rule_based import public_of, strong_card, weak_card
from spades.agents.uct import uct_card
from spades.belief import Dealing
from spades.core.cards import HAND_SIZE, cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.kernel import mixed, seed_state, unit
from spades.core.observation import Observation
from spades.core.records import BOT, SIMULATED_HUMAN
from spades.human import human_card, load_prior
from spades.human.features.view import view_of
from spades.human.prior import Prior, own_copy, prior_probabilities
from spades.search import BiasSettings, SearchResult, SearchSettings, search
from spades.search.bias import EXPERIENCE, KNOWLEDGE, UNBIASED
from spades.search.search import STANDARD_ITERATIONS
from spades.search.tree import MAX_ITERATIONS

BIAS_FIELDS = ("model", "c_bt", "k", "w", "delay")
BIAS_OPTIONS = {
    UNBIASED: (),
    KNOWLEDGE: ("model", "c_bt", "k", "delay"),
    EXPERIENCE: ("model", "w", "delay"),
}


class UnknownAgentError(SpadesError):
    """A text that names no agent, or options that the agent doesn't have."""


class Player(Protocol):
    """Plays a card. ``kind`` is what a log calls it."""

    @property
    def kind(self) -> str: ...

    def play(self, observation: Observation, seed: int) -> int:
        """The card (code) for the seat to play; the same observation and seed, the same card."""
        ...


@dataclass(frozen=True)
class RandomPlayer:
    """Any legal card, each equally likely."""

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class IsmctsPlayer:
    """Single-observer ISMCTS: iterations a move, C of UCB1, playout policy, reward scale c.

    ``determinization``, ``without``, ``share``: how hidden cards are drawn, the options of
    ``Dealing``. ``bias``: ``none``, or how the search leans towards a
    human ``model``, with the options of ``BiasSettings``; those of another
    bias than the one chosen are refused. ``epsilon``: random cards in playouts of ``heuristic``.
    ``skew``: rules of thumb skew the root's cards, decaying with ``skew_k`` iterations.
    """

    iterations: int = STANDARD_ITERATIONS
    exploration: float = SearchSettings.exploration
    playout: str = SearchSettings.playout
    reward_scale: float = SearchSettings.reward_scale
    determinization: str = Dealing.determinization
    without: str = Dealing.without
    share: float = Dealing.share
    bias: str = UNBIASED
    model: str = BiasSettings.model
    c_bt: float = BiasSettings.c_bt
    k: float = BiasSettings.k
    w: int = BiasSettings.w
    delay: str = BiasSettings.delay
    epsilon: float = SearchSettings.epsilon
    skew: bool = SearchSettings.skew
    skew_k: float = SearchSettings.skew_k

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MAX_ITERATIONS:
            raise UnknownAgentError(
                f"iterations is {self.iterations}; 1 to {MAX_ITERATIONS} are legal"
            )
        _ = self.dealing
        if self.bias not in BIAS_OPTIONS:
            raise UnknownAgentError(
                f"unknown bias {self.bias!r}; {', '.join(BIAS_OPTIONS)} are known"
            )
        for name in set(BIAS_FIELDS) - set(BIAS_OPTIONS[self.bias]):
            if getattr(self, name) != getattr(BiasSettings, name):
                able = [bias for bias, options in BIAS_OPTIONS.items() if name in options]
                raise UnknownAgentError(
                    f"{name} does nothing with bias={self.bias}; it belongs to "
                    + " and ".join(f"bias={bias}" for bias in able)
                )
        _ = self.search_settings  # refuses what the search would
        _ = self.prior

    @property
    def kind(self) -> str:
        return BOT

    @property
    def dealing(self) -> Dealing:
        """How hidden cards are drawn."""
        return Dealing(self.determinization, self.without, self.share)

    @cached_property
    def search_settings(self) -> SearchSettings:
        return SearchSettings(
            exploration=self.exploration,
            playout=self.playout,
            reward_scale=self.reward_scale,
            bias=self.bias_settings,
            epsilon=self.epsilon,
            skew=self.skew,
            skew_k=self.skew_k,
        )

    @property
    def bias_settings(self) -> BiasSettings | None:
        if self.bias == UNBIASED:
            return None
        return BiasSettings(self.bias, self.model, self.c_bt, self.k, self.w, self.delay)

    @cached_property
    def prior(self) -> Prior | None:
        """The numbers of the model that the search leans towards; those that its file held when
        the player was made."""
        return None if self.bias == UNBIASED else load_prior(self.model)

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        if len(legal) == 1:
            return legal[0]
        return self.search(observation, seed).best.card

    def search(self, observation: Observation, seed: int) -> SearchResult:
        """What the player looks at before it plays."""
        return search(
            observation,
            iterations=self.iterations,
            seed=seed,
            settings=self.search_settings,
            determinizer=self.dealing(observation),
            prior=self.prior,
        )


@dataclass(frozen=True)
class HumanPlayer:
    """The simulated human: samples its card from ``devlin2016-nil``; no human plays."""

    @property
    def kind(self) -> str:
        return SIMULATED_HUMAN

    def play(self, observation: Observation, seed: int) -> int:
        return human_card(observation, seed_state(seed))[0]


@dataclass(frozen=True)
class StrongPlayer:
    """SRP, the strong rule-based player of Cohensius 2020; plays the same card every time."""

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        return int(strong_card(observation.hand, public_of(observation)))


@dataclass(frozen=True)
class WeakPlayer:
    """WRP, a recreational player by rules of thumb; plays the same card every time."""

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        return int(weak_card(observation.hand, public_of(observation)))


@dataclass(frozen=True)
class UctPlayer:
    """SRP, with UCT for the ``last`` tricks (Cohensius 2020, appendix F.3).

    ``iterations`` a move; ``exploration``: C of UCB1, points.
    """

    iterations: int = 1000
    last: int = HAND_SIZE
    exploration: float = 100.0

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MAX_ITERATIONS:
            raise UnknownAgentError(
                f"iterations is {self.iterations}; 1 to {MAX_ITERATIONS} are legal"
            )
        if not 0 <= self.last <= HAND_SIZE:
            raise UnknownAgentError(f"last is {self.last}; 0 to {HAND_SIZE} tricks are legal")
        if not 0 <= self.exploration < 1e6:
            raise UnknownAgentError(f"exploration is {self.exploration}; at least 0 is legal")

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        tricks_left = HAND_SIZE - len(observation.table.winners)
        legal = observation.legal_mask
        if tricks_left > self.last or legal & (legal - 1) == 0:
            return StrongPlayer().play(observation, seed)
        return uct_card(
            observation, iterations=self.iterations, exploration=self.exploration, seed=seed
        )


@dataclass(frozen=True)
class DirectPlayer:
    """Direct imitation (Baier 2018): the legal card that a human model holds likeliest.

    ``model``: its name; ``sample``: a card drawn by the model's probabilities instead.
    """

    model: str = "devlin2016-nil"
    sample: bool = False

    def __post_init__(self) -> None:
        load_prior(self.model)  # refuses an unknown name before any card is played

    @property
    def kind(self) -> str:
        return BOT

    def play(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        if len(legal) == 1:
            return legal[0]
        probabilities = np.empty(HAND_SIZE)
        n = prior_probabilities(
            own_copy(load_prior(self.model)), view_of(observation), probabilities
        )
        if not self.sample:
            return legal[int(probabilities[:n].argmax())]
        u = unit(np.uint64(mixed(seed_state(seed))))
        return legal[min(int(np.searchsorted(probabilities[:n].cumsum(), u, "right")), n - 1)]
