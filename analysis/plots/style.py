"""How far apart styles of play are: divergences, where they come from, and how each style bids."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.style import PUBLISHED_BRANCHING, PUBLISHED_SUM_OF_BIDS, BiddingStyle
from analysis.plots import template as t
from analysis.style.compare import Decomposition

FADED = 0.22
MEET_ROW = "how often the context is met"
_CELL_COLUMNS = [
    *("context", "move", "contribution", "of_share", "to_share", "of_count", "to_count", "chance")
]


def color_of(groups: Sequence[str]) -> dict[str, str]:
    """A colour a group, the same in every figure of the page."""
    return {group: t.COLORS[i % len(t.COLORS)] for i, group in enumerate(groups)}


def revised(figure: go.Figure) -> go.Figure:
    """The figure, numbered by its contents.

    The page's chart component hands every new figure to Plotly twice, in copies; by the same
    number Plotly doesn't take the second one's arrays for new data. It draws all the same, since
    Streamlit's theme comes as a new template each time.
    """
    contents = hashlib.blake2b(figure.to_json().encode(), digest_size=8)
    return figure.update_layout(datarevision=contents.hexdigest())


def plot_divergences(
    rows: pd.DataFrame, published: Mapping[str, float], colors: Mapping
) -> go.Figure:
    """KL from one group to each other: dots with intervals, chance level, published figures."""
    names = [t.plain(name) for name in rows["to"]]
    bar = {"symbol": "line-ns-open", "size": 18, "color": t.QUIET, "line": {"width": 3}}
    chance = t.dots(
        rows["chance"],
        names,
        "%{y}: %{x:.4f} nats by chance alone",
        name="chance level",
        marker=bar,
    )
    divergences = t.dots(
        rows["kl"],
        names,
        "%{y}: %{x:.4f} nats<br>95 %: %{customdata[0]:.4f} to %{customdata[1]:.4f}<br>"
        "%{customdata[2]:,} games, %{customdata[3]:,} decisions",
        data=rows[["kl_low", "kl_high", "to_games", "to_decisions"]].to_numpy(),
        name="KL, 95 % interval over games",
        marker={"size": 12, "color": [colors[name] for name in rows["to"]]},
        error_x=t.whiskers(
            rows["kl"], rows["kl_low"], rows["kl_high"], thickness=2, width=5, color=t.QUIET
        ),
    )
    figure = t.figure_of(
        [chance, divergences],
        height=180 + 40 * len(rows),
        margin=t.MARGIN | {"t": 96},
        x={"title": "KL divergence (nats)", "rangemode": "tozero"},
        y=t.NAMES_DOWN,
        showlegend=False,
    )
    for name, value in published.items():
        t.mark_x(figure, value)
        origin = f"{name}: {value:.4f} against real humans (Devlin 2016, table 1)"
        font = {"size": 11, "color": t.QUIET}
        t.label_above(
            figure, value, name, textangle=-35, xanchor="left", hovertext=origin, font=font
        )
    return figure


def plot_decomposition(
    found: Decomposition, *, of: str, to: str, colors: Mapping[str, str]
) -> go.Figure:
    """Heat map of a divergence: contexts across, moves down, coloured by who plays it more.

    Cells that noise alone may explain are faded, those that nobody played are blank. A square over
    every other takes the click; its ``customdata`` begin with the context's and the move's label.
    The first row is how often the context is met, its colour cut off where the moves' ends.
    """
    cells = _with_meeting_row(found)
    is_played = (cells["of_count"] + cells["to_count"]) > 0
    contexts, moves = list(found.contexts["context"]), [MEET_ROW, *found.cells["move"].unique()]
    signed = np.sign(cells["of_share"] - cells["to_share"]) * np.sqrt(cells["contribution"])
    top = max(float(np.abs(signed[cells["move"] != MEET_ROW]).max()), 1e-9)
    scale = [[0, colors[to]], [0.5, t.with_alpha(t.QUIET, 0.06)], [1, colors[of]]]
    heat = []
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        shown = np.where(is_played & (cells["is_clear"] == is_clear), signed, np.nan)
        look: dict[str, Any] = {"zmin": -top, "zmax": top, "opacity": opacity, "colorscale": scale}
        heat.append(t.heat_map(cells["context"], cells["move"], shown, **look).update(xgap=2))
    heat[0].update(showscale=True, colorbar=_color_bar(top, of, to))
    return t.figure_of(
        [*heat, _marks(cells[is_played], of, to)],
        height=190 + 19 * len(moves),
        margin=t.MARGIN | {"t": 36},
        x={"side": "top", "type": "category", "tickmode": "array", "tickvals": contexts,
           "ticktext": [_context_tick(found, context) for context in contexts],
           "showgrid": False, "range": [-0.5, len(contexts) - 0.5]},
        y=t.category_axis(
            moves, range=[len(moves) - 0.5, -0.5], dtick=1, automargin=True, showgrid=False
        ),
        showlegend=False,
        **t.CELL_CLICKS,
    )  # fmt: skip


def _with_meeting_row(found: Decomposition) -> pd.DataFrame:
    return pd.concat([found.contexts.assign(move=MEET_ROW), found.cells], ignore_index=True)


def _context_tick(found: Decomposition, context: str) -> str:
    """The context and its part of the whole: of meeting it and of choosing within it."""
    rows = _with_meeting_row(found)
    part = rows.loc[rows["context"] == context, "contribution"].sum()
    whole = found.kl_joint
    return f"<b>{context}</b><br>{part / whole:.0%}" if whole > 0 else f"<b>{context}</b>"


def _color_bar(top: float, of: str, to: str) -> dict[str, Any]:
    ticks = [-top, -top / 2, 0, top / 2, top]
    title = (
        "nats; colour and scale by their square root<br>"
        f"◀ {t.plain(to)} more<br>{t.plain(of)} more ▶"
    )  # fmt: skip
    labels = {"tickvals": ticks, "ticktext": [f"{tick * tick:.2g}" for tick in ticks]}
    place = {"orientation": "h", "y": -0.01, "yanchor": "top", "thickness": 10, "len": 0.9}
    text = {"text": title, "side": "bottom", "font": {"size": 12}}
    return {**place, **labels, "tickmode": "array", "title": text}


def _marks(cells: pd.DataFrame, of: str, to: str) -> go.Scatter:
    hover = (
        "%{customdata[1]}, %{customdata[0]}<br>%{customdata[2]:.5f} nats, "
        "%{customdata[7]:.5f} by chance<br>"
        f"{t.plain(of)}: %{{customdata[3]:.1%}} (%{{customdata[5]:,}})<br>"
        f"{t.plain(to)}: %{{customdata[4]:.1%}} (%{{customdata[6]:,}})"
    )
    data = cells[_CELL_COLUMNS].to_numpy()
    return t.cell_marks(cells["context"], cells["move"], data, hover, size=15)


def plot_bidding(style: BiddingStyle, colors: Mapping[str, str]) -> dict[str, go.Figure]:
    """Figures ``positions``, ``sums`` and ``legal``, each with a line a group."""
    bidders = {name: colors.get(name, t.HUMAN) for name in style.nils["group"]}
    return {
        "positions": _plot_means(style.positions, bidders),
        "sums": _plot_distribution(style.sums, "sum of bids", PUBLISHED_SUM_OF_BIDS, bidders),
        "legal": _plot_distribution(style.legal, "legal cards", PUBLISHED_BRANCHING, colors),
    }


def _plot_means(rows: pd.DataFrame, colors: Mapping[str, str]) -> go.Figure:
    """Mean bid with its interval by position."""
    traces = []
    for group, color in colors.items():
        mine = rows[rows["group"] == group]
        trace = t.dots(
            mine["position"],
            mine["mean"],
            "%{x}: %{y:.2f}<br>95 %: %{customdata[0]:.2f} to %{customdata[1]:.2f}<br>"
            "%{customdata[2]:,} bids<extra>%{fullData.name}</extra>",
            data=mine[["low", "high", "bids"]].to_numpy(),
            name=t.plain(group),
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={"size": 8},
            error_y=t.whiskers(mine["mean"], mine["low"], mine["high"]),
        )
        traces.append(trace)
    return revised(_small(traces, x={"title": "position"}, y={"title": "mean bid"}))


def _plot_distribution(
    rows: pd.DataFrame, title: str, published: float, colors: Mapping[str, str]
) -> go.Figure:
    """Shares of the values of a count; the published mean as a dotted line."""
    traces = []
    for group, color in colors.items():
        mine = rows[rows["group"] == group]
        trace = t.dots(
            mine["value"],
            mine["share"],
            "%{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,}"
            "<extra>%{fullData.name}</extra>",
            data=mine[["count", "n"]].to_numpy(),
            name=t.plain(group),
            mode="lines+markers",
            line={"color": color, "width": 2},
            **t.UNFADED,
        )
        traces.append(trace)
    tick = max(1, math.ceil((rows["value"].max() if len(rows) else 1) / 13))
    x, y = {"title": title, "dtick": tick}, t.shares("share", rangemode="tozero")
    figure = _small(traces, x=x, y=y)
    t.mark_x(figure, published, f"published mean {published:g}")
    return revised(figure)


def _small(traces: Sequence[go.Scatter], *, x: dict[str, Any], y: dict[str, Any]) -> go.Figure:
    return t.figure_of(
        traces,
        height=320,
        margin=t.MARGIN | {"l": 64, "t": 24, "b": 96},
        x={**t.QUICK_AXIS, **x},
        y={**t.QUICK_AXIS, **y},
        legend={"orientation": "h", "y": -0.28, "x": 0},
        showlegend=True,
        dragmode=False,
    )
