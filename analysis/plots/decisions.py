"""A decision as figures: its cards with intervals, shares of visits, and where hidden cards are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.decisions.candidates import CandidateValue, CardStability, Difference
from analysis.decisions.card_beliefs import INFERRED, METHODS, N_DEALS, CardBeliefs
from analysis.decisions.decision import pretty
from analysis.decisions.review import Chance, Review
from analysis.decisions.visits import Overtaking
from analysis.plots import template as t
from spades.belief.dealing import UNIFORM
from spades.core.cards import N_SEATS, SEATS, Deck, seat_name, suit_of

PROBABILITY = "human probability"
Means = Sequence[CandidateValue] | Sequence[Difference]


def plot_stability(
    rows: Sequence[CardStability], *, labels: Mapping[str, str], human: Mapping[str, float]
) -> go.Figure:
    """A bar a class of cards, as ``labels`` calls them, with Clopper and Pearson's interval;
    triangles are ``human`` probabilities."""
    share, names = [row.share for row in rows], [labels[row.card] for row in rows]
    hover = (
        f"%{{y}}: wins %{{customdata[0]}} searches, %{{x:.1%}}<br>{t.between(1)}<br>"
        "mean share of visits %{customdata[3]:.1%}"
    )
    error = t.whiskers(share, *_ends(rows), thickness=1.4, width=4, color=t.QUIET)
    look: t.Options = {"error_x": error, "orientation": "h", "name": "wins the search"}
    look["data"] = [(f"{row.wins:,} of {row.n:,}", *row.interval, row.mean_visits) for row in rows]
    wins = t.bars(share, names, hover, t.SEARCH, **look)
    look = {"marker": {"symbol": "triangle-up", "size": 10, "color": t.HUMAN}, "name": PROBABILITY}
    p = [human[row.card] for row in rows]
    triangles = t.dots(p, names, "%{y}: a human plays it with %{x:.1%}", **look)
    x = t.shares("share of searches", range=[0, 1.01])
    return _rows_of_cards([wins, triangles], x, n=len(rows), height=110, bargap=0.35)


def _rows_of_cards(
    traces: Iterable[Any], x: t.Options, *, n: int, height: int = 120, **layout: Any
) -> go.Figure:
    options = {"y": {**t.DOWN, "automargin": True}, "legend": t.LEGEND_ABOVE, **layout}
    return t.figure_of(traces, x=x, height=height + 26 * n, **options)


def _ends(rows: Means | Sequence[CardStability]) -> tuple[list[float], list[float]]:
    return [row.interval[0] for row in rows], [row.interval[1] for row in rows]


def card_labels(names: Mapping[str, str], marks: Mapping[str, str | None]) -> dict[str, str]:
    """What an axis calls each card: its name, then those of the ``marks`` that it has."""
    return {
        card: " ".join([name, *(mark for mark, marked in marks.items() if marked == card)])
        for card, name in names.items()
    }


def plot_candidates(
    rows: Sequence[CandidateValue], labels: Mapping[str, str], here: Mapping[str, float], deal: int
) -> go.Figure:
    """Mean over the deals with its 95% interval, a dot a card; diamonds: values in one deal.
    ``labels``: what the axis calls each card; ``here``: value by card in deal ``deal``."""
    look: t.Options = {"name": f"mean of {rows[0].n:,} deals"}
    look["data"] = [(*row.interval, row.best_in, row.n) for row in rows]
    look["marker"] = {"color": t.SEARCH, "size": 10}
    hover = "<br>best in %{customdata[2]:,} of %{customdata[3]:,} deals"
    means = _means(rows, labels, hover, **look)
    look = {"marker": {"color": t.CYCLE[1], "size": 9, "symbol": "diamond-open"}}
    look["name"], values = f"in deal {deal:,}", [here[row.card] for row in rows]
    hover, names = f"%{{y}} {look['name']}: %{{x:+.1f}} points", [labels[row.card] for row in rows]
    traces = [means, t.dots(values, names, hover, **look)]
    x = {"title": "points for the mover's partnership"}
    return _rows_of_cards(traces, x, n=len(rows), showlegend=True)


def plot_differences(
    rows: Sequence[Difference], reference: str, *, labels: Mapping[str, str]
) -> go.Figure:
    """Another card's points less those of ``reference``, with 95% intervals; those whose interval
    covers 0 are grey. ``labels``: what the axis calls each card."""
    traces = []
    for is_clear, color, symbol in ((True, t.SEARCH, "circle"), (False, t.QUIET, "circle-open")):
        shown = [row for row in rows if row.is_clear == is_clear]
        name = "clear difference" if is_clear else "no clear difference"
        look = {"name": name, "marker": {"color": color, "size": 10, "symbol": symbol}}
        data, hover = [(*row.interval, row.n) for row in shown], ", %{customdata[2]:,} deals"
        traces.append(_means(shown, labels, hover, data=data, color=color, **look))
    names = [labels[row.card] for row in rows][::-1]
    y = {"categoryorder": "array", "categoryarray": names, "automargin": True}
    x = {"title": f"points more than {labels[reference]}", "zeroline": False}
    figure = _rows_of_cards(traces, x, n=len(rows), y=y, showlegend=True)
    t.mark_x(figure, 0, color=t.HUMAN)
    return figure


def _means(
    rows: Means, labels: Mapping[str, str], hover: str, *, color: str = t.QUIET, **trace: Any
) -> go.Scatter:
    means, names = [row.mean for row in rows], [labels[row.card] for row in rows]
    trace["error_x"] = t.whiskers(means, *_ends(rows), thickness=1.6, width=5, color=color)
    hover = f"%{{y}}: %{{x:+.1f}} points<br>{t.between(0, '+.1f')}{hover}"
    return t.dots(means, names, hover, **trace)


def plot_visit_curves(
    visits: pd.DataFrame,
    *,
    human: Mapping[str, float],
    featured: Sequence[str],
    overtaking: Overtaking,
    n_seeds: int,
) -> go.Figure:
    """Mean share of visits by iterations, a line a card; the range over seeds as a band.
    ``featured`` cards get a colour and dash of their own, the others are grey; ``human`` gives each
    card's probability, marked at the right edge."""
    traces, last = [], float(visits["iterations"].max())
    for card, rows, look in _by_card(visits, featured):
        x, is_ranged = rows["iterations"], n_seeds > 1 and card in featured
        traces += _line(rows, x, ("mean", "min", "max"), look, "after %{x:,}", is_ranged=is_ranged)
    traces.append(_human_trace(visits, human, featured, at=last * 1.15))
    ends = [math.log10(visits["iterations"].min()), math.log10(last * 1.3)]
    x = {"title": "iterations", "type": "log", "range": ends}
    figure = _shares_of_visits(traces, x, height=340, top=24, legend={"orientation": "v"})
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
    """Share of visits over the rungs, evenly spaced, a line a card. ``chosen``: the strength that
    is set; ``published``: strengths that papers recommend, and which. ``human`` and ``featured`` as
    in ``plot_visit_curves``."""
    rungs = list(dict.fromkeys(table["strength"]))
    places, columns = list(range(len(rungs))), ("share", "share_min", "share_max")
    hover = f"at {axis} %{{customdata[0]}}, chosen with %{{customdata[1]}} "
    hover, traces = hover + "of %{customdata[2]} seeds", []
    for card, rows, look in _by_card(table, featured):
        more: t.Options = {"data": rows[["strength", "chosen", "seeds"]], "mode": "lines+markers"}
        more["marker"] = {"size": 6 if card in featured else 4}
        traces += _line(rows, places, columns, look, hover, is_ranged=card in featured, **more)
    traces.append(_human_trace(table, human, featured, at=len(rungs) - 0.65))
    ticks = {"tickvals": places, "ticktext": [f"{rung:g}" for rung in rungs]}
    x = {"title": axis, **ticks, "range": [-0.3, len(rungs) - 0.4], "zeroline": False}
    figure = _shares_of_visits(traces, x, height=460, top=60, legend=t.LEGEND_BELOW)
    for i, (strength, source) in enumerate(published.items()):
        if strength in rungs:
            t.mark_x(figure, rungs.index(strength))
            t.label_above(figure, rungs.index(strength), source, y=1 + 0.06 * i)
    t.mark_x(figure, rungs.index(chosen), dash="solid")
    t.label_above(figure, rungs.index(chosen), f"set: {chosen:g}", y=1.12)
    return figure


