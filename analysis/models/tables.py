"""A human model's parts as tables."""

from __future__ import annotations

import pandas as pd

from spades.human.features.abstract_moves import (
    CATEGORIES,
    CATEGORY_OF_32,
    MOVE_32_OF_68,
    MOVES_32,
    POSITION_OF_32,
    POSITIONS,
)
from spades.human.features.card_features import CONTEXT_FEATURES
from spades.human.loglinear.model import DEVLIN_2016_WEIGHTS


def feature_table() -> pd.DataFrame:
    """The 42 features of Devlin 2016: feature, weight (nats), reading (of the ten of context)."""
    readings = {feature.name: feature.reading for feature in CONTEXT_FEATURES}
    return pd.DataFrame(
        {
            "feature": list(DEVLIN_2016_WEIGHTS),
            "weight": list(DEVLIN_2016_WEIGHTS.values()),
            "reading": [readings.get(name, "") for name in DEVLIN_2016_WEIGHTS],
        }
    )


def move_table() -> pd.DataFrame:
    """The 32 abstract moves: category, position, and the number of the 68 each splits into."""
    splits = pd.Series(MOVE_32_OF_68).value_counts()
    return pd.DataFrame(
        {
            "abstract move": MOVES_32,
            "category": [CATEGORIES[i] for i in CATEGORY_OF_32],
            "position": [POSITIONS[i] for i in POSITION_OF_32],
            "classes of 68": [int(splits[i]) for i in range(len(MOVES_32))],
        }
    )
