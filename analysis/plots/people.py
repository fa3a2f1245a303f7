"""Figures of persons: weights against the population's, who played, like which search."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.colors import GREY, HUMAN, SEARCH
from analysis.plots.layout import (
    LEGEND_ABOVE,
    add_horizontal_line,
    add_label_above,
    add_vertical_line,
    category_axis,
    figure_of,
    percent_axis,
    top_margin,
)
from analysis.plots.traces import dots, estimates, interval_text, without_markup

MAX_FEATURES = 24


def plot_person(weights: pd.DataFrame) -> go.Figure:
    """Weights with 95% intervals, those furthest from the population's on top; the population's as
    diamonds. ``weights``: as ``analysis.people.unusual`` compares them."""
    rows = weights.head(MAX_FEATURES).iloc[::-1]
    population = dots(
        rows["population"],
        rows["feature"],
        "%{y}: %{x:+.2f} in the population",
        marker={"symbol": "diamond-open", "color": SEARCH, "size": 9},
        name="population",
    )
    traces = [
        _weights(rows[~rows["is_unusual"]], GREY, "as others"),
        _weights(rows[rows["is_unusual"]], HUMAN, "unusual"),
        population,
    ]
    return figure_of(
        traces,
        shows="weights of the player's model beside the population's, with 95% intervals",
        height=90 + 24 * len(rows),
        xaxis={"title": "weight (nats)"},
        yaxis={"dtick": 1, "categoryorder": "array", "categoryarray": rows["feature"].tolist()},
        margin=top_margin(24),
        legend=LEGEND_ABOVE,
        showlegend=True,
    )


def _weights(rows: pd.DataFrame, color: str, name: str) -> go.Scatter:
    return estimates(
        rows,
        "weight",
        rows["feature"],
        "%{y}: %{x:+.2f} (95%: %{customdata[0]:+.2f} to %{customdata[1]:+.2f})",
        ["low", "high"],
        mode="markers",
        marker={"color": color, "size": 8},
        name=name,
    )


def plot_running(running: Sequence[float], first: str, second: str) -> go.Figure:
    """The log-likelihood ratio of the first model to the second after each choice, nats."""
    n_choices = list(range(1, len(running) + 1))
    hover = "after %{x:,} choices: %{y:+.2f} nats"
    figure = figure_of(
        [dots(n_choices, running, hover, mode="lines", line={"color": HUMAN})],
        shows=f"log-likelihood ratio of {first} to {second} after each choice",
        height=340,
        xaxis={"title": "choices"},
        yaxis={"title": "log-likelihood ratio (nats)"},
        margin=top_margin(24),
    )
    add_horizontal_line(figure, 0)
    directions = f"up: {without_markup(first)}; down: {without_markup(second)}"
    add_label_above(figure, 0, directions, xanchor="left")
    return figure


def plot_like(rows: Sequence[Mapping[str, Any]], name: str, title: str, human: float) -> go.Figure:
    """Nats a choice by a setting, the best marked; ``human``: those of the simulated human."""
    table = pd.DataFrame(rows)
    table[["low", "high"]] = [row["interval"] or (None, None) for row in rows]
    settings = [f"{value:,g}" for value in table[name]]
    line = estimates(
        table,
        "loss",
        settings,
        "%{x}: %{y:.4f} nats, power %{customdata[0]:.2f}",
        ["power"],
        along="y",
        mode="lines+markers",
        line={"color": SEARCH},
    )
    figure = figure_of(
        [line],
        shows=f"nats a choice by {title}; the simulated human has {human:.3g}",
        height=360,
        xaxis=category_axis(settings, title=title),
        yaxis={"title": "nats a choice (less is better)"},
        margin=top_margin(24),
    )
    add_vertical_line(figure, int(table["loss"].argmin()), "best")
    add_horizontal_line(figure, human, "simulated human", corner="bottom right")
    return figure


def plot_likest_iterations(rows: pd.DataFrame, own: str) -> go.Figure:
    """The iterations that predict each player best, ``own`` in blue."""
    rows = rows.sort_values("iterations", ascending=False)
    points = estimates(
        rows,
        "iterations",
        [without_markup(player) for player in rows["player"]],
        "%{y}: like %{x:,} iterations, " + interval_text(0, ",.0f"),
        ["low", "high"],
        marker={
            "color": [HUMAN if player == own else SEARCH for player in rows["player"]],
            "size": 9,
        },
        error_bar={"color": GREY},
    )
    return figure_of(
        [points],
        shows="iterations of the search that predicts each player best, with 95% intervals",
        height=110 + 26 * len(rows),
        xaxis={"title": "iterations", "type": "log", "tickformat": ",.0f"},
        yaxis={"type": "category", "automargin": True},
    )


def plot_rate(
    parts: pd.DataFrame, cohort: float, *, title: str, cohort_name: str, is_share: bool
) -> go.Figure:
    """A player's rate in parts of their rounds, in order, with 95% intervals; dotted: the
    cohort's."""
    form = ".1%" if is_share else ".2f"
    points = estimates(
        parts,
        "own",
        (parts["first"] + parts["last"]) / 2,
        f"rounds %{{customdata[0]:,}} to %{{customdata[1]:,}}: %{{y:{form}}}<br>"
        f"{interval_text(2, form)}<br>n = %{{customdata[4]:,}}",
        ["first", "last", "own_low", "own_high", "own_n"],
        along="y",
        mode="lines+markers",
        line={"color": HUMAN},
        error_bar={"color": GREY},
    )
    figure = figure_of(
        [points],
        shows=f"{title} over the player's rounds, in order, beside {cohort_name}'s",
        height=300,
        xaxis={"title": "the player's rounds, in the log's order"},
        yaxis=percent_axis(title) if is_share else {"title": title},
        margin=top_margin(24),
    )
    add_horizontal_line(figure, cohort, without_markup(cohort_name))
    return figure
