"""How a decision's visits grow with the iterations, and how a bias changes them: the ladder.

The ladder is one decision searched at every strength of a bias, from none to a very strong one,
with the same seeds at every strength, so that rungs differ by the bias alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.decisions.settings import prior_for
from spades.core.cards import Deck
from spades.core.observation import Observation
from spades.core.options import Option, options_of
from spades.human import load_model
from spades.human.loglinear import LogLinearModel
from spades.human.networks.model import NetworkModel
from spades.search import BiasSettings, SearchResult, SearchSettings, search
from spades.search.bias import EXPERIENCE, KNOWLEDGE, PIKL
from spades.search.search import iterations_option

_OPTIONS = options_of(BiasSettings)
STRENGTHS: dict[str, Option] = {
    KNOWLEDGE: _OPTIONS["c_bt"],
    EXPERIENCE: _OPTIONS["w"],
    PIKL: _OPTIONS["lambda"],
}
"""By technique: the option that says how strong the bias is; its usual values are the rungs."""
PUBLISHED = (
    (KNOWLEDGE, LogLinearModel.kind, 1000.0, 0.03, "Devlin 2016"),
    (KNOWLEDGE, NetworkModel.kind, 1000.0, 0.2, "Baier 2018"),
    (KNOWLEDGE, NetworkModel.kind, 100.0, 0.5, "Baier 2018"),
    (KNOWLEDGE, NetworkModel.kind, 10.0, 1.0, "Baier 2018"),
    (EXPERIENCE, NetworkModel.kind, None, 10, "Baier 2018"),
)
"""Strengths that papers recommend: technique, kind of model, K (None where the technique has
none), strength, paper."""


def compute_visit_curves(results: Sequence[SearchResult], deck: Deck) -> pd.DataFrame:
    """Visit shares at the checkpoints: columns seed, iterations, card, visits, share. ``share`` is
    visits over iterations so far, 0 to 1. One result a seed."""
    parts = [
        pd.DataFrame(
            {
                "seed": result.seed,
                "iterations": result.checkpoints,
                "card": deck.format_card(row.card),
                "visits": result.visit_curves[:, i],
                "share": result.visit_curves[:, i] / np.maximum(result.checkpoints, 1),
            }
        )
        for result in results
        for i, row in enumerate(result.cards)
    ]
    return pd.concat(parts, ignore_index=True)


def compute_band(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean, least and greatest share over the seeds, by card and iterations that all reached."""
    n_seeds = curves["seed"].nunique()
    grouped = curves.groupby(["card", "iterations"], sort=False)["share"]
    band = grouped.agg(["mean", "min", "max", "count"]).reset_index()
    return band[band["count"] == n_seeds].drop(columns="count")


class Overtaking(NamedTuple):
    """When a card last lost the lead in visits: at how many iterations, and to which card.
    ``iterations`` is None if it still leads (``by`` None too) or never led (``by`` the leader)."""

    card: str
    iterations: int | None
    by: str | None


def find_overtaking(curves: pd.DataFrame, card: str) -> Overtaking:
    """Where ``card`` was overtaken for good, in one seed's curves (equal visits: no lead lost)."""
    visits = curves.pivot(index="iterations", columns="card", values="visits")
    leads = visits[card] >= visits.max(axis=1)
    if leads.iloc[-1]:
        return Overtaking(card, None, None)
    if not leads.any():
        return Overtaking(card, None, str(visits.iloc[-1].idxmax()))
    last_lead = leads.to_numpy().nonzero()[0][-1]
    overtaken = leads.index[last_lead + 1]
    return Overtaking(card, int(overtaken), str(visits.loc[overtaken].idxmax()))


@dataclass(frozen=True)
class LadderSettings:
    """All that a ladder depends on besides the decision. ``bias``: technique, model, K and delay;
    the rungs vary its strength: C_BT, w or λ."""

    bias: BiasSettings
    iterations: int = iterations_option()
    seed: int = 0
    n_seeds: int = 3

    @property
    def rungs(self) -> tuple[float, ...]:
        """Strengths, the chosen one among them."""
        usual = STRENGTHS[self.bias.technique].usual
        return tuple(sorted({*usual, strength_of(self.bias)}))


Ladder = Mapping[float, Sequence[SearchResult]]
"""One search a seed, at each rung."""


def strength_of(bias: BiasSettings) -> float:
    """The option that the ladder's rungs vary."""
    return float(getattr(bias, STRENGTHS[bias.technique].field))


def with_strength(bias: BiasSettings, strength: float) -> BiasSettings:
    """The bias at another rung; the strength has the type of its option."""
    option = STRENGTHS[bias.technique]
    changed: Any = {option.field: option.kind(strength)}
    return replace(bias, **changed)


def published_for(bias: BiasSettings) -> dict[float, str]:
    """The paper by each strength that one recommends for this technique, K and kind of model.
    Raises ``SpadesError`` for a model that can't be read."""
    kind = load_model(bias.model).kind
    return {
        strength: paper
        for technique, of_kind, k, strength, paper in PUBLISHED
        if (technique, of_kind) == (bias.technique, kind) and k in (None, bias.k)
    }


def climb(observation: Observation, settings: LadderSettings) -> Ladder:
    """Search the decision at every rung; about a millisecond a rung and seed at 2,500 iterations.
    piKL's search is the same at every rung: it is made once a seed, and its values are weighed for
    each. Raises ``InvalidSearchError`` where nothing can be searched."""

    def searched(strength: float, seed: int) -> SearchResult:
        options = SearchSettings(bias=with_strength(settings.bias, strength))
        return search(
            observation,
            iterations=settings.iterations,
            seed=seed,
            settings=options,
            prior=prior_for(options),
        )

    seeds = range(settings.seed, settings.seed + settings.n_seeds)
    if settings.bias.technique == PIKL:
        results = [searched(0, seed) for seed in seeds]
        biases = {rung: with_strength(settings.bias, rung) for rung in settings.rungs}
        return {rung: [result.weighed(bias) for result in results] for rung, bias in biases.items()}
    return {rung: [searched(rung, seed) for seed in seeds] for rung in settings.rungs}


def ladder_table(ladder: Ladder, observation: Observation) -> pd.DataFrame:
    """A row a rung and card: mean, least and greatest visit share (of piKL, its policy) over the
    seeds, how often the card was the choice, its prior, and mean bias and value in points."""
    rows = []
    for strength, results in ladder.items():
        n = len(results)
        probabilities = [result.probabilities.tolist() for result in results]
        for i, first in enumerate(results[0].cards):
            by_seed = [result.cards[i] for result in results]
            shares = [by_card[i] for by_card in probabilities]
            row = {
                "strength": strength,
                "card": observation.rules.cards.format_card(first.card),
                "share": sum(shares) / n,
                "share_min": min(shares),
                "share_max": max(shares),
                "chosen": sum(result.best.card == first.card for result in results),
                "seeds": n,
                "prior": first.prior,
                "bias": sum(card.bias for card in by_seed) / n,
                "value": sum(card.mean_value for card in by_seed) / n,
                "visits": sum(card.visits for card in by_seed) / n,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def choice_at(table: pd.DataFrame, strength: float) -> str:
    """The card that most seeds choose at a strength; of several, the one with most visits."""
    rung = table[table["strength"] == strength]
    return str(rung.sort_values(["chosen", "share"], ascending=False)["card"].iloc[0])
