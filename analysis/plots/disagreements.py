"""Disagreements of a log as figures: how far search and humans part, how often in which way."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from analysis.disagreements.found import AGREED, CLASS_LABELS, FINDS, OTHER, STYLE, TRAP
from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.plots.style import MARGIN

COLORS = {FINDS: SEARCH, TRAP: CYCLE[4], STYLE: HUMAN, OTHER: CYCLE[3], AGREED: QUIET}
PATTERNS = {FINDS: "", TRAP: "/", STYLE: ".", OTHER: "x", AGREED: ""}
KIND_TITLES = {"class": "Class", "lens": "Lens"}


def plot_histogram(bars: pd.DataFrame) -> go.Figure:
    """Share of decisions by divergence, stacked by class; whiskers: the interval of each bar."""
    figure = go.Figure()
    total = max(1, int(bars["n"].sum()))
    middle = (bars["from"] + bars["to"]) / 2
    for name, color in COLORS.items():
        n = bars[f"n_{name}"]
        figure.add_trace(
            go.Bar(
                x=middle,
                y=n / total,
                width=0.9 * (bars["to"] - bars["from"]),
                name=CLASS_LABELS[name],
                marker={
                    "color": with_alpha(color, 0.8),
                    "pattern": {
                        "shape": PATTERNS[name],
                        "solidity": 0.2,
                        "fillmode": "overlay",
                    },
                },
                customdata=bars.assign(count=n, total=total)[["from", "to", "count", "total"]],
                hovertemplate=(
                    "%{customdata[0]:.2f} to %{customdata[1]:.2f} bits: %{y:.1%}<br>"
                    "%{customdata[2]:,} of %{customdata[3]:,} decisions"
                    "<extra>%{fullData.name}</extra>"
                ),
            )
        )
    figure.add_trace(_whiskers(bars, middle))
    return figure.update_layout(
        barmode="stack",
        height=380,
        margin=MARGIN,
        legend={"orientation": "h", "y": -0.25, "traceorder": "normal"},
        xaxis={"title": "divergence, bits", "range": [0, _reach(bars)]},
        yaxis={"title": "share of decisions", "tickformat": ".0%", "rangemode": "tozero"},
    )


def _reach(bars: pd.DataFrame) -> float:
    """To the right of the last bar that has anything in it."""
    used = bars.loc[bars["n"] > 0, "to"]
    return float(used.max()) if len(used) else 1.0


def _whiskers(bars: pd.DataFrame, middle: pd.Series) -> go.Scatter:
    return go.Scatter(
        x=middle,
        y=bars["share"].where(bars["n"] > 0),
        mode="markers",
        name="all, with 95 % interval over rounds",
        marker={"size": 4, "color": QUIET},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": bars["high"] - bars["share"],
            "arrayminus": bars["share"] - bars["low"],
            "color": QUIET,
            "thickness": 1.5,
            "width": 3,
        },
        customdata=bars[["n", "low", "high"]],
        hovertemplate=(
            "all: %{y:.1%}, 95 % %{customdata[1]:.1%} to %{customdata[2]:.1%}<br>"
            "%{customdata[0]:,} decisions<extra></extra>"
        ),
    )


def plot_shares(rows: pd.DataFrame, kind: str) -> go.Figure:
    """Share of decisions of each class, or that each lens finds, with its interval."""
    mine = rows[rows["kind"] == kind].iloc[::-1]
    labels = [_wrapped(label) for label in mine["label"]]
    colors = [COLORS.get(name, HUMAN) for name in mine["name"]]
    figure = go.Figure(
        go.Scatter(
            x=mine["share"],
            y=labels,
            mode="markers+text",
            cliponaxis=False,
            text=[f"{n:,}" for n in mine["n"]],
            textposition="top center",
            marker={"size": 11, "color": colors},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": mine["high"] - mine["share"],
                "arrayminus": mine["share"] - mine["low"],
                "thickness": 2,
                "width": 6,
                "color": QUIET,
            },
            customdata=mine[
                ["n", "of", "low", "high", "rounds", "of_rounds", "round_low", "round_high"]
            ],
            hovertemplate=(
                "%{customdata[0]:,} of %{customdata[1]:,} decisions: %{x:.2%}<br>"
                "95 % %{customdata[2]:.2%} to %{customdata[3]:.2%} (bootstrap over rounds)<br>"
                "in %{customdata[4]:,} of %{customdata[5]:,} rounds, 95 % %{customdata[6]:.1%} to "
                "%{customdata[7]:.1%} (Clopper–Pearson)<extra></extra>"
            ),
        )
    )
    return figure.update_layout(
        height=90 + 42 * len(mine),
        margin={**MARGIN, "t": 20},
        showlegend=False,
        xaxis={"title": "share of decisions", "tickformat": ".1~%", "rangemode": "tozero"},
        yaxis={"type": "category", "automargin": True, "range": [-0.5, len(mine) - 0.3]},
    )


def _wrapped(label: str) -> str:
    """A long label on two lines."""
    words, half = label.split(), len(label) / 2
    if len(label) < 26:
        return label
    cut = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - half))
    return " ".join(words[:cut]) + "<br>" + " ".join(words[cut:])
