"""A decision as figures: its cards with intervals, shares of visits, and where hidden cards are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.decisions.card_beliefs import INFERRED, METHODS, N_DEALS, CardBeliefs
from analysis.decisions.card_values import CandidateValue, Difference
from analysis.decisions.stability import CardStability
from analysis.decisions.visits import Overtaking
from analysis.plots.colors import (
    BLUE,
    CARD_COLORS,
    DASHES,
    GREEN,
    GREY,
    HUMAN,
    PINK,
    SEARCH,
    SEQUENTIAL_SCALE,
    with_alpha,
)
from analysis.plots.labels import label_ends, label_firsts
from analysis.plots.layout import (
    FIXED_ROOM_AXIS,
    LEGEND_ABOVE,
    LEGEND_BELOW,
    TOP_DOWN,
    Options,
    add_label_above,
    add_vertical_line,
    figure_of,
    percent_axis,
    top_margin,
)
from analysis.plots.traces import band, bars, dots, error_bars, heat_map, interval_text
from analysis.review.chances import Chance, Goal
from analysis.review.round import Review
from spades.belief import DETERMINIZATIONS
from spades.core.cards import N_SEATS, SEATS, Deck, seat_name, suit_of
from spades.look.words import pretty

_PROBABILITY = "human probability"
_MAX_RUNGS = 7  # with a label each


def plot_stability(
    rows: Sequence[CardStability],
    *,
    labels: Mapping[str, str],
    human: Mapping[str, float],
) -> go.Figure:
    """A bar for each class of cards, as ``labels`` calls them, with Clopper and Pearson's interval;
    triangles are ``human`` probabilities."""
    shares = [row.share for row in rows]
    names = [labels[row.card] for row in rows]
    hover = (
        f"%{{y}}: wins %{{customdata[0]}} searches, %{{x:.1%}}<br>{interval_text(1)}<br>"
        "mean share of visits %{customdata[3]:.1%}"
    )
    wins = bars(
        shares,
        names,
        hover,
        color=SEARCH,
        data=[(f"{row.wins:,} of {row.n:,}", *row.interval, row.mean_visits) for row in rows],
        orientation="h",
        name="wins the search",
        error_x=error_bars(shares, *_ends(rows), thickness=1.4, width=4, color=GREY),
    )
    probabilities = dots(
        [human[row.card] for row in rows],
        names,
        "%{y}: a human plays it with %{x:.1%}",
        marker={"symbol": "triangle-up", "size": 10, "color": HUMAN},
        name=_PROBABILITY,
    )
    xaxis = percent_axis("share of searches", range=[0, 1.01])
    return _rows_of_cards(
        [wins, probabilities],
        xaxis,
        shows="share of searches that each card wins, beside the human probability",
        n=len(rows),
        height=110,
        bargap=0.35,
    )


def _rows_of_cards(
    traces: Iterable[Any],
    xaxis: Options,
    *,
    n: int,
    height: int = 120,
    **layout: Any,
) -> go.Figure:
    """A row for each of ``n`` cards; ``height``: of all around the rows, pixels."""
    defaults = {"yaxis": {**TOP_DOWN, "automargin": True}, "legend": LEGEND_ABOVE}
    return figure_of(traces, xaxis=xaxis, height=height + 26 * n, **(defaults | layout))


def _ends(
    rows: Sequence[CandidateValue] | Sequence[Difference] | Sequence[CardStability],
) -> tuple[list[float], list[float]]:
    lows = [row.interval[0] for row in rows]
    highs = [row.interval[1] for row in rows]
    return lows, highs


def card_labels(names: Mapping[str, str], marks: Mapping[str, str | None]) -> dict[str, str]:
    """Labels of the cards on an axis: name and marks. ``marks``: the card that has each mark."""
    labels = {}
    for card, name in names.items():
        card_marks = [mark for mark, marked_card in marks.items() if marked_card == card]
        labels[card] = " ".join([name, *card_marks])
    return labels


def plot_candidates(
    rows: Sequence[CandidateValue],
    labels: Mapping[str, str],
    here: Mapping[str, float],
    deal: int,
) -> go.Figure:
    """A dot for each card: mean over the deals with its 95% interval; diamonds: values in one deal.
    ``labels``: of the cards on the axis; ``here``: value by card in deal ``deal``."""
    means = _mean_points(
        rows,
        labels,
        "<br>best in %{customdata[2]:,} of %{customdata[3]:,} deals",
        data=[(*row.interval, row.best_in, row.n) for row in rows],
        marker={"color": SEARCH, "size": 10},
        name=f"mean of {rows[0].n:,} deals",
    )
    deal_name = f"in deal {deal:,}"
    in_one_deal = dots(
        [here[row.card] for row in rows],
        [labels[row.card] for row in rows],
        f"%{{y}} {deal_name}: %{{x:+.1f}} points",
        marker={"color": BLUE, "size": 9, "symbol": "diamond-open"},
        name=deal_name,
    )
    xaxis = {"title": "points for the mover's partnership"}
    figure = _rows_of_cards(
        [means, in_one_deal],
        xaxis,
        shows="points of each card over the sampled deals, with 95% intervals",
        n=len(rows),
        showlegend=True,
    )
    return label_firsts(figure)


def plot_differences(
    rows: Sequence[Difference],
    reference: str,
    *,
    labels: Mapping[str, str],
) -> go.Figure:
    """Points of each other card less those of ``reference``, with 95% intervals; grey where the
    interval covers 0. ``labels``: of the cards on the axis."""
    clear = [row for row in rows if row.is_clear]
    unclear = [row for row in rows if not row.is_clear]
    names = [labels[row.card] for row in rows]
    figure = _rows_of_cards(
        [
            _differences(clear, labels, "clear difference", SEARCH, "circle"),
            _differences(unclear, labels, "no clear difference", GREY, "circle-open"),
        ],
        {"title": f"points more than {labels[reference]}", "zeroline": False},
        shows=f"points of each card more than {labels[reference]}, with 95% intervals",
        n=len(rows),
        yaxis={"categoryorder": "array", "categoryarray": names[::-1], "automargin": True},
        showlegend=True,
    )
    add_vertical_line(figure, 0, color=HUMAN)
    return figure


def _differences(
    rows: Sequence[Difference],
    labels: Mapping[str, str],
    name: str,
    color: str,
    symbol: str,
) -> go.Scatter:
    return _mean_points(
        rows,
        labels,
        ", %{customdata[2]:,} deals",
        data=[(*row.interval, row.n) for row in rows],
        error_bar_color=color,
        marker={"color": color, "size": 10, "symbol": symbol},
        name=name,
    )


def _mean_points(
    rows: Sequence[CandidateValue] | Sequence[Difference],
    labels: Mapping[str, str],
    hover_end: str,
    *,
    error_bar_color: str = GREY,
    **trace: Any,
) -> go.Scatter:
    """``data`` of the trace begin with the interval."""
    means = [row.mean for row in rows]
    return dots(
        means,
        [labels[row.card] for row in rows],
        f"%{{y}}: %{{x:+.1f}} points<br>{interval_text(0, '+.1f')}{hover_end}",
        error_x=error_bars(means, *_ends(rows), thickness=1.6, width=5, color=error_bar_color),
        **trace,
    )


def plot_visit_curves(
    visits: pd.DataFrame,
    *,
    human: Mapping[str, float],
    labels: Mapping[str, str],
    featured: Sequence[str],
    overtaking: Overtaking,
    n_seeds: int,
) -> go.Figure:
    """Mean share of visits by iterations, a line for each class of equivalent cards; the range over
    seeds as a band. Classes go by their highest card and are called by ``labels``. ``featured``
    ones get a colour and dash of their own, the others are grey; ``human`` gives each one's
    probability, marked at the right edge."""
    traces = []
    for card, rows, line in _lines_by_card(visits, featured):
        iterations = rows["iterations"]
        if n_seeds > 1 and card in featured:
            traces.append(_range_over_seeds(iterations, rows["min"], rows["max"], line))
        traces.append(_visits_line(labels[card], iterations, rows["mean"], line, "after %{x:,}"))
    last = float(visits["iterations"].max())
    traces.append(_human_probabilities(visits, human, featured, labels, x=last * 1.15))
    xaxis = {
        "title": "iterations",
        "type": "log",
        "range": [math.log10(visits["iterations"].min()), math.log10(last * 1.3)],
    }
    figure = _shares_of_visits(
        traces,
        xaxis,
        shows="share of the search's visits by its iterations, a line for each class of cards",
        height=340,
        top=24,
        legend={"orientation": "v"},
    )
    if overtaking.iterations is not None:
        add_vertical_line(figure, overtaking.iterations)
        label = f"{labels[overtaking.card]} overtaken"
        add_label_above(figure, math.log10(overtaking.iterations), label)
    return label_ends(figure, needed=[labels[card] for card in featured])


def plot_ladder(
    table: pd.DataFrame,
    *,
    human: Mapping[str, float],
    featured: Sequence[str],
    chosen: float,
    published: Mapping[float, str],
    axis: str,
) -> go.Figure:
    """Share of visits over the rungs, evenly spaced, a line for each class of equivalent cards.
    ``chosen``: the strength that is set; ``published``: strengths that papers recommend, and which;
    ``axis``: what the strength is called. ``human`` and ``featured`` as in ``plot_visit_curves``,
    of classes."""
    rungs = list(dict.fromkeys(table["strength"]))
    places = list(range(len(rungs)))
    hover = (
        f"at {axis} %{{customdata[0]}}, played in %{{customdata[1]}} of %{{customdata[2]}} searches"
    )
    labels = dict(zip(table["card"], table["label"], strict=True))
    traces = []
    for card, rows, line in _lines_by_card(table, featured):
        if card in featured:
            traces.append(_range_over_seeds(places, rows["share_min"], rows["share_max"], line))
        trace = _visits_line(
            labels[card],
            places,
            rows["share"],
            line,
            hover,
            data=rows[["strength", "chosen", "seeds"]],
            mode="lines+markers",
            marker={"size": 6 if card in featured else 4},
        )
        traces.append(trace)
    traces.append(_human_probabilities(table, human, featured, labels, x=len(rungs) - 0.65))
    xaxis = {
        "title": axis,
        "tickvals": places,
        "ticktext": _rung_labels(rungs, chosen),
        "range": [-0.3, len(rungs) - 0.4],
        "zeroline": False,
    }
    figure = _shares_of_visits(
        traces,
        xaxis,
        shows=f"share of visits by {axis}, a line for each class of cards; set: {chosen:g}",
        height=460,
        top=60,
        legend=LEGEND_BELOW,
    )
    for i, (strength, source) in enumerate(published.items()):
        if strength in rungs:
            place = rungs.index(strength)
            add_vertical_line(figure, place)
            add_label_above(figure, place, source, y=1 + 0.06 * i)
    chosen_place = rungs.index(chosen)
    add_vertical_line(figure, chosen_place, dash="solid")
    add_label_above(figure, chosen_place, f"set: {chosen:g}", y=1.12)
    return label_ends(figure, needed=[labels[card] for card in featured])


def _rung_labels(rungs: Sequence[float], chosen: float) -> list[str]:
    """Every other rung's where there are many, which a phone has no room for; and the chosen."""
    step = 2 if len(rungs) > _MAX_RUNGS else 1
    return [f"{rung:g}" if i % step == 0 or rung == chosen else "" for i, rung in enumerate(rungs)]


