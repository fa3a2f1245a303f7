import itertools

import numpy as np
import pandas as pd
import pytest

from analysis.bidding.style import compute_bidding
from analysis.plots.colors import HUMAN, assign_colors
from analysis.plots.panels import PANELS, plot_panels
from analysis.plots.style import (
    MEET_ROW,
    color_of,
    plot_bidding,
    plot_decomposition,
    plot_divergences,
)
from analysis.plots.traces import without_markup
from analysis.style.compare import (
    PUBLISHED_KL,
    compute_decomposition,
    compute_divergences,
    compute_frequencies,
    draw_samples,
)
from analysis.style.counts import Group, PlayFilter, classify, context_counts, groups_of
from tests.analysis.styles import random_log

COLORS = color_of([Group("kind", "human", "Humans"), Group("kind", "bot", "Bots")])


@pytest.fixture(scope="module")
def data():
    return [classify(random_log(12), "log")]


@pytest.fixture(scope="module")
def samples(data):
    return draw_samples(data, groups_of(data, "kind"), PlayFilter())


def test_a_colour_follows_the_name_and_no_two_are_alike():
    assert assign_colors(["bot", "simulated-human"]) == assign_colors(["simulated-human", "bot"])
    assert assign_colors(["srp bots", "simulated humans"])["simulated humans"] == HUMAN
    names = ["after 3", "after 1, 3", "first to bid", "bis", "rb"]
    for n in range(1, len(names) + 1):
        assert len(set(assign_colors(names[:n]).values())) == n
    known = assign_colors(names[:3])
    assert {name: assign_colors(names)[name] for name in known} == known  # more don't change them


@pytest.mark.parametrize("is_narrow", [False, True])
@pytest.mark.parametrize("errors", ["sd", "interval"])
def test_panel_bars_are_the_table(samples, errors, is_narrow):
    table = compute_frequencies(samples)
    figure = plot_panels(table, measure="share", errors=errors, colors=COLORS, is_narrow=is_narrow)
    assert len(figure.data) == 2 * len(PANELS)
    at = list(PANELS).index("boss")
    rows = table[(table["position"] == "boss") & (table["group"] == "Bots")]
    bars = figure.data[2 * at + 1]
    assert bars.name == "Bots"
    assert (bars.xaxis, bars.yaxis) == (("x", "y5") if is_narrow else ("x5", "y"))
    assert list(bars.x) == rows["share"].tolist()
    assert list(bars.y) == ["Lead non-spade", "Lead spade", "Trump steal", "Follow steal"]
    assert [datum[0] for datum in bars.customdata] == rows["move"].tolist()
    ends = np.array(bars.x) + np.array(bars.error_x.array)
    high = rows["share"] + rows["share_sd"] if errors == "sd" else rows["share_high"]
    assert ends == pytest.approx(high.to_numpy())


@pytest.mark.parametrize("classes", [32, 68])
@pytest.mark.parametrize("measure", ["within", "share"])
def test_panels_have_one_scale_that_holds_every_bar(samples, measure, classes):
    table = compute_frequencies(samples, classes)
    figure = plot_panels(table, measure=measure, errors="sd", colors=COLORS)
    axes = [figure.layout[f"xaxis{i or ''}"] for i in (0, 2, 3, 4, 5)]
    assert len({axis.range for axis in axes}) == 1
    ends = (table[measure] + table[f"{measure}_sd"]).clip(upper=1).max()
    assert ends <= axes[0].range[1] <= 1
    assert 1 <= axes[0].range[1] / axes[0].dtick < 5
    starts, stops = zip(*(axis.domain for axis in axes), strict=True)
    assert all(stop < start for stop, start in zip(stops[:-1], starts[1:], strict=True))
    assert (starts[0], stops[-1]) == (0, pytest.approx(1))
    categories = figure.layout.yaxis.categoryarray
    assert len(categories) == {32: 7, 68: 15}[classes]
    assert {label for bars in figure.data for label in bars.y} <= set(categories)


