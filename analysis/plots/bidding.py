"""Bids as figures: of one hand with the parts of BIS's, and over many rounds."""

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.bid_trials import BIN_WIDTH
from analysis.plots.colors import (
    BLUE,
    DASHES,
    GREEN,
    GREY,
    HUMAN,
    OCHRE,
    ORANGE,
    PINK,
    SEARCH,
    TEAL,
    with_alpha,
)
from analysis.plots.labels import label_ends, label_firsts
from analysis.plots.layout import (
    LEGEND_ABOVE,
    LEGEND_BELOW,
    NAMES_TOP_DOWN,
    TOP_DOWN,
    add_horizontal_line,
    add_label_above,
    add_vertical_line,
    category_axis,
    figure_of,
    percent_axis,
    top_margin,
)
from analysis.plots.traces import (
    TRACE_NAME,
    band,
    bars,
    dots,
    error_bars,
    estimates,
    interval_text,
    without_markup,
)
from analysis.text_tables import signed, span
from spades.look.words import pretty

_BIDDERS = {
    "bis": ("BIS", SEARCH),
    "rb": ("RB, rule-based", GREEN),
    "ms": ("MS, Master Spades", PINK),
    "io": ("IO, cardgames.io", OCHRE),
    "kb": ("KB, Whitehouse 2013", TEAL),
    "human": ("Simulated human", HUMAN),
}
"""Label and colour."""
_ROLES = {
    "high card": (BLUE, ""),
    "long spade": (TEAL, "/"),
    "cut": (ORANGE, "x"),
    "previous bids": (GREY, "."),
}
"""Colour and pattern of each role, so that no role is known by colour alone."""
_SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_MAX_BUBBLE = 30.0  # pixels across
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
_LINE_COLORS = (ORANGE, BLUE, GREEN, PINK, OCHRE, TEAL)  # of bidders without their own
_PATTERNS = ("", "/", "x", ".")
BID_COLORS = (ORANGE, BLUE, GREEN, PINK)


def bidder_label(name: str) -> str:
    return _BIDDERS[name][0] if name in _BIDDERS else without_markup(name)


def color_of_bidder(name: str) -> str:
    """A known bidder's colour, the same in every figure of the page; grey for any other."""
    kind = name.partition(":")[0]
    return _BIDDERS[kind][1] if kind in _BIDDERS else GREY


def plot_bids(bids: pd.DataFrame) -> go.Figure:
    """A bubble for each bid that a bidder makes, its area the share of times."""
    bidders = list(dict.fromkeys(bids["bidder"]))
    names = bids.sort_values("bid").drop_duplicates("name")["name"].tolist()
    return figure_of(
        [_bubbles(bids[bids["bidder"] == bidder], bidder) for bidder in bidders],
        shows="bids of each bidder on this hand, a bubble by the share of times",
        height=70 + 42 * len(bidders),
        xaxis=category_axis(names, title="bid", range=[-0.6, max(4, len(names)) - 0.4]),
        yaxis={**TOP_DOWN, "type": "category"},
    )


def _bubbles(bids: pd.DataFrame, bidder: str) -> go.Scatter:
    return dots(
        bids["name"],
        [bidder_label(bidder)] * len(bids),
        "%{y} bids %{x}: %{customdata[0]:,} of %{customdata[1]:,}<br>" + interval_text(2),
        data=bids[["count", "n", "low", "high"]].to_numpy(),
        mode="markers+text",
        marker={
            "size": (_MAX_BUBBLE * bids["share"] ** 0.5).tolist(),
            "color": color_of_bidder(bidder),
            "opacity": 0.9,
        },
        text=[_bubble_text(share) for share in bids["share"]],
        textposition="middle right",
        showlegend=False,
    )


def _bubble_text(share: float) -> str:
    if share < 0.01:
        return "<1%"
    if share < 1:
        return f"{share:.0%}"
    return ""


