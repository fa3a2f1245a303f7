"""Decision stability as bars: the share of searches that each card wins. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.decisions.stability import CardStability
from analysis.plots.palette import HUMAN, QUIET, SEARCH

PLAYED_MARK, HUMAN_MARK, CHOICE_MARK = "● played", "▲ likeliest human", "★ table's choice"


def plot_stability(
    rows: Sequence[CardStability],
    *,
    played: str | None,
    likely: str,
    human: Mapping[str, float],
    choice: str = "",
) -> go.Figure:
    """A bar a card with Clopper and Pearson's interval; triangles are human probabilities.

    ``played``, ``likely`` and ``choice``: the card played, the human's likeliest and the one that
    the decision table's search chose, marked by their names.
    """
    labels = [card_label(row.card, played=played, likely=likely, choice=choice) for row in rows]
    figure = go.Figure()
    figure.add_trace(_bars(rows, labels))
    figure.add_trace(
        go.Scatter(
            y=labels,
            x=[human[row.card] for row in rows],
            mode="markers",
            name="human probability",
            marker={"symbol": "triangle-up", "size": 10, "color": HUMAN},
            hovertemplate="%{y}: a human plays it with %{x:.1%}<extra></extra>",
        )
    )
    figure.update_layout(
        height=110 + 26 * len(rows),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        bargap=0.35,
        xaxis={"title": "share of searches", "tickformat": ".0%", "range": [0, 1.01]},
        yaxis={"autorange": "reversed", "automargin": True},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
    return figure


def _bars(rows: Sequence[CardStability], labels: Sequence[str]) -> go.Bar:
    return go.Bar(
        y=labels,
        x=[row.share for row in rows],
        orientation="h",
        name="wins the search",
        marker={"color": SEARCH},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [row.interval[1] - row.share for row in rows],
            "arrayminus": [row.share - row.interval[0] for row in rows],
            "thickness": 1.4,
            "width": 4,
            "color": QUIET,
        },
        customdata=[(f"{row.wins:,} of {row.n:,}", *row.interval, row.mean_visits) for row in rows],
        hovertemplate=(
            "%{y}: wins %{customdata[0]} searches, %{x:.1%}<br>95 %: %{customdata[1]:.1%} to "
            "%{customdata[2]:.1%}<br>mean share of visits %{customdata[3]:.1%}<extra></extra>"
        ),
    )


def card_label(card: str, *, played: str | None, likely: str, choice: str = "") -> str:
    """A card's name with its marks, as the axis has it."""
    marked = {PLAYED_MARK: played, HUMAN_MARK: likely, CHOICE_MARK: choice}
    marks = [mark for mark, one in marked.items() if one == card]
    return f"{pretty(card)}  {' '.join(marks)}".strip()
