"""What is unusual about a player: the features whose weights differ from the population's."""

from typing import Any

import numpy as np
import pandas as pd

from spades.human.features.abstract_moves import (
    CATEGORIES,
    CATEGORY_OF_32,
    POSITION_OF_32,
    POSITIONS,
)
from spades.human.person import ALL_FEATURES
from spades.human.simulated import load_simulated_human

Z95 = 1.959964
_CATEGORIES = dict(
    zip(
        CATEGORIES,
        (
            "leads {} of a side suit", "leads {} in spades", "ducks with {} in spades",
            "takes with {} in spades", "discards {} of a side suit",
            "ducks with {} of the suit led", "takes with {} of the suit led",
        ),
        strict=True,
    )
)  # fmt: skip
_POSITIONS = {
    "boss": "a boss",
    "highest": "the highest card",
    "lowest": "the lowest card",
    "other": "a middle card",
    "single": "a lone card",
}
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
        _CATEGORIES[CATEGORIES[category]].format(_POSITIONS[POSITIONS[position]])
        for category, position in zip(CATEGORY_OF_32, POSITION_OF_32, strict=True)
    )
    + _CONTEXT
)
"""What a player with more of each feature's weight does more often, in the order of the weights."""
DEGREES = ((2.5, "far"), (1.5, "clearly"), (1.0, "a little"))
"""By the factor on the odds of such a card."""


def compare_weights(weights: Any, errors: Any) -> pd.DataFrame:
    """A row a feature, the largest difference first: feature, phrase, weight with ``low`` and
    ``high`` and the population's, nats, ``difference``, ``is_unusual`` (the 95% interval excludes
    the population's), ``words``."""
    weights, errors = np.asarray(weights, dtype=float), np.asarray(errors, dtype=float)
    population = load_simulated_human().weights
    table = pd.DataFrame(
        {
            "feature": ALL_FEATURES,
            "phrase": PHRASES,
            "weight": weights,
            "low": weights - Z95 * errors,
            "high": weights + Z95 * errors,
            "population": population,
            "difference": weights - population,
            "is_unusual": np.abs(weights - population) > Z95 * errors,
        }
    )
    table["words"] = [
        words_of(*row) for row in zip(PHRASES, weights - population, errors, strict=True)
    ]
    return table.sort_values("difference", key=np.abs, ascending=False, ignore_index=True)


def words_of(phrase: str, difference: float, error: float) -> str:
    """As ``leads a boss of a side suit far more often: odds x 2.9 (95%: 2.1 to 4.0)``."""
    factor = float(np.exp(abs(difference)))
    degree = next(word for least, word in DEGREES if factor >= least)
    ends = [float(np.exp(difference + sign * Z95 * error)) for sign in (-1, 1)]
    often = "more" if difference > 0 else "less"
    odds = f"odds x {np.exp(difference):.2f} (95%: {ends[0]:.2f} to {ends[1]:.2f})"
    return f"{phrase} {degree} {often} often: {odds}"
