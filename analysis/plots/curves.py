"""Visit share against iterations, a line for every legal card. Draws, computes nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.decisions.visit_curves import Overtaking
from analysis.plots.palette import CYCLE, QUIET, with_alpha

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def plot_visit_curves(
    band: pd.DataFrame,
    *,
    human: dict[str, float],
    featured: Sequence[str],
    overtaking: Overtaking,
    n_seeds: int,
) -> go.Figure:
    """Lines of mean share with the range over seeds as a band.

    ``featured`` cards get a colour and dash of their own, the others stay grey; ``human`` gives
    each card's probability, marked at the right edge.
    """
    figure = go.Figure()
    cards = list(dict.fromkeys(band["card"]))
    for card in sorted(cards, key=lambda card: card in featured):
        color, dash = card_style(card, featured)
        rows = band[band["card"] == card]
        if n_seeds > 1 and card in featured:
            figure.add_trace(_range_trace(rows, color))
        figure.add_trace(_line_trace(rows, card, color, dash))
    last = float(band["iterations"].max())
    figure.add_trace(human_trace(cards, human, featured, at=last * 1.15))
    if overtaking.iterations is not None:
        _mark_overtaking(figure, overtaking.card, overtaking.iterations)
    figure.update_layout(
        height=340,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={
            "title": "iterations",
            "type": "log",
            "range": [math.log10(band["iterations"].min()), math.log10(last * 1.3)],
        },
        yaxis={"title": "share of visits", "tickformat": ".0%", "rangemode": "tozero"},
        legend={"orientation": "v", "traceorder": "reversed"},
        hovermode="closest",
    )
    return figure


def _mark_overtaking(figure: go.Figure, card: str, at: int) -> None:
    """A dotted line where a card loses the lead for good (annotations sit at the logarithm)."""
    figure.add_shape(
        type="line",
        yref="paper",
        x0=at,
        x1=at,
        y0=0,
        y1=1,
        line={"color": QUIET, "dash": "dot", "width": 1.5},
    )
    figure.add_annotation(
        x=math.log10(at),
        y=1,
        yref="paper",
        yanchor="bottom",
        text=f"{pretty(card)} overtaken",
        showarrow=False,
    )


def card_style(card: str, featured: Sequence[str]) -> tuple[str, str]:
    """Colour and dash of a card's line: of its own if it is featured, grey otherwise."""
    if card not in featured:
        return QUIET, "solid"
    i = featured.index(card)
    return CYCLE[i % len(CYCLE)], DASHES[i % len(DASHES)]


def _line_trace(rows: pd.DataFrame, card: str, color: str, dash: str) -> go.Scatter:
    quiet = color == QUIET
    return go.Scatter(
        x=rows["iterations"],
        y=rows["mean"],
        name=pretty(card),
        mode="lines",
        line={"color": color, "dash": dash, "width": 1 if quiet else 2.5},
        opacity=0.6 if quiet else 1.0,
        hovertemplate=f"{pretty(card)}: %{{y:.1%}} of visits after %{{x:,}}<extra></extra>",
    )


def _range_trace(rows: pd.DataFrame, color: str) -> go.Scatter:
    forth, back = rows["iterations"], rows["iterations"][::-1]
    return go.Scatter(
        x=pd.concat([forth, back]),
        y=pd.concat([rows["max"], rows["min"][::-1]]),
        fill="toself",
        fillcolor=with_alpha(color, 0.15),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )


def human_trace(
    cards: Sequence[str], human: Mapping[str, float], featured: Sequence[str], *, at: float
) -> go.Scatter:
    """Each card's human probability as a triangle at the x given, in the card's colour."""
    return go.Scatter(
        x=[at] * len(cards),
        y=[human[card] for card in cards],
        name="human probability",
        mode="markers",
        marker={
            "symbol": "triangle-left",
            "size": 10,
            "color": [card_style(card, featured)[0] for card in cards],
        },
        text=[f"{pretty(card)}: a human plays it with {human[card]:.1%}" for card in cards],
        hovertemplate="%{text}<extra></extra>",
    )
