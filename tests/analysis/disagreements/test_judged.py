"""Classes at their borders, stakes, ranking and filters of decisions."""

import numpy as np
import pytest

from analysis.decisions.lenses import LENS_NAMES
from analysis.disagreements.judged import (
    AGREED,
    DIVERGENCE,
    FINDS,
    OTHER,
    STAKES,
    STYLE,
    TRAP,
    DecisionFilter,
    has_lens,
    judge,
    of_class,
    ranked,
)
from analysis.disagreements.table import PLAYED
from tests.analysis.disagreements.made_up import SAME, UNCLEAR, made_up, several


@pytest.mark.parametrize(
    ("changes", "threshold", "name"),
    [
        ({}, 10, FINDS),
        ({}, 20, FINDS),  # exactly the threshold
        ({}, 20.01, OTHER),
        ({"search_p": 0.0999}, 10, FINDS),
        ({"search_p": 0.10}, 10, TRAP),  # not under ten percent
        ({"human_low": -3.0}, 1, FINDS),  # by its standing, not by its interval
        (UNCLEAR, 1, STYLE),  # not clearly worse, however far behind
        ({**UNCLEAR, "human_low": np.nan, "human_behind": np.nan}, 1, STYLE),  # nothing is known
        (SAME, 1, AGREED),
    ],
)
def test_classes_at_their_borders(changes, threshold, name):
    judged = judge(made_up(**changes), threshold)
    assert judged["class"].tolist() == [name]
    assert judged["is_clear"].tolist() == [name in (FINDS, TRAP, OTHER)]
    assert of_class(judged, TRAP).tolist() == [name in (FINDS, TRAP)]
    assert of_class(judged, STYLE).tolist() == [name == STYLE]


def test_stakes_against_either_card():
    judged = judge(made_up()).iloc[0]
    assert (judged["stakes"], judged["low"], judged["high"]) == (20.0, 18.0, 22.0)
    assert judged["reason"] == "it breaks the nil"
    played = judge(made_up(), against=PLAYED).iloc[0]
    assert (played["stakes"], played["class"], played["reason"]) == (10.0, FINDS, "")
    assert judge(made_up(played_is_behind=False), against=PLAYED)["is_clear"].tolist() == [False]


def test_ranking_and_thresholds():
    judged = several(
        {"ply": 1, "divergence": 0.2},
        {"ply": 2, "divergence": 0.7, "human_behind": 2.0, "human_low": 0.5},
        {"ply": 3, "divergence": 0.7},
        {"ply": 4, "divergence": 0.1, "human_behind": 50.0},
        {"ply": 5, "divergence": 0.9, **UNCLEAR},  # no disagreement
    )
    assert ranked(judged, DIVERGENCE, 0.0)["ply"].tolist() == [2, 3, 1, 4]
    assert ranked(judged, DIVERGENCE, 0.2)["ply"].tolist() == [2, 3, 1]
    assert ranked(judged, STAKES, 0.0)["ply"].tolist() == [4, 1, 3, 2]
    assert ranked(judged, STAKES, 20.0)["ply"].tolist() == [4, 1, 3]


def test_filters():
    cut = 1 << LENS_NAMES.index("partner-cut")
    judged = several(
        {"ply": 1, "seat": 0, "kind": 1, "trick": 0},
        {"ply": 2, "seat": 2, "trick": 5, "search_lenses": cut},
        {"ply": 3, "seat": 2, "trick": 12, "human_lenses": cut, "search_p": 0.3},
        {"ply": 4, "seat": 1, "kind": 1, "trick": 5, **UNCLEAR},
    )

    def plies(**options):
        return judged["ply"][DecisionFilter(**options).rows(judged)].tolist()

    assert plies() == [1, 2, 3, 4]
    assert plies(seats=("S", "E")) == [2, 3, 4]
    assert plies(kinds=("bot",)) == [1, 4]
    assert plies(tricks=(5, 12)) == [2, 3, 4]
    assert plies(classes=(FINDS,)) == [1, 2]
    assert plies(classes=(TRAP,)) == [1, 2, 3]
    assert plies(classes=(STYLE, FINDS)) == [1, 2, 4]
    assert plies(lenses=("partner-cut",)) == [2]
    assert plies(lenses=("partner-cut", "bag"), role="human") == [3]
    assert has_lens(judged, "bag", "human").tolist() == [False] * 4
