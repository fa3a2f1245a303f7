"""The result of a play decision: what humans play, what a search visits, what the judge concludes.

``PlayDecision`` is the one source of every number that a page, a report, a JSON document or a CSV
file shows of a decision.

Divergence of a decision is the Jensen-Shannon divergence between the search's visit shares and a
human model's probabilities over the legal cards, in bits: 0 (they agree) to 1 (no card shared).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.decisions.card_values import Regret
from analysis.decisions.conclusion import Conclusion, Loss
from analysis.decisions.settings import AnalysisSettings, new_search
from analysis.records import Column, documents_of, flattened
from spades.core.cards import N_SEATS, SEATS, Card, hand_order, partnership_of
from spades.core.documents import Document, without_nan
from spades.core.equivalence import equivalent_cards
from spades.core.extras import explain_missing
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.winning import GameStakes
from spades.human import load_model
from spades.human.features.abstract_moves import abstract_move_names
from spades.look.words import pretty_class
from spades.search import SearchResult
from spades.search.outcomes import Outcomes

if TYPE_CHECKING:  # Replay's table is on screen before pandas and SciPy are imported
    import pandas as pd

    from analysis.decisions.sampled_deals import SolvedDeals


@dataclass(frozen=True, eq=False)
class Repeats:
    """What ``n`` searches of a decision by the agent under study visit and choose, by legal card:
    ``shares``: the mean share of a search's visits; ``wins``: searches that choose it."""

    n: int
    shares: dict[str, float]
    wins: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class CardRow:
    """One legal card of a decision, or a class of equivalent cards. Values are points (match points
    where the game is the objective) for the mover's partnership; what isn't known is nan or None.

    ``code``, ``card``: the card, of a class its highest; ``equals``: the others of its class.
    ``human``: probability that a human plays it, by model. Of the search: ``visits``,
    ``availability``, ``share`` of the visits, ``value`` with its standard error, nan without
    visits. ``prior``: probability by the human model that the search is biased towards, ``bias``:
    what the bias added to the value, points; ``policy``: piKL's probability, which ``share`` then
    is. ``win_chance``: the mover's side's chance to win the game at that value.
    ``wins``: how many of the searches made play it, ``is_search_choice``: whether most do,
    ``is_played``: whether it was played.

    ``judged_value``, ``judged_value_se``, ``judged_win_chance``: the same by the judge;
    ``is_judged_best``: whether the judge puts it first; ``loss``: what it gives away;
    ``outcomes``: what it leads to by the judge's playouts. ``regret``: in solved deals."""

    code: int
    card: str
    human: dict[str, float]
    visits: int
    availability: int
    share: float
    value: float
    value_se: float
    abstract_move: str
    equals: tuple[str, ...] = ()
    prior: float = math.nan
    bias: float = 0.0
    policy: float = math.nan
    win_chance: float | None = None
    is_played: bool = False
    wins: int = 0
    is_search_choice: bool = False
    judged_value: float = math.nan
    judged_value_se: float = math.nan
    judged_win_chance: float | None = None
    is_judged_best: bool = False
    loss: Loss | None = None
    outcomes: Outcomes | None = None
    regret: Regret | None = None

    @property
    def likely(self) -> float:
        """Probability by the first model."""
        return next(iter(self.human.values()))

    @property
    def log_ratio(self) -> float | None:
        """log2 of visit share over the first model's probability; None where either is 0."""
        if self.share > 0 and self.likely > 0:
            return math.log2(self.share / self.likely)
        return None

    @property
    def cards(self) -> tuple[str, ...]:
        """All cards of the class, the highest first."""
        return (self.card, *self.equals)

    @property
    def label(self) -> str:
        """The card or its class as players write it: ``K♠ = Q♠``."""
        return pretty_class(self.cards)


SEARCHED = (
    *("card", "human", "visits", "availability", "share", "value", "value_se", "log_ratio"),
    *("abstract_move", "prior", "bias", "policy", "win_chance", "is_played", "is_search_choice"),
)
"""Fields of a card that come from its search."""
JUDGED = ("judged_value", "judged_value_se", "judged_win_chance", "is_judged_best")
"""Fields of a card that come from the judge."""

