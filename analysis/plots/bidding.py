"""One hand's bids as figures: each bidder's bid, and the parts of BIS's. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.plots.style import MARGIN, plain

BIDDER_LABELS = {
    "bis": "BIS",
    "rb": "RB, rule-based",
    "ms": "MS, Master Spades",
    "io": "IO, cardgames.io",
    "kb": "KB, Whitehouse 2013",
    "human": "Simulated human",
}
ROLES: dict[str, tuple[str, str]] = {
    "high card": (HUMAN, ""),
    "long spade": (CYCLE[5], "/"),
    "cut": (SEARCH, "x"),
    "previous bids": (QUIET, "."),
}
"""Colour and pattern of each role, so that no role is told by colour alone."""
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
LARGEST_BUBBLE = 30.0


def bidder_label(name: str) -> str:
    """What tables and charts call a bidder."""
    return BIDDER_LABELS.get(name, plain(name))


def color_of_bidder(name: str) -> str:
    """BIS, the simulated human and the others by colour; the same in every figure of the page."""
    order = ("bis", "human", "rb", "ms", "io", "kb")
    colors = (SEARCH, HUMAN, *CYCLE[2:])
    kind = name.partition(":")[0]
    return dict(zip(order, colors, strict=True)).get(kind, QUIET)


def plot_bids(bids: pd.DataFrame, *, made: str | None = None) -> go.Figure:
    """A bubble a bid that a bidder makes, its area the share of times; ``made``: the bid made."""
    names = list(dict.fromkeys(bids["bidder"]))
    columns = bids.sort_values("bid").drop_duplicates("name")["name"].tolist()
    figure = go.Figure()
    for name in names:
        mine = bids[bids["bidder"] == name]
        figure.add_trace(
            go.Scatter(
                x=mine["name"],
                y=[bidder_label(name)] * len(mine),
                mode="markers+text",
                text=[_share_text(share) for share in mine["share"]],
                textposition="middle right",
                marker={
                    "size": (LARGEST_BUBBLE * mine["share"] ** 0.5).tolist(),
                    "color": color_of_bidder(name),
                    "opacity": 0.9,
                },
                customdata=mine[["count", "n", "low", "high"]].to_numpy(),
                hovertemplate=(
                    "%{y} bids %{x}: %{customdata[0]:,} of %{customdata[1]:,}"
                    "<br>95 %: %{customdata[2]:.1%} to %{customdata[3]:.1%}<extra></extra>"
                ),
                showlegend=False,
            )
        )
    if made in columns:
        figure.add_vline(x=columns.index(made), line={"color": QUIET, "dash": "dot"})
    return figure.update_layout(
        height=70 + 42 * len(names),
        margin=MARGIN,
        xaxis={
            "title": "bid",
            "type": "category",
            "categoryorder": "array",
            "categoryarray": columns,
            "range": [-0.6, max(4, len(columns)) - 0.4],
        },
        yaxis={"autorange": "reversed", "type": "category"},
    )


def _share_text(share: float) -> str:
    if share == 1:
        return ""
    return "<1%" if share < 0.01 else f"{share:.0%}"


def plot_parts(parts: pd.DataFrame, *, regular: int) -> go.Figure:
    """The regular bid card by card: a bar a card from where the one above it ended."""
    labels = [_step_label(row) for row in parts.itertuples()]
    figure = go.Figure()
    for role, (color, pattern) in ROLES.items():
        mine = (parts["role"] == role).tolist()
        rows = parts[mine]
        figure.add_trace(
            go.Bar(
                y=[label for label, is_mine in zip(labels, mine, strict=True) if is_mine],
                x=rows["tricks"],
                base=rows["start"],
                orientation="h",
                name=role,
                marker={"color": color, "pattern": {"shape": pattern, "solidity": 0.25}},
                text=[f"{tricks:+.2f}" for tricks in rows["tricks"]],
                textposition="outside",
                cliponaxis=False,
                customdata=rows[["end"]].to_numpy(),
                hovertemplate="%{y}: %{text} tricks, %{customdata[0]:.2f} so far<extra></extra>",
            )
        )
    figure.add_vline(
        x=regular,
        line={"color": QUIET, "dash": "dot"},
        annotation={"text": f"regular bid {regular}", "font": {"color": QUIET}},
    )
    ends = [*parts["end"], *parts["start"], float(regular)]
    least, most = min(ends), max(ends)
    return figure.update_layout(
        height=130 + 30 * len(parts),
        margin={**MARGIN, "t": 24},
        barmode="overlay",
        bargap=0.25,
        xaxis={
            "title": "tricks",
            "range": [min(0.0, least - 0.1 * (most - least) - 0.15), most + 0.7],
        },
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": labels},
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0},
        showlegend=True,
    )


def _step_label(row: Any) -> str:
    if row.role == "previous bids":
        return row.step
    cut = f" cuts {SUIT_SIGNS[row.cuts]}" if row.cuts else ""
    return f"{pretty(row.step)}{cut}"


def plot_curve(
    curve: pd.DataFrame,
    *,
    point: tuple[float, float],
    interval: Sequence[float] | None,
    needed: float | None,
) -> go.Figure:
    """The success curve with its band, the hand's ``point`` (nil value, chance) on it, and the
    chance ``needed``."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[*curve["value"], *curve["value"][::-1]],
            y=[*curve["high"], *curve["low"][::-1]],
            fill="toself",
            fillcolor=with_alpha(SEARCH, 0.2),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=curve["value"],
            y=curve["p"],
            mode="lines",
            line={"color": SEARCH, "width": 2},
            hovertemplate="nil value %{x:.2f}: %{y:.1%}<extra></extra>",
            showlegend=False,
        )
    )
    figure.add_trace(_point_trace(point, interval))
    if needed is not None and 0.0 <= needed <= 1.0:
        figure.add_hline(
            y=needed,
            line={"color": QUIET, "dash": "dot"},
            annotation={"text": f"nil needs {needed:.1%}", "font": {"color": QUIET}},
        )
    return figure.update_layout(
        height=300,
        margin={**MARGIN, "t": 16},
        xaxis={"title": "nil value of the hand", "range": [-0.02, 1.02]},
        yaxis={"title": "chance of the nil", "tickformat": ".0%", "range": [-0.02, 1.05]},
    )


