"""One decision, two readings: how likely a human plays each card, how often the search visits it.

Divergence of a decision is the Jensen-Shannon divergence between the search's visit shares and a
human model's probabilities over the legal cards, in bits: 0 where they agree, 1 where they share
no card.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.belief import Dealing
from spades.core.cards import N_SEATS, SEATS, strength_of, suit_of
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.human import load_model, load_prior
from spades.human.features.abstract_moves import abstract_move_names
from spades.human.model import Prior
from spades.search import CardStatistics, Search, SearchResult, SearchSettings
from spades.search.search import STANDARD_ITERATIONS

DEFAULT_MODEL = "devlin2016"
INTERVAL_SE = 1.96  # standard errors to a side of a 95 % interval


@dataclass(frozen=True)
class AnalysisSettings:
    """What a decision's numbers depend on, beside the round and the ply.

    ``dealing``: how hidden cards are drawn. ``beside``: another search of the same decision, with
    as many iterations, the same seed and the same way of drawing.
    """

    iterations: int = STANDARD_ITERATIONS
    seed: int = 0
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    search: SearchSettings = field(default_factory=SearchSettings)
    beside: SearchSettings | None = None
    dealing: Dealing = field(default_factory=Dealing)

    @property
    def models_asked(self) -> tuple[str, ...]:
        """All human models that the numbers depend on."""
        biases = [settings.bias for settings in (self.search, self.beside) if settings]
        return tuple(dict.fromkeys([*self.models, *(bias.model for bias in biases if bias)]))


@dataclass(frozen=True, kw_only=True)
class SearchedCard:
    """What a search found about a card; points for the mover's partnership, nan without visits.

    ``prior``: P of the human model that the search leans towards, nan where none was called;
    ``bias``: what that added to the value.
    """

    visits: int
    share: float
    value: float
    value_se: float
    prior: float = math.nan
    bias: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CardRow(SearchedCard):
    """One legal card of a decision.

    ``human``: probability by model. ``log_ratio``: log2 of visit share over the first model's
    probability; None where either is 0. ``beside``: the same card in the second search.
    """

    code: int
    card: str
    human: dict[str, float]
    availability: int
    log_ratio: float | None
    abstract_move: str
    beside: SearchedCard | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the value, points."""
        margin = INTERVAL_SE * self.value_se
        return self.value - margin, self.value + margin


@dataclass(frozen=True)
class Decision:
    """A play decision: a row for every legal card, suit by suit, highest first.

    ``played`` is the card played, None past the record's last play; ``divergence`` in bits against
    the first model; ``search`` the whole result behind the rows, ``beside`` that of the search
    beside it; ``observation`` what the seat to play saw.
    """

    ply: int
    seat: int
    played: str | None
    cards: tuple[CardRow, ...]
    divergence: float
    search: SearchResult
    beside: SearchResult | None = None
    observation: Observation | None = None

    @property
    def trick(self) -> int:
        """Number of the trick, from 0."""
        return self.ply // N_SEATS

    @property
    def is_forced(self) -> bool:
        return len(self.cards) == 1

    @property
    def search_choice(self) -> CardRow:
        """The card the search would play."""
        return next(row for row in self.cards if row.code == self.search.best.card)

    def human_choice(self, model: str) -> CardRow:
        """The card a human most likely plays, by a model (equal odds: the first row)."""
        return max(self.cards, key=lambda row: row.human[model])

    def row(self, card: str) -> CardRow | None:
        return next((row for row in self.cards if row.card == card), None)


def analyse_decision(record: RoundRecord, ply: int, settings: AnalysisSettings) -> Decision:
    """Search the play decision at a ply and put the human models beside it.

    Raises ``InvalidSearchError`` where nothing can be searched.
    """
    return analyse_observation(record, ply, record.observation(ply), settings)


def analyse_observation(
    record: RoundRecord, ply: int, observation: Observation, settings: AnalysisSettings
) -> Decision:
    """``analyse_decision`` where the observation of that ply is already at hand."""
    result = _searched(observation, settings, settings.search)
    beside = _searched(observation, settings, settings.beside) if settings.beside else None
    return compare(record, ply, observation, result, settings.models, beside=beside)


def _searched(
    observation: Observation, settings: AnalysisSettings, how: SearchSettings
) -> SearchResult:
    run = new_search(observation, settings, how)
    run.run(settings.iterations)
    return run.result()


