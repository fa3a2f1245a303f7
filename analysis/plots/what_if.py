"""Another card's points less those of the card played, with intervals. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from analysis.decisions.what_if import Difference
from analysis.plots.palette import HUMAN, QUIET, SEARCH


def plot_differences(
    rows: Sequence[Difference], reference: str, *, labels: Mapping[str, str]
) -> go.Figure:
    """A dot a card with its 95 % interval; those whose interval covers 0 stay grey.

    ``reference``: the card at 0; ``labels``: what the axis calls each card.
    """
    figure = go.Figure()
    for name, is_clear in (("clear difference", True), ("no clear difference", False)):
        chosen = [row for row in rows if row.is_clear == is_clear]
        figure.add_trace(_dots(chosen, name, labels, is_clear=is_clear))
    figure.add_vline(x=0, line={"color": HUMAN, "dash": "dot", "width": 1.5})
    order = [labels[row.card] for row in rows]
    return figure.update_layout(
        height=120 + 26 * len(rows),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": f"points more than {labels[reference]}", "zeroline": False},
        yaxis={"categoryorder": "array", "categoryarray": order[::-1], "automargin": True},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        showlegend=True,
    )


def _dots(
    rows: Sequence[Difference], name: str, labels: Mapping[str, str], *, is_clear: bool
) -> go.Scatter:
    color = SEARCH if is_clear else QUIET
    return go.Scatter(
        x=[row.mean for row in rows],
        y=[labels[row.card] for row in rows],
        mode="markers",
        name=name,
        marker={"color": color, "size": 10, "symbol": "circle" if is_clear else "circle-open"},
        error_x={
            "type": "data",
            "array": [row.interval[1] - row.mean for row in rows],
            "thickness": 1.6,
            "width": 5,
            "color": color,
        },
        customdata=[(*row.interval, row.n) for row in rows],
        hovertemplate=(
            "%{y}: %{x:+.1f} points<br>95 %: %{customdata[0]:+.1f} to %{customdata[1]:+.1f}, "
            "%{customdata[2]:,} deals<extra></extra>"
        ),
    )
