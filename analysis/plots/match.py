"""One match as a figure: the win rate, how well it is known, and even odds. Computes nothing."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from analysis.plots.palette import HUMAN, QUIET

NARROWEST = 0.06  # half the width of the axis around even odds
ROWS = {"interval": "over games<br>(Clopper–Pearson)", "interval_pairs": "over pairs<br>of games"}


def plot_match(document: dict[str, Any]) -> go.Figure:
    """Share of the games that the first side won, with both 95 % intervals, against 50 %."""
    rows = {name: label for name, label in ROWS.items() if document[name]}
    rate, intervals = document["win_rate"], [document[name] for name in rows]
    reach = max([NARROWEST, *(abs(end - 0.5) for ends in intervals for end in ends)]) * 1.1
    figure = go.Figure(
        go.Scatter(
            x=[rate] * len(rows),
            y=list(rows.values()),
            mode="markers",
            marker={"size": 13, "color": HUMAN},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - rate for _, high in intervals],
                "arrayminus": [rate - low for low, _ in intervals],
                "thickness": 3,
                "width": 8,
                "color": HUMAN,
            },
            customdata=intervals,
            hovertemplate=(
                "%{x:.1%}<br>95 %: %{customdata[0]:.1%} to %{customdata[1]:.1%}<extra></extra>"
            ),
        )
    )
    figure.add_vline(x=0.5, line={"color": QUIET, "dash": "dot", "width": 2})
    figure.update_layout(
        height=170,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={
            "title": f"games won by {document['ns']}",
            "tickformat": ".0%",
            "range": [max(0.0, 0.5 - reach), min(1.0, 0.5 + reach)],
            "nticks": 7,
        },
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        showlegend=False,
    )
    return figure