def _point_trace(point: tuple[float, float], interval: Sequence[float] | None) -> go.Scatter:
    value, chance = point
    low, high = interval or (chance, chance)
    return go.Scatter(
        x=[value],
        y=[chance],
        mode="markers+text",
        text=[f"{chance:.1%}"],
        textposition="bottom right" if value < 0.75 else "bottom left",
        marker={"size": 12, "color": HUMAN, "symbol": "diamond"},
        error_y={
            "type": "data", "symmetric": False, "array": [high - chance],
            "arrayminus": [chance - low],
        },
        hovertemplate=(
            f"this hand: nil value {value:.3f}<br>{chance:.1%}, 95 % {low:.1%} to {high:.1%}"
            "<extra></extra>"
        ),
        showlegend=False,
    )  # fmt: skip


def plot_suits(suits: pd.DataFrame) -> go.Figure:
    """Chance by suit that no card of it sets the nil."""
    figure = go.Figure(
        go.Bar(
            x=suits["p"],
            y=[SUIT_SIGNS[suit] for suit in suits["suit"]],
            orientation="h",
            marker={"color": SEARCH},
            text=[f"{p:.1%}" for p in suits["p"]],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        )
    )
    return figure.update_layout(
        height=190,
        margin=MARGIN,
        xaxis={"title": "the suit doesn't set the nil", "tickformat": ".0%", "range": [0, 1.18],
               "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        yaxis={"autorange": "reversed", "tickfont": {"size": 16}},
    )  # fmt: skip
