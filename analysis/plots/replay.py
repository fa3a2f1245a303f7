"""Replay's figures as they are taken away: what each play of a hand gives away, and one decision's
human probabilities beside the search's shares."""

from collections.abc import Sequence

import plotly.graph_objects as go

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.decisions.decision import PlayDecision
from analysis.decisions.given_away import GivenAway
from analysis.plots.colors import GREY, HUMAN, SEARCH
from analysis.plots.layout import LEGEND_ABOVE, TOP_DOWN, figure_of, percent_axis
from analysis.plots.traces import bars
from spades.core.cards import N_SEATS, seat_name
from spades.look.tokens import chart_color
from spades.look.words import pretty

_GRADES = ("best", "fine", "slip", "mistake")
_ROW_HEIGHT = 34  # pixels
_AROUND = 96


def plot_given_away(rows: Sequence[GivenAway], n_plays: int) -> go.Figure:
    """A bar for each judged play of a round of so many plays, coloured by its grade, with a 95%
    interval; hatched where the judge isn't settled."""
    return figure_of(
        [_plays_of(grade, rows) for grade in _GRADES if any(row.grade == grade for row in rows)],
        shows=(
            "points that each play gives away beside the judge's best card, with 95% intervals, "
            f"n = {len(rows)} plays"
        ),
        height=260,
        xaxis={
            "title": "trick, at its first card",
            "range": [-1, n_plays],
            "tickvals": list(range(0, n_plays, N_SEATS)),
            "ticktext": [str(ply // N_SEATS + 1) for ply in range(0, n_plays, N_SEATS)],
        },
        yaxis={"title": "points given away", "rangemode": "tozero"},
        legend=LEGEND_ABOVE,
        showlegend=True,
    )


def _plays_of(grade: str, rows: Sequence[GivenAway]) -> go.Bar:
    own = [row for row in rows if row.grade == grade]
    points = [row.points for row in own]
    more = [INTERVAL_SE * row.error for row in own]
    less = [min(point, reach) for point, reach in zip(points, more, strict=True)]
    hatched = ["" if row.is_settled else "/" for row in own]
    return bars(
        [row.ply for row in own],
        points,
        "%{text}: %{y:.1f} points",
        color=chart_color(grade),
        marker={"pattern": {"shape": hatched}},
        text=[_play_text(row) for row in own],
        textposition="none",
        error_y={
            "array": more,
            "arrayminus": less,
            "color": GREY,
            "thickness": 1,
            "width": 2,
        },
        name=grade,
    )


def _play_text(row: GivenAway) -> str:
    open_end = "" if row.is_settled else ", not settled"
    trick = row.ply // N_SEATS + 1
    return f"{seat_name(row.seat)}'s {pretty(row.card)}, trick {trick}{open_end}"


def plot_shares(decision: PlayDecision, model: str) -> go.Figure:
    """Two bars for each class of cards, in the order of the page's table: how likely a human plays
    it and the search's share of visits. ``decision``: by classes."""
    rows = sorted(decision.cards, key=lambda row: row.loss.points if row.loss else 0.0)
    names = []
    for row in rows:
        loss = f", loss {row.loss.points:.1f}" if row.loss else ""
        names.append(f"{row.label}{loss}")
    searches = f"{decision.n_searches:,} × {decision.iterations:,}"
    human = [row.human[model] for row in rows]
    shares = [row.share for row in rows]
    hover = "%{y}: %{x:.1%}"
    return figure_of(
        [
            bars(human, names, hover, color=HUMAN, orientation="h", name=f"human, by {model}"),
            bars(shares, names, hover, color=SEARCH, orientation="h", name=f"search, {searches}"),
        ],
        shows=(
            f"{seat_name(decision.seat)} to play in trick {decision.trick + 1}: how likely a human "
            "plays each card, and the search's share of visits"
        ),
        height=_AROUND + _ROW_HEIGHT * len(rows),
        xaxis=percent_axis("probability, and share of visits", rangemode="tozero"),
        yaxis={**TOP_DOWN, "automargin": True, "type": "category"},
        legend=LEGEND_ABOVE,
        showlegend=True,
        barmode="group",
    )
