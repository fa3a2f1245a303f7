"""The ladder: one decision, searched at every strength of a bias.

From none to a very strong one, with the same seeds, so that its rungs differ by the bias alone. Of
every rung it says which class of equivalent cards the searches play, or that it is a toss-up: one
search more or less plays another card where many are about as good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from analysis.decisions.settings import STUDIED_SCALE, prior_for
from analysis.intervals import is_told_apart
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.core.options import borrowed, made, values_of
from spades.human import load_model
from spades.look.words import pretty_class
from spades.search import SearchResult, SearchSettings, Technique, search
from spades.search.settings import iterations_option
from spades.search.techniques.technique import InvalidBiasError, TreeTechnique

MOST_SEEDS = 20
LEAST_SEEDS = 8  # fewer can hardly tell two cards apart
ITERATIONS_A_RUNG = 100_000  # of all seeds together, if that leaves them ``LEAST_SEEDS``


def usual_seeds(iterations: int) -> int:
    """How many searches a rung has: a second's work in all, at usual numbers of iterations."""
    return min(MOST_SEEDS, max(LEAST_SEEDS, ITERATIONS_A_RUNG // iterations))


@dataclass(frozen=True)
class LadderSettings:
    """All that a ladder depends on besides the decision. ``bias``: technique, model, K and delay;
    its strength (C_BT, w or λ) varies by rung. ``n_seeds``: None for ``usual_seeds``."""

    bias: Technique
    iterations: int = iterations_option()
    seed: int = 0
    n_seeds: int | None = None
    reward_scale: float = borrowed(SearchSettings, "reward_scale", default=STUDIED_SCALE)

    @property
    def seeds(self) -> range:
        n = self.n_seeds or usual_seeds(self.iterations)
        return range(self.seed, self.seed + n)

    @property
    def from_the_lowest(self) -> "LadderSettings":
        """The same rungs, called by the lowest: settings at usual strengths have one ladder."""
        usual = self.bias.strength_option().usual
        if strength_of(self.bias) not in usual:
            return self
        return replace(self, bias=with_strength(self.bias, min(usual)))

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
    """Search the decision at every rung: about two milliseconds for each rung and seed at 2,500
    iterations. A bias that doesn't change the search, as piKL, needs one search for each seed,
    which is weighed for every rung. Raises ``InvalidSearchError`` where nothing can be searched."""

    def searched(strength: float, seed: int) -> SearchResult:
        bias = with_strength(settings.bias, strength)
        options = SearchSettings(bias=bias, reward_scale=settings.reward_scale)
        return search(
            observation,
            iterations=settings.iterations,
            seed=seed,
            settings=options,
            prior=prior_for(options),
        )

    if not isinstance(settings.bias, TreeTechnique):
        results = [searched(0, seed) for seed in settings.seeds]
        biases = {rung: with_strength(settings.bias, rung) for rung in settings.rungs}
        return {rung: [bias.weighed(result) for result in results] for rung, bias in biases.items()}
    return {rung: [searched(rung, seed) for seed in settings.seeds] for rung in settings.rungs}


def ladder_table(ladder: Ladder, observation: Observation) -> pd.DataFrame:
    """A row for each rung and class of equivalent ``cards``: the highest ``card``, its ``label``.

    Mean, least and greatest share of visits over the seeds (for piKL of its policy), how many of
    the ``seeds`` chose one of its cards, its prior, mean visits, and mean bias and value in points,
    over the visits; these are nan without any."""
    rows = []
    index = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    for codes in equivalent_cards(observation):
        cards = tuple(observation.rules.cards.format_card(code) for code in codes)
        own = [index[code] for code in codes]
        for strength, results in ladder.items():
            named = {"card": cards[0], "label": pretty_class(cards), "cards": cards}
            rows.append({"strength": strength, **named, **_class_row(results, own)})
    table = pd.DataFrame(rows)
    return table.sort_values("strength", kind="stable", ignore_index=True)


def _class_row(results: Sequence[SearchResult], own: Sequence[int]) -> dict[str, Any]:
    """What the searches of a rung say of a class; ``own``: the places of its cards."""
    n = len(results)
    cards = [result.cards[i] for result in results for i in own]
    codes = {card.card for card in cards}
    shares = [float(result.probabilities[own].sum()) for result in results]
    visited = [card for card in cards if card.visits]
    visits = sum(card.visits for card in visited)
    return {
        "share": sum(shares) / n,
        "share_min": min(shares),
        "share_max": max(shares),
        "chosen": sum(result.best.card in codes for result in results),
        "seeds": n,
        "prior": sum(results[0].cards[i].prior for i in own),
        "bias": _over_visits([(card.bias, card.visits) for card in visited]),
        "value": _over_visits([(card.mean_value, card.visits) for card in visited]),
        "visits": visits / n,
    }


def _over_visits(values: Sequence[tuple[float, int]]) -> float:
    """The mean of values, each with its visits; nan without any."""
    n = sum(visits for _, visits in values)
    return sum(value * visits for value, visits in values) / n if n else float("nan")


class RungPlay(NamedTuple):
    """What ``n`` searches of a rung play: ``first`` and ``second``, the classes of cards that most
    and second most of them do, by their labels, and how many searches each; only ``first`` where
    all legal cards are worth the same."""

    first: str
    n_first: int
    second: str
    n_second: int
    n: int

    @property
    def is_toss_up(self) -> bool:
        """Whether neither is surely chosen more often than the other."""
        return bool(self.second) and not is_told_apart(self.n_first, self.n_second)

    @property
    def classes(self) -> list[str]:
        """The class that is played; in a toss-up both."""
        return [self.first, self.second] if self.is_toss_up else [self.first]

    @property
    def text(self) -> str:
        """In words, as Markdown."""
        if not self.second:
            return f"the search plays **{self.first}**, all legal cards being worth the same"
        if self.is_toss_up:
            return (
                f"it is a toss-up: {self.n_first} of {self.n} searches play **{self.first}**, "
                f"{self.n_second} play **{self.second}**"
            )
        return f"the search plays **{self.first}**, in {self.n_first} of {self.n} searches"


def choices_of(table: pd.DataFrame) -> dict[float, RungPlay]:
    """What is played at each rung; of classes chosen as often that with more visits comes first."""
    choices = {}
    for strength, rung in table.groupby("strength"):
        ordered = rung.sort_values(["chosen", "share"], ascending=False)
        labels = [*ordered["label"], ""]
        wins = [*ordered["chosen"], 0]
        n = int(ordered["seeds"].iloc[0])
        choices[float(strength)] = RungPlay(labels[0], wins[0], labels[1], wins[1], n)
    return choices
