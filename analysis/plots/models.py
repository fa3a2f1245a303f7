"""Human models: comparison, calibration, confusion, weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots import template as t

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
    low, value, high = (rows[measure + end] for end in ("_low", "", "_high"))
    ours = t.dots(
        value,
        rows["model"].map(labels).tolist(),
        "%{y}: %{x:.4f}, %{customdata[0]:,} decisions",
        data=rows[["decisions"]],
        name="ours, simulated humans",
        marker={"color": t.HUMAN, "size": 9},
        error_x=t.whiskers(value, low, high, thickness=1.5),
    )
    known = rows.dropna(subset=["published"])
    published = t.dots(
        known["published"],
        known["model"].map(labels).tolist(),
        "%{y}: %{x:.1%}, Baier 2018",
        name="published, real humans",
        marker={"symbol": "diamond-open", "color": t.SEARCH, "size": 9},
    )
    is_published = measure == "accuracy"
    x = {"title": MEASURES[measure], "tickformat": ".0%" if is_share else None}
    layout: t.Options = {"height": 90 + 26 * len(rows), "margin": t.margin(24)}
    traces = [ours, published] if is_published else [ours]
    figure = t.figure_of(traces, x=x, y={"dtick": 1}, legend=t.LEGEND_ABOVE, **layout)
    if is_published and ceiling:
        t.mark_x(figure, ceiling, "ceiling")
    return figure


def plot_reliability(bins: Sequence[Mapping[str, Any]]) -> go.Figure:
    """How often the model's likeliest card is played, by how sure the model is of it."""
    rates = [row["accuracy"] for row in bins]
    points = t.dots(
        [row["confidence"] for row in bins],
        rates,
        "sure to %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}",
        data=[[row["n"]] for row in bins],
        mode="lines+markers",
        name="this model",
        line={"color": t.HUMAN},
        error_y=t.whiskers(rates, *zip(*(row["interval"] for row in bins), strict=True)),
    )
    x, y = t.shares("probability of its likeliest card"), t.shares("how often that was played")
    traces = [t.diagonal(name="calibrated"), points]
    return t.figure_of(traces, height=380, x=x, y=y, legend=t.LEGEND_ABOVE)


def plot_confusion(table: pd.DataFrame) -> go.Figure:
    """Share of each abstract move's plays in which the model expected each other, by category."""
    sums = table.groupby(["played_category", "expected_category"], sort=False)["n"].sum().unstack()
    played = list(dict.fromkeys(table["played_category"]))
    counts = sums.loc[played, played].to_numpy().tolist()
    parts = [[n / max(1, sum(row)) for n in row] for row in counts]
    cells = t.heat_map(
        played,
        played,
        parts,
        gap=0,
        customdata=counts,
        text=[[f"{value:.0%}" if value >= 0.005 else "" for value in row] for row in parts],
        texttemplate="%{text}",
        colorscale="Blues",
        zmin=0,
        zmax=1,
        hoverinfo=None,
        hovertemplate="played %{y}, expected %{x}: %{z:.1%} (%{customdata:,})<extra></extra>",
    )
    y = {"title": "played", "autorange": "reversed"}
    return t.figure_of([cells], height=420, x={"title": "expected by the model"}, y=y)


def plot_weights(features: pd.DataFrame) -> go.Figure:
    """Weights of a log-linear model, the largest on top; below zero in the second colour."""
    rows = features.sort_values("weight")
    colors = [t.HUMAN if weight >= 0 else t.SEARCH for weight in rows["weight"]]
    hover = "%{y}: %{x:+.2f}"
    bars = t.bars(rows["weight"], rows["feature"], hover, colors, orientation="h")
    return t.figure_of([bars], height=860, x={"title": "weight (nats)"}, y={"dtick": 1})
