"""Bids over many rounds as figures: points of a bid, contracts kept, duels. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.outcomes import BIN_WIDTH
from analysis.plots.bidding import bidder_label, color_of_bidder
from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.plots.style import MARGIN

DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
BID_COLORS = (SEARCH, HUMAN, CYCLE[2], CYCLE[3])


def plot_histogram(bins: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds by points, a set of bars a bid, its mean as a line with the interval."""
    figure = go.Figure()
    bar = BIN_WIDTH / len(means)
    for i, name in enumerate(means["name"]):
        mine = bins[bins["name"] == name]
        figure.add_trace(
            go.Bar(
                x=mine["low"],
                y=mine["share"],
                width=0.92 * bar,
                offset=i * bar,
                name=_bid_label(name),
                marker={"color": with_alpha(BID_COLORS[i], 0.75),
                        "pattern": {"shape": ("", "/", "x", ".")[i], "solidity": 0.2}},
                customdata=mine.assign(high=mine["low"] + BIN_WIDTH - 1)[
                    ["low", "count", "n", "high"]
                ].to_numpy(),
                hovertemplate=(
                    "%{customdata[0]:.0f} to %{customdata[3]:.0f} points: %{y:.1%}<br>"
                    "%{customdata[1]:,} of %{customdata[2]:,} rounds<extra>%{fullData.name}</extra>"
                ),
            )
        )  # fmt: skip
    _mark_means(figure, means)
    return _points_layout(figure, "share of rounds").update_layout(barmode="overlay")


def plot_ecdf(spread: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds with so many points or fewer, a line a bid; means with their intervals."""
    figure = go.Figure()
    for i, name in enumerate(means["name"]):
        mine = spread[spread["name"] == name]
        figure.add_trace(
            go.Scatter(
                x=mine["points"],
                y=mine["up_to"],
                name=_bid_label(name),
                mode="lines",
                line={"color": BID_COLORS[i], "dash": DASHES[i], "shape": "hv", "width": 2},
                hovertemplate="%{x:.0f} points or fewer: %{y:.1%}<extra>%{fullData.name}</extra>",
            )
        )
    _mark_means(figure, means)
    return _points_layout(figure, "rounds with so many points or fewer")


def _bid_label(name: str) -> str:
    return "nil" if name == "nil" else f"bid {name}"


def _mark_means(figure: go.Figure, means: pd.DataFrame) -> None:
    """A line at each mean, a band for its interval, a label above the plot."""
    for i, row in enumerate(means.itertuples()):
        color = BID_COLORS[i]
        if row.points_low == row.points_low:  # else a single round, without an interval
            figure.add_vrect(
                x0=row.points_low, x1=row.points_high, fillcolor=color, opacity=0.25, line_width=0
            )
        figure.add_vline(x=row.points, line={"color": color, "width": 2, "dash": DASHES[i]})
        figure.add_annotation(
            x=row.points,
            y=1 + 0.07 * i,
            yref="paper",
            yanchor="bottom",
            text=f"{_bid_label(row.name)}: mean {row.points:+.1f}",
            font={"color": color},
            showarrow=False,
        )


def _points_layout(figure: go.Figure, title: str) -> go.Figure:
    return figure.update_layout(
        height=380,
        margin={**MARGIN, "t": 72},
        xaxis={"title": "points of the round, bidder's partnership", "zeroline": True},
        yaxis={"title": title, "tickformat": ".0%", "rangemode": "tozero"},
        legend={"orientation": "h", "y": -0.25, "x": 0},
        showlegend=True,
    )


def plot_made(rows: pd.DataFrame, groups: Sequence[str]) -> go.Figure:
    """Share of contracts made by what was bid, a line a bidder, with intervals."""
    figure = _by_bid(rows, groups, "made", "%{y:.1%}", ".1%", "%{customdata[2]:,} contracts")
    return figure.update_layout(
        yaxis={"title": "contract made", "tickformat": ".0%", "range": [0, 1.04]}
    )


def plot_over(rows: pd.DataFrame, groups: Sequence[str]) -> go.Figure:
    """The bidder's own tricks less its bid by what was bid, a line a bidder, with intervals."""
    figure = _by_bid(rows, groups, "over", "%{y:+.2f}", "+.2f", "%{customdata[3]:,} bids")
    figure.add_hline(y=0, line={"color": QUIET, "dash": "dot"})
    return figure.update_layout(yaxis={"title": "own tricks less bid"})


def _by_bid(
    rows: pd.DataFrame, groups: Sequence[str], what: str, value: str, form: str, denominator: str
) -> go.Figure:
    figure = go.Figure()
    for i, group in enumerate(groups):
        mine = rows[(rows["group"] == group) & (rows["bid"] >= 0)]
        color = _color_of(group, i)
        figure.add_trace(
            go.Scatter(
                x=mine["bid"],
                y=mine[what],
                name=bidder_label(group),
                mode="lines+markers",
                line={"color": color, "width": 1.5},
                marker={"size": 8, "symbol": SYMBOLS[i % len(SYMBOLS)]},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": (mine[f"{what}_high"] - mine[what]).tolist(),
                    "arrayminus": (mine[what] - mine[f"{what}_low"]).tolist(),
                    "width": 0,
                    "thickness": 1,
                },
                customdata=mine[[f"{what}_low", f"{what}_high", "contracts", "n"]].to_numpy(),
                hovertemplate=(
                    f"bid %{{x}}: {value}<br>95 %: %{{customdata[0]:{form}}} to "
                    f"%{{customdata[1]:{form}}}<br>{denominator}"
                    "<extra>%{fullData.name}</extra>"
                ),
            )
        )
    return figure.update_layout(
        height=380,
        margin=MARGIN,
        xaxis={"title": "regular bid", "dtick": 1},
        legend={"orientation": "h", "y": -0.22, "x": 0},
        showlegend=True,
    )


def _color_of(group: str, i: int) -> str:
    color = color_of_bidder(group)
    return CYCLE[i % len(CYCLE)] if color == QUIET else color


def plot_duels(duels: pd.DataFrame) -> go.Figure:
    """Points a round that a bidder is ahead of each other one, with intervals."""
    figure = go.Figure(
        go.Scatter(
            x=duels["ahead"],
            y=[bidder_label(name) for name in duels["second"]],
            mode="markers+text",
            text=[f"{value:+.1f}" for value in duels["ahead"]],
            textposition="top center",
            marker={"size": 11, "color": [color_of_bidder(name) for name in duels["second"]]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (duels["high"] - duels["ahead"]).tolist(),
                "arrayminus": (duels["ahead"] - duels["low"]).tolist(),
                "color": QUIET,
            },
            customdata=duels[["low", "high", "deals"]].to_numpy(),
            hovertemplate=(
                "against %{y}: %{x:+.2f} points a round<br>95 %: %{customdata[0]:+.2f} to "
                "%{customdata[1]:+.2f}<br>%{customdata[2]:,} deals, each played twice"
                "<extra></extra>"
            ),
        )
    )
    figure.add_vline(x=0, line={"color": QUIET, "dash": "dot"})
    return figure.update_layout(
        height=90 + 52 * len(duels),
        margin=MARGIN,
        xaxis={"title": "points a round ahead"},
        yaxis={"autorange": "reversed", "type": "category"},
    )