def _lines_by_card(
    table: pd.DataFrame, featured: Sequence[str]
) -> Iterable[tuple[str, pd.DataFrame, Options]]:
    """Card, its rows and how its line looks, the featured last: they are drawn over the others."""
    styles = _line_styles(table, featured)
    for card in sorted(dict.fromkeys(table["card"]), key=lambda card: card in featured):
        yield card, table[table["card"] == card], styles[card]


def _line_styles(table: pd.DataFrame, featured: Sequence[str]) -> dict[str, Options]:
    """The line of every card: a featured one's colour and dash are its own in all figures of a
    decision, whichever others are featured; the rest are thin and grey."""
    styles: dict[str, Options] = {}
    for i, card in enumerate(sorted(set(table["card"]))):
        if card in featured:
            color = CARD_COLORS[i % len(CARD_COLORS)]
            styles[card] = {"color": color, "dash": DASHES[i % len(DASHES)], "width": 2.5}
        else:
            styles[card] = {"color": GREY, "dash": "solid", "width": 1}
    return styles


def _range_over_seeds(x: Any, low: pd.Series, high: pd.Series, line: Options) -> go.Scatter:
    return band(x, low, high, with_alpha(line["color"], 0.15))


def _visits_line(
    name: str,
    x: Any,
    shares: pd.Series,
    line: Options,
    hover_end: str,
    *,
    mode: str = "lines",
    **trace: Any,
) -> go.Scatter:
    return dots(
        x,
        shares,
        f"{name}: %{{y:.1%}} of visits {hover_end}",
        mode=mode,
        name=name,
        line=line,
        opacity=0.6 if line["color"] == GREY else 1.0,
        **trace,
    )


