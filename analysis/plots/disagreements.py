"""Disagreements of a log: how far search and humans differ, how often in which way."""

import pandas as pd
import plotly.graph_objects as go

from analysis.disagreements.judged import AGREED, CLASS_LABELS, FINDS, OTHER, STYLE, TRAP
from analysis.plots import template as t

COLORS = {FINDS: (t.SEARCH, ""), TRAP: (t.CYCLE[4], "/"), STYLE: (t.HUMAN, "."),
          OTHER: (t.CYCLE[3], "x"), AGREED: (t.QUIET, "")}  # fmt: skip
"""Colour and pattern of each class."""


def plot_histogram(bars: pd.DataFrame) -> go.Figure:
    """Share of decisions by divergence, stacked by class; whiskers: the interval of each bar."""
    bars = bars.assign(middle=(bars["from"] + bars["to"]) / 2, total=max(1, int(bars["n"].sum())))
    used = bars.loc[bars["n"] > 0, "to"]
    x = {"title": "divergence, bits", "range": [0, float(used.max()) if len(used) else 1.0]}
    y = t.shares("share of decisions", rangemode="tozero")
    legend = {**t.LEGEND_BELOW, "traceorder": "normal"}
    traces = [*(_class_bars(bars, name) for name in COLORS), _whole(bars)]
    return t.figure_of(traces, height=380, x=x, y=y, legend=legend, barmode="stack")


def _class_bars(bars: pd.DataFrame, name: str) -> go.Bar:
    bars = bars.assign(count=bars[f"n_{name}"])
    color, shape = COLORS[name]
    look: t.Options = {"pattern": {"shape": shape, "solidity": 0.2, "fillmode": "overlay"}}
    hover = (
        "%{customdata[0]:.2f} to %{customdata[1]:.2f} bits: %{y:.1%}<br>"
        "%{customdata[2]:,} of %{customdata[3]:,} decisions" + t.OF_TRACE
    )
    trace = {"look": look, "name": CLASS_LABELS[name], "width": 0.9 * (bars["to"] - bars["from"])}
    trace["data"] = bars[["from", "to", "count", "total"]]
    shares = bars["count"] / bars["total"]
    return t.bars(bars["middle"], shares, hover, t.with_alpha(color, 0.8), **trace)


def _whole(bars: pd.DataFrame) -> go.Scatter:
    hover = (
        "all: %{y:.1%}, 95% %{customdata[1]:.1%} to %{customdata[2]:.1%}<br>"
        "%{customdata[0]:,} decisions"
    )
    look: t.Options = {"bar": {"color": t.QUIET, "thickness": 1.5, "width": 3}, "along": "y"}
    look["marker"] = {"size": 4, "color": t.QUIET}
    look["name"], columns = "all, with 95% interval over rounds", ["n", "low", "high"]
    points = t.estimates(bars, "share", bars["middle"], hover, columns, **look)
    return points.update(y=bars["share"].where(bars["n"] > 0))


def plot_shares(rows: pd.DataFrame, kind: str) -> go.Figure:
    """Share of decisions of each class, or that each lens finds, with its interval."""
    mine = rows[rows["kind"] == kind].iloc[::-1]
    columns = ["n", "of", "low", "high", "rounds", "of_rounds", "round_low", "round_high"]
    hover = (
        "%{customdata[0]:,} of %{customdata[1]:,} decisions: %{x:.1%}<br>"
        "95% %{customdata[2]:.1%} to %{customdata[3]:.1%} (bootstrap over rounds)<br>"
        "in %{customdata[4]:,} of %{customdata[5]:,} rounds, 95% %{customdata[6]:.1%} to "
        "%{customdata[7]:.1%} (Clopper–Pearson)"
    )
    colors = [COLORS.get(name, (t.HUMAN,))[0] for name in mine["name"]]
    look: t.Options = {"marker": {"size": 11, "color": colors}, "cliponaxis": False}
    look |= t.written([f"{n:,}" for n in mine["n"]], "top center")
    look["bar"] = {"thickness": 2, "width": 6, "color": t.QUIET}
    points = t.estimates(mine, "share", [*map(_wrapped, mine["label"])], hover, columns, **look)
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
