"""Bids as figures: of one hand with the parts of BIS's, and over many rounds."""

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.outcomes import BIN_WIDTH
from analysis.decisions.decision import pretty
from analysis.plots import template as t

_BIDDERS = {
    "bis": ("BIS", t.SEARCH),
    "rb": ("RB, rule-based", t.CYCLE[2]),
    "ms": ("MS, Master Spades", t.CYCLE[3]),
    "io": ("IO, cardgames.io", t.CYCLE[4]),
    "kb": ("KB, Whitehouse 2013", t.CYCLE[5]),
    "human": ("Simulated human", t.HUMAN),
}
ROLES: dict[str, tuple[str, str]] = {
    "high card": (t.HUMAN, ""),
    "long spade": (t.CYCLE[5], "/"),
    "cut": (t.SEARCH, "x"),
    "previous bids": (t.QUIET, "."),
}
"""Colour and pattern of each role, so that no role is known by colour alone."""
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
LARGEST_BUBBLE = 30.0
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
PATTERNS = ("", "/", "x", ".")
BID_COLORS = (t.SEARCH, t.HUMAN, t.CYCLE[2], t.CYCLE[3])


def bidder_label(name: str) -> str:
    return _BIDDERS[name][0] if name in _BIDDERS else t.plain(name)


def color_of_bidder(name: str) -> str:
    """BIS, the simulated human and the others by colour; the same in every figure of the page."""
    return _BIDDERS.get(name.partition(":")[0], ("", t.QUIET))[1]


def plot_bids(bids: pd.DataFrame) -> go.Figure:
    """A bubble a bid that a bidder makes, its area the share of times."""
    names = list(dict.fromkeys(bids["bidder"]))
    columns = bids.sort_values("bid").drop_duplicates("name")["name"].tolist()
    bubbles = [_bubbles(bids[bids["bidder"] == name], name) for name in names]
    x = t.category_axis(columns, title="bid", range=[-0.6, max(4, len(columns)) - 0.4])
    y = {**t.DOWN, "type": "category", "title": "bidder"}
    return t.figure_of(bubbles, height=70 + 42 * len(names), x=x, y=y)


def _bubbles(mine: pd.DataFrame, name: str) -> go.Scatter:
    texts = ["<1%" if share < 0.01 else f"{share:.0%}" * (share < 1) for share in mine["share"]]
    sizes = (LARGEST_BUBBLE * mine["share"] ** 0.5).tolist()
    hover = "%{y} bids %{x}: %{customdata[0]:,} of %{customdata[1]:,}<br>" + t.between(2)
    data = mine[["count", "n", "low", "high"]].to_numpy()
    look: t.Options = {"marker": {"size": sizes, "color": color_of_bidder(name), "opacity": 0.9}}
    look |= {"showlegend": False, **t.written(texts, "middle right")}
    return t.dots(mine["name"], [bidder_label(name)] * len(mine), hover, data=data, **look)


def plot_parts(parts: pd.DataFrame, *, regular: int) -> go.Figure:
    """The regular bid card by card: a bar a card from where the one above it ended."""
    parts = parts.assign(label=[_step(*row) for row in parts[["step", "role", "cuts"]].to_numpy()])
    ends = [*parts["end"], *parts["start"], float(regular)]
    least, most = min(ends), max(ends)
    x = {"title": "tricks", "range": [min(0.0, least - 0.1 * (most - least) - 0.15), most + 0.7]}
    names = parts["label"].tolist()
    y = {**t.DOWN, "title": "card", "categoryorder": "array", "categoryarray": names}
    layout: t.Options = {"barmode": "overlay", "bargap": 0.25, "margin": t.margin(24)}
    layout |= {"legend": t.LEGEND_BELOW, "showlegend": True}
    bars = [_role_bars(parts[parts["role"] == role], role) for role in ROLES]
    figure = t.figure_of(bars, height=130 + 30 * len(parts), x=x, y=y, **layout)
    t.mark_x(figure, regular, f"regular bid {regular}")
    return figure


def _step(step: str, role: str, cut: str) -> str:
    if role == "previous bids":
        return step
    return f"{pretty(step)} cuts {SUIT_SIGNS[cut]}" if cut else pretty(step)


def _role_bars(rows: pd.DataFrame, role: str) -> go.Bar:
    color, pattern = ROLES[role]
    hover = "%{y}: %{text} tricks, %{customdata[0]:.2f} so far"
    look: t.Options = {"look": {"pattern": {"shape": pattern, "solidity": 0.25}}, "name": role}
    look |= {"base": rows["start"], "text": [f"{tricks:+.2f}" for tricks in rows["tricks"]]}
    data, names = rows[["end"]].to_numpy(), rows["label"].tolist()
    return t.bars(rows["tricks"], names, hover, color, data=data, **look, **t.OUTSIDE)


