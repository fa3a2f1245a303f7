"""Figures of the Nil page, by their numbers."""

import numpy as np
import pytest

from analysis.nil.rates import Source, compute_curves, compute_rates, compute_surface
from analysis.nil.rounds import compute_aces, count_aces
from analysis.plots.nil import (
    FADED,
    FEW,
    FEW_IN_CELL,
    Mark,
    plot_aces,
    plot_curves,
    plot_map,
    plot_surface,
)
from tests.analysis.nils import made_up_source
from tests.random_logs import random_log

CELLS = {((1, 3), 16): (40, 30), ((1, 3), 4): (2, 1), ((), 10): (50, 25)}
SOURCE = made_up_source(CELLS, _1_3=(-1.0, 2.0))


def figure_of(sources, patterns, **options):
    options = {"mark": None, "even": 0.5, "height": 560} | options
    return plot_curves(
        compute_curves(sources, patterns), compute_rates(sources, patterns), **options
    )


def curves_of(figure):
    """The curves, without their thin parts."""
    lines = traces(figure, "scatter", "lines")
    return [trace for trace in lines if trace.fill is None and trace.showlegend]


def traces(figure, kind, mode=None):
    return [t for t in figure.data if t.type == kind and (mode is None or t.mode == mode)]


def test_curves_points_and_counts():
    figure = figure_of([SOURCE], [(1, 3), ()], even=0.625)
    lines = curves_of(figure)
    assert [line.name for line in lines] == ["after 1, 3", "first to bid"]
    at = np.argmin(np.abs(np.array(lines[0].x) - 0.8))
    assert lines[0].y[at] == pytest.approx(SOURCE.curves.probability((1, 3), 0.8))
    points = traces(figure, "scatter", "markers")
    assert sum(len(trace.x) for trace in points) == 3  # none where no nil was bid
    clear = points[0]
    assert list(clear.y) == [0.75]
    assert list(clear.customdata[0][:5]) == ["bots", "1,3", 16, 40, 30]
    assert clear.x[0] == pytest.approx(0.825, abs=0.016)
    assert clear.error_y.array[0] == pytest.approx(clear.customdata[0][6] - 0.75)
    bars = traces(figure, "bar")
    assert np.nansum(bars[0].y) == 42
    assert np.isnan(bars[0].y[0])
    assert figure.layout.shapes[0].y0 == 0.625
    assert figure.layout.annotations[0].text == "BIS’s threshold: 62.5%"


def test_points_of_few_nils_are_faded_and_bands_stand_where_there_are_intervals():
    figure = figure_of([SOURCE], [(1, 3), (-1,)])
    faded = [t for t in traces(figure, "scatter", "markers") if t.marker.opacity == FADED]
    assert [list(t.x) for t in faded if len(t.x)] == [[pytest.approx(0.225, abs=0.016)]]
    bands = [t for t in traces(figure, "scatter", "lines") if t.fill == "toself"]
    assert [band.legendgroup for band in bands] == ["after 1, 3"]
    assert max(bands[0].y) == pytest.approx(SOURCE.curves.interval((1, 3), 1.0)[1])


def test_sources_are_told_apart_without_colour_and_logs_have_no_curve():
    log = Source("a <b>log</b>", SOURCE.counts)
    figure = figure_of([SOURCE, log], [(1, 3)])
    points = [t for t in traces(figure, "scatter", "markers") if t.marker.opacity == 1]
    assert len({trace.marker.symbol for trace in points}) == 2
    assert len({trace.marker.color for trace in points}) == 2
    assert [t.name for t in points if t.showlegend] == ["after 1, 3 · a ‹b›log‹/b›"]
    assert len(curves_of(figure)) == 1


def test_a_log_of_few_nils_is_in_the_legend_all_the_same():
    few = Source("log", made_up_source({((1, 3), 4): (2, 1)}).counts)
    shown = [t for t in figure_of([few], [(1, 3)]).data if t.type == "scatter" and t.showlegend]
    assert [(t.name, list(t.x)) for t in shown] == [("after 1, 3", [None])]


