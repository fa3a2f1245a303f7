"""Human models: comparison, calibration, confusion, weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.models.tables import YOURS
from analysis.plots import template as t

MEASURES = {
    "share_of_ceiling": "share of the ceiling",
    "accuracy": "accuracy on cards",
    "log_loss": "log-loss (nats)",
    "kl_to_truth": "KL from the true probabilities (nats)",
}


def plot_comparison(
    table: pd.DataFrame, measure: str, labels: Mapping[str, str], *, ceiling: float | None = None
) -> go.Figure:
    """A point a model with its interval, the best on top, one's own in green; published accuracies
    as diamonds."""
    is_share = measure in ("share_of_ceiling", "accuracy")
    rows = table.dropna(subset=[measure]).sort_values(measure, ascending=is_share)
    names = rows["model"].map(labels).tolist()
    hover = "%{y}: %{x:.4f}, %{customdata[0]:,} decisions"
    colors = [t.CYCLE[2] if name.endswith(YOURS) else t.HUMAN for name in rows["model"]]
    look: t.Options = {"marker": {"color": colors, "size": 9}, "name": "ours, simulated humans"}
    look["bar"] = {"thickness": 1.5, "color": t.QUIET}
    ours = t.estimates(rows, measure, names, hover, ["decisions"], **look)
    known = rows.dropna(subset=["published"])
    names, hover = known["model"].map(labels).tolist(), "%{y}: %{x:.1%}, Baier 2018"
    marker = {"symbol": "diamond-open", "color": t.SEARCH, "size": 9}
    look = {"marker": marker, "name": "published, real humans"}
    published = t.dots(known["published"], names, hover, **look)
    is_published = measure == "accuracy"
    x = {"title": MEASURES[measure], "tickformat": ".0%" if is_share else None}
    layout: t.Options = {"height": 90 + 26 * len(rows), "margin": t.margin(24)}
    traces = [ours, published] if is_published else [ours]
    figure = t.figure_of(traces, x=x, y={"dtick": 1}, legend=t.LEGEND_ABOVE, **layout)
    if is_published and ceiling:
        t.mark_x(figure, ceiling, "ceiling")
    return figure


CALIBRATIONS = {
    "model": ("probability of its likeliest card", "how often that was played",
              "sure to %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}", (t.HUMAN,)),
    "winning": ("chance said before a round", "share won", "said %{x:.0%}: won %{y:.1%} of "
                "%{customdata[0]:,} rounds' games", (t.SEARCH, t.HUMAN)),
    "odds": ("chance stated of the likeliest", "how often it was the one",
             "stated %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}", (t.HUMAN, t.SEARCH)),
}  # fmt: skip
"""What was stated how likely: titles of x and y, what a hover tells, colours."""


def plot_reliability(kind: str, bins: Mapping[str, Sequence[Mapping[str, Any]]]) -> go.Figure:
    """How often what was stated came true, by the chance stated; ``bins`` by who or what stated
    it, ``kind`` of ``CALIBRATIONS``."""
    *titles, hover, colors = CALIBRATIONS[kind]
    traces = [t.diagonal(name="calibrated")]
    for (name, found), color in zip(bins.items(), colors, strict=False):
        rows = pd.DataFrame(found)
        rows[["low", "high"]] = rows.pop("interval").tolist()
        look: t.Options = {"along": "y", "mode": "lines+markers", "line": {"color": color}}
        look["name"] = name
        traces.append(t.estimates(rows, "accuracy", rows["confidence"], hover, ["n"], **look))
    x, y = map(t.shares, titles)
    return t.figure_of(traces, height=380, x=x, y=y, legend=t.LEGEND_ABOVE)


def plot_confusion(table: pd.DataFrame) -> go.Figure:
    """Share of each abstract move's plays in which the model expected each other, by category."""
    sums = table.groupby(["played_category", "expected_category"], sort=False)["n"].sum().unstack()
    played = list(dict.fromkeys(table["played_category"]))
    counts = sums.loc[played, played].to_numpy().tolist()
    parts = [[n / max(1, sum(row)) for n in row] for row in counts]
    texts = [[f"{value:.0%}" if value >= 0.005 else "" for value in row] for row in parts]
    hover = "played %{y}, expected %{x}: %{z:.1%} (%{customdata:,})<extra></extra>"
    look: t.Options = {"text": texts, "texttemplate": "%{text}", "hovertemplate": hover}
    look |= {"gap": 0, "colorscale": "Blues", "zmin": 0, "zmax": 1, "hoverinfo": None}
    cells = t.heat_map(played, played, parts, customdata=counts, **look)
    y = {"title": "played", "autorange": "reversed"}
    return t.figure_of([cells], height=420, x={"title": "expected by the model"}, y=y)


def plot_weights(features: pd.DataFrame) -> go.Figure:
    """Weights of a log-linear model, the largest on top; below zero in the second colour."""
    rows = features.sort_values("weight")
    colors = [t.HUMAN if weight >= 0 else t.SEARCH for weight in rows["weight"]]
    hover = "%{y}: %{x:+.2f}"
    bars = t.bars(rows["weight"], rows["feature"], hover, colors, orientation="h")
    x, y = {"title": "weight (nats)"}, {"title": "feature", "dtick": 1}
    return t.figure_of([bars], height=860, x=x, y=y)


def plot_losses(history: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Loss of a training by pass over the data, on what it learns from and on games held out; the
    best pass marked."""
    passes, traces = list(range(1, len(history) + 1)), []
    looks = (("loss", "training", t.SEARCH), ("validation_loss", "games held out", t.HUMAN))
    for what, name, color in looks:
        hover = "pass %{x}: %{y:.4f} nats" + t.OF_TRACE
        look = {"mode": "lines+markers", "line": {"color": color}, "name": name}
        traces.append(t.dots(passes, [one[what] for one in history], hover, **look))
    held_out = [one["validation_loss"] for one in history]
    best = held_out.index(min(held_out)) + 1
    x, y = {"title": "passes over the data", "dtick": max(1, len(passes) // 10)}, "loss (nats)"
    layout: t.Options = {"legend": t.LEGEND_ABOVE, "margin": t.margin(24), "showlegend": True}
    figure = t.figure_of(traces, height=320, x=x, y={"title": y}, **layout)
    t.mark_x(figure, best, f"best: pass {best}")
    return figure
