"""Success curves of nil with the rates behind them, the chance over what was heard, forecasts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.bidding.questions import bid_word
from analysis.nil.rounds import BY_CHANCE
from analysis.nil.scores import METHODS
from analysis.plots import template as t
from spades.core.rules import MAX_BID

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
SPREAD = 0.03  # of a nil value, over which points of one bin are spread
BAND_ALPHA = 0.14
FEW, FADED = 10, 0.3  # points of fewer nils are faded
FEW_FORECASTS = 100  # nils; a bin of forecasts with fewer is faded
COUNT_AXIS = {
    "type": "log", "tickvals": (1, 100, 10_000, 1_000_000),
    "ticktext": ("1", "100", "10k", "1M"), "showgrid": False,
}  # fmt: skip
POINT_COLUMNS = ["source", "bids", "bin", "n", "made", "low", "high", "from", "to"]
LOOKS = dict(zip(METHODS, zip(t.COLORS, SYMBOLS, strict=False), strict=False))


class Mark(NamedTuple):
    """A hand's place on a curve, and where its threshold lies; chances are 0 to 1."""

    value: float
    chance: float
    label: str


class Look(NamedTuple):
    """What a sequence of a source is drawn with."""

    name: str
    color: str
    dash: str
    symbol: str

    @classmethod
    def of(cls, name: str, color: str, source: int) -> "Look":
        return cls(name, color, t.DASHES[source % len(SYMBOLS)], SYMBOLS[source % len(SYMBOLS)])

    @property
    def group(self) -> t.Options:
        return {"name": self.name, "legendgroup": self.name}

    def line(self, width: float) -> t.Options:
        line = {"color": self.color, "dash": self.dash, "width": width}
        return {**self.group, "mode": "lines", "line": line}


def plot_curves(
    curves: pd.DataFrame, rates: pd.DataFrame, *, marks: Sequence[Mark], even: float, height: int
) -> go.Figure:
    """Chance of a nil by its value: curves with bands, points with intervals; nils a bin below. A
    colour a sequence; a dash and a symbol a source. ``even``: chance above which BIS bids nil. The
    points' ``customdata`` begin with source, bids before and bin: what a click picks."""
    sources, sequences = list(rates["source"].unique()), list(rates["sequence"].unique())
    pairs = [(source, sequence) for source in sources for sequence in sequences]
    upper: list[Any] = []
    lower: list[Any] = []
    is_one = len(sequences) == 1
    colors = t.colors_of(sources if is_one else sequences[::-1])
    for at, (source, sequence) in enumerate(pairs):
        name = sequence if len(sources) == 1 else f"{sequence} · {t.plain(source)}"
        color = colors[source if is_one else sequence]
        look = Look.of(name, color, sources.index(source))
        line, points = (
            table[(table["source"] == source) & (table["sequence"] == sequence)]
            for table in (curves, rates)
        )
        upper += _curve(line, look) if len(line) else []
        shift = SPREAD * ((at + 0.5) / len(pairs) - 0.5)
        points = points.assign(x=(points["from"] + points["to"]) / 2 + shift)
        upper += _points(points, look, legend=not len(line))
        lower.append(_counts(points["from"] + 0.025, points["n"], look, "%{y:,} nils"))
    upper += [_star(mark, legend=i == 0) for i, mark in enumerate(marks)]
    titles = "nil value of the hand", "chance of the nil", "nils"
    figure = _over_counts(upper, lower, titles, height, len(pairs))
    text = f"BIS bids nil above {even:.1%}"
    t.mark_y(figure, even, text, corner="bottom right", row=1, col=1)
    return figure.update_xaxes(range=[-0.01, 1.01], dtick=0.1, tickformat=".1f")


def _curve(line: pd.DataFrame, look: Look) -> list[go.Scatter]:
    """The curve, over the band of its 95% interval where it has one."""
    color, found = t.with_alpha(look.color, BAND_ALPHA), []
    if line["low"].notna().all():
        ends = line["value"], line["low"], line["high"]
        found.append(t.band(*ends, color, mode="lines", legendgroup=look.name))
    hover = f"nil value %{{x:.2f}}: curve %{{y:.1%}}{t.OF_TRACE}"
    return [*found, t.dots(line["value"], line["chance"], hover, **look.line(2.2))]


