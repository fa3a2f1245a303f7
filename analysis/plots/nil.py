"""Success curves of nil with the rates behind them, the chance over what was heard, forecasts."""

from __future__ import annotations

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
ONLY_TRACE = "<extra>%{fullData.name}</extra>"
SPREAD = 0.03  # of a nil value, over which points of one bin are spread
LEGEND_BELOW = 60  # pixels under the axis
AROUND = 150  # pixels of a figure's height that axes don't fill
BAND_ALPHA = 0.14
FEW, FADED = 10, 0.3  # points of fewer nils are faded
FEW_FORECASTS = 100  # nils; a bin of forecasts with fewer is faded
COUNT_AXIS = {
    "type": "log", "title": "n", "tickvals": (1, 100, 10_000, 1_000_000),
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
    def of(cls, name: str, colored: int, source: int) -> Look:
        color, dash = t.COLORS[colored % len(t.COLORS)], t.DASHES[source % len(SYMBOLS)]
        return cls(name, color, dash, SYMBOLS[source % len(SYMBOLS)])

    def line(self, width: float) -> t.Options:
        """Of a line: name, legend and look."""
        line = {"color": self.color, "dash": self.dash, "width": width}
        return {"name": self.name, "legendgroup": self.name, "mode": "lines", "line": line}


def plot_curves(
    curves: pd.DataFrame,
    rates: pd.DataFrame,
    *,
    marks: Sequence[Mark] = (),
    even: float | None = None,
    height: int = 560,
) -> go.Figure:
    """Chance of a nil by its value: curves with bands, points with intervals; nils a bin below.

    A colour a sequence; a dash and a symbol a source. ``even``: chance above which BIS bids nil.
    The points' ``customdata`` begin with source, bids before and bin: what a click picks.
    """
    sources, sequences = list(rates["source"].unique()), list(rates["sequence"].unique())
    pairs = [(source, sequence) for source in sources for sequence in sequences]
    upper: list[Any] = []
    lower: list[Any] = []
    for at, (source, sequence) in enumerate(pairs):
        name = sequence if len(sources) == 1 else f"{sequence} · {t.plain(source)}"
        colored = sequences.index(sequence) if len(sequences) > 1 else sources.index(source)
        look = Look.of(name, colored, sources.index(source))
        line, points = (
            table[(table["source"] == source) & (table["sequence"] == sequence)]
            for table in (curves, rates)
        )
        upper += _curve(line, look) if len(line) else []
        shift = SPREAD * ((at + 0.5) / len(pairs) - 0.5)
        is_clear = points["n"] >= FEW
        upper.append(_points(points[is_clear], look, shift, 1.0, legend=not len(line)))
        upper.append(_points(points[~is_clear], look, shift, FADED, legend=False))
        lower.append(_counts(points["from"] + 0.025, points["n"], look, "%{y:,} nils"))
    upper += [_star(mark, legend=i == 0) for i, mark in enumerate(marks)]
    figure = _over_counts(upper, lower, "nil value of the hand", height, n_entries=len(pairs))
    if even is not None:
        text = f"BIS bids nil above {even:.1%}"
        t.mark_y(figure, even, text, corner="bottom right", row=1, col=1)
    return figure.update_xaxes(range=[-0.01, 1.01], dtick=0.1, tickformat=".1f")


def _curve(line: pd.DataFrame, look: Look) -> list[go.Scatter]:
    """The curve, over the band of its 95 % interval where it has one."""
    color, found = t.with_alpha(look.color, BAND_ALPHA), []
    if line["low"].notna().all():
        ends = line["value"], line["low"], line["high"]
        found.append(t.band(*ends, color, mode="lines", legendgroup=look.name))
    hover = f"nil value %{{x:.2f}}: curve %{{y:.1%}}{ONLY_TRACE}"
    return [*found, t.dots(line["value"], line["chance"], hover, **look.line(2.2))]


def _points(
    points: pd.DataFrame, look: Look, shift: float, opacity: float, *, legend: bool
) -> go.Scatter:
    seen = points[points["n"] > 0]
    hover = (
        "nil value %{customdata[7]:.2f} to %{customdata[8]:.2f}: %{y:.1%}<br>"
        "%{customdata[4]:,} of %{customdata[3]:,} nils made<br>" + t.between(5)
    )
    trace = _rates(
        seen,
        (seen["from"] + seen["to"]) / 2 + shift,
        hover,
        POINT_COLUMNS,
        legend=legend,
        marker={"color": look.color, "symbol": look.symbol, "size": 8, "opacity": opacity},
        name=look.name,
        legendgroup=look.name,
    )
    kept = {"selected": {"marker": {"size": 14}}, "unselected": {"marker": {"opacity": opacity}}}
    return trace.update(error_y={"thickness": 1.1, "width": 2}, **kept)


def _rates(
    rows: pd.DataFrame,
    x: pd.Series,
    hover: str,
    columns: Sequence[str],
    *,
    legend: bool,
    marker: t.Options,
    **trace: Any,
) -> go.Scatter:
    """Rates with their intervals; a point that isn't drawn where only the legend needs one."""
    is_bare = legend and rows.empty
    color = t.with_alpha(marker["color"], marker["opacity"])
    ends = rows["rate"], rows["low"], rows["high"]
    return t.dots(
        [None] if is_bare else x,
        [None] if is_bare else rows["rate"],
        hover + ONLY_TRACE,
        data=rows[[*columns]].to_numpy(),
        showlegend=legend,
        error_y=t.whiskers(*ends, thickness=1.2, width=3, color=color),
        marker=marker,
        **trace,
    )


def _counts(x: pd.Series, n: pd.Series, look: Look, hover: str) -> go.Bar:
    named = {"name": look.name, "legendgroup": look.name, "showlegend": False}
    faded = {"opacity": 0.75}
    return t.bars(x, n.where(n > 0), hover + ONLY_TRACE, look.color, look=faded, **named)


def _star(mark: Mark, *, legend: bool) -> go.Scatter:
    look = {"symbol": "star", "size": 18, "color": t.CYCLE[4]}
    return t.dots(
        [mark.value],
        [mark.chance],
        f"this hand: nil value %{{x:.3f}}, %{{y:.1%}}<extra>{t.plain(mark.label)}</extra>",
        name="this hand",
        legendgroup="this hand",
        showlegend=legend,
        marker={**look, "line": {"color": "#222222", "width": 1.2}},
    )


def _over_counts(
    upper: Sequence[Any], lower: Sequence[go.Bar], title: str, height: int, *, n_entries: int
) -> go.Figure:
    """Two rows: chances over counts."""
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.03
    )
    figure.add_traces(list(upper), rows=1, cols=1)
    figure.add_traces(list(lower), rows=2, cols=1)
    below = -LEGEND_BELOW / (height - AROUND)
    figure.update_layout(
        height=height + 22 * (n_entries // 3),
        margin=t.margin(30),
        legend={**t.legend_below(below), "yanchor": "top"},
        showlegend=True,
        **{"barmode": "group", "bargap": 0.15, "bargroupgap": 0, **t.CLICKS},
    )
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2, row=1, col=1)
    figure.update_yaxes(**COUNT_AXIS, row=2, col=1)
    return figure.update_xaxes(title=title, row=2, col=1)