def _by_card(table: pd.DataFrame, featured: Sequence[str]) -> Iterable[tuple[str, Any, Any]]:
    """Card, rows and look of its line, the featured last: they are drawn over the others."""
    looks = _looks(table, featured)
    for card in sorted(dict.fromkeys(table["card"]), key=lambda card: card in featured):
        yield card, table[table["card"] == card], looks[card]


def _looks(table: pd.DataFrame, featured: Sequence[str]) -> dict[str, t.Options]:
    """The line of every card: a featured one's colour and dash are its own in all figures of a
    decision, whichever others are featured; the rest are thin and grey."""
    grey = {"color": t.QUIET, "dash": "solid", "width": 1}
    colors, dashes = t.CARD_COLORS, t.DASHES
    return {
        card: {"color": colors[i % len(colors)], "dash": dashes[i % len(dashes)], "width": 2.5}
        if card in featured
        else grey
        for i, card in enumerate(sorted(set(table["card"])))
    }


def _line(
    rows: pd.DataFrame,
    x: Any,
    columns: tuple[str, str, str],
    look: t.Options,
    hover: str,
    *,
    is_ranged: bool,
    **trace: Any,
) -> list[go.Scatter]:
    """A card's line and, under it, the range over seeds; ``columns``: of share and its range."""
    share, low, high = columns
    name, opacity = pretty(rows["card"].iloc[0]), 0.6 if look["color"] == t.QUIET else 1.0
    trace = {"mode": "lines", "name": name, "line": look, "opacity": opacity, **trace}
    line = t.dots(x, rows[share], f"{name}: %{{y:.1%}} of visits {hover}", **trace)
    color = t.with_alpha(look["color"], 0.15)
    return [t.band(x, rows[low], rows[high], color), line] if is_ranged else [line]


