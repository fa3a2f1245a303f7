"""Bidding style as figures: means with intervals, distributions. Computes nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.style import PUBLISHED_BRANCHING, PUBLISHED_SUM_OF_BIDS, BiddingStyle
from analysis.plots.palette import HUMAN, QUIET
from analysis.plots.style import MARGIN, QUICK_AXIS, UNFADED, plain, revised


def plot_bidding(style: BiddingStyle, colors: Mapping[str, str]) -> dict[str, go.Figure]:
    """Figures ``positions``, ``sums`` and ``legal``, each with a line a group."""
    bidders = {name: colors.get(name, HUMAN) for name in style.nils["group"]}
    return {
        "positions": plot_means(style.positions, x="position", title="mean bid", colors=bidders),
        "sums": plot_distribution(
            style.sums, title="sum of bids", published=PUBLISHED_SUM_OF_BIDS, colors=bidders
        ),
        "legal": plot_distribution(
            style.legal, title="legal cards", published=PUBLISHED_BRANCHING, colors=colors
        ),
    }


def plot_means(rows: pd.DataFrame, *, x: str, title: str, colors: Mapping) -> go.Figure:
    """Means with their intervals by a category: a line a group."""
    figure = go.Figure()
    for group, color in colors.items():
        mine = rows[rows["group"] == group]
        figure.add_trace(
            go.Scatter(
                x=mine[x],
                y=mine["mean"],
                name=plain(group),
                mode="lines+markers",
                line={"color": color, "width": 1.5},
                marker={"size": 8},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": (mine["high"] - mine["mean"]).tolist(),
                    "arrayminus": (mine["mean"] - mine["low"]).tolist(),
                },
                customdata=mine[["low", "high", "bids"]].to_numpy(),
                hovertemplate=(
                    "%{x}: %{y:.2f}<br>95 %: %{customdata[0]:.2f} to %{customdata[1]:.2f}<br>"
                    "%{customdata[2]:,} bids<extra>%{fullData.name}</extra>"
                ),
            )
        )
    return _small(figure, xaxis={"title": x}, yaxis={"title": title})


def plot_distribution(
    rows: pd.DataFrame, *, title: str, published: float, colors: Mapping
) -> go.Figure:
    """Shares of the values of a count, a line a group; the published mean as a dotted line."""
    figure = go.Figure()
    for group, color in colors.items():
        mine = rows[rows["group"] == group]
        figure.add_trace(
            go.Scatter(
                x=mine["value"],
                y=mine["share"],
                name=plain(group),
                mode="lines+markers",
                line={"color": color, "width": 2},
                **UNFADED,
                customdata=mine[["count", "n"]].to_numpy(),
                hovertemplate=(
                    "%{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,}"
                    "<extra>%{fullData.name}</extra>"
                ),
            )
        )
    figure.add_vline(
        x=published,
        line={"color": QUIET, "dash": "dot"},
        annotation={"text": f"published mean {published:g}", "font": {"color": QUIET}},
    )
    tick = max(1, math.ceil((rows["value"].max() if len(rows) else 1) / 13))
    return _small(
        figure,
        xaxis={"title": title, "dtick": tick},
        yaxis={"title": "share", "tickformat": ".0%", "rangemode": "tozero"},
    )


def _small(figure: go.Figure, *, xaxis: dict, yaxis: dict) -> go.Figure:
    figure.update_layout(
        height=320,
        margin={**MARGIN, "l": 64, "t": 24, "b": 96},
        xaxis={**QUICK_AXIS, **xaxis},
        yaxis={**QUICK_AXIS, **yaxis},
        legend={"orientation": "h", "y": -0.28, "x": 0},
        showlegend=True,
        dragmode=False,
    )
    return revised(figure)
