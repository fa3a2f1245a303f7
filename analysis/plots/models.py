"""Human models: comparison, calibration, confusion, weights."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from analysis.models.tables import YOURS
from analysis.plots.colors import GREEN, GREY, HUMAN, SEARCH, SEQUENTIAL_SCALE
from analysis.plots.labels import label_ends
from analysis.plots.layout import (
    LEGEND_ABOVE,
    add_vertical_line,
    figure_of,
    percent_axis,
    top_margin,
)
from analysis.plots.traces import TRACE_NAME, bars, diagonal, dots, estimates, heat_map

MEASURES = {
    "share_of_ceiling": "share of the ceiling",
    "accuracy": "accuracy on cards",
    "log_loss": "log-loss (nats)",
    "kl_to_truth": "KL from the true probabilities (nats)",
}


def plot_comparison(
    table: pd.DataFrame,
    measure: str,
    labels: Mapping[str, str],
    *,
    ceiling: float | None = None,
) -> go.Figure:
    """Each model with its interval, the best on top, the reader's own in green; published
    accuracies as diamonds."""
    is_share = measure in ("share_of_ceiling", "accuracy")
    rows = table.dropna(subset=[measure]).sort_values(measure, ascending=is_share)
    colors = [GREEN if name.endswith(YOURS) else HUMAN for name in rows["model"]]
    ours = estimates(
        rows,
        measure,
        rows["model"].map(labels).tolist(),
        "%{y}: %{x:.4f}, %{customdata[0]:,} decisions",
        ["decisions"],
        marker={"color": colors, "size": 9},
        name="ours, simulated humans",
        error_bar={"thickness": 1.5, "color": GREY},
    )
    has_published = measure == "accuracy"
    figure = figure_of(
        [ours, _published(rows, labels)] if has_published else [ours],
        shows=f"{MEASURES[measure]} of each human model, best first, with 95% intervals",
        height=90 + 26 * len(rows),
        xaxis={"title": MEASURES[measure], "tickformat": ".0%" if is_share else None},
        yaxis={"dtick": 1},
        legend=LEGEND_ABOVE,
        margin=top_margin(24),
    )
    if has_published and ceiling:
        add_vertical_line(figure, ceiling, "ceiling")
    return figure


def _published(rows: pd.DataFrame, labels: Mapping[str, str]) -> go.Scatter:
    published = rows.dropna(subset=["published"])
    return dots(
        published["published"],
        published["model"].map(labels).tolist(),
        "%{y}: %{x:.1%}, Baier 2018",
        marker={"symbol": "diamond-open", "color": SEARCH, "size": 9},
        name="published, real humans",
    )


class Calibration(NamedTuple):
    """How a reliability diagram of one kind of forecast is labelled."""

    x: str
    y: str
    hover: str
    colors: tuple[str, ...]


CALIBRATIONS = {
    "model": Calibration(
        x="probability of its likeliest card",
        y="how often that was played",
        hover="sure to %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}",
        colors=(HUMAN,),
    ),
    "winning": Calibration(
        x="predicted chance before a round",
        y="share won",
        hover="predicted %{x:.0%}: won %{y:.1%} of %{customdata[0]:,} rounds' games",
        colors=(SEARCH, HUMAN),
    ),
    "odds": Calibration(
        x="stated chance of the likeliest",
        y="how often it was the one",
        hover="stated %{x:.0%}: right in %{y:.1%} of %{customdata[0]:,}",
        colors=(HUMAN, SEARCH),
    ),
}


def plot_reliability(kind: str, bins: Mapping[str, Sequence[Mapping[str, Any]]]) -> go.Figure:
    """Reliability diagram: how often forecasts came true, by their probability. ``bins`` by name of
    the forecaster; ``kind`` of ``CALIBRATIONS``."""
    calibration = CALIBRATIONS[kind]
    traces = [diagonal(name="calibrated")]
    for (name, forecaster_bins), color in zip(bins.items(), calibration.colors, strict=False):
        rows = pd.DataFrame(forecaster_bins)
        rows[["low", "high"]] = rows.pop("interval").tolist()
        line = estimates(
            rows,
            "accuracy",
            rows["confidence"],
            calibration.hover,
            ["n"],
            along="y",
            mode="lines+markers",
            line={"color": color},
            name=name,
        )
        traces.append(line)
    figure = figure_of(
        traces,
        shows="how often forecasts came true, by their probability",
        height=380,
        xaxis=percent_axis(calibration.x),
        yaxis=percent_axis(calibration.y),
        legend=LEGEND_ABOVE,
    )
    return label_ends(figure)


def plot_confusion(table: pd.DataFrame) -> go.Figure:
    """Share of each abstract move's plays in which the model expected each other, by category."""
    sums = table.groupby(["played_category", "expected_category"], sort=False)["n"].sum().unstack()
    categories = list(dict.fromkeys(table["played_category"]))
    counts = sums.loc[categories, categories].to_numpy().tolist()
    shares = [[n / max(1, sum(row)) for n in row] for row in counts]
    cells = heat_map(
        categories,
        categories,
        shares,
        gap=0,
        customdata=counts,
        colorscale=SEQUENTIAL_SCALE,
        zmin=0,
        zmax=1,
        text=[[_cell_text(share) for share in row] for row in shares],
        texttemplate="%{text}",
        hovertemplate="played %{y}, expected %{x}: %{z:.1%} (%{customdata:,})<extra></extra>",
        hoverinfo=None,
    )
    return figure_of(
        [cells],
        shows="share of each kind of play in which the model expected each other",
        height=420,
        xaxis={
            "title": "expected by the model",
            "tickvals": categories,
            "ticktext": [category.replace(" ", "<br>", 1) for category in categories],
        },
        yaxis={"title": "played", "autorange": "reversed"},
    )


def _cell_text(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else ""


def plot_weights(features: pd.DataFrame) -> go.Figure:
    """Weights of a log-linear model, the largest on top; below zero in the second colour."""
    rows = features.sort_values("weight")
    weights = bars(
        rows["weight"],
        rows["feature"],
        "%{y}: %{x:+.2f}",
        color=[HUMAN if weight >= 0 else SEARCH for weight in rows["weight"]],
        orientation="h",
    )
    return figure_of(
        [weights],
        shows="weights of the model's features",
        height=860,
        xaxis={"title": "weight (nats)"},
        yaxis={"dtick": 1},
    )


def plot_losses(history: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Losses of a training by epoch, on the training data and on games held out; the best epoch
    marked."""
    held_out = [epoch["validation_loss"] for epoch in history]
    best = held_out.index(min(held_out)) + 1
    figure = figure_of(
        [
            _loss_line([epoch["loss"] for epoch in history], "training", SEARCH),
            _loss_line(held_out, "games held out", HUMAN),
        ],
        shows=f"losses of the training by epoch; best: epoch {best}",
        height=320,
        xaxis={"title": "epochs", "dtick": max(1, len(history) // 10)},
        yaxis={"title": "loss (nats)"},
        legend=LEGEND_ABOVE,
        margin=top_margin(24),
        showlegend=True,
    )
    add_vertical_line(figure, best, f"best: epoch {best}")
    return label_ends(figure)


def _loss_line(losses: Sequence[float], name: str, color: str) -> go.Scatter:
    return dots(
        list(range(1, len(losses) + 1)),
        losses,
        "epoch %{x}: %{y:.4f} nats" + TRACE_NAME,
        mode="lines+markers",
        line={"color": color},
        name=name,
    )
