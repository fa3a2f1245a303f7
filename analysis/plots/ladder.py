"""Visit share of every legal card against the strength of a bias. Draws, computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.plots.curves import card_style, human_trace
from analysis.plots.palette import QUIET, with_alpha


def plot_ladder(
    table: pd.DataFrame,
    *,
    human: Mapping[str, float],
    featured: Sequence[str],
    chosen: float,
    published: Mapping[float, str],
    axis: str,
) -> go.Figure:
    """A line a card over the rungs, evenly spaced; ``chosen``: the strength that is set.

    ``human``: each card's probability, marked at the right edge. ``published``: strengths that
    papers recommend, and which. ``featured`` cards get a colour and dash of their own.
    """
    rungs = list(dict.fromkeys(table["strength"]))
    figure = go.Figure()
    cards = list(dict.fromkeys(table["card"]))
    for card in sorted(cards, key=lambda card: card in featured):
        rows = table[table["card"] == card]
        color, dash = card_style(card, featured)
        if card in featured:
            figure.add_trace(_range_trace(rows, color))
        figure.add_trace(_line_trace(rows, card, color, dash, axis))
    figure.add_trace(human_trace(cards, human, featured, at=len(rungs) - 0.65))
    for i, (strength, source) in enumerate(published.items()):
        if strength in rungs:
            _mark(figure, rungs.index(strength), source, dash="dot", y=1 + 0.06 * i)
    _mark(figure, rungs.index(chosen), f"set: {chosen:g}", dash="solid", y=1.12)
    figure.update_layout(
        height=460,
        margin={"l": 8, "r": 8, "t": 60, "b": 8},
        xaxis={
            "title": axis,
            "tickvals": list(range(len(rungs))),
            "ticktext": [f"{rung:g}" for rung in rungs],
            "range": [-0.3, len(rungs) - 0.4],
            "zeroline": False,
        },
        yaxis={"title": "share of visits", "tickformat": ".0%", "rangemode": "tozero"},
        legend={"orientation": "h", "traceorder": "reversed", "y": -0.22},
        hovermode="closest",
    )
    return figure


def _mark(figure: go.Figure, at: int, text: str, *, dash: str, y: float) -> None:
    figure.add_shape(
        type="line",
        yref="paper",
        x0=at,
        x1=at,
        y0=0,
        y1=1,
        line={"color": QUIET, "dash": dash, "width": 1.5},
    )
    figure.add_annotation(
        x=at, y=y, yref="paper", yanchor="bottom", text=text, showarrow=False, font={"size": 12}
    )


def _line_trace(rows: pd.DataFrame, card: str, color: str, dash: str, axis: str) -> go.Scatter:
    quiet = color == QUIET
    return go.Scatter(
        x=list(range(len(rows))),
        y=rows["share"].tolist(),
        name=pretty(card),
        mode="lines+markers",
        marker={"size": 4 if quiet else 6},
        line={"color": color, "dash": dash, "width": 1 if quiet else 2.5},
        opacity=0.6 if quiet else 1.0,
        customdata=rows[["strength", "chosen", "seeds"]].to_numpy().tolist(),
        hovertemplate=(
            f"{pretty(card)}: %{{y:.1%}} of visits at {axis} %{{customdata[0]}}, "
            "chosen with %{customdata[1]} of %{customdata[2]} seeds<extra></extra>"
        ),
    )


def _range_trace(rows: pd.DataFrame, color: str) -> go.Scatter:
    forth = list(range(len(rows)))
    return go.Scatter(
        x=forth + forth[::-1],
        y=rows["share_max"].tolist() + rows["share_min"].tolist()[::-1],
        fill="toself",
        fillcolor=with_alpha(color, 0.15),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