def _human_probabilities(
    table: pd.DataFrame,
    human: Mapping[str, float],
    featured: Sequence[str],
    labels: Mapping[str, str],
    *,
    x: float,
) -> go.Scatter:
    """Each card's human probability as a triangle at the x given, in the card's colour."""
    cards = list(dict.fromkeys(table["card"]))
    styles = _line_styles(table, featured)
    return dots(
        [x] * len(cards),
        [human[card] for card in cards],
        "%{text}",
        marker={
            "symbol": "triangle-left",
            "size": 10,
            "color": [styles[card]["color"] for card in cards],
        },
        text=[f"{labels[card]}: a human plays it with {human[card]:.1%}" for card in cards],
        name=_PROBABILITY,
        showlegend=False,
    )


def _shares_of_visits(
    traces: Iterable[Any],
    xaxis: Options,
    *,
    shows: str,
    height: int,
    top: int,
    legend: Options,
) -> go.Figure:
    return figure_of(
        traces,
        shows=shows,
        height=height,
        xaxis=xaxis,
        yaxis=percent_axis("share of visits", rangemode="tozero"),
        margin=top_margin(top),
        legend={**legend, "traceorder": "reversed"},
        hovermode="closest",
    )


SIDE_COLORS = (GREEN, PINK)  # North/South, East/West


