"""A decision's cards with intervals: searches won, values in sampled deals, points apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from analysis.decisions.candidates import CandidateValue, CardStability, Difference
from analysis.decisions.decision import pretty
from analysis.plots import template as t

PLAYED_MARK, HUMAN_MARK, CHOICE_MARK = "● played", "▲ likeliest human", "★ table's choice"
_DOWN = {"autorange": "reversed", "automargin": True}


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
    triangles = t.dots(
        [human[row.card] for row in rows],
        labels,
        "%{y}: a human plays it with %{x:.1%}",
        name="human probability",
        marker={"symbol": "triangle-up", "size": 10, "color": t.HUMAN},
    )
    x = t.shares("share of searches", range=[0, 1.01])
    return _figure([_wins(rows, labels), triangles], x, n=len(rows), height=110, bargap=0.35)


def _figure(
    traces: Iterable[Any], x: dict[str, Any], *, n: int, height: int = 120, **layout: Any
) -> go.Figure:
    """Rows of cards."""
    options = {"y": _DOWN, "legend": t.LEGEND_ABOVE, **layout}
    return t.figure_of(traces, x=x, height=height + 26 * n, **options)


def _wins(rows: Sequence[CardStability], labels: Sequence[str]) -> go.Bar:
    share = [row.share for row in rows]
    ends = [row.interval[0] for row in rows], [row.interval[1] for row in rows]
    return go.Bar(
        y=labels,
        x=share,
        orientation="h",
        name="wins the search",
        marker={"color": t.SEARCH},
        error_x=t.whiskers(share, *ends, thickness=1.4, width=4, color=t.QUIET),
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


def card_names(cards: Sequence[str], *, played: str | None, chosen: str) -> dict[str, str]:
    """A card's name on the axis, the one played and the search's choice marked."""
    return {
        card: pretty(card) + " ● played" * (card == played) + " ◆ search" * (card == chosen)
        for card in cards
    }


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
    traces = [
        _means(
            rows,
            labels,
            "<br>best in %{customdata[2]:,} of %{customdata[3]:,} deals",
            data=[(*row.interval, row.best_in, row.n) for row in rows],
            name=f"mean of {rows[0].n:,} deals",
            marker={"color": t.SEARCH, "size": 10},
        )
    ]
    if here is not None:
        diamonds = t.dots(
            [here[row.card] for row in rows],
            [labels[row.card] for row in rows],
            f"%{{y}} in deal {deal:,}: %{{x:+.1f}} points",
            name=f"in deal {deal:,}",
            marker={"color": t.CYCLE[1], "size": 9, "symbol": "diamond-open"},
        )
        traces.append(diamonds)
    x = {"title": "points for the mover's partnership"}
    return _figure(traces, x, n=len(rows), showlegend=True)


def plot_differences(
    rows: Sequence[Difference], reference: str, *, labels: Mapping[str, str]
) -> go.Figure:
    """Another card's points less those of ``reference``, with 95 % intervals; those whose interval
    covers 0 are grey. ``labels``: what the axis calls each card.
    """
    traces = []
    for name, is_clear in (("clear difference", True), ("no clear difference", False)):
        shown = [row for row in rows if row.is_clear == is_clear]
        color, symbol = (t.SEARCH, "circle") if is_clear else (t.QUIET, "circle-open")
        data = [(*row.interval, row.n) for row in shown]
        look = {"name": name, "marker": {"color": color, "size": 10, "symbol": symbol}}
        trace = _means(shown, labels, ", %{customdata[2]:,} deals", data=data, color=color, **look)
        traces.append(trace)
    names = [labels[row.card] for row in rows][::-1]
    y = {"categoryorder": "array", "categoryarray": names, "automargin": True}
    x = {"title": f"points more than {labels[reference]}", "zeroline": False}
    figure = _figure(traces, x, n=len(rows), y=y, showlegend=True)
    t.mark_x(figure, 0, color=t.HUMAN)
    return figure


def _means(
    rows: Sequence[CandidateValue] | Sequence[Difference],
    labels: Mapping[str, str],
    hover: str,
    *,
    color: str = t.QUIET,
    **trace: Any,
) -> go.Scatter:
    means = [row.mean for row in rows]
    ends = [row.interval[0] for row in rows], [row.interval[1] for row in rows]
    return t.dots(
        means,
        [labels[row.card] for row in rows],
        "%{y}: %{x:+.1f} points<br>95 %: %{customdata[0]:+.1f} to %{customdata[1]:+.1f}" + hover,
        error_x=t.whiskers(means, *ends, thickness=1.6, width=5, color=color),
        **trace,
    )
