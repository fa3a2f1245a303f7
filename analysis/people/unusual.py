"""What is unusual about a player: the features whose weights differ from the population's."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.text_tables import with_interval
from spades.human.features.abstract_moves import CATEGORY_OF_32, POSITION_OF_32
from spades.human.person import ALL_FEATURES
from spades.human.simulated import load_simulated_human

_CATEGORIES = (
    "leads {} of a side suit",
    "leads {} in spades",
    "ducks with {} in spades",
    "takes with {} in spades",
    "discards {} of a side suit",
    "ducks with {} of the suit led",
    "takes with {} of the suit led",
)
_POSITIONS = ("a boss", "the highest card", "the lowest card", "a middle card", "a lone card")
_CONTEXT = (
    "takes as cheaply as possible when last to play",
    "ducks with the highest card that loses while tricks are needed",
    "ducks with the lowest card while holding a boss",
    "lets a trick go that a spade would take",
    "discards the highest card of a suit when it is the boss or nearly",
    "takes tricks that aren't wanted",
    "discards the lowest card while tricks are needed",
    "leads from the shortest suit",
    "gets rid of the highest losing card when tricks aren't wanted",
    "ducks with the highest card that loses when that is a ten or lower",
    "takes a trick with an own nil alive",
    "ducks high and leads low with an own nil alive",
    "covers the partner's nil with high cards",
)
PHRASES = (
    tuple(
        _CATEGORIES[category].format(_POSITIONS[position])
        for category, position in zip(CATEGORY_OF_32, POSITION_OF_32, strict=True)
    )
    + _CONTEXT
)
"""For each feature, in the order of the weights: what a player with a higher weight does more."""
DEGREES = ((2.5, "far"), (1.5, "clearly"), (1.0, "a little"))
"""Least factor by which the odds differ, and the word for it."""


def compare_weights(weights: Sequence[float], errors: Sequence[float]) -> pd.DataFrame:
    """A row for each feature, the largest difference first: ``feature``, ``weight`` with ``low``
    and ``high`` and the ``population``'s, nats, ``is_unusual`` (the 95% interval excludes the
    population's), ``words``. ``errors``: standard errors of the weights."""
    own = np.array(weights)
    width = INTERVAL_SE * np.array(errors)
    population = load_simulated_human().weights
    difference = own - population
    table = pd.DataFrame(
        {
            "feature": ALL_FEATURES,
            "weight": own,
            "low": own - width,
            "high": own + width,
            "population": population,
            "is_unusual": np.abs(difference) > width,
            "words": [words_of(*row) for row in zip(PHRASES, difference, width, strict=True)],
        }
    )
    largest_first = np.argsort(-np.abs(difference), stable=True)
    return table.iloc[largest_first].reset_index(drop=True)


def words_of(phrase: str, difference: float, width: float) -> str:
    """For example ``leads a boss of a side suit far more often: odds x 2.90 (95%: 2.10 to
    4.00)``."""
    odds = math.exp(difference)
    low = math.exp(difference - width)
    high = math.exp(difference + width)
    degree = next(word for least, word in DEGREES if math.exp(abs(difference)) >= least)
    direction = "more" if difference > 0 else "less"
    times = with_interval(f"odds x {odds:.2f}", (low, high), ".2f", says="95%: ")
    return f"{phrase} {degree} {direction} often: {times}"
