"""Figures of persons: the weights of one against the population's."""

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