def plot_curve(
    curve: pd.DataFrame,
    *,
    point: tuple[float, float] | None,
    interval: Sequence[float] | None,
    needed: float | None,
) -> go.Figure:
    """The success curve with its band, the hand's ``point`` (nil value, chance) on it if it has
    one, and the chance ``needed``."""
    value, hover = curve["value"], "nil value %{x:.2f}: %{y:.1%}"
    look = {"mode": "lines", "line": {"color": t.SEARCH, "width": 2}, "showlegend": False}
    line = t.dots(value, curve["p"], hover, **look)
    around = t.band(value, curve["low"], curve["high"], t.with_alpha(t.SEARCH, 0.2))
    x = {"title": "nil value of the hand", "range": [-0.02, 1.02]}
    y = t.shares("chance of the nil", range=[-0.02, 1.05])
    traces = [around, line]
    traces += [_hand(point, interval or (point[1], point[1]))] if point else []
    figure = t.figure_of(traces, height=300, margin=t.margin(16), x=x, y=y)
    if needed is not None and 0.0 <= needed <= 1.0:
        t.mark_y(figure, needed, f"nil needs {needed:.1%}")
    return figure


def _hand(point: tuple[float, float], interval: Sequence[float]) -> go.Scatter:
    (value, chance), (low, high) = point, interval
    hover = f"this hand: nil value {value:.3f}<br>{chance:.1%}, 95% {low:.1%} to {high:.1%}"
    look: t.Options = {"marker": {"size": 12, "color": t.HUMAN, "symbol": "diamond"}}
    look |= {"error_y": t.whiskers([chance], [low], [high]), "showlegend": False}
    text = t.written([f"{chance:.1%}"], "bottom right" if value < 0.75 else "bottom left")
    return t.dots([value], [chance], hover, **look, **text)