def plot_aces(rows: pd.DataFrame, *, height: int = 520) -> go.Figure:
    """P(highest spade) by the sum of the bids heard, a line a source; seats a sum below.

    Points of few seats are faded, and the line leaves them out.
    """
    sources = list(rows["source"].unique())
    upper, lower = [], []
    for at, source in enumerate(sources):
        mine, look = rows[rows["source"] == source], Look.of(t.plain(source), at, at)
        is_clear = mine["n"] >= FEW
        quiet = {"hoverinfo": "skip", "showlegend": False}
        line = mine[is_clear]
        upper.append(go.Scatter(x=line["total"], y=line["rate"], **look.line(1.6), **quiet))
        for shown, opacity in ((mine[is_clear], 1.0), (mine[~is_clear], FADED)):
            upper.append(_ace_points(shown, look, opacity))
        lower.append(_counts(mine["total"], mine["n"], look, "sum %{x}: %{y:,} seats"))
    figure = _over_counts(upper, lower, "sum of the bids heard", height, n_entries=len(sources))
    t.mark_y(figure, BY_CHANCE, "any seat, no bids heard: 25 %", row=1, col=1)
    return figure.update_xaxes(dtick=1)


def _ace_points(mine: pd.DataFrame, look: Look, opacity: float) -> go.Scatter:
    hover = (
        "bids sum to %{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,} seats<br>"
        + t.between(2)
    )
    marker = {"color": look.color, "symbol": look.symbol, "size": 9, "opacity": opacity}
    group: t.Options = {"name": look.name, "legendgroup": look.name, "legend": opacity == 1.0}
    columns = ["held", "n", "low", "high"]
    return _rates(mine, mine["total"], hover, columns, marker=marker, **group)


def plot_calibration(rows: pd.DataFrame, *, height: int = 480) -> go.Figure:
    """Points of forecast and share made with their 95 % intervals, over the line where they agree.

    ``rows`` of ``calibration_rows``, bins of few nils being faded, or of ``sequence_rows``, open
    where the interval doesn't reach the line.
    """
    traces = [t.diagonal(showlegend=False)]
    for method in rows["method"].unique():
        mine = rows[rows["method"] == method]
        if "bids" in rows:
            names = ["after " + bids if bids else "first to bid" for bids in mine["bids"]]
            traces.append(_sequence_points(mine.assign(named=names), method))
            continue
        mine, is_clear = mine.assign(named="forecasts of one twentieth"), mine["n"] >= FEW_FORECASTS
        traces += [
            _forecasts(shown, method, size=9, opacity=opacity)
            for shown, opacity in ((mine[is_clear], 1.0), (mine[~is_clear], FADED))
        ]
    axis = {"range": [-0.02, 1.02], "dtick": 0.2}
    x = t.shares("forecast chance of the nil", **axis)
    y = t.shares("share made, held out", **axis)
    layout = {"legend": {**t.LEGEND_ABOVE, "y": 1.02}, "hovermode": "closest", "dragmode": False}
    return t.figure_of(traces, height=height, x=x, y=y, **layout)


