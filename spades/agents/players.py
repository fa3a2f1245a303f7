"""Players: from what a seat may see to the card it plays.

Options are declared as fields. A player that has an option of a search's settings, of a bias or of
a way of dealing borrows it from there.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.agents.uct import Arms, uct_steps
from spades.belief import Dealing, Determinization
from spades.belief.determinizations.biased import BiasedDeterminization
from spades.belief.determinizations.network import NetworkDeterminization
from spades.core.cards import HAND_SIZE, cards_in
from spades.core.deal import derive_seed
from spades.core.documents import MAX_INT
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import borrowed, check_options, option
from spades.core.records import BOT, SIMULATED_HUMAN
from spades.core.steps import Steps, last_value
from spades.human import human_card, load_prior, model_names
from spades.human.corpus import CORPORA, DEFAULT_CORPUS, Corpus, load_corpus, suggest
from spades.human.model import Prior, legal_priors
from spades.human.simulated import MAX_SPREAD, spread_human
from spades.rule_based import public_of, strong_card, weak_card
from spades.search import CardStatistics, Search, SearchResult, SearchSettings, Technique
from spades.search.deals import first_deals
from spades.search.flat import (
    STANDARD_PLAYOUTS,
    FlatSettings,
    FlatUcbResult,
    FlatUcbSettings,
    Seeds,
    flat_search_steps,
    flat_ucb_steps,
    heuristic_seeds,
)
from spades.search.objectives import Objective
from spades.search.playouts import Playout
from spades.search.playouts.heuristic import card_scores
from spades.search.playouts.random_cards import NilAwarePlayout
from spades.search.search import CHUNK, check_decision, iterations_option, mean_and_error
from spades.search.skew import RuleSkew
from spades.search.solver import Solver
from spades.search.techniques.pikl import draw_card

UNSEEDED, BY_HEURISTIC, BY_CORPUS = "none", "heuristic", "corpus"
FLAT, ISMCTS = "flat-mc", "ismcts"
MAX_PIMC_DEALS, MAX_DEPTH = 10_000, 9
SIMULATIONS = {1: 8, 2: 16, 3: 32, 4: 64, 5: 128, 6: 256}
"""Simulations a legal card by level. Published: 5 stars 128, 4 stars half as many. Ours: halved
again for every star below, doubled for the sixth."""
ITERATIONS = {4: 1000, 5: 2500}
"""Published iterations of the two levels that the paper's game gave to ISMCTS."""


class UnknownAgentError(SpadesError):
    """A text that names no agent, or options that the agent doesn't have."""


@dataclass(frozen=True)
class Player:
    """Plays a card; ``kind`` is what a log calls it."""

    kind: ClassVar[str] = BOT
    refusing: ClassVar[tuple[str, ...]] = ()  # attributes that refuse what the player can't do

    def __post_init__(self) -> None:
        check_options(self, UnknownAgentError)
        for name in self.refusing:
            getattr(self, name)

    @cached_property
    def dealing(self) -> Dealing:
        return _settings(Dealing, self)

    @property
    def model_name(self) -> str | None:
        """The human model that it queries, None if it queries none by name."""
        return None

    def play(self, observation: Observation, seed: int) -> int:
        """The card (code) for the seat to play; the same observation and seed, the same card."""
        cards = list(cards_in(observation.legal_mask))
        return cards[0] if len(cards) == 1 else self.choose(observation, seed)

    def play_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        """``play`` in steps: many where the player searches, else one."""
        cards = list(cards_in(observation.legal_mask))
        if len(cards) == 1:
            return cards[0]
        return (yield from self.choose_in_steps(observation, seed))

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        """``choose`` in steps."""
        yield
        return self.choose(observation, seed)

    def evaluate(self, observation: Observation, seed: int) -> SearchResult:
        """What it finds about every legal card; ``UnknownAgentError`` for a player that gives cards
        no values."""
        raise UnknownAgentError("this player gives cards no values")

    @classmethod
    def has_values(cls) -> bool:
        return cls.evaluate is not Player.evaluate

    def choose(self, observation: Observation, seed: int) -> int:
        """One of several legal cards; of a player that gives them values what it finds best."""
        return self.evaluate(observation, seed).best.card.code


@dataclass(frozen=True)
class SearchingPlayer(Player, ABC):
    """A player that gives cards values by a search in steps."""

    @abstractmethod
    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """``evaluate`` in steps."""

    def evaluate(self, observation: Observation, seed: int) -> SearchResult:
        return last_value(self.evaluate_in_steps(observation, seed))

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        found = yield from self.evaluate_in_steps(observation, seed)
        return found.best.card.code