CARD_COLUMNS = {
    column.name: column
    for column in (
        Column("card", "card"),
        Column("label", "card", meaning="The card, or a class of equivalent cards."),
        Column("visits", "visits", ",d", "How often the search visited the card."),
        Column("share", "share", ".1%", "Share of the search's visits."),
        Column("policy", "policy", ".1%", "piKL's probability."),
        Column("availability", "avail", ",d", "Iterations in which the card could be played."),
        Column("value", "value", "+.1f", "Points for the mover's side, by this search."),
        Column("value_se", "se", ".1f", "Standard error of the value."),
        Column("win_chance", "to win", ".1%", "Chance to win the game at this value."),
        Column("prior", "prior", ".1%", "Probability by the model that the search leans towards."),
        Column("bias", "bias", "+.1f", "Points that the bias added to the value."),
        Column("abstract_move", "abstract move"),
        Column("judged_value", "value", "+.1f", "Points for the mover's side, by the judge."),
        Column("judged_value_se", "s.e.", ".1f", "Standard error of the judge's value."),
    )
}
"""How people read the fields of a card, in a terminal and in Markdown."""


def human_columns(models: Sequence[str], label: str = "{}") -> list[Column]:
    """A column for each human model: how likely a human plays the card."""
    return [
        Column("human", label.format(model), ".1%", value=_human_probability(model))
        for model in models
    ]


def _human_probability(model: str) -> Callable[[CardRow], float]:
    return lambda row: row.human[model]


@dataclass(frozen=True, eq=False, repr=False)
class PlayDecision:
    """A play decision, with a row for every legal card, suit by suit, highest first; after
    ``by_class`` for every class of equivalent cards.

    ``ply``: plays before it. ``played``: the card played, None past the record's last play.
    ``search``: the result that the rows show. ``observation``: what the seat to play saw.
    ``others``: the same decision by the other searches. ``conclusion``: the judge's, if any.
    ``repeats``: repeated searches whose mean shares the rows show. ``deals``: what holds in solved
    deals."""

    ply: int
    seat: int
    played: str | None
    cards: tuple[CardRow, ...]
    search: SearchResult
    observation: Observation
    others: tuple["PlayDecision", ...] = ()
    conclusion: Conclusion | None = None
    repeats: Repeats | None = None
    deals: "SolvedDeals | None" = None

    @property
    def trick(self) -> int:
        """Number of the trick, from 0."""
        return self.ply // N_SEATS

    @property
    def iterations(self) -> int:
        """Iterations of the search."""
        return self.search.iterations

    @property
    def model_calls(self) -> int:
        """How often the search called a human model."""
        return self.search.model_calls

    @property
    def objective(self) -> str:
        """What the search maximizes."""
        return self.search.settings.objective.name

    @property
    def n_searches(self) -> int:
        """How many searches the rows are means of."""
        return self.repeats.n if self.repeats else 1

    @property
    def divergence(self) -> float:
        """Divergence of the visit shares and the first model, in bits."""
        shares = np.array([row.share for row in self.cards])
        likely = np.array([row.likely for row in self.cards])
        return jensen_shannon(shares, likely)

    @property
    def is_forced(self) -> bool:
        return len(self.cards) == 1

    @property
    def is_weighed(self) -> bool:
        """Whether piKL chooses, by its policy."""
        return not math.isnan(self.cards[0].policy)

    @property
    def search_choice(self) -> CardRow:
        """The card that the search would play."""
        return next(row for row in self.cards if row.is_search_choice)

    def human_choice(self, model: str) -> CardRow:
        """The card that a human most likely plays, by a model; of equal ones the first row."""
        return self.human_choices(model)[0]

    def human_choices(self, model: str) -> list[CardRow]:
        """The card that a human most likely plays, by a model; all of them if several are equal."""
        most = max(row.human[model] for row in self.cards)
        return [row for row in self.cards if math.isclose(row.human[model], most, rel_tol=1e-6)]

    def row(self, card: str | None) -> CardRow | None:
        return next((row for row in self.cards if row.card == card), None)

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "match points" if self.search.stakes else "points"

    @property
    def win_chance(self) -> float | None:
        """The mover's side's chance to win the game before the round; None unless that is the
        search's objective."""
        return win_chance_at(0.0, self.search.stakes, self.seat)

    def to_frame(self) -> "pd.DataFrame":
        """A table with a row for every card: ``card``, ``human_MODEL`` (probability that a human
        plays it), ``visits``, ``share``, ``value`` and ``value_se`` (points), ...; of a judged
        decision also ``judged_value``, ``loss`` (points given away) and ``outcomes_...`` (what it
        leads to: chances from 0 to 1, bags).

        Raises ``MissingExtraError`` without pandas."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise explain_missing(error, "notebook") from None

        rows = []
        for row in self.cards:
            loss = row.loss.points if row.loss else None
            rows.append(flattened({**card_document(row, self.seat), "loss": loss}))
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        played = f"played {self.played}, " if self.played else ""
        judged = "judged" if self.conclusion else "not judged"
        return (
            f"<PlayDecision of {SEATS[self.seat]} at ply {self.ply}: {played}"
            f"search {self.search_choice.card}, {len(self.cards)} cards, {judged}>"
        )

    def __str__(self) -> str:
        from analysis.decisions.display import decision_text

        return decision_text(self)

    def _repr_html_(self) -> str:
        from analysis.decisions.display import decision_figure

        return decision_figure(self)

    def _repr_svg_(self) -> str:
        from analysis.decisions.display import decision_drawing

        return decision_drawing(self)

    def facts(self) -> Document:
        """The decision for JSON, without its cards and the judge's conclusion."""
        names = ("played", "iterations", "model_calls", "divergence", "objective", "win_chance")
        return {
            "ply": self.ply,
            "trick": self.trick,
            "seat": SEATS[self.seat],
            **documents_of(self, names),
        }

    def document(self) -> Document:
        """The decision for JSON; ``classes``: of equivalent cards."""
        deck = self.observation.rules.cards
        classes = equivalent_cards(self.observation)
        return {
            **self.facts(),
            "cards": [card_document(row, self.seat) for row in self.cards],
            "classes": [[deck.format_card(card) for card in cards] for cards in classes],
            **documents_of(self, ("conclusion", "deals")),
        }


