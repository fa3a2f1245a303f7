"""How the visits of a decision grow with iterations, and how they change with a bias: the ladder.

The ladder searches one decision at every strength of a bias, from none to a very strong one, with
the same seeds, so that its rungs differ by the bias alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.decisions.settings import prior_for
from spades.core.cards import Deck
from spades.core.observation import Observation
from spades.core.options import made, values_of
from spades.human import load_model
from spades.search import SearchResult, SearchSettings, Technique, search
from spades.search.search import iterations_option
from spades.search.techniques.technique import InvalidBiasError, TreeTechnique


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
    """Mean, least and greatest share over the seeds, by card and number of iterations, as far as
    all seeds have got."""
    n_seeds = curves["seed"].nunique()
    grouped = curves.groupby(["card", "iterations"], sort=False)["share"]
    band = grouped.agg(["mean", "min", "max", "count"]).reset_index()
    return band[band["count"] == n_seeds].drop(columns="count")


class Overtaking(NamedTuple):
    """When ``card`` lost the lead in visits for good, and to which card (``by``). ``iterations`` is
    None if it still leads (then ``by`` is None) or never led (``by`` is the leader)."""

    card: str
    iterations: int | None
    by: str | None


def find_overtaking(curves: pd.DataFrame, card: str) -> Overtaking:
    """When ``card`` was overtaken for good in the curves of one seed; a tie loses no lead."""
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
    its strength (C_BT, w or λ) varies by rung."""

    bias: Technique
    iterations: int = iterations_option()
    seed: int = 0
    n_seeds: int = 3

    @property
    def rungs(self) -> tuple[float, ...]:
        """The usual strengths and the chosen one, ascending."""
        usual = self.bias.strength_option().usual
        return tuple(sorted({*usual, strength_of(self.bias)}))


Ladder = Mapping[float, Sequence[SearchResult]]
"""One search a seed, at each rung."""


def strength_of(bias: Technique) -> float:
    """The value of the option that varies by rung."""
    return float(values_of(bias)[bias.strength])


def with_strength(bias: Technique, strength: float) -> Technique:
    """The bias at another rung; the strength has the type of its option."""
    option = bias.strength_option()
    values = values_of(bias) | {option.name: option.kind(strength)}
    changed: Technique = made(type(bias), values, InvalidBiasError)
    return changed


def published_for(bias: Technique) -> dict[float, str]:
    """Strengths that papers recommend for this technique with the same other options and kind of
    model, each with its paper. Raises ``SpadesError`` for a model that can't be read."""
    kind = load_model(bias.model).kind
    return {
        row.strength: row.paper
        for row in bias.published
        if row.kind == kind and bias.has_values(row)
    }


def climb(observation: Observation, settings: LadderSettings) -> Ladder:
    """Search the decision at every rung: about a millisecond for each rung and seed at 2,500
    iterations. A bias that doesn't change the search, as piKL, needs one search for each seed,
    which is weighed for every rung. Raises ``InvalidSearchError`` where nothing can be searched."""

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
    if not isinstance(settings.bias, TreeTechnique):
        results = [searched(0, seed) for seed in seeds]
        biases = {rung: with_strength(settings.bias, rung) for rung in settings.rungs}
        return {rung: [bias.weighed(result) for result in results] for rung, bias in biases.items()}
    return {rung: [searched(rung, seed) for seed in seeds] for rung in settings.rungs}


def ladder_table(ladder: Ladder, observation: Observation) -> pd.DataFrame:
    """A row for each rung and card: mean, least and greatest visit share over the seeds (for piKL
    of its policy), how many seeds chose the card, its prior, and mean bias and value in points."""
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
    """The card that most seeds choose at a strength; of equal ones that with most visits."""
    rung = table[table["strength"] == strength]
    return str(rung.sort_values(["chosen", "share"], ascending=False)["card"].iloc[0])
