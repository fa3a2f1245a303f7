"""Share of visits, a line a legal card: against iterations, or against the strength of a bias."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.decisions.decision import pretty
from analysis.decisions.visits import Overtaking
from analysis.plots import template as t


def plot_visit_curves(
    visits: pd.DataFrame,
    *,
    human: dict[str, float],
    featured: Sequence[str],
    overtaking: Overtaking,
    n_seeds: int,
) -> go.Figure:
    """Lines of mean share with the range over seeds as a band.

    ``featured`` cards get a colour and dash of their own, the others are grey; ``human`` gives
    each card's probability, marked at the right edge.
    """
    traces, cards = [], list(dict.fromkeys(visits["card"]))
    for card in sorted(cards, key=lambda card: card in featured):
        rows, look = visits[visits["card"] == card], card_style(card, featured)
        x, hover = rows["iterations"], "after %{x:,}"
        if n_seeds > 1 and card in featured:
            traces.append(_range(x, rows["min"], rows["max"], look))
        traces.append(_line(x, rows["mean"], card, look, hover, mode="lines"))
    last = float(visits["iterations"].max())
    traces.append(human_trace(cards, human, featured, at=last * 1.15))
    ends = [math.log10(visits["iterations"].min()), math.log10(last * 1.3)]
    figure = t.figure_of(
        traces,
        height=340,
        margin=t.MARGIN | {"t": 24},
        x={"title": "iterations", "type": "log", "range": ends},
        y=t.shares("share of visits", rangemode="tozero"),
        legend={"orientation": "v", "traceorder": "reversed"},
        hovermode="closest",
    )
    if overtaking.iterations is not None:
        t.mark_x(figure, overtaking.iterations)
        label = f"{pretty(overtaking.card)} overtaken"
        t.label_above(figure, math.log10(overtaking.iterations), label)
    return figure


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
    places, hover = list(range(len(rungs))), (
        f"at {axis} %{{customdata[0]}}, chosen with %{{customdata[1]}} of %{{customdata[2]}} seeds"
    )  # fmt: skip
    traces, cards = [], list(dict.fromkeys(table["card"]))
    for card in sorted(cards, key=lambda card: card in featured):
        rows, look = table[table["card"] == card], card_style(card, featured)
        if card in featured:
            traces.append(_range(places, rows["share_min"], rows["share_max"], look))
        size, data = 6 if card in featured else 4, rows[["strength", "chosen", "seeds"]]
        more = {"mode": "lines+markers", "marker": {"size": size}, "data": data}
        traces.append(_line(places, rows["share"], card, look, hover, **more))
    traces.append(human_trace(cards, human, featured, at=len(rungs) - 0.65))
    figure = t.figure_of(
        traces,
        height=460,
        margin=t.MARGIN | {"t": 60},
        x={"title": axis, "tickvals": places, "ticktext": [f"{rung:g}" for rung in rungs],
           "range": [-0.3, len(rungs) - 0.4], "zeroline": False},
        y=t.shares("share of visits", rangemode="tozero"),
        legend={"orientation": "h", "traceorder": "reversed", "y": -0.22},
        hovermode="closest",
    )  # fmt: skip
    for i, (strength, source) in enumerate(published.items()):
        if strength in rungs:
            t.mark_x(figure, rungs.index(strength))
            t.label_above(figure, rungs.index(strength), source, y=1 + 0.06 * i)
    t.mark_x(figure, rungs.index(chosen), dash="solid")
    t.label_above(figure, rungs.index(chosen), f"set: {chosen:g}", y=1.12)
    return figure


def card_style(card: str, featured: Sequence[str]) -> dict[str, Any]:
    """A card's line: colour and dash of its own if it is featured, else thin and grey."""
    if card not in featured:
        return {"color": t.QUIET, "dash": "solid", "width": 1}
    i = featured.index(card)
    return {"color": t.CYCLE[i % len(t.CYCLE)], "dash": t.DASHES[i % len(t.DASHES)], "width": 2.5}


def _line(x: Any, y: Any, card: str, look: dict[str, Any], hover: str, **trace: Any) -> go.Scatter:
    text, opacity = f"{pretty(card)}: %{{y:.1%}} of visits {hover}", 1.0
    if look["color"] == t.QUIET:
        opacity = 0.6
    return t.dots(x, y, text, name=pretty(card), line=look, opacity=opacity, **trace)


def _range(x: Any, low: Any, high: Any, look: dict[str, Any]) -> go.Scatter:
    return t.band(x, low, high, t.with_alpha(look["color"], 0.15))


def human_trace(
    cards: Sequence[str], human: Mapping[str, float], featured: Sequence[str], *, at: float
) -> go.Scatter:
    """Each card's human probability as a triangle at the x given, in the card's colour."""
    colors = [card_style(card, featured)["color"] for card in cards]
    return t.dots(
        [at] * len(cards),
        [human[card] for card in cards],
        "%{text}",
        text=[f"{pretty(card)}: a human plays it with {human[card]:.1%}" for card in cards],
        name="human probability",
        marker={"symbol": "triangle-left", "size": 10, "color": colors},
    )