def plot_chances(review: Review) -> go.Figure:
    """Chances of contracts (solid) and nils (dashed) over a round's plays, a colour for each side;
    a mark at the play of its own side that cost each most."""
    traces = []
    for chance in review.chances:
        traces.append(_chance_line(chance, review))
        if chance.costliest is not None and not math.isnan(chance.values[chance.costliest.ply]):
            traces.append(_costliest_play(chance, review))
    n_plays = len(review.cards)
    trick_ends = range(N_SEATS, n_plays + 1, N_SEATS)
    figure = figure_of(
        traces,
        shows="chances of contracts and nils after each play of the round",
        height=320,
        xaxis={
            "title": "trick, at its last card",
            "range": [1, n_plays + 1],
            "tickvals": list(trick_ends),
            "ticktext": [str(ply // N_SEATS) for ply in trick_ends],
        },
        yaxis=percent_axis("mean chance, as the seats see it", range=[-0.03, 1.03]),
        margin=top_margin(24),
        legend=LEGEND_ABOVE,
        hovermode="closest",
    )
    return label_ends(figure)


def _chance_line(chance: Chance, review: Review) -> go.Scatter:
    goal = chance.goal
    n_plays = len(chance.values)
    return dots(
        list(range(1, n_plays + 1)),
        chance.values,
        f"{goal.name}: %{{y:.1%}} after %{{customdata}}",
        data=[review.play_text(ply) for ply in range(n_plays)],
        mode="lines",
        line={"color": SIDE_COLORS[goal.side], "dash": _goal_dash(goal), "width": 2.2},
        name=goal.name,
        legendgroup=goal.name,
    )


def _goal_dash(goal: Goal) -> str:
    if not goal.is_nil:
        return "solid"
    return "dash" if goal.of < 2 else "dot"  # the nils of a side's two seats


def _costliest_play(chance: Chance, review: Review) -> go.Scatter:
    goal = chance.goal
    cost = chance.costliest
    assert cost is not None
    hover = (
        f"{review.play_text(cost.ply)} cost {goal.name} most: "
        f"{cost.played:.1%}, {cost.best:.1%} by the best card"
    )
    return dots(
        [cost.ply + 1],
        [chance.values[cost.ply]],
        hover,
        marker={"color": SIDE_COLORS[goal.side], "size": 11, "symbol": "triangle-down"},
        name="cost it most",
        legendgroup=goal.name,
        showlegend=False,
    )


_RAISED = 18  # pixels
METHOD_NAMES = {method: method.capitalize() for method in METHODS}
_COLOR_BAR = {
    "orientation": "h",
    "thickness": 10,
    "len": 0.6,
    "y": 0,
    "yanchor": "top",
    "ypad": 34,
    "tickformat": ".0%",
    "title": {"text": "P(seat holds the card)", "side": "top"},
}
_RING = {"symbol": "circle-open", "size": 9, "color": SEARCH, "line": {"width": 2}}


def plot_beliefs(
    beliefs: CardBeliefs,
    deck: Deck,
    *,
    holders: Sequence[int] | None = None,
    is_narrow: bool = False,
) -> go.Figure:
    """A map for each method: cards down, the three other seats across, the stronger the likelier.
    ``holders``: the seat that holds each card, ringed; None keeps the truth hidden. Where the page
    ``is_narrow``, every other method's name is higher than its neighbours'."""
    labels = [pretty(deck.format_card(card)) for card in beliefs.cards]
    figure = make_subplots(
        rows=1,
        cols=len(beliefs.shares),
        subplot_titles=[METHOD_NAMES[method] for method in beliefs.shares],
        shared_yaxes=True,
        horizontal_spacing=0.015,
    )
    raised = _RAISED if is_narrow else 0
    for note in figure.layout.annotations[1::2]:
        note.yshift = raised
    for column, method in enumerate(beliefs.shares, start=1):
        is_first = column == 1
        figure.add_trace(_map(beliefs, method, labels, showscale=is_first), row=1, col=column)
        if holders is not None:
            rings = go.Scatter(
                x=[SEATS[seat] for seat in holders],
                y=labels,
                mode="markers",
                marker=_RING,
                hoverinfo="skip",
                name="holds it in truth",
                showlegend=is_first,
            )
            figure.add_trace(rings, row=1, col=column)
    for i in range(1, len(beliefs.cards)):
        if suit_of(beliefs.cards[i]) != suit_of(beliefs.cards[i - 1]):
            figure.add_hline(y=i - 0.5, line={"color": GREY, "width": 1})
    figure.update_yaxes(range=[len(labels) - 0.5, -0.5], showgrid=False, dtick=1, ticks="")
    figure.update_xaxes(showgrid=False, side="bottom", **FIXED_ROOM_AXIS)
    return figure.update_layout(
        meta={"shows": "chance that each seat holds each unseen card, a map for each method"},
        height=150 + 15 * len(labels),
        margin={"l": 36, "r": 8, "t": 30 + raised, "b": 90},
        legend=LEGEND_ABOVE | {"yref": "container"},
        showlegend=False,
    )


def _map(beliefs: CardBeliefs, method: str, labels: list[str], *, showscale: bool) -> go.Heatmap:
    if method == INFERRED:
        basis = "by the table"
    elif DETERMINIZATIONS[method].is_uniform:
        basis = "of all deals that agree"
    elif DETERMINIZATIONS[method].is_exact:
        basis = "over all deals"
    else:
        basis = f"of {N_DEALS:,} deals"
    name = METHOD_NAMES[method]
    return heat_map(
        [SEATS[seat] for seat in beliefs.seats],
        labels,
        beliefs.shares[method],
        zmin=0,
        zmax=1,
        colorscale=SEQUENTIAL_SCALE,
        colorbar=_COLOR_BAR,
        showscale=showscale,
        name=name,
        customdata=[[seat_name(seat) for seat in beliefs.seats]] * len(labels),
        hovertemplate=f"%{{y}} with %{{customdata}}: %{{z:.0%}} {basis}<extra>{name}</extra>",
        hoverinfo=None,
    )
