"""Where the unseen cards are, by each way of dealing, as heat maps."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.decisions.card_beliefs import INFERRED, N_DEALS, CardBeliefs
from analysis.decisions.decision import pretty
from analysis.plots.template import QUICK_AXIS, SEARCH, heat_map
from spades.belief.dealing import UNIFORM
from spades.core.cards import SEAT_NAMES, SEATS, Deck, suit_of

SCALE = "Cividis"
NAMES = {
    "uniform": "Uniform",
    INFERRED: "Inferred",
    "biased": "Biased",
    "mixed": "Mixed",
    "posterior": "Posterior",
}
ROW = 15
COLOR_BAR = {
    "orientation": "h", "thickness": 10, "len": 0.6, "y": 0, "yanchor": "top", "ypad": 34,
    "tickformat": ".0%", "title": {"text": "P(seat holds the card)", "side": "top"},
}  # fmt: skip


def plot_beliefs(
    beliefs: CardBeliefs, deck: Deck, *, holders: Sequence[int] | None = None
) -> go.Figure:
    """A map a method: cards down, the three other seats across, the lighter the likelier.

    ``holders``: the seat that holds each card, marked by a ring; None keeps the truth hidden.
    """
    labels = [pretty(deck.format_card(card)) for card in beliefs.cards]
    methods = list(beliefs.shares)
    figure = make_subplots(
        rows=1,
        cols=len(methods),
        shared_yaxes=True,
        horizontal_spacing=0.015,
        subplot_titles=[NAMES[method] for method in methods],
    )
    for column, method in enumerate(methods, start=1):
        figure.add_trace(_map(beliefs, method, labels, column), row=1, col=column)
        if holders is not None:
            figure.add_trace(_rings(holders, labels, column), row=1, col=column)
    for i in range(1, len(beliefs.cards)):
        if suit_of(beliefs.cards[i]) != suit_of(beliefs.cards[i - 1]):
            figure.add_hline(y=i - 0.5, line={"color": "white", "width": 2})
    figure.update_yaxes(range=[len(labels) - 0.5, -0.5], showgrid=False, dtick=1, ticks="")
    figure.update_xaxes(showgrid=False, side="bottom", **QUICK_AXIS)
    return figure.update_layout(
        height=150 + ROW * len(labels),
        margin={"l": 36, "r": 8, "t": 30, "b": 90},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "yref": "container"},
        showlegend=False,
    )


def _map(beliefs: CardBeliefs, method: str, labels: Sequence[str], column: int) -> go.Heatmap:
    names = [SEAT_NAMES[SEATS[seat]] for seat in beliefs.seats]
    counted = {INFERRED: "by the table", UNIFORM: "of all deals that agree"}
    of = counted.get(method, f"of {N_DEALS:,} deals")
    return heat_map(
        [SEATS[seat] for seat in beliefs.seats],
        labels,
        beliefs.shares[method],
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        name=NAMES[method],
        customdata=[names] * len(labels),
        hoverinfo=None,
        hovertemplate=f"%{{y}} with %{{customdata}}: %{{z:.0%}} {of}<extra>{NAMES[method]}</extra>",
        showscale=column == 1,
        colorbar=COLOR_BAR,
    )


def _rings(holders: Sequence[int], labels: Sequence[str], column: int) -> go.Scatter:
    return go.Scatter(
        x=[SEATS[seat] for seat in holders],
        y=list(labels),
        mode="markers",
        name="holds it in truth",
        showlegend=column == 1,
        marker={"symbol": "circle-open", "size": 9, "color": SEARCH, "line": {"width": 2}},
        hoverinfo="skip",
    )
