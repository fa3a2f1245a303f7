"""One decision, two readings: how likely a human plays each card, how often the search visits it.

Divergence of a decision is the Jensen-Shannon divergence between the search's visit shares and a
human model's probabilities over the legal cards, in bits: 0 (they agree) to 1 (no card shared).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:  # Replay's table is on screen before pandas is imported
    import pandas as pd

DEFAULT_MODEL = "devlin2016"
INTERVAL_SE = 1.96  # standard errors to a side of a 95 % interval


@dataclass(frozen=True)
class AnalysisSettings:
    """What a decision's numbers depend on, besides the round and the ply.

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
    def searches(self) -> tuple[SearchSettings, ...]:
        return (self.search, self.beside) if self.beside else (self.search,)

    @property
    def models_asked(self) -> tuple[str, ...]:
        """All human models that the numbers depend on."""
        biases = [how.bias.model for how in self.searches if how.bias]
        return tuple(dict.fromkeys([*self.models, *biases]))


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
    the first model; ``search`` the whole result that the rows show, ``beside`` that of the second
    search; ``observation`` what the seat to play saw.
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

    def row(self, card: str | None) -> CardRow | None:
        return next((row for row in self.cards if row.card == card), None)


def analyse_decision(
    record: RoundRecord,
    ply: int,
    settings: AnalysisSettings,
    observation: Observation | None = None,
) -> Decision:
    """Search the play decision at a ply and put the human models beside it.

    ``observation``: that of the ply, where it is at hand. Raises ``InvalidSearchError`` where
    nothing can be searched.
    """
    observation = observation or record.observation(ply)
    results = []
    for how in settings.searches:
        run = new_search(observation, settings, how)
        run.run(settings.iterations)
        results.append(run.result())
    return compare(record, ply, observation, results, settings.models)


def new_search(
    observation: Observation,
    settings: AnalysisSettings,
    how: SearchSettings | None = None,
    *,
    offset: int = 0,
) -> Search:
    """A search of a decision, not run yet; ``offset`` is added to the seed.

    ``how``: one of the settings' searches, by default the first.
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
    states = zip(range(len(record.plays)), record.positions(), strict=False)
    return [analyse_decision(record, i, settings, record.observe(state)) for i, state in states]


def compare(
    record: RoundRecord,
    ply: int,
    observation: Observation,
    results: Sequence[SearchResult],
    models: tuple[str, ...],
) -> Decision:
    """A decision's rows from the human models named and the result of one search or two."""
    deck, (result, *others) = observation.rules.cards, results
    beside = others[0] if others else None
    probabilities = {name: load_model(name).predict_proba([observation])[0] for name in models}
    moves = abstract_move_names(observation)
    found_beside = {
        found.card: SearchedCard(**_found(other, found))
        for other in others
        for found in other.cards
    }
    rows = []
    for found in sorted(result.cards, key=lambda row: (suit_of(row.card), -strength_of(row.card))):
        index, share = int(deck.indices[found.card]), result.visit_share(found)
        human = {name: float(row[index]) for name, row in probabilities.items()}
        first = human[models[0]]
        row = CardRow(
            code=found.card,
            card=deck.format_card(found.card),
            human=human,
            availability=found.availability,
            log_ratio=math.log2(share / first) if share > 0 and first > 0 else None,
            abstract_move=moves[found.card],
            beside=found_beside.get(found.card),
            **_found(result, found),
        )
        rows.append(row)
    played = deck.format_card(record.plays[ply]) if ply < len(record.plays) else None
    shares, likely = ([row.share for row in rows], [row.human[models[0]] for row in rows])
    divergence = jensen_shannon(np.array(shares), np.array(likely))
    seat = observation.seat
    return Decision(ply, seat, played, tuple(rows), divergence, result, beside, observation)


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


_DOCUMENTED = [
    *("card", "human", "visits", "availability", "share", "value", "value_se"),
    *("log_ratio", "abstract_move", "prior", "bias"),
]


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
            _without_nan({name: getattr(row, name) for name in _DOCUMENTED})
            | ({"beside": _without_nan(asdict(row.beside))} if row.beside else {})
            for row in decision.cards
        ],
    }


def _without_nan(values: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in values.items()}


def decisions_table(decisions: Iterable[Decision]) -> pd.DataFrame:
    """One row a legal card of each decision; ``p_human_*`` by model, values in points."""
    import pandas as pd

    return pd.DataFrame([_table_row(one, row) for one in decisions for row in one.cards])


def _table_row(decision: Decision, row: CardRow) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ply": decision.ply,
        "trick": decision.trick,
        "seat": SEATS[decision.seat],
        "card": row.card,
        "is_played": row.card == decision.played,
        **{f"p_human_{name}": p for name, p in row.human.items()},
        "visits": row.visits,
        "visit_share": row.share,
        "availability": row.availability,
        "value": row.value,
        "value_se": row.value_se,
        "log2_ratio": row.log_ratio,
        "abstract_move": row.abstract_move,
    }
    if decision.search.settings.bias:
        found |= {"prior": row.prior, "bias": row.bias}
    if row.beside and decision.beside:
        found |= {f"beside_{name}": value for name, value in asdict(row.beside).items()}
        found["beside_settings"] = repr(decision.beside.settings.bias)
    n, seed = decision.search.iterations, decision.search.seed
    return {**found, "divergence": decision.divergence, "iterations": n, "seed": seed}