def win_chance_at(value: float, stakes: GameStakes | None, seat: int) -> float | None:
    """The chance of a seat's side to win the game at a value in match points; None without stakes
    and for nan."""
    if stakes is None or math.isnan(value):
        return None
    return stakes.chance(value, side=partnership_of(seat))


def card_document(row: CardRow, seat: int) -> Document:
    """A card of the seat to play for JSON."""
    return {
        **documents_of(row, (*SEARCHED, "equals", *JUDGED, "regret")),
        "outcomes": outcomes_document(row.outcomes, seat),
    }


def outcomes_document(outcomes: Outcomes | None, seat: int) -> Document | None:
    """What a card of a seat leads to, for JSON. ``nils`` by the bidder's letter; ``own_nil`` and
    ``their_nil``: of a side's two nils the one likelier lost, null without any."""
    if outcomes is None:
        return None
    nils = outcomes.nils.items()
    own = [p for bidder, p in nils if partnership_of(bidder - seat) == 0]
    their = [p for bidder, p in nils if partnership_of(bidder - seat) == 1]
    document = {
        **vars(outcomes),
        "own_nil": min(own, default=None),
        "their_nil": min(their, default=None),
        "nils": {SEATS[bidder]: p for bidder, p in nils},
    }
    return without_nan(document)


def analyse_decision(
    record: Record,
    ply: int,
    settings: AnalysisSettings,
    observation: Observation | None = None,
) -> PlayDecision:
    """Search the play decision at a ply and compare it with the human models. ``observation`` at
    the ply, if it is known already. Raises ``InvalidSearchError`` where nothing can be searched."""
    observation = observation or record.observation(ply)
    return analyse_observation(observation, settings, played=played_at(record, ply))


