"""Weights of a log-linear model as bars. Draws, computes nothing."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.palette import HUMAN, SEARCH


def plot_weights(features: pd.DataFrame) -> go.Figure:
    """Horizontal bars, largest weight on top; below zero in the second colour."""
    rows = features.sort_values("weight")
    figure = go.Figure(
        go.Bar(
            x=rows["weight"],
            y=rows["feature"],
            orientation="h",
            marker={"color": [HUMAN if weight >= 0 else SEARCH for weight in rows["weight"]]},
            hovertemplate="%{y}: %{x:+.2f}<extra></extra>",
        )
    )
    figure.update_layout(
        height=860,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "weight (nats)"},
        yaxis={"dtick": 1},
    )
    return figure
