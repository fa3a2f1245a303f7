"""Visit curves: the table, the band over seeds, where a card is overtaken, and the figure."""

import math

import pandas as pd
import pytest

from analysis.decisions.visits import (
    compute_band,
    compute_visit_curves,
    find_overtaking,
    sum_by_class,
)
from analysis.plots.decisions import plot_visit_curves
from spades.core.cards import STANDARD
from spades.search import search
from tests.analysis.decisions.test_decision import record_of


def curves_of(visits, checkpoints=(10, 20, 40)):
    return pd.DataFrame(
        [
            {"seed": 0, "iterations": at, "card": card, "visits": n, "share": n / at}
            for card, counts in visits.items()
            for at, n in zip(checkpoints, counts, strict=True)
        ]
    )


def test_table_holds_every_card_checkpoint_and_seed():
    observation = record_of().observation(4)
    results = [search(observation, iterations=500, seed=seed) for seed in (3, 4)]
    curves = compute_visit_curves(results, STANDARD)
    last = curves[curves["iterations"] == 500]
    assert last.groupby("seed")["share"].sum().tolist() == [1.0, 1.0]
    assert set(curves["card"]) == {STANDARD.format_card(row.card) for row in results[0].cards}


def test_band_spans_the_seeds_where_all_have_come():
    a, b = curves_of({"SA": (5, 10, 30)}), curves_of({"SA": (7, 12, 10)})
    b["seed"] = 1
    band = compute_band(pd.concat([a, b[b["iterations"] < 40]]))
    assert band["iterations"].tolist() == [10, 20]
    assert band["min"].tolist() == [0.5, 0.5]
    assert band["max"].tolist() == [0.7, 0.6]


def test_overtaken_where_the_lead_is_lost_for_good():
    curves = curves_of({"SA": (6, 9, 10), "S2": (4, 11, 30)})
    found = find_overtaking(curves, "SA")
    assert (found.iterations, found.by) == (20, "S2")


def test_a_card_that_leads_again_is_not_overtaken():
    curves = curves_of({"SA": (6, 9, 25), "S2": (4, 11, 15)})
    assert find_overtaking(curves, "SA").by is None


def test_a_card_that_never_led():
    curves = curves_of({"SA": (1, 2, 3), "S2": (9, 18, 37)})
    found = find_overtaking(curves, "SA")
    assert (found.iterations, found.by) == (None, "S2")


def test_figure_shows_the_numbers_it_is_given():
    curves = curves_of({"SA": (6, 9, 10), "S2": (4, 11, 30)})
    figure = plot_visit_curves(
        compute_band(curves),
        human={"SA": 0.8, "S2": 0.2},
        labels={"SA": "A♠", "S2": "2♠"},
        featured=["S2", "SA"],
        overtaking=find_overtaking(curves, "SA"),
        n_seeds=1,
    )
    lines = {trace.name: list(trace.y) for trace in figure.data}
    assert lines["A♠"] == [0.6, 0.45, 0.25]
    assert lines["human probability"] == [0.8, 0.2]
    assert figure.layout.shapes[0].x0 == 20
    assert figure.layout.annotations[0].x == math.log10(20)


def test_equal_cards_lead_together():
    curves = curves_of({"SA": (6, 9, 10), "S3": (2, 6, 15), "S2": (2, 5, 15)})
    classes = sum_by_class(curves, {"SA": "SA", "S3": "S3", "S2": "S3"})
    found = classes[classes["card"] == "S3"]
    assert found["visits"].tolist() == [4, 11, 30]
    assert found["share"].tolist() == pytest.approx([0.4, 0.55, 0.75])
    assert find_overtaking(curves, "SA").iterations == 40
    assert find_overtaking(classes, "SA").iterations == 20