def new_search(
    observation: Observation,
    settings: AnalysisSettings,
    how: SearchSettings | None = None,
    *,
    offset: int = 0,
) -> Search:
    """A search of a decision, not run yet; ``offset`` is added to the seed.

    ``how``: one of the settings' searches, the first unless said.
    """
    how = how or settings.search
    return Search(
        observation,
        seed=settings.seed + offset,
        settings=how,
        determinizer=settings.dealing(observation),
        prior=prior_for(how),
        room=settings.iterations,
    )


def prior_for(settings: SearchSettings) -> Prior | None:
    """The numbers of the model that a search leans towards; None for an unbiased one."""
    return load_prior(settings.bias.model) if settings.bias else None


def analyse_round(record: RoundRecord, settings: AnalysisSettings) -> list[Decision]:
    """Every play decision of a round, forced ones included."""
    return [
        analyse_observation(record, ply, record.observe(state), settings)
        for ply, state in enumerate(record.positions())
        if ply < len(record.plays)
    ]


def compare(
    record: RoundRecord,
    ply: int,
    observation: Observation,
    result: SearchResult,
    models: tuple[str, ...],
    *,
    beside: SearchResult | None = None,
) -> Decision:
    """A decision's rows from a search result and the human models named.

    ``beside``: the result of another search of the same decision.
    """
    deck = observation.rules.cards
    probabilities = {name: load_model(name).predict_proba([observation])[0] for name in models}
    moves = abstract_move_names(observation)
    others = {found.card: found for found in beside.cards} if beside else {}
    rows = []
    for found in sorted(result.cards, key=lambda row: (suit_of(row.card), -strength_of(row.card))):
        index, share = int(deck.indices[found.card]), result.visit_share(found)
        human = {name: float(row[index]) for name, row in probabilities.items()}
        first, other = human[models[0]], others.get(found.card)
        row = CardRow(
            code=found.card,
            card=deck.format_card(found.card),
            human=human,
            availability=found.availability,
            log_ratio=math.log2(share / first) if share > 0 and first > 0 else None,
            abstract_move=moves[found.card],
            beside=SearchedCard(**_found(beside, other)) if beside and other else None,
            **_found(result, found),
        )
        rows.append(row)
    played = deck.format_card(record.plays[ply]) if ply < len(record.plays) else None
    divergence = jensen_shannon(
        np.array([row.share for row in rows]), np.array([row.human[models[0]] for row in rows])
    )
    return Decision(
        ply, observation.seat, played, tuple(rows), divergence, result, beside, observation
    )


def _found(result: SearchResult, found: CardStatistics) -> dict[str, Any]:
    """The fields of ``SearchedCard``."""
    return {
        "visits": found.visits,
        "share": result.visit_share(found),
        "value": found.mean_value,
        "value_se": found.standard_error,
        "prior": found.prior,
        "bias": found.bias,
    }


def jensen_shannon(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Jensen-Shannon divergence of two distributions, in bits, 0 to 1."""
    middle = (p + q) / 2
    return min(1.0, max(0.0, (_kl_bits(p, middle) + _kl_bits(q, middle)) / 2))


def _kl_bits(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    used = p > 0
    return float(np.sum(p[used] * np.log2(p[used] / q[used])))


_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_JOKERS = {"JH": "high joker", "JL": "low joker"}


def pretty(card: str) -> str:
    """A card as players write it: ``10♥``. ``JH`` is a joker; the jack of hearts is ``HJ``."""
    if card in _JOKERS:
        return _JOKERS[card]
    return f"{card[1].replace('T', '10')}{_SYMBOLS[card[0]]}"


def decision_document(decision: Decision) -> dict[str, Any]:
    """A decision as ``analyze --json`` prints it; nan becomes null."""
    return {
        "ply": decision.ply,
        "trick": decision.trick,
        "seat": SEATS[decision.seat],
        "played": decision.played,
        "iterations": decision.search.iterations,
        "model_calls": decision.search.model_calls,
        "divergence": decision.divergence,
        "cards": [
            {
                "card": row.card,
                "human": row.human,
                "visits": row.visits,
                "availability": row.availability,
                "share": row.share,
                "value": _number(row.value),
                "value_se": _number(row.value_se),
                "log_ratio": row.log_ratio,
                "abstract_move": row.abstract_move,
                "prior": _number(row.prior),
                "bias": row.bias,
                **({"beside": _beside_document(row.beside)} if row.beside else {}),
            }
            for row in decision.cards
        ],
    }


def _beside_document(found: SearchedCard) -> dict[str, Any]:
    return {
        name: _number(value) if isinstance(value, float) else value
        for name, value in asdict(found).items()
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