@dataclass(frozen=True)
class RandomPlayer(Player):
    """Any legal card, each equally likely."""

    def choose(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class HumanPlayer(Player):
    """The simulated human: samples its card from ``devlin2016-nil``; no human plays."""

    kind: ClassVar[str] = SIMULATED_HUMAN
    refusing = ("weights",)

    spread: float = option(
        0.0,
        least=0,
        most=MAX_SPREAD,
        unit="nats",
        help="Another simulated human: each weight is moved by its own normal of this standard "
        "deviation.",
    )
    player: int = option(
        0, least=0, most=MAX_INT, help="With spread: the number that draws its weights."
    )
    person: str = option(
        "", help="By a person's model (train person) instead: its name or its file. Without spread."
    )

    @property
    def model_name(self) -> str | None:
        return self.person or None

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Of the card model, nats, (42,) or (45,)."""
        if (self.player and not self.spread) or (self.person and self.spread):
            raise UnknownAgentError(
                "spread= takes player=, not person=, and no player= is without it"
            )
        if not self.person:
            return spread_human(self.spread, self.player).weights
        weights = load_prior(self.person).weights
        if not weights.size:
            raise UnknownAgentError(f"person={self.person} is no log-linear model, as persons' are")
        return weights

    def choose(self, observation: Observation, seed: int) -> int:
        return human_card(observation, seed_state(seed), self.weights)[0]


@dataclass(frozen=True)
class StrongPlayer(Player):
    """SRP, the strong rule-based player of Cohensius 2020; plays the same card every time."""

    def choose(self, observation: Observation, seed: int) -> int:
        return int(strong_card(observation.hand_mask, public_of(observation)))


@dataclass(frozen=True)
class WeakPlayer(Player):
    """WRP, a recreational player by rules of thumb; plays the same card every time."""

    def choose(self, observation: Observation, seed: int) -> int:
        return int(weak_card(observation.hand_mask, public_of(observation)))


@dataclass(frozen=True)
class ThumbPlayer(Player):
    """The card that looks best by the rules of thumb, the lowest code among equals."""

    def choose(self, observation: Observation, seed: int) -> int:
        scores = card_scores(observation)
        return max(scores, key=lambda card: (scores[card], -card))


@dataclass(frozen=True)
class IsmctsPlayer(SearchingPlayer):
    """Information set Monte Carlo tree search (single observer).

    Its options are those of ``SearchSettings`` and ``Dealing``."""

    refusing = ("dealing", "search_settings", "prior")

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

    @cached_property
    def search_settings(self) -> SearchSettings:
        return _settings(SearchSettings, self)

    @cached_property
    def prior(self) -> Prior | None:
        """The numbers of the model that the search leans towards; those that its file held when
        the player was made."""
        return load_prior(self.bias.model) if self.bias else None

    @property
    def model_name(self) -> str | None:
        return self.bias.model if self.bias else None

    def evaluate(self, observation: Observation, seed: int) -> SearchResult:
        return self.search(observation, seed)

    def search(self, observation: Observation, seed: int) -> SearchResult:
        run = self._begin_search(observation, seed)
        run.run(self.iterations)
        return run.result()

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        run = self._begin_search(observation, seed)
        while run.iterations < self.iterations:
            yield
            run.run(min(CHUNK, self.iterations - run.iterations))
        return run.result()

    def _begin_search(self, observation: Observation, seed: int) -> Search:
        return Search(
            observation,
            seed=seed,
            settings=self.search_settings,
            determinizer=self.dealing(observation),
            prior=self.prior,
            room=self.iterations,
        )


@dataclass(frozen=True)
class BestPlayer(IsmctsPlayer):
    """The strongest preset found: ``ismcts`` with these defaults, all of its options as there.

    Changed only by measurement: what each part is worth at equal time is on Arena, in the view
    Best, made by ``python -m experiments.ablate_best``."""

    iterations: int = borrowed(IsmctsPlayer, "iterations", default=5000, is_shown=False)
    playout: Playout = borrowed(IsmctsPlayer, "playout", default=NilAwarePlayout())
    determinization: Determinization = borrowed(
        IsmctsPlayer, "determinization", default=NetworkDeterminization()
    )
    equivalence: bool = borrowed(IsmctsPlayer, "equivalence", default=True)
    duck: bool = borrowed(IsmctsPlayer, "duck", default=True)


@dataclass(frozen=True)
class UctPlayer(SearchingPlayer):
    """SRP, with UCT for the last tricks (Cohensius 2020, appendix F.3).

    Plays the card with the highest mean value, the lowest code among equals."""

    iterations: int = iterations_option(1000, is_shown=True, help="Of a decision.")
    last: int = option(
        HAND_SIZE,
        least=0,
        most=HAND_SIZE,
        help="The last tricks that are played by UCT, those before by srp.",
    )
    exploration: float = option(100.0, least=0, most=1e6, unit="points", help="C of UCB1.")

    def choose(self, observation: Observation, seed: int) -> int:
        return last_value(self.choose_in_steps(observation, seed))

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        if HAND_SIZE - len(observation.table.winners) > self.last:
            return StrongPlayer().choose(observation, seed)
        return (yield from super().choose_in_steps(observation, seed))

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """By UCT at every trick."""
        arms: Arms = yield from uct_steps(
            observation, iterations=self.iterations, exploration=self.exploration, seed=seed
        )
        deck = observation.rules.cards
        means = np.where(arms.visits > 0, arms.values / np.maximum(arms.visits, 1), -np.inf)
        rows = [
            CardStatistics(deck.card(card), n, self.iterations, mean if n else math.nan, math.nan)
            for card, n, mean in zip(*(a.tolist() for a in (*arms[:2], means)), strict=True)
        ]
        choice = deck.card(int(arms.cards[np.argmax(means)]))
        return SearchResult.without_tree(rows, choice, seed)


@dataclass(frozen=True)
class DirectPlayer(Player):
    """Direct imitation (Baier 2018): the legal card that a human model holds likeliest."""

    model: str = option("devlin2016-nil", names=model_names, help="The human model.")
    sample: bool = option(
        False, help="A card drawn by the model's probabilities, instead of the likeliest."
    )

    refusing = ("prior",)

    @property
    def model_name(self) -> str | None:
        return self.model

    @property
    def prior(self) -> Prior:
        return load_prior(self.model)

    def choose(self, observation: Observation, seed: int) -> int:
        legal, p = list(cards_in(observation.legal_mask)), self.probabilities(observation)
        return legal[draw_card(p, seed_state(seed)) if self.sample else int(p.argmax())]

    def probabilities(self, observation: Observation) -> NDArray[np.float64]:
        """How likely the model holds each legal card, lowest code first."""
        return legal_priors(self.prior, observation)


@dataclass(frozen=True)
class FlatPlayer(SearchingPlayer):
    """Whitehouse 2013's knowledge-based player, which bids by ``kb``: ``flat-mc+kb``.

    Flat Monte Carlo over the legal cards with rules of thumb in playouts and bonuses. The options
    of ``FlatSettings`` and, for how hidden cards are drawn (``biased`` in the paper), ``Dealing``.
    """

    simulations: int = borrowed(FlatSettings, "simulations", is_shown=True)
    epsilon: float = borrowed(FlatSettings, "epsilon")
    best_bonus: float = borrowed(FlatSettings, "best_bonus")
    second_bonus: float = borrowed(FlatSettings, "second_bonus")
    determinization: Determinization = borrowed(Dealing, "determinization")

    refusing = ("settings", "dealing")

    @cached_property
    def settings(self) -> FlatSettings:
        return _settings(FlatSettings, self)

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        dealt = self.dealing(observation)
        return flat_search_steps(observation, seed=seed, settings=self.settings, determinizer=dealt)


@dataclass(frozen=True)
class PimcPlayer(FlatPlayer):
    """Perfect information Monte Carlo (Levy 1989, Ginsberg 2001): each deal is solved with open
    hands, and the card with the best mean plays, the lowest code among equals.

    Before the last tricks, where exact values take too long, it plays as ``flat-mc`` with the same
    options."""

    simulations: int = borrowed(FlatSettings, "simulations")
    deals: int = option(50, least=1, most=MAX_PIMC_DEALS, is_shown=True, help="Deals solved.")
    depth: int = option(
        7,
        least=1,
        most=MAX_DEPTH,
        help="The last tricks that are solved; before them it plays as flat-mc with the same "
        "options.",
    )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """Mean points, and the standard error over the deals."""
        if HAND_SIZE - len(observation.table.winners) > self.depth:
            return (yield from super().evaluate_in_steps(observation, seed))
        check_decision(observation)
        drawn = first_deals(
            observation, self.deals, seed=seed, determinizer=self.dealing(observation)
        )
        solver, solved = Solver(observation.table), list[list[int]]()
        for deal in drawn:
            yield
            solved.append(list(solver.values(deal).values()))
        values = np.array(solved, dtype=np.int64)
        n = self.deals
        sums, squares = values.sum(axis=0).tolist(), (values**2).sum(axis=0).tolist()
        rows = [
            CardStatistics(card, n, n, *mean_and_error(n, *found))
            for card, *found in zip(observation.legal, sums, squares, strict=True)
        ]
        best = max(rows, key=lambda row: (row.mean_value, -row.card.code))
        return SearchResult.without_tree(rows, best.card, seed)


@dataclass(frozen=True)
class StarsPlayer(SearchingPlayer):
    """A star level of AI Factory Spades (Whitehouse 2013), hidden cards drawn with its bias.

    ``by=flat-mc``: the knowledge-based player, level 1 to 6, ``SIMULATIONS`` a legal card. Its
    default level in the paper is 3 stars; its hardest, not in the game, "effectively a 6-star".
    ``by=ismcts``: the game of 2013, in which ISMCTS with the skew plays 4 and 5 stars
    (``ITERATIONS``) and the knowledge-based player the levels below."""

    level: int = option(
        5, least=1, most=max(SIMULATIONS), is_shown=True, help="Stars; 1 to 5 with by=ismcts."
    )
    by: str = option(
        FLAT,
        choices=(FLAT, ISMCTS),
        help="The knowledge-based player at every level, or the game of 2013, in which ISMCTS "
        "plays 4 and 5 stars.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by == ISMCTS and self.level > max(ITERATIONS):
            raise UnknownAgentError(
                f"level is {self.level}; 1 to {max(ITERATIONS)} are legal with by={self.by}"
            )

    @cached_property
    def player(self) -> SearchingPlayer:
        if self.by == ISMCTS and self.level in ITERATIONS:
            return IsmctsPlayer(
                iterations=ITERATIONS[self.level],
                determinization=BiasedDeterminization(),
                skew=RuleSkew(),
            )
        return FlatPlayer(
            simulations=SIMULATIONS[self.level], determinization=BiasedDeterminization()
        )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        return self.player.evaluate_in_steps(observation, seed)


def corpus_seeds(observation: Observation, corpus: str) -> Seeds:
    found = suggest(load_corpus(corpus), observation)
    return Seeds(found.values, found.n_pairs)


SEEDERS: dict[str, Callable[[Observation, str], Seeds | None]] = {
    UNSEEDED: lambda observation, corpus: None,
    BY_HEURISTIC: lambda observation, corpus: heuristic_seeds(observation),
    BY_CORPUS: corpus_seeds,
}


@dataclass(frozen=True)
class FlatUcbPlayer(SearchingPlayer):
    """Flat-UCB of Dobre and Lascarides 2015, unseeded or seeded with what is known beforehand.

    The rules of thumb of its playouts stand for the paper's hand-written ``ranking``."""

    iterations: int = iterations_option(
        STANDARD_PLAYOUTS, is_shown=True, help="Playouts of a decision."
    )
    seed: str = option(
        UNSEEDED,
        choices=tuple(SEEDERS),
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

    refusing = ("settings", "loaded")

    @property
    def loaded(self) -> Corpus | None:
        return load_corpus(self.corpus) if self.seed == BY_CORPUS else None

    @cached_property
    def settings(self) -> FlatUcbSettings:
        return _settings(FlatUcbSettings, self)

    def search(self, observation: Observation, seed: int) -> FlatUcbResult:
        return last_value(self.search_in_steps(observation, seed))

    def search_in_steps(self, observation: Observation, seed: int) -> Steps[FlatUcbResult]:
        return flat_ucb_steps(
            observation,
            iterations=self.iterations,
            seed=seed,
            settings=self.settings,
            seeds=SEEDERS[self.seed](observation, self.corpus),
        )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """Mean points of the playouts, without the seeds, by which the choice goes as well."""
        found = yield from self.search_in_steps(observation, seed)
        rows = list[CardStatistics]()
        for row in found.cards:
            seen = row.visits, found.iterations, row.mean_value, row.standard_error
            rows.append(CardStatistics(row.card, *seen))
        return SearchResult.without_tree(rows, found.best.card, seed)


@dataclass(frozen=True)
class CorpusPlayer(Player):
    """No playouts: the card with the highest Q of a corpus, the same card every time."""

    corpus: str = option(DEFAULT_CORPUS, names=CORPORA.names, help="Whose pairs it plays by.")

    refusing = ("loaded",)

    @property
    def loaded(self) -> Corpus:
        return load_corpus(self.corpus)

    def choose(self, observation: Observation, seed: int) -> int:
        return suggest(self.loaded, observation).best


PLAYERS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "ismcts": IsmctsPlayer,
    "human": HumanPlayer,
    "srp": StrongPlayer,
    "wrp": WeakPlayer,
    "uct": UctPlayer,
    "direct": DirectPlayer,
    "flat-mc": FlatPlayer,
    "stars": StarsPlayer,
    "flat-ucb": FlatUcbPlayer,
    "pimc": PimcPlayer,
    "best": BestPlayer,
    "corpus": CorpusPlayer,
    "thumb": ThumbPlayer,
}


def corpus_of(player: Player) -> str | None:
    """The name of the corpus that a player leans on, None if it has none."""
    is_user = isinstance(player, CorpusPlayer) or getattr(player, "seed", None) == BY_CORPUS
    return getattr(player, "corpus", None) if is_user else None


def _settings(kind: type, player: Player, **other: object) -> Any:
    """Settings with the player's options of the same names, and ``other`` ones."""
    names = {field.name for field in dataclasses.fields(kind)} & set(vars(player))
    return kind(**{name: getattr(player, name) for name in names} | other)