def plot_parts(parts: pd.DataFrame, *, regular: int) -> go.Figure:
    """The regular bid card by card: a bar for each card, from where the one above it ended."""
    labels = [
        _part_label(step, role, cut)
        for step, role, cut in parts[["step", "role", "cuts"]].to_numpy()
    ]
    parts = parts.assign(label=labels)
    ends = [*parts["end"], *parts["start"], float(regular)]
    least = min(ends)
    most = max(ends)
    figure = figure_of(
        [_role_bars(parts[parts["role"] == role], role) for role in _ROLES],
        shows=f"tricks that each card counts in the regular bid of {regular}",
        height=130 + 30 * len(parts),
        xaxis={
            "title": "tricks",
            "range": [min(0.0, least - 0.1 * (most - least) - 0.15), most + 0.7],
        },
        yaxis={
            **TOP_DOWN,
            "categoryorder": "array",
            "categoryarray": parts["label"].tolist(),
        },
        barmode="overlay",
        bargap=0.25,
        margin=top_margin(24),
        legend=LEGEND_BELOW,
        showlegend=True,
    )
    add_vertical_line(figure, regular)
    figure.update_shapes(layer="below")  # the numbers of bars that end at it are over it
    add_label_above(figure, regular, f"regular bid {regular}")
    return figure


def _part_label(step: str, role: str, cut: str) -> str:
    if role == "previous bids":
        return step
    return f"{pretty(step)} cuts {_SUIT_SIGNS[cut]}" if cut else pretty(step)


def _role_bars(rows: pd.DataFrame, role: str) -> go.Bar:
    color, pattern = _ROLES[role]
    return bars(
        rows["tricks"],
        rows["label"].tolist(),
        "%{y}: %{text} tricks, %{customdata[0]:.2f} so far",
        color=color,
        data=rows[["end"]].to_numpy(),
        marker={"pattern": {"shape": pattern, "solidity": 0.25}},
        name=role,
        base=rows["start"],
        orientation="h",
        text=[signed(tricks, "+.2f") for tricks in rows["tricks"]],
        textposition="outside",
        cliponaxis=False,
    )


def plot_curve(
    curve: pd.DataFrame,
    *,
    point: tuple[float, float] | None,
    interval: Sequence[float] | None,
    needed: float | None,
) -> go.Figure:
    """BIS's logistic curve with its band, its estimate for the hand, ``point`` (nil value, chance),
    if it has one, and the chance ``needed``."""
    value = curve["value"]
    line = dots(
        value,
        curve["p"],
        "nil value %{x:.2f}: %{y:.1%}",
        mode="lines",
        line={"color": SEARCH, "width": 2},
        showlegend=False,
    )
    traces = [band(value, curve["low"], curve["high"], with_alpha(SEARCH, 0.2)), line]
    if point is not None:
        chance = point[1]
        traces.append(_hand_on_curve(point, interval or (chance, chance)))
    figure = figure_of(
        traces,
        shows="BIS's estimate of a nil by the nil value of the hand",
        height=300,
        xaxis={"title": "nil value of the hand", "range": [-0.02, 1.02]},
        yaxis=percent_axis("chance of the nil", range=[-0.02, 1.05]),
        margin=top_margin(16),
    )
    if needed is not None and 0.0 <= needed <= 1.0:
        add_horizontal_line(figure, needed, f"nil needs {needed:.1%}")
    return figure


def _hand_on_curve(point: tuple[float, float], interval: Sequence[float]) -> go.Scatter:
    value, chance = point
    low, high = interval
    return dots(
        [value],
        [chance],
        f"BIS's estimate: nil value {value:.3f}<br>{chance:.1%}<br>95%: {span(interval, '.1%')}",
        mode="markers+text",
        marker={"size": 12, "color": HUMAN, "symbol": "diamond"},
        error_y=error_bars([chance], [low], [high]),
        text=[f"BIS {chance:.1%}"],
        textposition="bottom right" if value < 0.75 else "bottom left",
        showlegend=False,
    )


