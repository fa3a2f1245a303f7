"""Figures of disagreements, by their numbers."""

import pandas as pd
import pytest

from analysis.decisions.lenses import LENS_NAMES
from analysis.disagreements.judged import judge
from analysis.disagreements.summary import divergence_histogram, summarise
from analysis.plots.disagreements import plot_histogram, plot_shares
from tests.analysis.disagreements.made_up import SAME, UNCLEAR, made_up


@pytest.fixture(scope="module")
def judged():
    bag = 1 << LENS_NAMES.index("bag")
    rows = [
        {"round": 0, "divergence": 0.02, **SAME},
        {"round": 0, "divergence": 0.12, **UNCLEAR},
        {"round": 1, "divergence": 0.13, "search_lenses": bag},
        {"round": 1, "divergence": 0.52, "search_p": 0.3, "search_lenses": bag},
    ]
    return judge(pd.concat([made_up(**row) for row in rows], ignore_index=True))


def test_histogram_stacks_classes_to_the_shares(judged):
    figure = plot_histogram(divergence_histogram(judged))
    *bars, whiskers = figure.data
    total = sum(trace.y for trace in bars)
    assert total.sum() == pytest.approx(1)
    assert list(total[:3]) == [0.25, 0.0, 0.5]
    shown = [y for y in whiskers.y if y == y]
    assert shown == [0.25, 0.5, 0.25]
    assert figure.layout.xaxis.range == (0, pytest.approx(0.55))
    by_name = {trace.name: trace.y.sum() for trace in bars}
    assert by_name["Human trap"] == 0.25  # a find is drawn once, as a find
    assert by_name["Search finds, human misses"] == 0.25


def test_shares_of_classes_and_lenses(judged):
    rows = summarise(judged, "search")
    (classes,) = plot_shares(rows, "class").data
    assert list(classes.x) == [0.25, 0.5, 0.25]  # style, traps, finds: from below
    assert list(classes.text) == ["1", "2", "1"]
    (lenses,) = plot_shares(rows, "lens").data
    assert dict(zip(lenses.y, lenses.x, strict=True))["Takes unwanted bags"] == 0.5
    assert "Attacks a nil at the<br>cost of the contract" in lenses.y
