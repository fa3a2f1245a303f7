"""Charts of human models: comparison, calibration, confusion. They draw, they compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.palette import HUMAN, QUIET, SEARCH

MEASURES = {
    "share_of_ceiling": "share of the accuracy ceiling",
    "accuracy": "accuracy on cards",
    "log_loss": "log-loss (nats)",
    "kl_to_truth": "KL from the true probabilities (nats)",
}


def plot_comparison(
    table: pd.DataFrame, measure: str, labels: Mapping[str, str], *, ceiling: float | None = None
) -> go.Figure:
    """A point a model with its interval, the best on top; published accuracies as diamonds."""
    is_share = measure in ("share_of_ceiling", "accuracy")
    rows = table.dropna(subset=[measure]).sort_values(measure, ascending=is_share)
    names = [labels[name] for name in rows["model"]]
    figure = go.Figure(
        go.Scatter(
            x=rows[measure],
            y=names,
            mode="markers",
            name="ours, simulated humans",
            marker={"color": HUMAN, "size": 9},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (rows[f"{measure}_high"] - rows[measure]).fillna(0),
                "arrayminus": (rows[measure] - rows[f"{measure}_low"]).fillna(0),
                "thickness": 1.5,
            },
            customdata=rows[["decisions"]],
            hovertemplate="%{y}: %{x:.4f}, %{customdata[0]:,} decisions<extra></extra>",
        )
    )
    if measure == "accuracy":
        known = rows.dropna(subset=["published"])
        figure.add_scatter(
            x=known["published"],
            y=[labels[name] for name in known["model"]],
            mode="markers",
            name="published, real humans",
            marker={"symbol": "diamond-open", "color": SEARCH, "size": 9},
            hovertemplate="%{y}: %{x:.1%}, Baier 2018<extra></extra>",
        )
        if ceiling:
            figure.add_vline(
                x=ceiling, line={"color": QUIET, "dash": "dot"}, annotation_text="ceiling"
            )
    figure.update_layout(
        height=90 + 26 * len(rows),
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={"title": MEASURES[measure], "tickformat": ".0%" if is_share else None},
        yaxis={"dtick": 1},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )
    return figure


def plot_reliability(bins: Sequence[Mapping[str, Any]]) -> go.Figure:
    """How often the model's likeliest card is played, by how sure the model is of it."""
    x = [row["confidence"] for row in bins]
    y = [row["accuracy"] for row in bins]
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": QUIET, "dash": "dot"}, name="calibrated"
    )
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name="this model",
        line={"color": HUMAN},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [row["interval"][1] - row["accuracy"] for row in bins],
            "arrayminus": [row["accuracy"] - row["interval"][0] for row in bins],
        },
        customdata=[[row["n"]] for row in bins],
        hovertemplate="sure to %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}<extra></extra>",
    )
    figure.update_layout(
        height=380,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "probability of its likeliest card", "tickformat": ".0%"},
        yaxis={"title": "how often that was played", "tickformat": ".0%"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )
    return figure


def plot_confusion(table: pd.DataFrame) -> go.Figure:
    """Share of each abstract move's plays in which the model expected each other, by category."""
    played = list(dict.fromkeys(table["played_category"]))
    sums = table.groupby(["played_category", "expected_category"], sort=False)["n"].sum()
    counts = [[int(sums[(row, column)]) for column in played] for row in played]
    shares = [[n / max(1, sum(row)) for n in row] for row in counts]
    figure = go.Figure(
        go.Heatmap(
            z=shares,
            x=played,
            y=played,
            customdata=counts,
            text=[[f"{value:.0%}" if value >= 0.005 else "" for value in row] for row in shares],
            texttemplate="%{text}",
            colorscale="Blues",
            zmin=0,
            zmax=1,
            showscale=False,
            hovertemplate="played %{y}, expected %{x}: %{z:.1%} (%{customdata:,})<extra></extra>",
        )
    )
    figure.update_layout(
        height=420,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "expected by the model"},
        yaxis={"title": "played", "autorange": "reversed"},
    )
    return figure