def plot_suits(suits: pd.DataFrame) -> go.Figure:
    """Pr(cnil) by suit: that no card of it sets the nil."""
    texts = ["BIS’s rule: no nil" if math.isnan(p) else f"{p:.3f}" for p in suits["p"]]
    suit_bars = bars(
        suits["p"].fillna(0),
        [_SUIT_SIGNS[suit] for suit in suits["suit"]],
        "%{y}: %{text}",
        color=SEARCH,
        orientation="h",
        text=texts,
        textposition="outside",
        cliponaxis=False,
    )
    return figure_of(
        [suit_bars],
        shows="chance that no card of a suit sets the nil",
        height=190,
        xaxis={
            "title": "chance that the suit is safe for nil, Pr(cnil)",
            "range": [0, 1.18],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
        },
        yaxis=TOP_DOWN,
    )


def plot_expected(rows: pd.DataFrame) -> go.Figure:
    """Own points of every bid and those less the other side's, with intervals; BIS's estimates."""
    names = [_bid_label(name) for name in rows["name"]]
    estimated = dots(
        rows["estimate"],
        names,
        "%{y}: %{x:+.1f} points by BIS’s estimate",
        marker={"symbol": "diamond-open", "size": 11, "color": SEARCH, "line": {"width": 2}},
        name="BIS’s estimate",
    )
    figure = figure_of(
        [
            _mean_points(rows, names, "points", "own points", HUMAN),
            _mean_points(rows, names, "difference", "own less theirs", GREEN),
            estimated,
        ],
        shows="mean points of the round by what is bid, with 95% intervals",
        height=130 + 42 * len(rows),
        xaxis={"title": "points of the round, mean"},
        yaxis=NAMES_TOP_DOWN,
        legend=LEGEND_ABOVE,
        margin=top_margin(40),
        showlegend=True,
    )
    add_vertical_line(figure, 0)
    return label_firsts(figure)


def _mean_points(
    rows: pd.DataFrame,
    names: Sequence[str],
    column: str,
    label: str,
    color: str,
) -> go.Scatter:
    hover = (
        f"%{{y}}: %{{x:+.1f}} {label}<br>{interval_text(0, '+.1f')}<br>%{{customdata[2]:,}} rounds"
    )
    return estimates(
        rows,
        column,
        names,
        hover,
        [f"{column}_low", f"{column}_high", "n"],
        marker={"size": 10, "color": color},
        name=label,
    )


