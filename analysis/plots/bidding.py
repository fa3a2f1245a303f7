"""One hand's bids as figures: each bidder's bid, and the parts of BIS's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.plots import template as t

BIDDER_LABELS = {
    "bis": "BIS",
    "rb": "RB, rule-based",
    "ms": "MS, Master Spades",
    "io": "IO, cardgames.io",
    "kb": "KB, Whitehouse 2013",
    "human": "Simulated human",
}
_COLORS = dict(
    zip(("bis", "human", "rb", "ms", "io", "kb"), (t.SEARCH, t.HUMAN, *t.CYCLE[2:]), strict=True)
)
ROLES: dict[str, tuple[str, str]] = {
    "high card": (t.HUMAN, ""),
    "long spade": (t.CYCLE[5], "/"),
    "cut": (t.SEARCH, "x"),
    "previous bids": (t.QUIET, "."),
}
"""Colour and pattern of each role, so that no role is known by colour alone."""
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
LARGEST_BUBBLE = 30.0
_DOWN = {"autorange": "reversed"}


def bidder_label(name: str) -> str:
    """What tables and charts call a bidder."""
    return BIDDER_LABELS.get(name, t.plain(name))


def color_of_bidder(name: str) -> str:
    """BIS, the simulated human and the others by colour; the same in every figure of the page."""
    return _COLORS.get(name.partition(":")[0], t.QUIET)


def plot_bids(bids: pd.DataFrame, *, made: str | None = None) -> go.Figure:
    """A bubble a bid that a bidder makes, its area the share of times; ``made``: the bid made."""
    names = list(dict.fromkeys(bids["bidder"]))
    columns = bids.sort_values("bid").drop_duplicates("name")["name"].tolist()
    figure = t.figure_of(
        [_bubbles(bids[bids["bidder"] == name], name) for name in names],
        height=70 + 42 * len(names),
        x=t.category_axis(columns, title="bid", range=[-0.6, max(4, len(columns)) - 0.4]),
        y={**_DOWN, "type": "category"},
    )
    if made in columns:
        t.mark_x(figure, columns.index(made))
    return figure


def _bubbles(mine: pd.DataFrame, name: str) -> go.Scatter:
    sizes = (LARGEST_BUBBLE * mine["share"] ** 0.5).tolist()
    return t.dots(
        mine["name"],
        [bidder_label(name)] * len(mine),
        "%{y} bids %{x}: %{customdata[0]:,} of %{customdata[1]:,}"
        "<br>95 %: %{customdata[2]:.1%} to %{customdata[3]:.1%}",
        data=mine[["count", "n", "low", "high"]].to_numpy(),
        mode="markers+text",
        text=[_share_text(share) for share in mine["share"]],
        textposition="middle right",
        marker={"size": sizes, "color": color_of_bidder(name), "opacity": 0.9},
        showlegend=False,
    )


def _share_text(share: float) -> str:
    if share == 1:
        return ""
    return "<1%" if share < 0.01 else f"{share:.0%}"


def plot_parts(parts: pd.DataFrame, *, regular: int) -> go.Figure:
    """The regular bid card by card: a bar a card from where the one above it ended."""
    parts = parts.assign(label=[_step_label(row) for row in parts.itertuples()])
    ends = [*parts["end"], *parts["start"], float(regular)]
    least, most = min(ends), max(ends)
    reach = [min(0.0, least - 0.1 * (most - least) - 0.15), most + 0.7]
    order = {"categoryorder": "array", "categoryarray": parts["label"].tolist()}
    figure = t.figure_of(
        [_role_bars(parts[parts["role"] == role], role) for role in ROLES],
        height=130 + 30 * len(parts),
        margin=t.MARGIN | {"t": 24},
        barmode="overlay",
        bargap=0.25,
        x={"title": "tricks", "range": reach},
        y={**_DOWN, **order},
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0},
        showlegend=True,
    )
    t.mark_x(figure, regular, f"regular bid {regular}")
    return figure


def _role_bars(rows: pd.DataFrame, role: str) -> go.Bar:
    color, pattern = ROLES[role]
    return go.Bar(
        y=rows["label"].tolist(),
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
    x = curve["value"]
    line = t.dots(
        x,
        curve["p"],
        "nil value %{x:.2f}: %{y:.1%}",
        mode="lines",
        line={"color": t.SEARCH, "width": 2},
        showlegend=False,
    )
    around = t.band(x, curve["low"], curve["high"], t.with_alpha(t.SEARCH, 0.2))
    figure = t.figure_of(
        [around, line, _hand(point, interval or (point[1], point[1]))],
        height=300,
        margin=t.MARGIN | {"t": 16},
        x={"title": "nil value of the hand", "range": [-0.02, 1.02]},
        y=t.shares("chance of the nil", range=[-0.02, 1.05]),
    )
    if needed is not None and 0.0 <= needed <= 1.0:
        t.mark_y(figure, needed, f"nil needs {needed:.1%}")
    return figure


def _hand(point: tuple[float, float], interval: Sequence[float]) -> go.Scatter:
    (value, chance), (low, high) = point, interval
    return t.dots(
        [value],
        [chance],
        f"this hand: nil value {value:.3f}<br>{chance:.1%}, 95 % {low:.1%} to {high:.1%}",
        mode="markers+text",
        text=[f"{chance:.1%}"],
        textposition="bottom right" if value < 0.75 else "bottom left",
        marker={"size": 12, "color": t.HUMAN, "symbol": "diamond"},
        error_y=t.whiskers([chance], [low], [high]),
        showlegend=False,
    )


def plot_suits(suits: pd.DataFrame) -> go.Figure:
    """Chance by suit that no card of it sets the nil."""
    bars = go.Bar(
        x=suits["p"],
        y=[SUIT_SIGNS[suit] for suit in suits["suit"]],
        orientation="h",
        marker={"color": t.SEARCH},
        text=[f"{p:.1%}" for p in suits["p"]],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.1%}<extra></extra>",
    )
    ticks = {"range": [0, 1.18], "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    x, y = t.shares("the suit doesn't set the nil", **ticks), {**_DOWN, "tickfont": {"size": 16}}
    return t.figure_of([bars], height=190, x=x, y=y)