def _points(points: pd.DataFrame, look: Look, *, legend: bool) -> list[go.Scatter]:
    hover = (
        "nil value %{customdata[7]:.2f} to %{customdata[8]:.2f}: %{y:.1%}<br>"
        "%{customdata[4]:,} of %{customdata[3]:,} nils made<br>" + t.between(5)
    )
    marker = {"color": look.color, "symbol": look.symbol, "size": 8}
    trace: t.Options = {"legend": legend, "bar": {"thickness": 1.1, "width": 2}, **look.group}
    found = _rates(points, "x", hover, POINT_COLUMNS, few=FEW, marker=marker, **trace)
    for one in found:
        kept = {"marker": {"opacity": one.marker.opacity}}
        one.update(selected={"marker": {"size": 14}}, unselected=kept)
    return found


def _rates(
    rows: pd.DataFrame,
    x: str,
    hover: str,
    columns: Sequence[str],
    *,
    few: int,
    legend: bool = True,
    **trace: Any,
) -> list[go.Scatter]:
    """Rates with their intervals, those of ``few`` nils and more, and faded those of fewer. The
    first are a point that isn't drawn where only the legend needs one."""
    found, seen = [], rows[rows["n"] > 0]
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        shown, is_named = seen[(seen["n"] >= few) == is_clear], legend and is_clear
        marker = trace["marker"] | {"opacity": opacity}
        bar = {"thickness": 1.2, "width": 3, "color": t.with_alpha(marker["color"], opacity)}
        look = trace | {"marker": marker, "showlegend": is_named, "bar": bar | trace.get("bar", {})}
        dots = t.estimates(shown, "rate", shown[x], hover + t.OF_TRACE, columns, along="y", **look)
        found.append(dots.update(x=[None], y=[None]) if is_named and shown.empty else dots)
    return found


def _counts(x: pd.Series, n: pd.Series, look: Look, hover: str) -> go.Bar:
    quiet: t.Options = {"look": {"opacity": 0.75}, "showlegend": False, **look.group}
    return t.bars(x, n.where(n > 0), hover + t.OF_TRACE, look.color, **quiet)


def _star(mark: Mark, *, legend: bool) -> go.Scatter:
    hover = f"this hand: nil value %{{x:.3f}}, %{{y:.1%}}<extra>{t.plain(mark.label)}</extra>"
    line = {"color": "#222222", "width": 1.2}
    look: t.Options = {"symbol": "star", "size": 18, "color": t.CYCLE[4], "line": line}
    named: t.Options = {"name": "this hand", "legendgroup": "this hand", "showlegend": legend}
    return t.dots([mark.value], [mark.chance], hover, marker=look, **named)