def test_a_bar_of_a_single_game_is_within_the_scale(samples):
    """It has no standard deviation, and may be the longest."""
    table = compute_frequencies(samples)
    longest = table["within"].idxmax()
    table.loc[longest, ["within", "within_sd"]] = [0.97, np.nan]
    table.loc[table.index != longest, ["within", "within_sd"]] = 0.01
    figure = plot_panels(table, measure="within", errors="sd", colors=COLORS)
    assert figure.layout.xaxis.range[1] >= 0.97
    table["share"] = table["share_sd"] = 0.004
    axis = plot_panels(table, measure="share", errors="sd", colors=COLORS).layout.xaxis
    assert (axis.range[0], axis.tickformat) == (0, ".1%")


def test_panels_under_each_other_have_rows_of_one_height(samples):
    figure = plot_panels(
        compute_frequencies(samples), measure="share", errors="sd", colors=COLORS, is_narrow=True
    )
    axes = [figure.layout[f"yaxis{i or ''}"] for i in (0, 2, 3, 4, 5)]
    rows = [(axis.domain[1] - axis.domain[0]) / len(axis.categoryarray) for axis in axes]
    assert rows == pytest.approx([rows[0]] * len(axes))
    assert all(low.domain[1] < high.domain[0] for high, low in itertools.pairwise(axes))
    assert (axes[-1].domain[0], axes[0].domain[1]) == pytest.approx((0, 1))


def test_panels_are_drawn_once(samples):
    """Room for the labels beforehand, and a number by which Plotly knows the same figure again."""
    table = compute_frequencies(samples)

    def plot(measure):
        return plot_panels(table, measure=measure, errors="sd", colors=COLORS).layout

    layout = plot("share")
    assert layout.xaxis.automargin is False
    assert layout.yaxis.automargin is False
    assert layout.margin.l >= 6 * len("Lead non-spade")
    assert layout.datarevision == plot("share").datarevision
    assert layout.datarevision != plot("within").datarevision


def test_divergences_carry_the_published_lines(samples):
    rows = compute_divergences(samples)
    figure = plot_divergences(rows[rows["of"] == "Humans"], PUBLISHED_KL, COLORS)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.0291, 0.0981, 0.1142]
    assert figure.data[1].x[0] == rows.iloc[0]["kl"]
    assert figure.data[0].x[0] == rows.iloc[0]["chance"]


def test_heat_map_cells_are_signed_roots_of_contributions(data):
    humans, bots = groups_of(data, "kind")
    of, to = (context_counts(data, group, PlayFilter(), "turn") for group in (humans, bots))
    found = compute_decomposition(of, to, "turn")
    figure = plot_decomposition(found, of="Humans", to="Bots", colors=COLORS)
    clear, faded, clicks = figure.data
    cells = pd.concat([found.contexts, found.cells])
    is_played = (cells["of_count"] + cells["to_count"] > 0).to_numpy()
    assert (np.isnan(clear.z) & np.isnan(faded.z) == ~is_played).all()
    assert (np.isnan(clear.z) | np.isnan(faded.z)).all()
    drawn = np.where(np.isnan(clear.z), faded.z, clear.z)[is_played]
    played = cells[is_played]
    assert drawn**2 == pytest.approx(played["contribution"])
    assert (np.sign(drawn) == np.sign(played["of_share"] - played["to_share"])).all()
    assert list(clicks.customdata[0][:2]) == ["leads", MEET_ROW]
    assert 4 < len(clicks.x) == is_played.sum() < 4 * 33
    assert "square root" in clear.colorbar.title.text


def test_bidding_figures_are_the_tables(data):
    style = compute_bidding(data, groups_of(data, "kind"), PlayFilter())
    figures = plot_bidding(style, COLORS)
    means = style.positions[style.positions["group"] == "Bots"]["mean"]
    assert list(figures["positions"].data[1].y) == pytest.approx(means.tolist())
    assert sum(figures["sums"].data[0].y) == pytest.approx(1)
    assert figures["legal"].layout.shapes[0].x0 == 3.6


def test_names_from_records_are_no_markup():
    assert without_markup("<a href='x'>Ann</a>") == "‹a href='x'›Ann‹/a›"