def _human_trace(
    table: pd.DataFrame, human: Mapping[str, float], featured: Sequence[str], *, at: float
) -> go.Scatter:
    """Each card's human probability as a triangle at the x given, in the card's colour."""
    cards = list(dict.fromkeys(table["card"]))
    looks = _looks(table, featured)
    colors = [looks[card]["color"] for card in cards]
    texts = [f"{pretty(card)}: a human plays it with {human[card]:.1%}" for card in cards]
    look: t.Options = {"marker": {"symbol": "triangle-left", "size": 10, "color": colors}}
    look |= {"text": texts, "name": PROBABILITY}
    return t.dots([at] * len(cards), [human[card] for card in cards], "%{text}", **look)


def _shares_of_visits(
    traces: Iterable[Any], x: t.Options, *, height: int, top: int, legend: t.Options
) -> go.Figure:
    y = t.shares("share of visits", rangemode="tozero")
    legend = {**legend, "traceorder": "reversed"}
    layout = {"margin": t.margin(top), "legend": legend, "hovermode": "closest"}
    return t.figure_of(traces, height=height, x=x, y=y, **layout)


SIDE_COLORS = (t.CYCLE[2], t.CYCLE[3])  # North/South, East/West


def plot_chances(found: Review) -> go.Figure:
    """Chances of contracts (solid) and nils (dashed) over a round's plays, a colour a side; a mark
    at the play of its own side that cost each most."""
    traces = [trace for chance in found.chances for trace in _chance_traces(chance, found)]
    ends = range(N_SEATS, len(found.cards) + 1, N_SEATS)
    ticks = {"tickvals": list(ends), "ticktext": [str(ply // N_SEATS) for ply in ends]}
    x = {"title": "trick, at its last card", "range": [1, len(found.cards) + 1], **ticks}
    y = t.shares("mean chance, as the seats see it", range=[-0.03, 1.03])
    layout = {"margin": t.margin(24), "legend": t.LEGEND_ABOVE, "hovermode": "closest"}
    return t.figure_of(traces, height=320, x=x, y=y, **layout)


def _chance_traces(chance: Chance, found: Review) -> list[go.Scatter]:
    goal, color = chance.goal, SIDE_COLORS[chance.goal.side]
    n, name = len(chance.values), chance.goal.name
    dash = ("dash" if goal.of < 2 else "dot") if goal.is_nil else "solid"
    look: t.Options = {"name": name, "legendgroup": name, "mode": "lines"}
    look["line"] = {"color": color, "dash": dash, "width": 2.2}
    look["data"] = [found.play_text(ply) for ply in range(n)]
    hover = f"{name}: %{{y:.1%}} after %{{customdata}}"
    line = t.dots(list(range(1, n + 1)), chance.values, hover, **look)
    if (cost := chance.costliest) is None or math.isnan(chance.values[cost.ply]):
        return [line]
    marker = {"color": color, "size": 11, "symbol": "triangle-down"}
    hover = f"{found.play_text(cost.ply)} cost {name} most: "
    hover += f"{cost.played:.1%}, {cost.best:.1%} by the best card"
    look = {"name": "cost it most", "legendgroup": name, "showlegend": False, "marker": marker}
    return [line, t.dots([cost.ply + 1], [chance.values[cost.ply]], hover, **look)]


METHOD_NAMES = {method: method.capitalize() for method in METHODS}
COLOR_BAR = {
    "orientation": "h", "thickness": 10, "len": 0.6, "y": 0, "yanchor": "top", "ypad": 34,
    "tickformat": ".0%", "title": {"text": "P(seat holds the card)", "side": "top"},
}  # fmt: skip
RING = {"symbol": "circle-open", "size": 9, "color": t.SEARCH, "line": {"width": 2}}


def plot_beliefs(
    beliefs: CardBeliefs, deck: Deck, *, holders: Sequence[int] | None = None, slant: int = 0
) -> go.Figure:
    """A map a method: cards down, the three other seats across, the lighter the likelier.
    ``holders``: the seat that holds each card, ringed; None keeps the truth hidden. ``slant``: of
    the methods' names, degrees."""
    labels = [pretty(deck.format_card(card)) for card in beliefs.cards]
    titles = [METHOD_NAMES[method] for method in beliefs.shares]
    side_by_side = {"rows": 1, "cols": len(titles), "subplot_titles": titles}
    figure = make_subplots(**side_by_side, shared_yaxes=True, horizontal_spacing=0.015)
    figure.update_annotations(textangle=-slant)
    for column, method in enumerate(beliefs.shares, start=1):
        figure.add_trace(_map(beliefs, method, labels, showscale=column == 1), row=1, col=column)
        if holders is not None:
            seats = [SEATS[seat] for seat in holders]
            look: t.Options = {"mode": "markers", "marker": RING, "hoverinfo": "skip"}
            look |= {"name": "holds it in truth", "showlegend": column == 1}
            figure.add_trace(go.Scatter(x=seats, y=labels, **look), row=1, col=column)
    for i in range(1, len(beliefs.cards)):
        if suit_of(beliefs.cards[i]) != suit_of(beliefs.cards[i - 1]):
            figure.add_hline(y=i - 0.5, line={"color": "white", "width": 2})
    figure.update_yaxes(range=[len(labels) - 0.5, -0.5], showgrid=False, dtick=1, ticks="")
    figure.update_xaxes(showgrid=False, side="bottom", **t.QUICK_AXIS)
    layout: t.Options = {"height": 150 + 15 * len(labels), "showlegend": False}
    layout["margin"] = {"l": 36, "r": 8, "t": 30 + slant, "b": 90}
    return figure.update_layout(legend=t.LEGEND_ABOVE | {"yref": "container"}, **layout)


def _map(beliefs: CardBeliefs, method: str, labels: list[str], *, showscale: bool) -> go.Heatmap:
    names = [seat_name(seat) for seat in beliefs.seats]
    counted = {INFERRED: "by the table", UNIFORM: "of all deals that agree"}
    of, name = counted.get(method, f"of {N_DEALS:,} deals"), METHOD_NAMES[method]
    look: t.Options = {"zmin": 0, "zmax": 1, "colorscale": "Cividis", "colorbar": COLOR_BAR}
    look |= {"name": name, "customdata": [names] * len(labels), "hoverinfo": None}
    look["hovertemplate"] = f"%{{y}} with %{{customdata}}: %{{z:.0%}} {of}<extra>{name}</extra>"
    seats = [SEATS[seat] for seat in beliefs.seats]
    return t.heat_map(seats, labels, beliefs.shares[method], showscale=showscale, **look)