def test_the_hand_is_a_star():
    figure = figure_of([SOURCE], [()], mark=Mark(0.7, 0.6, 0.5, 0.75, 0.62))
    stem, star = [t for t in figure.data if t.legendgroup == "this nil"]
    assert (star.x[0], star.y[0], star.name) == (0.7, 0.6, "this nil")
    assert star.error_y.array[0] == pytest.approx(0.15)
    assert star.error_y.arrayminus[0] == pytest.approx(0.1)
    assert (list(stem.x), list(stem.y)) == ([0.7, 0.7], [0.62, 0.6])
    assert "−2.0 pp" in stem.hovertemplate
    denied = figure_of([SOURCE], [()], mark=Mark(0.0, 0.6, 0.5, 0.7, None))
    assert [t.name for t in denied.data if t.legendgroup == "this nil"] == ["this nil"]


def test_a_curve_is_faded_where_it_is_thin_and_says_so():
    cells = {((1, 3), at): (FEW if at > 9 else at, 3) for at in range(20)}
    figure = figure_of([made_up_source(cells, _1_3=(0.0, 1.0))], [(1, 3)])
    clear, faded = [t for t in traces(figure, "scatter", "lines") if t.fill is None]
    assert (clear.opacity or 1, faded.opacity) == (1, FADED)
    assert [t.name for t in (clear, faded) if t.showlegend] == ["after 1, 3"]
    x = np.array(clear.x)
    assert x[~np.isnan(clear.y)].min() == pytest.approx(0.5)
    assert x[~np.isnan(faded.y)].max() == pytest.approx(0.5)  # they meet
    notes = [row[0] for row in faded.customdata]
    assert notes[22].endswith("thin: 4 nils in this twentieth")  # of 0.23
    assert "thin" not in notes[80]
    assert "95%: " in notes[80]


def test_the_map_shows_what_was_heard_and_fades_few_nils():
    rows = compute_surface(SOURCE, 2, 0.8)
    clear, faded, targets = plot_map(rows, "chance").data
    assert (list(clear.x), list(clear.y)) == ([1], [4])
    assert clear.z[0] == pytest.approx(SOURCE.curves.probability((1, 3), 0.8))
    assert [row[2] for row in targets.customdata if row[2] >= FEW_IN_CELL] == [42]
    assert all(len(trace.x) < len(targets.x) for trace in (clear, faded))
    assert len(targets.x) == len(clear.x) + len(faded.x)
    assert [list(row[:2]) for row in targets.customdata] == [
        [x, y] for x, y in zip(targets.x, targets.y, strict=True)
    ]
    assert max(faded.x) <= 1
    assert max(faded.y) <= 4
    assert faded.opacity < 1 == clear.opacity
    assert plot_map(rows, "rate").data[0].z[0] == pytest.approx(31 / 42)
    empty = compute_surface(made_up_source({}), 2, 0.8)
    assert len(plot_map(empty, "chance").data[1].z) == 14 * 14


def test_the_chosen_cell_is_framed():
    rows = compute_surface(SOURCE, 2, 0.8)
    frame = plot_map(rows, "chance", (1, 4)).layout.shapes[0]
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, 3.5, 4.5)
    assert not plot_map(rows, "chance").layout.shapes


def test_the_surface_holds_the_cells_of_nils_enough():
    source = made_up_source(
        {((p, 3), 5): (FEW_IN_CELL + p, 9) for p in (1, 2, 4)} | {((5, 5), 5): (3, 3)}
    )
    surface = plot_surface(compute_surface(source, 2, 0.8), "rate").data[0]
    assert list(surface.x) == [1, 2, 4]
    assert list(surface.y) == [4, 5, 7]
    assert surface.z[0][0] == pytest.approx(9 / 31)
    assert np.isnan(surface.z[0][1])
    assert surface.customdata[2][2] == FEW_IN_CELL + 4


def test_aces_are_the_table_and_sums_heard_seldom_are_faded():
    rows = compute_aces([("log", count_aces(random_log(80, seed=2), 3))])
    figure = plot_aces(rows)
    line, clear, faded, bars = figure.data
    often = rows[rows["n"] >= FEW]
    assert 0 < len(often) < len(rows)
    assert list(line.y) == list(clear.y) == often["rate"].tolist()
    assert clear.marker.opacity == 1
    assert list(faded.x) == rows.loc[rows["n"] < FEW, "total"].tolist()
    assert faded.marker.opacity == FADED
    assert faded.error_y.color != clear.error_y.color
    assert list(bars.y) == rows["n"].tolist()
    assert [t.name for t in (line, clear, faded) if t.showlegend] == ["log"]
    assert figure.layout.shapes[0].y0 == 0.25
