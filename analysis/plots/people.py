"""Figures of persons: weights against the population's, who played, like which search."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots import template as t

LONGEST = 24


def plot_person(weights: pd.DataFrame) -> go.Figure:
    """Weights with 95% intervals, those furthest from the population's on top; the population's as
    diamonds. ``weights``: as ``analysis.people.unusual`` compares them."""
    rows = weights.head(LONGEST).iloc[::-1]
    names = rows["feature"]
    traces = []
    for is_unusual, color, name in ((False, t.QUIET, "as others"), (True, t.HUMAN, "unusual")):
        part = rows[rows["is_unusual"] == is_unusual]
        look: t.Options = {"mode": "markers", "marker": {"color": color, "size": 8}, "name": name}
        hover = "%{y}: %{x:+.2f} (95%: %{customdata[0]:+.2f} to %{customdata[1]:+.2f})"
        traces.append(t.estimates(part, "weight", part["feature"], hover, ["low", "high"], **look))
    marker = {"symbol": "diamond-open", "color": t.SEARCH, "size": 9}
    hover = "%{y}: %{x:+.2f} in the population"
    traces.append(t.dots(rows["population"], names, hover, marker=marker, name="population"))
    y = {"dtick": 1, "categoryorder": "array", "categoryarray": names.tolist()}
    layout: t.Options = {"height": 90 + 24 * len(rows), "margin": t.margin(24)}
    x = {"title": "weight (nats)"}
    return t.figure_of(traces, x=x, y=y, legend=t.LEGEND_ABOVE, showlegend=True, **layout)


def plot_running(running: Sequence[float], first: str, second: str) -> go.Figure:
    """The log-likelihood ratio of the first model to the second after each choice, nats."""
    at, hover = list(range(1, len(running) + 1)), "after %{x:,} choices: %{y:+.2f} nats"
    line = t.dots(at, running, hover, mode="lines", line={"color": t.HUMAN})
    x, y = {"title": "choices"}, {"title": "log-likelihood ratio (nats)"}
    figure = t.figure_of([line], height=340, x=x, y=y, margin=t.margin(24))
    t.mark_y(figure, 0)
    t.label_above(figure, 0, f"up: {t.plain(first)}; down: {t.plain(second)}", xanchor="left")
    return figure


def plot_like(rows: Sequence[Mapping[str, Any]], name: str, title: str, human: float) -> go.Figure:
    """Nats a choice by a setting, the best marked; ``human``: those of the simulated human."""
    table = pd.DataFrame(rows)
    table[["low", "high"]] = [row["interval"] or (None, None) for row in rows]
    texts = [f"{value:,g}" for value in table[name]]
    hover = "%{x}: %{y:.4f} nats, power %{customdata[0]:.2f}"
    look: t.Options = {"along": "y", "mode": "lines+markers", "line": {"color": t.SEARCH}}
    line = t.estimates(table, "loss", texts, hover, ["power"], **look)
    x, y = t.category_axis(texts, title=title), {"title": "nats a choice (less is better)"}
    figure = t.figure_of([line], height=360, x=x, y=y, margin=t.margin(24))
    t.mark_x(figure, int(table["loss"].argmin()), "best")
    t.mark_y(figure, human, "simulated human", corner="bottom right")
    return figure


def plot_axis(rows: pd.DataFrame, own: str) -> go.Figure:
    """The iterations that predict each player best, ``own`` in blue."""
    rows = rows.sort_values("iterations", ascending=False)
    colors = [t.HUMAN if name == own else t.SEARCH for name in rows["player"]]
    hover = "%{y}: like %{x:,} iterations, " + t.between(0, ",.0f")
    look: t.Options = {"marker": {"color": colors, "size": 9}, "bar": {"color": t.QUIET}}
    names = [t.plain(name) for name in rows["player"]]
    points = t.estimates(rows, "iterations", names, hover, ["low", "high"], **look)
    x = {"title": "iterations", "type": "log", "tickformat": ",.0f"}
    y = {"type": "category", "automargin": True}
    return t.figure_of([points], height=110 + 26 * len(rows), x=x, y=y)