def plot_histogram(bins: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds by points, a set of bars for each bid; its mean as a line with a band for the
    interval and a label above the plot."""
    bids = list(means.itertuples())
    figure = figure_of(
        [_points_bars(bins[bins["name"] == bid.name], i, len(bids)) for i, bid in enumerate(bids)],
        shows="share of rounds by their points, for each bid",
        height=380,
        xaxis={"title": "points of the round, bidder's partnership", "zeroline": True},
        yaxis=percent_axis("share of rounds", rangemode="tozero"),
        legend=LEGEND_BELOW,
        margin=top_margin(72),
        showlegend=True,
        barmode="overlay",
    )
    for i, bid in enumerate(bids):
        color = BID_COLORS[i]
        low = bid.points_low
        if not math.isnan(low):  # a single round has no interval
            figure.add_vrect(
                x0=low, x1=bid.points_high, fillcolor=color, opacity=0.25, line_width=0
            )
        add_vertical_line(figure, bid.points, color=color, width=2, dash=DASHES[i])
        label = f"{_bid_label(bid.name)}: mean {signed(bid.points)}"
        add_label_above(figure, bid.points, label, y=1 + 0.07 * i)
    return figure


def _points_bars(bins: pd.DataFrame, i: int, n_bids: int) -> go.Bar:
    """Bars of bid ``i``: each bin is shared by ``n_bids`` bars beside each other."""
    width = BIN_WIDTH / n_bids
    bins = bins.assign(high=bins["low"] + BIN_WIDTH - 1)
    hover = (
        "%{customdata[0]:.0f} to %{customdata[3]:.0f} points: %{y:.1%}<br>"
        "%{customdata[1]:,} of %{customdata[2]:,} rounds" + TRACE_NAME
    )
    return bars(
        bins["low"],
        bins["share"],
        hover,
        color=with_alpha(BID_COLORS[i], 0.75),
        data=bins[["low", "count", "n", "high"]].to_numpy(),
        marker={"pattern": {"shape": _PATTERNS[i], "solidity": 0.2}},
        offset=i * width,
        width=0.92 * width,
        name=_bid_label(bins["name"].iloc[0]),
    )


def _bid_label(name: str) -> str:
    return "nil" if name == "nil" else f"bid {name}"


def plot_by_bid(rows: pd.DataFrame, groups: Sequence[str], measure: str) -> go.Figure:
    """A measure by what was bid, a line for each bidder, with intervals. ``measure``: ``made``, the
    share of contracts made, or ``over``, own tricks less the bid."""
    lines = [_line_by_bid(rows, group, i, measure) for i, group in enumerate(groups)]
    if measure == "made":
        yaxis = percent_axis("contract made", range=[0, 1.04])
    else:
        yaxis = {"title": "own tricks less bid"}
    figure = figure_of(
        lines,
        shows="contracts by what was bid, a line for each bidder, with 95% intervals",
        height=380,
        xaxis={"title": "regular bid", "dtick": 1},
        yaxis=yaxis,
        legend=LEGEND_BELOW,
        showlegend=True,
    )
    if measure == "over":
        add_horizontal_line(figure, 0)
    return label_ends(figure)


def _line_by_bid(rows: pd.DataFrame, group: str, i: int, measure: str) -> go.Scatter:
    is_made = measure == "made"
    form = ".1%" if is_made else "+.2f"
    count = "%{customdata[2]:,} contracts" if is_made else "%{customdata[3]:,} bids"
    color = color_of_bidder(group)
    if color == GREY:
        color = _LINE_COLORS[i % len(_LINE_COLORS)]
    shown = rows[(rows["group"] == group) & (rows["bid"] >= 0)]
    return estimates(
        shown,
        measure,
        shown["bid"],
        f"bid %{{x}}: %{{y:{form}}}<br>{interval_text(0, form)}<br>{count}{TRACE_NAME}",
        [f"{measure}_low", f"{measure}_high", "contracts", "n"],
        along="y",
        mode="lines+markers",
        line={"color": color, "width": 1.5},
        marker={"size": 8, "symbol": _SYMBOLS[i % len(_SYMBOLS)]},
        name=bidder_label(group),
        error_bar={"width": 0, "thickness": 1},
    )


def plot_duels(duels: pd.DataFrame) -> go.Figure:
    """Points a round by which a bidder is ahead of each other one, with intervals."""
    opponents = duels["second"]
    hover = (
        f"against %{{y}}: %{{x:+.2f}} points a round<br>{interval_text(0, '+.2f')}<br>"
        "%{customdata[2]:,} deals, each played twice"
    )
    points = estimates(
        duels,
        "ahead",
        [bidder_label(name) for name in opponents],
        hover,
        ["low", "high", "deals"],
        mode="markers+text",
        marker={"size": 11, "color": [color_of_bidder(name) for name in opponents]},
        text=[signed(ahead) for ahead in duels["ahead"]],
        textposition="top center",
        error_bar={"color": GREY},
    )
    figure = figure_of(
        [points],
        shows="points a round ahead of each other bidder, with 95% intervals",
        height=90 + 52 * len(duels),
        xaxis={"title": "points a round ahead of"},
        yaxis={**TOP_DOWN, "type": "category"},
    )
    add_vertical_line(figure, 0)
    return figure
