"""Bids over many rounds as figures: points of a bid, contracts kept, duels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.outcomes import BIN_WIDTH
from analysis.plots import template as t
from analysis.plots.bidding import bidder_label, color_of_bidder

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
PATTERNS = ("", "/", "x", ".")
BID_COLORS = (t.SEARCH, t.HUMAN, t.CYCLE[2], t.CYCLE[3])


def plot_histogram(bins: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds by points, a set of bars a bid, its mean as a line with the interval."""
    traces, width = [], BIN_WIDTH / len(means)
    for i, name in enumerate(means["name"]):
        mine = bins[bins["name"] == name].assign(high=lambda rows: rows["low"] + BIN_WIDTH - 1)
        pattern = {"shape": PATTERNS[i], "solidity": 0.2}
        bars = go.Bar(
            x=mine["low"],
            y=mine["share"],
            width=0.92 * width,
            offset=i * width,
            name=_bid_label(name),
            marker={"color": t.with_alpha(BID_COLORS[i], 0.75), "pattern": pattern},
            customdata=mine[["low", "count", "n", "high"]].to_numpy(),
            hovertemplate=(
                "%{customdata[0]:.0f} to %{customdata[3]:.0f} points: %{y:.1%}<br>"
                "%{customdata[1]:,} of %{customdata[2]:,} rounds<extra>%{fullData.name}</extra>"
            ),
        )
        traces.append(bars)
    return _by_points(traces, means, "share of rounds", barmode="overlay")


def plot_ecdf(spread: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds with so many points or fewer, a line a bid; means with their intervals."""
    traces = []
    for i, name in enumerate(means["name"]):
        mine = spread[spread["name"] == name]
        steps = t.dots(
            mine["points"],
            mine["up_to"],
            "%{x:.0f} points or fewer: %{y:.1%}<extra>%{fullData.name}</extra>",
            name=_bid_label(name),
            mode="lines",
            line={"color": BID_COLORS[i], "dash": t.DASHES[i], "shape": "hv", "width": 2},
        )
        traces.append(steps)
    return _by_points(traces, means, "rounds with so many points or fewer")


def _bid_label(name: str) -> str:
    return "nil" if name == "nil" else f"bid {name}"


def _by_points(traces: Iterable[Any], means: pd.DataFrame, y: str, **layout: Any) -> go.Figure:
    """With each mean as a line, a band for its interval and a label above the plot."""
    figure = t.figure_of(
        traces,
        height=380,
        margin=t.MARGIN | {"t": 72},
        x={"title": "points of the round, bidder's partnership", "zeroline": True},
        y=t.shares(y, rangemode="tozero"),
        legend=t.legend_below(-0.25),
        showlegend=True,
        **layout,
    )
    for i, row in enumerate(means.itertuples()):
        color, ends = BID_COLORS[i], {"x0": row.points_low, "x1": row.points_high}
        if row.points_low == row.points_low:  # else a single round, without an interval
            figure.add_vrect(**ends, fillcolor=color, opacity=0.25, line_width=0)
        t.mark_x(figure, row.points, color=color, width=2, dash=t.DASHES[i])
        label = f"{_bid_label(row.name)}: mean {row.points:+.1f}"
        t.label_above(figure, row.points, label, y=1 + 0.07 * i, font={"color": color})
    return figure


def plot_made(rows: pd.DataFrame, groups: Sequence[str]) -> go.Figure:
    """Share of contracts made by what was bid, a line a bidder, with intervals."""
    y = t.shares("contract made", range=[0, 1.04])
    return _by_bid(rows, groups, "made", ".1%", "%{customdata[2]:,} contracts", y)


def plot_over(rows: pd.DataFrame, groups: Sequence[str]) -> go.Figure:
    """The bidder's own tricks less its bid by what was bid, a line a bidder, with intervals."""
    y = {"title": "own tricks less bid"}
    figure = _by_bid(rows, groups, "over", "+.2f", "%{customdata[3]:,} bids", y)
    t.mark_y(figure, 0)
    return figure


def _by_bid(
    rows: pd.DataFrame, groups: Sequence[str], what: str, form: str, of: str, y: dict[str, Any]
) -> go.Figure:
    traces = []
    for i, group in enumerate(groups):
        mine = rows[(rows["group"] == group) & (rows["bid"] >= 0)]
        low, high = f"{what}_low", f"{what}_high"
        points = t.dots(
            mine["bid"],
            mine[what],
            f"bid %{{x}}: %{{y:{form}}}<br>95 %: %{{customdata[0]:{form}}} to "
            f"%{{customdata[1]:{form}}}<br>{of}<extra>%{{fullData.name}}</extra>",
            data=mine[[low, high, "contracts", "n"]].to_numpy(),
            name=bidder_label(group),
            mode="lines+markers",
            line={"color": _color_of(group, i), "width": 1.5},
            marker={"size": 8, "symbol": SYMBOLS[i % len(SYMBOLS)]},
            error_y=t.whiskers(mine[what], mine[low], mine[high], width=0, thickness=1),
        )
        traces.append(points)
    x, legend = {"title": "regular bid", "dtick": 1}, t.legend_below(-0.22)
    return t.figure_of(traces, height=380, x=x, y=y, legend=legend, showlegend=True)


def _color_of(group: str, i: int) -> str:
    color = color_of_bidder(group)
    return t.CYCLE[i % len(t.CYCLE)] if color == t.QUIET else color


def plot_duels(duels: pd.DataFrame) -> go.Figure:
    """Points a round that a bidder is ahead of each other one, with intervals."""
    points = t.dots(
        duels["ahead"],
        [bidder_label(name) for name in duels["second"]],
        "against %{y}: %{x:+.2f} points a round<br>95 %: %{customdata[0]:+.2f} to "
        "%{customdata[1]:+.2f}<br>%{customdata[2]:,} deals, each played twice",
        data=duels[["low", "high", "deals"]].to_numpy(),
        mode="markers+text",
        text=[f"{value:+.1f}" for value in duels["ahead"]],
        textposition="top center",
        marker={"size": 11, "color": [color_of_bidder(name) for name in duels["second"]]},
        error_x=t.whiskers(duels["ahead"], duels["low"], duels["high"], color=t.QUIET),
    )
    x, y = {"title": "points a round ahead"}, {"autorange": "reversed", "type": "category"}
    figure = t.figure_of([points], height=90 + 52 * len(duels), x=x, y=y)
    t.mark_x(figure, 0)
    return figure
