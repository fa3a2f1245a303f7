"""Candidates' values in sampled deals: over all of them, and in one. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.decisions.sampled_deals import CandidateValue
from analysis.plots.palette import CYCLE, QUIET, SEARCH


def plot_candidates(
    rows: Sequence[CandidateValue],
    *,
    labels: Mapping[str, str],
    here: Mapping[str, float] | None = None,
    deal: int = 0,
) -> go.Figure:
    """Mean over the deals with its 95 % interval, a dot a card; diamonds: values in one deal.

    ``labels``: what the axis calls each card; ``here``: value by card in deal ``deal``.
    """
    names = [labels[row.card] for row in rows]
    figure = go.Figure(_means(rows, names))
    if here is not None:
        figure.add_trace(
            go.Scatter(
                x=[here[row.card] for row in rows],
                y=names,
                mode="markers",
                name=f"in deal {deal:,}",
                marker={"color": CYCLE[1], "size": 9, "symbol": "diamond-open"},
                hovertemplate=f"%{{y}} in deal {deal:,}: %{{x:+.1f}} points<extra></extra>",
            )
        )
    return figure.update_layout(
        height=120 + 26 * len(rows),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "points for the mover's partnership"},
        yaxis={"autorange": "reversed", "automargin": True},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        showlegend=True,
    )


def _means(rows: Sequence[CandidateValue], names: Sequence[str]) -> go.Scatter:
    return go.Scatter(
        x=[row.mean for row in rows],
        y=names,
        mode="markers",
        name=f"mean of {rows[0].n:,} deals",
        marker={"color": SEARCH, "size": 10},
        error_x={
            "type": "data",
            "array": [row.interval[1] - row.mean for row in rows],
            "thickness": 1.6,
            "width": 5,
            "color": QUIET,
        },
        customdata=[(*row.interval, row.best_in, row.n) for row in rows],
        hovertemplate=(
            "%{y}: %{x:+.1f} points<br>95 %: %{customdata[0]:+.1f} to %{customdata[1]:+.1f}"
            "<br>best in %{customdata[2]:,} of %{customdata[3]:,} deals<extra></extra>"
        ),
    )


def card_names(cards: Sequence[str], *, played: str | None, chosen: str) -> dict[str, str]:
    """A card's name on the axis, the one played and the search's choice marked."""
    return {
        card: " ".join(
            [pretty(card), *["● played"] * (card == played), *["◆ search"] * (card == chosen)]
        )
        for card in cards
    }
