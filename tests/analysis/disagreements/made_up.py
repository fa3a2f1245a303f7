"""Decisions as a decision table has them, made up for tests."""

import pandas as pd

from analysis.disagreements.judged import judge


def made_up(**changes):
    """One decision: the human's class 20 points behind the best, the played one 10, all clear."""
    row = {
        "round": 0,
        "ply": 6,
        "trick": 1,
        "seat": 2,
        "kind": 2,
        "divergence": 0.4,
        "search_cards": 32,
        "search_p": 0.05,
        "human_cards": 8,
        "human_p": 0.9,
        "human_behind": 20.0,
        "human_low": 18.0,
        "human_high": 22.0,
        "human_is_behind": True,
        "human_reason": "it breaks the nil",
        "played_cards": 16,
        "played_behind": 10.0,
        "played_low": 8.0,
        "played_high": 12.0,
        "played_is_behind": True,
        "played_reason": "",
        "search_lenses": 0,
        "human_lenses": 0,
        "played_lenses": 0,
    }
    return pd.DataFrame([{**row, **changes}])


SAME = {
    "search_cards": 8,
    "human_behind": 0.0,
    "human_low": 0.0,
    "human_high": 0.0,
    "human_is_behind": False,
}
UNCLEAR = {"human_is_behind": False}


def several(*changes):
    return judge(pd.concat([made_up(**one) for one in changes], ignore_index=True))