def _sequence_points(mine: pd.DataFrame, method: str) -> go.Scatter:
    mine = mine.sort_values("is_covered", ascending=False)  # the legend has the first's mark
    symbol = LOOKS[method][1]
    symbols = [symbol if one else f"{symbol}-open" for one in mine["is_covered"]]
    trace = _forecasts(mine, method, size=6, opacity=1.0).update(marker={"symbol": symbols})
    color = t.with_alpha(LOOKS[method][0], FADED + 0.2)
    return trace.update(error_y={"thickness": 0.8, "width": 0, "color": color})


def _forecasts(mine: pd.DataFrame, method: str, *, size: int, opacity: float) -> go.Scatter:
    color, symbol = LOOKS[method]
    hover = (
        "%{customdata[4]}<br>forecast %{x:.1%}, made %{y:.1%}: %{customdata[1]:,} of "
        "%{customdata[0]:,} nils<br>" + t.between(2)
    )
    return _rates(
        mine,
        mine["forecast"],
        hover,
        ["n", "made", "low", "high", "named"],
        legend=opacity == 1.0,
        marker={"color": color, "symbol": symbol, "size": size, "opacity": opacity},
        name=METHODS[method],
        legendgroup=method,
    )


FEW_IN_CELL = 30  # nils; a cell with fewer is faded
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_COLUMNS = ["partner", "total", "n", "made", "rate", "low", "high", "chance"]
_HOVER = (
    "partner bid %{x}, sum %{y}<br>curves: %{customdata[7]:.1%}<br>nils seen: "
    "%{customdata[3]:,} of %{customdata[2]:,} made (%{customdata[4]:.1%}, 95 % "
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
    the pair that is framed.
    """
    shown, (low, high) = _shown(rows), _span(rows, measure)
    traces = []
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        part = shown[(shown["n"] >= FEW_IN_CELL) == is_clear]
        heat = t.heat_map(
            part["partner"],
            part["total"],
            part[measure],
            zmin=low,
            zmax=high,
            text=[f"{100 * value:.0f}" for value in part[measure]],  # narrow, for phones
            texttemplate="%{text}" if is_clear else None,
            colorscale="Cividis",
            opacity=opacity,
            showscale=is_clear,
            colorbar=_COLOR_BAR,
        )
        traces.append(heat)
    data = shown[_COLUMNS].to_numpy()
    traces.append(t.cell_marks(shown["partner"], shown["total"], data, _HOVER, size=14, framed=0.0))
    quiet = {"showgrid": False, "zeroline": False}
    x = {**_partner_axis(), **quiet}
    y = {"title": "sum of the bids before yours", "dtick": 2, **quiet}
    figure = t.figure_of(traces, height=560, x=x, y=y, showlegend=False, **t.CELL_CLICKS)
    if cell is not None:
        across, up = cell
        frame = {"type": "rect", "line": {"color": t.CYCLE[0], "width": 3}}
        ends = {"x0": across - 0.5, "x1": across + 0.5, "y0": up - 0.5, "y1": up + 0.5}
        figure.add_shape(**ends, **frame)
    return figure


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown, (low, high) = rows[rows["n"] >= FEW_IN_CELL], _span(rows, measure)
    grid, counts = (
        shown.pivot(index="total", columns="partner", values=name) for name in (measure, "n")
    )
    surface = go.Surface(
        x=grid.columns,
        y=grid.index,
        z=grid.to_numpy(),
        cmin=low,
        cmax=high,
        colorscale="Cividis",
        colorbar={"tickformat": ".0%", "thickness": 12, "title": "made"},
        customdata=np.nan_to_num(counts.to_numpy()),
        hovertemplate="partner %{x}, sum %{y}: %{z:.1%}<br>%{customdata:,} nils<extra></extra>",
    )
    scene = {
        "xaxis": _partner_axis(),
        "yaxis": {"title": "sum of the bids"},
        "zaxis": {"title": "chance", "tickformat": ".0%", "range": [low, high]},
        "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
    }
    return go.Figure(surface).update_layout(height=560, margin=t.MARGIN, scene=scene)


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Bids and sums up to the largest that were ever heard; all of them where none were."""
    heard = rows[rows["n"] > 0]
    if heard.empty:
        return rows
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
