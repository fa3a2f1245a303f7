"""Disagreements of a log: how far search and humans differ, how often in which way."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from analysis.disagreements.found import AGREED, CLASS_LABELS, FINDS, OTHER, STYLE, TRAP
from analysis.plots import template as t

COLORS = {FINDS: t.SEARCH, TRAP: t.CYCLE[4], STYLE: t.HUMAN, OTHER: t.CYCLE[3], AGREED: t.QUIET}
PATTERNS = {FINDS: "", TRAP: "/", STYLE: ".", OTHER: "x", AGREED: ""}
KIND_TITLES = {"class": "Class", "lens": "Lens"}


def plot_histogram(bars: pd.DataFrame) -> go.Figure:
    """Share of decisions by divergence, stacked by class; whiskers: the interval of each bar."""
    bars = bars.assign(middle=(bars["from"] + bars["to"]) / 2, total=max(1, int(bars["n"].sum())))
    used = bars.loc[bars["n"] > 0, "to"]
    x = {"title": "divergence, bits", "range": [0, float(used.max()) if len(used) else 1.0]}
    y = t.shares("share of decisions", rangemode="tozero")
    legend = {"orientation": "h", "y": -0.25, "traceorder": "normal"}
    traces = [*(_class_bars(bars, name) for name in COLORS), _whole(bars)]
    return t.figure_of(traces, height=380, x=x, y=y, legend=legend, barmode="stack")


def _class_bars(bars: pd.DataFrame, name: str) -> go.Bar:
    bars = bars.assign(count=bars[f"n_{name}"])
    pattern = {"shape": PATTERNS[name], "solidity": 0.2, "fillmode": "overlay"}
    return t.bars(
        bars["middle"],
        bars["count"] / bars["total"],
        "%{customdata[0]:.2f} to %{customdata[1]:.2f} bits: %{y:.1%}<br>"
        "%{customdata[2]:,} of %{customdata[3]:,} decisions<extra>%{fullData.name}</extra>",
        t.with_alpha(COLORS[name], 0.8),
        data=bars[["from", "to", "count", "total"]],
        look={"pattern": pattern},
        width=0.9 * (bars["to"] - bars["from"]),
        name=CLASS_LABELS[name],
    )


def _whole(bars: pd.DataFrame) -> go.Scatter:
    ends = bars["share"], bars["low"], bars["high"]
    return t.dots(
        bars["middle"],
        bars["share"].where(bars["n"] > 0),
        "all: %{y:.1%}, 95 % %{customdata[1]:.1%} to %{customdata[2]:.1%}<br>"
        "%{customdata[0]:,} decisions",
        data=bars[["n", "low", "high"]],
        name="all, with 95 % interval over rounds",
        marker={"size": 4, "color": t.QUIET},
        error_y=t.whiskers(*ends, color=t.QUIET, thickness=1.5, width=3),
    )


def plot_shares(rows: pd.DataFrame, kind: str) -> go.Figure:
    """Share of decisions of each class, or that each lens finds, with its interval."""
    mine = rows[rows["kind"] == kind].iloc[::-1]
    ends = mine["share"], mine["low"], mine["high"]
    columns = ["n", "of", "low", "high", "rounds", "of_rounds", "round_low", "round_high"]
    points = t.dots(
        mine["share"],
        [_wrapped(label) for label in mine["label"]],
        "%{customdata[0]:,} of %{customdata[1]:,} decisions: %{x:.2%}<br>"
        "95 % %{customdata[2]:.2%} to %{customdata[3]:.2%} (bootstrap over rounds)<br>"
        "in %{customdata[4]:,} of %{customdata[5]:,} rounds, 95 % %{customdata[6]:.1%} to "
        "%{customdata[7]:.1%} (Clopper–Pearson)",
        data=mine[columns],
        cliponaxis=False,
        marker={"size": 11, "color": [COLORS.get(name, t.HUMAN) for name in mine["name"]]},
        error_x=t.whiskers(*ends, thickness=2, width=6, color=t.QUIET),
        **t.written([f"{n:,}" for n in mine["n"]], "top center"),
    )
    x = {"title": "share of decisions", "tickformat": ".1~%", "rangemode": "tozero"}
    y = {"type": "category", "automargin": True, "range": [-0.5, len(mine) - 0.3]}
    layout: t.Options = {"height": 90 + 42 * len(mine), "margin": t.margin(20)}
    return t.figure_of([points], x=x, y=y, showlegend=False, **layout)


def _wrapped(label: str) -> str:
    """A long label on two lines."""
    words, half = label.split(), len(label) / 2
    if len(label) < 26:
        return label
    cut = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - half))
    return " ".join(words[:cut]) + "<br>" + " ".join(words[cut:])
