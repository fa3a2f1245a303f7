"""Styles of play: divergences, where they come from, and how each style bids."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.style import PUBLISHED_BRANCHING, PUBLISHED_SUM_OF_BIDS, BiddingStyle
from analysis.plots.colors import GREY, HUMAN, assign_colors, with_alpha
from analysis.plots.labels import label_ends
from analysis.plots.layout import (
    CLICKABLE_CELLS,
    FIXED_ROOM_AXIS,
    LEGEND_BELOW,
    NAMES_TOP_DOWN,
    Options,
    add_label_above,
    add_vertical_line,
    category_axis,
    figure_of,
    percent_axis,
    top_margin,
    with_data_revision,
)
from analysis.plots.traces import (
    TRACE_NAME,
    UNFADED,
    click_squares,
    dots,
    error_bars,
    estimates,
    heat_map,
    interval_text,
    without_markup,
)
from analysis.style.compare import Decomposition
from analysis.style.counts import Group

FADED = 0.22  # opacity
FEW_CONTEXTS = 6  # that have room for their names on a phone
_LABEL_LINE = 18  # pixels
MEET_ROW = "how often the context is met"
_CELL_COLUMNS = [
    "context",
    "move",
    "contribution",
    "of_share",
    "to_share",
    "of_count",
    "to_count",
    "chance",
]


def color_of(groups: Sequence[Group]) -> dict[str, str]:
    """Colours by label: a group has its own, whichever others are shown."""
    colors = assign_colors([group.value for group in groups])
    return {group.label: colors[group.value] for group in groups}


def plot_divergences(
    rows: pd.DataFrame,
    published: Mapping[str, float],
    colors: Mapping,
) -> go.Figure:
    """KL from one group to each other: dots with intervals, chance level, published figures."""
    names = [without_markup(name) for name in rows["to"]]
    chance = dots(
        rows["chance"],
        names,
        "%{y}: %{x:.4f} nats by chance alone",
        marker={"symbol": "line-ns-open", "size": 18, "color": GREY, "line": {"width": 3}},
        name="chance level",
    )
    hover = (
        f"%{{y}}: %{{x:.4f}} nats<br>{interval_text(0, '.4f')}<br>"
        "%{customdata[2]:,} games, %{customdata[3]:,} decisions"
    )
    divergences = estimates(
        rows,
        "kl",
        names,
        hover,
        ["kl_low", "kl_high", "to_games", "to_decisions"],
        marker={"size": 12, "color": [colors[name] for name in rows["to"]]},
        name="KL, 95% interval over games",
        error_bar={"thickness": 2, "width": 5, "color": GREY},
    )
    figure = figure_of(
        [chance, divergences],
        shows="KL divergence to each other group, with chance level and published figures",
        height=180 + 40 * len(rows),
        xaxis={"title": "KL divergence (nats)", "rangemode": "tozero"},
        yaxis=NAMES_TOP_DOWN,
        margin=top_margin(8 + _LABEL_LINE * (1 + len(published))),
        showlegend=False,
    )
    by_value = sorted(published.items(), key=lambda figure_of_paper: figure_of_paper[1])
    for i, (name, value) in enumerate(by_value):
        add_vertical_line(figure, value)
        add_label_above(
            figure,
            value,
            name,
            hovertext=f"{name}: {value:.4f} against real humans (Devlin 2016, table 1)",
            yshift=_LABEL_LINE * (len(by_value) - 1 - i),
        )
    return figure


def plot_decomposition(
    parts: Decomposition,
    *,
    of: str,
    to: str,
    colors: Mapping[str, str],
    by: str = "context",
    is_narrow: bool = False,
) -> go.Figure:
    """Heat map of a divergence: contexts across, called ``by``, moves down, coloured by who plays
    it more. ``is_narrow``: for a phone, on which not every context has room for its name.

    Cells that noise alone may explain are faded, unplayed ones are blank. A square over each other
    cell takes the click; its ``customdata`` begin with the labels of context and move. The first
    row is how often the context is met; its colours end where those of the moves do."""
    cells = pd.concat([parts.contexts.assign(move=MEET_ROW), parts.cells], ignore_index=True)
    is_played = (cells["of_count"] + cells["to_count"]) > 0
    is_clear = cells["is_clear"].astype(bool)
    moves = [MEET_ROW, *parts.cells["move"].unique()]
    signed = np.sign(cells["of_share"] - cells["to_share"]) * np.sqrt(cells["contribution"])
    top = max(float(np.abs(signed[cells["move"] != MEET_ROW]).max()), 1e-9)

    def colored_cells(is_shown: pd.Series, opacity: float) -> go.Heatmap:
        heat = heat_map(
            cells["context"],
            cells["move"],
            np.where(is_played & is_shown, signed, np.nan),
            zmin=-top,
            zmax=top,
            opacity=opacity,
            colorscale=[[0, colors[to]], [0.5, with_alpha(GREY, 0.06)], [1, colors[of]]],
        )
        return heat.update(xgap=2)

    clear = colored_cells(is_clear, 1.0)
    clear.update(showscale=True, colorbar=_color_bar(top, of, to))
    unclear = colored_cells(~is_clear, FADED)
    return figure_of(
        [clear, unclear, _cell_squares(cells[is_played], of, to)],
        shows=f"where {of} and {to} differ: abstract moves by {by}, by who plays them more",
        height=180 + 17 * len(moves),
        xaxis=_contexts_axis(parts, by, is_narrow=is_narrow),
        yaxis=_moves_axis(moves),
        margin=top_margin(56),
        showlegend=False,
        **CLICKABLE_CELLS,
    )


def _moves_axis(moves: Sequence[str]) -> Options:
    return category_axis(
        moves,
        range=[len(moves) - 0.5, -0.5],
        dtick=1,
        automargin=True,
        showgrid=False,
    )


def _contexts_axis(parts: Decomposition, by: str, *, is_narrow: bool) -> Options:
    """Under each context its part of the whole: of meeting it and of choosing within it.

    Where it is narrow, every third of many contexts is named, and of few every second is raised."""
    contexts = list(parts.contexts["context"])
    whole = parts.kl_joint
    cells = pd.concat([parts.contexts, parts.cells], ignore_index=True)
    contributions = cells.groupby("context")["contribution"].sum()
    is_thinned = is_narrow and len(contexts) > FEW_CONTEXTS
    named = contexts[::3] if is_thinned else contexts
    ticks = []
    for i, context in enumerate(named):
        share = f"<br>{contributions[context] / whole:.0%}" if whole > 0 else ""
        is_raised = is_narrow and not is_thinned and i % 2
        ticks.append(f"<b>{context}</b>{share}" + "<br> <br> " * is_raised)
    return {
        "title": f"{by},<br>and its part of the KL",
        "side": "top",
        "type": "category",
        "tickmode": "array",
        "tickvals": named,
        "ticktext": ticks,
        "showgrid": False,
        "range": [-0.5, len(contexts) - 0.5],
    }


def _color_bar(top: float, of: str, to: str) -> Options:
    ticks = [-top, -top / 2, 0, top / 2, top]
    title = (
        f"nats; colour and scale by their square root<br>◀ {without_markup(to)} more<br>"
        f"{without_markup(of)} more ▶"
    )
    return {
        "orientation": "h",
        "x": 1,
        "xanchor": "right",
        "y": -0.01,
        "yanchor": "top",
        "thickness": 10,
        "lenmode": "pixels",
        "len": 280,  # axes may be narrower
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick * tick:.2g}" for tick in ticks],
        "title": {"text": title, "side": "bottom"},
    }


def _cell_squares(cells: pd.DataFrame, of: str, to: str) -> go.Scatter:
    hover = (
        "%{customdata[1]}, %{customdata[0]}<br>%{customdata[2]:.5f} nats, "
        "%{customdata[7]:.5f} by chance<br>"
        f"{without_markup(of)}: %{{customdata[3]:.1%}} (%{{customdata[5]:,}})<br>"
        f"{without_markup(to)}: %{{customdata[4]:.1%}} (%{{customdata[6]:,}})"
    )
    data = cells[_CELL_COLUMNS].to_numpy()
    return click_squares(cells["context"], cells["move"], data, hover, size=15)


def plot_bidding(style: BiddingStyle, colors: Mapping[str, str]) -> dict[str, go.Figure]:
    """Figures ``positions``, ``sums`` and ``legal``, each with a line for each group."""
    bidders = {name: colors.get(name, HUMAN) for name in style.nils["group"]}
    return {
        "positions": _plot_means(style.positions, bidders),
        "sums": _plot_distribution(style.sums, "sum of bids", PUBLISHED_SUM_OF_BIDS, bidders),
        "legal": _plot_distribution(style.legal, "legal cards", PUBLISHED_BRANCHING, colors),
    }


def _plot_means(rows: pd.DataFrame, colors: Mapping[str, str]) -> go.Figure:
    hover = f"%{{x}}: %{{y:.2f}}<br>{interval_text(0, '.2f')}<br>%{{customdata[2]:,}} bids"
    lines = []
    for groups, group_rows, color in _alike_groups(
        rows, ["position", "mean", "low", "high", "bids"], colors
    ):
        means = group_rows["mean"]
        line = dots(
            group_rows["position"],
            means,
            hover + TRACE_NAME,
            data=group_rows[["low", "high", "bids"]].to_numpy(),
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={"size": 8},
            error_y=error_bars(means, group_rows["low"], group_rows["high"]),
            name=_joined(groups),
        )
        lines.append(line)
    return with_data_revision(
        _small_figure(
            lines,
            shows="mean bid by the position in the auction",
            xaxis={"title": "position"},
            yaxis={"title": "mean bid"},
        )
    )


def _plot_distribution(
    rows: pd.DataFrame,
    title: str,
    published: float,
    colors: Mapping[str, str],
) -> go.Figure:
    """Shares of the values of a count, with which the ``customdata`` begin; the published mean as a
    dotted line."""
    hover = "%{x}: %{y:.1%}<br>%{customdata[1]:,} of %{customdata[2]:,}"
    lines = []
    for groups, group_rows, color in _alike_groups(rows, ["value", "share", "count", "n"], colors):
        line = dots(
            group_rows["value"],
            group_rows["share"],
            hover + TRACE_NAME,
            data=group_rows[["value", "count", "n"]].to_numpy(),
            mode="lines+markers",
            line={"color": color, "width": 2},
            name=_joined(groups),
            **UNFADED,
        )
        lines.append(line)
    largest = rows["value"].max() if len(rows) else 1
    figure = _small_figure(
        lines,
        shows=f"share of each {title}; the published mean is {published:g}",
        xaxis={"title": title, "dtick": max(1, math.ceil(largest / 13))},
        yaxis=percent_axis("share", rangemode="tozero"),
    )
    add_vertical_line(figure, published, f"published mean {published:g}")
    return with_data_revision(figure)


def _alike_groups(
    rows: pd.DataFrame,
    columns: Sequence[str],
    colors: Mapping[str, str],
) -> list[tuple[list[str], pd.DataFrame, str]]:
    """Groups whose ``columns`` are the same, and so would lie on each other, together: their
    labels, rows and colour, grey where there are several."""
    alike: dict[bytes, list[str]] = {}
    for group in colors:
        values = rows.loc[rows["group"] == group, [*columns]].astype(str)
        alike.setdefault(values.to_csv(index=False).encode(), []).append(group)
    return [
        (
            groups,
            rows[rows["group"] == groups[0]],
            colors[groups[0]] if len(groups) == 1 else GREY,
        )
        for groups in alike.values()
    ]


def _joined(groups: Sequence[str]) -> str:
    return without_markup(" and ".join(groups))


def _small_figure(
    traces: Sequence[Any], *, shows: str, xaxis: Options, yaxis: Options
) -> go.Figure:
    figure = figure_of(
        traces,
        shows=shows,
        height=320,
        xaxis={**FIXED_ROOM_AXIS, **xaxis},
        yaxis={**FIXED_ROOM_AXIS, **yaxis},
        margin={"l": 64, "r": 8, "t": 24, "b": 96},
        legend=LEGEND_BELOW,
        showlegend=True,
    )
    return label_ends(figure)