def analyse_observation(
    observation: Observation, settings: AnalysisSettings, *, played: str | None = None
) -> PlayDecision:
    """Search the decision of the seat to play and compare it with the human models. ``played``: the
    card that was played, where one was. Raises as ``analyse_decision``."""
    results = []
    for asked in settings.searches:
        search = new_search(observation, asked)
        search.run(asked.iterations)
        results.append(search.result())
    return compare_searches(observation, played, results, settings.models)


def played_at(record: Record, ply: int) -> Card | None:
    """The card played at a ply, None past the record's last play."""
    return record.plays[ply] if ply < len(record.plays) else None


def compare_searches(
    observation: Observation,
    played: str | None,
    results: Sequence[SearchResult],
    models: tuple[str, ...],
) -> PlayDecision:
    """A decision from the results of its searches and the named human models. ``played``: the card
    that was played, where one was."""
    human = {name: load_model(name).probabilities(observation) for name in models}
    first, *others = [_decision_of(observation, played, result, human) for result in results]
    return replace(first, others=tuple(others))


def searched_longer(decision: PlayDecision, result: SearchResult) -> PlayDecision:
    """The decision with a longer run of its first search; ``others`` stay."""
    models = tuple(decision.cards[0].human)
    longer = compare_searches(decision.observation, decision.played, [result], models)
    return replace(longer, others=decision.others)


def _decision_of(
    observation: Observation,
    played: str | None,
    result: SearchResult,
    human: dict[str, dict[str, float]],
) -> PlayDecision:
    """``human``: probabilities of the legal cards by model, the one that is compared first."""
    moves = abstract_move_names(observation)
    chosen = result.best.card
    shares = result.probabilities.tolist()
    rows = []
    for searched, share in zip(result.cards, shares, strict=True):
        card = searched.card
        value = searched.mean_value
        row = CardRow(
            code=card.code,
            card=card,
            human={name: probabilities[card] for name, probabilities in human.items()},
            visits=searched.visits,
            availability=searched.availability,
            share=share,
            value=value,
            value_se=searched.standard_error,
            abstract_move=moves[card.code],
            prior=searched.prior,
            bias=searched.bias,
            policy=searched.policy,
            win_chance=win_chance_at(value, result.stakes, observation.seat),
            is_played=card == played,
            wins=int(card == chosen),
            is_search_choice=card == chosen,
        )
        rows.append(row)
    rows.sort(key=lambda row: hand_order(row.code))
    return PlayDecision(
        ply=len(observation.table.plays),
        seat=observation.seat,
        played=played,
        cards=tuple(rows),
        search=result,
        observation=observation,
    )


def jensen_shannon(p: FloatArray, q: FloatArray) -> float:
    """Jensen-Shannon divergence of two distributions, in bits, 0 to 1."""
    middle = (p + q) / 2
    divergence = (_kl_bits(p, middle) + _kl_bits(q, middle)) / 2
    return min(1.0, max(0.0, divergence))


def _kl_bits(p: FloatArray, q: FloatArray) -> float:
    used = p > 0
    return float(np.sum(p[used] * np.log2(p[used] / q[used])))


def decisions_table(decisions: Iterable[PlayDecision]) -> "pd.DataFrame":
    """A row for each decision, search and legal card, to download: the fields that come from the
    search, with a column ``human_MODEL`` for each model. ``search``: number of the search, from
    0."""
    import pandas as pd

    rows = []
    for decision in decisions:
        for i, searched in enumerate((decision, *decision.others)):
            rows += [_table_row(searched, row) | {"search": i} for row in searched.cards]
    return pd.DataFrame(rows)


def _table_row(decision: PlayDecision, row: CardRow) -> dict[str, Any]:
    bias = decision.search.settings.bias
    return {
        "ply": decision.ply,
        "trick": decision.trick,
        "seat": SEATS[decision.seat],
        **flattened(documents_of(row, SEARCHED)),
        "bias_settings": repr(bias) if bias else None,
        "divergence": decision.divergence,
        "iterations": decision.iterations,
        "seed": decision.search.seed,
    }