def plot_suits(suits: pd.DataFrame) -> go.Figure:
    """Pr(cnil) by suit: that no card of it sets the nil."""
    signs = [SUIT_SIGNS[suit] for suit in suits["suit"]]
    texts = ["BIS’s rule: no nil" if math.isnan(p) else f"{p:.3f}" for p in suits["p"]]
    bars = t.bars(suits["p"].fillna(0), signs, "%{y}: %{text}", t.SEARCH, text=texts, **t.OUTSIDE)
    ticks = {"range": [0, 1.18], "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    x, y = {"title": "Pr(cnil)", **ticks}, {**t.DOWN, "title": "suit", "tickfont": {"size": 16}}
    return t.figure_of([bars], height=190, x=x, y=y)


def plot_expected(rows: pd.DataFrame) -> go.Figure:
    """Own points, and those less the other side's, of every bid with intervals; BIS's estimates."""
    names, traces = [_bid_label(name) for name in rows["name"]], []
    looks = (("points", "own points", t.HUMAN), ("difference", "own less theirs", t.CYCLE[2]))
    for what, label, color in looks:
        hover = f"%{{y}}: %{{x:+.1f}} {label}<br>{t.between(0, '+.1f')}<br>"
        hover += "%{customdata[2]:,} rounds"
        columns = [f"{what}_low", f"{what}_high", "n"]
        look: t.Options = {"marker": {"size": 10, "color": color}, "name": label}
        traces.append(t.estimates(rows, what, names, hover, columns, **look))
    marker = {"symbol": "diamond-open", "size": 11, "color": t.SEARCH, "line": {"width": 2}}
    hover = "%{y}: %{x:+.1f} points by BIS’s estimate"
    traces.append(t.dots(rows["estimate"], names, hover, marker=marker, name="BIS’s estimate"))
    x, y = {"title": "points of the round, mean"}, {**t.NAMES_DOWN, "title": "bid"}
    layout: t.Options = {"legend": t.LEGEND_ABOVE, "margin": t.margin(40), "showlegend": True}
    figure = t.figure_of(traces, height=130 + 42 * len(rows), x=x, y=y, **layout)
    t.mark_x(figure, 0)
    return figure


def plot_histogram(bins: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Share of rounds by points, a set of bars a bid; its mean as a line with a band for the
    interval and a label above the plot."""
    traces, width = [], BIN_WIDTH / len(means)
    hover = (
        "%{customdata[0]:.0f} to %{customdata[3]:.0f} points: %{y:.1%}<br>"
        "%{customdata[1]:,} of %{customdata[2]:,} rounds" + t.OF_TRACE
    )
    for i, name in enumerate(means["name"]):
        mine = bins[bins["name"] == name].assign(high=lambda rows: rows["low"] + BIN_WIDTH - 1)
        data, color = mine[["low", "count", "n", "high"]].to_numpy(), BID_COLORS[i]
        look = {"look": {"pattern": {"shape": PATTERNS[i], "solidity": 0.2}}, "offset": i * width}
        look |= {"width": 0.92 * width, "name": _bid_label(name), "data": data}
        traces.append(t.bars(mine["low"], mine["share"], hover, t.with_alpha(color, 0.75), **look))
    x = {"title": "points of the round, bidder's partnership", "zeroline": True}
    y = t.shares("share of rounds", rangemode="tozero")
    layout: t.Options = {"legend": t.LEGEND_BELOW, "margin": t.margin(72)}
    layout |= {"showlegend": True, "barmode": "overlay"}
    figure = t.figure_of(traces, height=380, x=x, y=y, **layout)
    for i, row in enumerate(means.itertuples()):
        color, ends = BID_COLORS[i], {"x0": row.points_low, "x1": row.points_high}
        if row.points_low == row.points_low:  # else a single round, without an interval
            figure.add_vrect(**ends, fillcolor=color, opacity=0.25, line_width=0)
        t.mark_x(figure, row.points, color=color, width=2, dash=t.DASHES[i])
        label = f"{_bid_label(row.name)}: mean {row.points:+.1f}"
        t.label_above(figure, row.points, label, y=1 + 0.07 * i, font={"color": color})
    return figure


def _bid_label(name: str) -> str:
    return "nil" if name == "nil" else f"bid {name}"


BY_BID = {
    "made": (t.shares("contract made", range=[0, 1.04]), ".1%", "%{customdata[2]:,} contracts"),
    "over": ({"title": "own tricks less bid"}, "+.2f", "%{customdata[3]:,} bids"),
}
"""Share of contracts made, own tricks less the bid: axis, format, of how many."""


def plot_by_bid(rows: pd.DataFrame, groups: Sequence[str], what: str) -> go.Figure:
    """A value of ``BY_BID`` by what was bid, a line a bidder, with intervals."""
    (y, form, of), traces = BY_BID[what], []
    columns = [f"{what}_low", f"{what}_high", "contracts", "n"]
    hover = f"bid %{{x}}: %{{y:{form}}}<br>{t.between(0, form)}<br>{of}{t.OF_TRACE}"
    for i, group in enumerate(groups):
        mine = rows[(rows["group"] == group) & (rows["bid"] >= 0)]
        color = color_of_bidder(group)
        color = t.CYCLE[i % len(t.CYCLE)] if color == t.QUIET else color
        look: t.Options = {"mode": "lines+markers", "line": {"color": color, "width": 1.5}}
        look |= {"marker": {"size": 8, "symbol": SYMBOLS[i % len(SYMBOLS)]}, "along": "y"}
        look |= {"name": bidder_label(group), "bar": {"width": 0, "thickness": 1}}
        traces.append(t.estimates(mine, what, mine["bid"], hover, columns, **look))
    x, legend = {"title": "regular bid", "dtick": 1}, t.LEGEND_BELOW
    figure = t.figure_of(traces, height=380, x=x, y=y, legend=legend, showlegend=True)
    if what == "over":
        t.mark_y(figure, 0)
    return figure


def plot_duels(duels: pd.DataFrame) -> go.Figure:
    """Points a round that a bidder is ahead of each other one, with intervals."""
    hover = (
        f"against %{{y}}: %{{x:+.2f}} points a round<br>{t.between(0, '+.2f')}<br>"
        "%{customdata[2]:,} deals, each played twice"
    )
    others, columns = duels["second"], ["low", "high", "deals"]
    look: t.Options = {"marker": {"size": 11, "color": [color_of_bidder(name) for name in others]}}
    text = t.written([f"{value:+.1f}" for value in duels["ahead"]], "top center")
    names, bar = [bidder_label(name) for name in others], {"color": t.QUIET}
    points = t.estimates(duels, "ahead", names, hover, columns, bar=bar, **look, **text)
    x = {"title": "points a round ahead"}
    y = {**t.DOWN, "type": "category", "title": "against"}
    figure = t.figure_of([points], height=90 + 52 * len(duels), x=x, y=y)
    t.mark_x(figure, 0)
    return figure
