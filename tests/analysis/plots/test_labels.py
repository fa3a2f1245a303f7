"""Direct labels stand at the ends of their lines, a line of text apart, or a legend stays."""

import numpy as np
import pytest

from analysis.plots.labels import label_ends, label_firsts
from analysis.plots.layout import LEGEND_ABOVE, figure_of, finish, top_margin, with_narrow
from analysis.plots.traces import dots

HEIGHT = 260  # of the plot: what is left of the figure's 320 by its margins


def lines(ends, *, xs=(1, 2, 3), **traces):
    drawn = [
        dots(list(xs), [0.0, 1.0, end], "", mode="lines", name=name, line={"color": "#123456"})
        for name, end in ends.items()
    ]
    return figure_of(
        [*drawn, *traces.values()],
        shows="lines",
        height=320,
        xaxis={},
        yaxis={"range": [0, 1]},
        legend=LEGEND_ABOVE,
        margin={"l": 8, "r": 8, "t": 8, "b": 52},
    )


def labels_of(figure):
    """Text and pixels above the plot's foot of every label, from the lowest."""
    return [
        (note.text.split("</span> ")[1], note.y * HEIGHT + note.yshift)
        for note in figure.layout.annotations
    ]


def test_lines_apart_are_named_at_their_ends_in_their_colours():
    figure = label_ends(lines({"upper": 0.8, "lower": 0.2}))
    assert figure.layout.showlegend is False
    assert labels_of(figure) == [("lower", pytest.approx(52)), ("upper", pytest.approx(208))]
    assert all(note.xref == "paper" and note.x == 1 for note in figure.layout.annotations)
    assert 'color: #123456">' in figure.layout.annotations[0].text
    assert figure.layout.margin.r > 7 * len("upper")
    assert {trace.name for trace in figure.data} == {"upper", "lower"}  # hovers and exports


def test_labels_that_would_touch_are_moved_apart_by_half_of_what_lacks():
    figure = label_ends(lines({"a": 0.5, "b": 0.5 + 7 / HEIGHT}))
    (_, low), (_, high) = labels_of(figure)
    assert (low, high) == (pytest.approx(126), pytest.approx(141))


@pytest.mark.parametrize(
    "figure",
    [
        lines({"a": 0.5, "b": 0.5 + 4 / HEIGHT}),  # ends that can't be told apart
        lines({name: 0.5 + i * 6 / HEIGHT for i, name in enumerate("abcdef")}),  # far from theirs
        lines({"a": 0.2, "a name longer than a third of a phone": 0.8}),
        lines({"a": 0.2, "b": 0.8}, mark=dots([1], [0.5], "", name="a mark")),
        lines({"a": 0.2}, other=dots([1, 2], [0.1, 0.9], "", mode="lines", name="shorter")),
    ],
)
def test_else_the_legend_stays(figure):
    before = figure.to_json()
    assert label_ends(figure).to_json() == before


def test_what_need_not_be_named_is_where_there_is_room():
    ends = {"needed": 0.5, "beside": 0.5 + 10 / HEIGHT, "apart": 0.9}
    names = [name for name, _ in labels_of(label_ends(lines(ends), needed=["needed"]))]
    assert names == ["needed", "apart"]


def test_an_axis_of_its_own_range_frames_the_intervals():
    figure = figure_of(
        [
            dots([1, 2], [2.0, 4.0], "", mode="lines", name="a", line={"color": "#123456"}),
            dots(["x"], [3.0], "", showlegend=False, error_y={"array": [5], "arrayminus": [2]}),
        ],
        shows="lines",
        height=320,
        xaxis={},
        yaxis={},
    )
    figure.data[1].x = [1]
    assert label_ends(figure).layout.yaxis.range == pytest.approx((1 - 0.35, 8 + 0.35))


def rows(first, second):
    traces = [
        dots(xs, ["top", "below"], "", name=name)
        for name, xs in {"own": first, "theirs": second}.items()
    ]
    return figure_of(traces, shows="rows", height=200, xaxis={}, yaxis={}, margin=top_margin(8))


def test_series_are_named_over_their_uppermost_marks():
    figure = label_firsts(rows([0.0, 3.0], [np.nan, 10.0]))
    assert [list(trace.text) for trace in figure.data] == [["own", ""], ["", "theirs"]]
    assert [trace.textposition for trace in figure.data] == ["top right", "top left"]
    assert figure.layout.showlegend is False
    before = rows([4.9, 0.0], [5.0, 10.0])
    assert "text" not in label_firsts(before).to_plotly_json()["data"][0]


def test_a_figure_says_how_it_is_laid_out_in_a_column():
    wide = figure_of([dots([1], [2], "")], shows="wide", height=200, xaxis={}, yaxis={})
    below = {"xaxis": {}, "yaxis": {}, "yaxis2": {"domain": [0, 0.4]}}
    narrow = figure_of([dots([1], [2], "", yaxis="y2")], shows="narrow", height=500, **below)
    meta = finish(with_narrow(wide, narrow)).layout.meta
    assert meta["narrow"]["layout"]["height"] == 500
    assert meta["narrow"]["axes"] == [{"xaxis": None, "yaxis": "y2"}]
    assert "template" not in meta["narrow"]["layout"]
    assert meta["shows"] == "wide"