def _over_counts(
    upper: Sequence[Any], lower: Sequence[Any], titles: Sequence[str], height: int, n_entries: int
) -> go.Figure:
    """Two rows: chances over counts; ``titles`` of x, of the chances and of the counts."""
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.03
    )
    figure.add_traces(list(upper), rows=1, cols=1)
    figure.add_traces(list(lower), rows=2, cols=1)
    layout: t.Options = {"height": height + 22 * (n_entries // 3), "margin": t.margin(30)}
    layout["legend"] = t.LEGEND_BELOW
    layout |= {"barmode": "group", "bargap": 0.15, "bargroupgap": 0, **t.CLICKS}
    figure.update_layout(showlegend=True, **layout)
    chances = t.shares(titles[1], range=[-0.02, 1.02], dtick=0.2)
    figure.update_yaxes(**chances, row=1, col=1)
    figure.update_yaxes(title=titles[2], **COUNT_AXIS, row=2, col=1)
    return figure.update_xaxes(title=titles[0], row=2, col=1)


def plot_aces(rows: pd.DataFrame, *, height: int = 520) -> go.Figure:
    """P(highest spade) by the sum of the bids heard, a line a source; seats a sum below. Points of
    few seats are faded, and the line leaves them out."""
    sources, columns = list(rows["source"].unique()), ["held", "n", "low", "high"]
    colors = t.colors_of(sources)
    upper, lower = [], []
    hover = (
        "bids sum to %{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,} seats<br>"
        + t.between(2)
    )
    for at, source in enumerate(sources):
        mine, look = rows[rows["source"] == source], Look.of(t.plain(source), colors[source], at)
        quiet: t.Options = {**look.line(1.6), "hoverinfo": "skip", "showlegend": False}
        line = mine[mine["n"] >= FEW]
        upper.append(go.Scatter(x=line["total"], y=line["rate"], **quiet))
        marker = {"color": look.color, "symbol": look.symbol, "size": 9}
        upper += _rates(mine, "total", hover, columns, few=FEW, marker=marker, **look.group)
        lower.append(_counts(mine["total"], mine["n"], look, "sum %{x}: %{y:,} seats"))
    titles = "sum of the bids heard", "holds the ace of spades", "seats"
    figure = _over_counts(upper, lower, titles, height, len(sources))
    t.mark_y(figure, BY_CHANCE, "any seat, no bids heard: 25%", row=1, col=1)
    return figure.update_xaxes(dtick=1)


def plot_calibration(rows: pd.DataFrame, *, height: int = 480) -> go.Figure:
    """Points of forecast and share made with their 95% intervals, over the line where they agree.
    ``rows`` of ``calibration_rows``, bins of few nils being faded, or of ``sequence_rows``, open
    where the interval doesn't reach the line."""
    traces = [t.diagonal(showlegend=False)]
    for method in rows["method"].unique():
        traces += _forecasts(rows[rows["method"] == method], method)
    axis = {"range": [-0.02, 1.02], "dtick": 0.2}
    x = t.shares("forecast chance of the nil", **axis)
    y = t.shares("share made, held out", **axis)
    layout = {"legend": {**t.LEGEND_ABOVE, "y": 1.02}, "hovermode": "closest"}
    return t.figure_of(traces, height=height, x=x, y=y, **layout)


def _forecasts(mine: pd.DataFrame, method: str) -> list[go.Scatter]:
    color, symbol = LOOKS[method]
    hover = (
        "%{customdata[4]}<br>forecast %{x:.1%}, made %{y:.1%}: %{customdata[1]:,} of "
        "%{customdata[0]:,} nils<br>" + t.between(2)
    )
    columns = ["n", "made", "low", "high", "named"]
    group: t.Options = {"name": METHODS[method], "legendgroup": method}
    if "bids" not in mine:
        mine = mine.assign(named="forecasts of one twentieth")
        group["marker"] = {"color": color, "symbol": symbol, "size": 9}
        return _rates(mine, "forecast", hover, columns, few=FEW_FORECASTS, **group)
    names = ["after " + bids if bids else "first to bid" for bids in mine["bids"]]
    # The legend has the first's mark.
    mine = mine.assign(named=names).sort_values("is_covered", ascending=False)
    symbols = [symbol if one else f"{symbol}-open" for one in mine["is_covered"]]
    group["bar"] = {"thickness": 0.8, "width": 0, "color": t.with_alpha(color, FADED + 0.2)}
    group["marker"] = {"color": color, "symbol": symbols, "size": 6}
    return _rates(mine, "forecast", hover, columns, few=0, **group)[:1]


FEW_IN_CELL = 30  # nils; a cell with fewer is faded
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_COLUMNS = ["partner", "total", "n", "made", "rate", "low", "high", "chance"]
_HOVER = (
    "partner bid %{x}, sum %{y}<br>curves: %{customdata[7]:.1%}<br>nils seen: "
    "%{customdata[3]:,} of %{customdata[2]:,} made (%{customdata[4]:.1%}, 95% "
    "%{customdata[5]:.1%} to %{customdata[6]:.1%})"
)
_COLOR_BAR = {
    "tickformat": ".0%", "thickness": 12, "title": {"text": "made", "side": "top"},
    "orientation": "h", "y": 1.0, "yanchor": "bottom",
}  # fmt: skip


def plot_map(rows: pd.DataFrame, measure: str, cell: tuple[int, int] | None = None) -> go.Figure:
    """Heat map: partner's bid across, sum of the bids up; cells of few nils faded.

    ``measure`` ``chance``, of the curves at one nil value, or ``rate``, of the nils seen. The
    ``customdata`` of the marks that take the clicks are the partner's bid and the sum. ``cell``:
    the pair that is framed."""
    shown, (low, high) = _shown(rows), _span(rows, measure)
    look: t.Options = {"zmin": low, "zmax": high, "colorscale": "Cividis", "colorbar": _COLOR_BAR}
    traces = []
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        part = shown[(shown["n"] >= FEW_IN_CELL) == is_clear]
        look |= {"text": [f"{100 * value:.0f}" for value in part[measure]]}  # narrow, for phones
        look |= {"texttemplate": "%{text}" if is_clear else None, "showscale": is_clear}
        heat = t.heat_map(part["partner"], part["total"], part[measure], opacity=opacity, **look)
        traces.append(heat)
    data = shown[_COLUMNS].to_numpy()
    traces.append(t.cell_marks(shown["partner"], shown["total"], data, _HOVER, size=14, framed=0.0))
    quiet = {"showgrid": False, "zeroline": False}
    x, y = _partner_axis() | quiet, {"title": "sum of the bids before yours", "dtick": 2, **quiet}
    figure = t.figure_of(traces, height=560, x=x, y=y, showlegend=False, **t.CELL_CLICKS)
    if cell is not None:
        ends = {f"{axis}{i}": cell["xy".index(axis)] - 0.5 + i for axis in "xy" for i in (0, 1)}
        figure.add_shape(**ends, type="rect", line={"color": t.CYCLE[0], "width": 3})
    return figure


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown, (low, high) = rows[rows["n"] >= FEW_IN_CELL], _span(rows, measure)
    grid, counts = (
        shown.pivot(index="total", columns="partner", values=name) for name in (measure, "n")
    )
    look: t.Options = {"cmin": low, "cmax": high, "colorscale": "Cividis"}
    look["colorbar"] = {"tickformat": ".0%", "thickness": 12, "title": "made"}
    hover = "partner %{x}, sum %{y}: %{z:.1%}<br>%{customdata:,} nils<extra></extra>"
    look["hovertemplate"] = hover
    data, z = np.nan_to_num(counts.to_numpy()), grid.to_numpy()
    surface = go.Surface(x=grid.columns, y=grid.index, z=z, customdata=data, **look)
    scene = {
        "xaxis": _partner_axis(),
        "yaxis": {"title": "sum of the bids"},
        "zaxis": {"title": "chance", "tickformat": ".0%", "range": [low, high]},
        "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
    }
    return go.Figure(surface).update_layout(height=560, margin=t.MARGIN, scene=scene)


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Bids and sums up to the largest that were ever heard; all of them where none were."""
    heard = rows[rows["n"] > 0] if rows["n"].any() else rows
    is_near = (rows["total"] <= heard["total"].max()) & (rows["partner"] <= heard["partner"].max())
    return rows[is_near]


def _span(rows: pd.DataFrame, measure: str) -> tuple[float, float]:
    """What the colours run over: the cells of nils enough, out to the next twentieth."""
    values = rows.loc[rows["n"] >= FEW_IN_CELL, measure]
    if values.empty:
        return 0.0, 1.0
    return np.floor(values.min() * 20) / 20, np.ceil(values.max() * 20) / 20


def _partner_axis() -> t.Options:
    bids = list(range(MAX_BID + 1))
    ticks = {"tickmode": "array", "tickvals": bids, "ticktext": [bid_word(bid) for bid in bids]}
    return {"title": "partner's bid", **ticks}
