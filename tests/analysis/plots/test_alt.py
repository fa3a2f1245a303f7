"""Alternative texts of figures, and what is done to all of them."""

import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.plots.alt import alt_text
from analysis.plots.layout import LEGEND_ABOVE, figure_of, finish, percent_axis
from analysis.plots.traces import bars, dots, heat_map, labels_apart, text_labels
from spades.look.tokens import SIZES


def line_figure(**layout):
    traces = [
        dots([1, 2, 3], [0.2, 0.5, 0.4], "%{y}", name="best", mode="lines"),
        text_labels([1], [1], ["unread"], "top center", 12),
    ]
    axes = {"xaxis": {"title": "strength"}, "yaxis": percent_axis("share won")}
    return figure_of(traces, shows="share won by strength", height=300, **axes, **layout)


def test_the_text_says_what_is_shown_and_the_ends_of_every_series():
    assert alt_text(line_figure()) == (
        "Share won by strength. Best: highest 50.0% at 2, lowest 20.0% at 1."
    )


def test_bars_and_cells_are_called_by_their_names():
    agents = bars([3.0, -1.5], ["a<br>b", "c"], "%{x}", color="#000000", orientation="h")
    figure = figure_of([agents], shows="points", height=300, xaxis={}, yaxis={})
    assert alt_text(figure) == "Points. Highest 3 at a b, lowest -1.5 at c."
    cells = heat_map(["x", "y"], ["r"], [[0.25, None]])
    figure = figure_of([cells], shows="cells", height=300, xaxis={}, yaxis={})
    assert alt_text(figure) == "Cells. Highest 0.25 at r, x; lowest 0.25 at r, x."


def test_a_figure_without_data_says_what_it_would_show():
    nothing = figure_of([dots([], [], "")], shows="nothing", height=300, xaxis={}, yaxis={})
    assert alt_text(nothing) == "Nothing."
    many = [dots([1, 2], [i, i + 1], "", name=f"line {i}") for i in range(8)]
    figure = figure_of(many, shows="lines", height=300, xaxis={}, yaxis={})
    assert alt_text(figure).endswith("Line 5: highest 6 at 2, lowest 5 at 1. 2 more series.")


def test_a_finished_figure_has_its_text_and_no_turned_titles():
    figure = finish(line_figure(legend=LEGEND_ABOVE))
    assert figure.layout.meta["alt"] == alt_text(figure)
    assert (figure.layout.meta["x"], figure.layout.meta["y"]) == ("strength", "share won")
    assert not figure.layout.yaxis.title.text
    (note,) = figure.layout.annotations
    assert (note.text, note.x, note.y, note.textangle) == ("share won", 0, 1, None)
    assert figure.layout.xaxis.tickangle == 0
    assert figure.layout.legend.y > 1
    assert {figure.layout.font.size, note.font.size, figure.layout.xaxis.tickfont.size} <= {*SIZES}
    height = figure.layout.height
    assert finish(figure).layout.height == height, "a cached figure is finished once"


def test_a_figure_that_does_not_say_what_it_shows_cannot_be_finished():
    with pytest.raises(TypeError):
        finish(go.Figure())


def test_labels_that_would_lie_on_each_other_are_left_out():
    x = [0.0, 0.01, 0.5, 1.0, 1.0]
    y = [0.0, 0.01, 0.5, 1.0, 0.5]
    assert labels_apart(pd.Series(x), pd.Series(y)) == [True, False, True, True, True]
