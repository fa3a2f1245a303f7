"""Success curves of nil with the rates behind them, the chance over what was heard, forecasts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.bidding.questions import bid_word
from analysis.nil.rounds import BY_CHANCE
from analysis.nil.scores import METHODS, nil_values
from analysis.plots.colors import (
    BLUE,
    CHOSEN,
    DASHES,
    OCHRE,
    SEQUENTIAL_SCALE,
    SERIES_COLORS,
    assign_colors,
    with_alpha,
)
from analysis.plots.layout import (
    CLICKABLE,
    CLICKABLE_CELLS,
    LEGEND_ABOVE,
    LEGEND_BELOW,
    MARGIN,
    Options,
    add_horizontal_line,
    figure_of,
    percent_axis,
    top_margin,
)
from analysis.plots.traces import (
    TRACE_NAME,
    band,
    bars,
    click_squares,
    diagonal,
    dots,
    error_bars,
    estimates,
    heat_map,
    interval_text,
    without_markup,
)
from analysis.text_tables import counted, points_text, span
from spades.core.rules import MAX_BID

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
_SPREAD = 0.03  # of a nil value, over which points of one bin are spread
_BAND_ALPHA = 0.14
FEW = 10  # points of fewer nils are faded
FEW_FORECASTS = 100  # nils; a bin of forecasts with fewer is faded
FADED = 0.3  # opacity
_COUNT_AXIS = {
    "type": "log",
    "tickvals": (1, 100, 10_000, 1_000_000),
    "ticktext": ("1", "100", "10k", "1M"),
    "showgrid": False,
}
_POINT_COLUMNS = ["source", "bids", "bin", "n", "made", "low", "high", "from", "to"]
_METHOD_COLORS = dict(zip(METHODS, SERIES_COLORS, strict=False))
_METHOD_SYMBOLS = dict(zip(METHODS, _SYMBOLS, strict=False))


class Mark(NamedTuple):
    """A hand at its nil value: the chance of its nil, 0 to 1, with its interval, and that of hands
    of this value by the curve, None without one."""

    value: float
    chance: float
    low: float
    high: float
    of_value: float | None


@dataclass(frozen=True)
class _SeriesStyle:
    """How a source's sequence of bids is drawn: a colour for each sequence, a dash and a symbol for
    each source."""

    name: str
    color: str
    source: int

    @property
    def dash(self) -> str:
        return DASHES[self.source % len(_SYMBOLS)]

    @property
    def symbol(self) -> str:
        return _SYMBOLS[self.source % len(_SYMBOLS)]

    @property
    def legend(self) -> Options:
        return {"name": self.name, "legendgroup": self.name}

    def line(self, width: float) -> Options:
        return {"color": self.color, "dash": self.dash, "width": width}

    def marker(self, size: float) -> Options:
        return {"color": self.color, "symbol": self.symbol, "size": size}


def plot_curves(
    curves: pd.DataFrame,
    rates: pd.DataFrame,
    *,
    mark: Mark | None,
    even: float,
    height: int,
) -> go.Figure:
    """Chance of a nil by its value: curves with bands, points with intervals; nils of each bin
    below. A curve is faded where a bin has few nils: its height there is that of like bids. A
    colour for each sequence; a dash and a symbol for each source. ``even``: chance above
    which a nil passes BIS's threshold. The points' ``customdata`` begin with source, bids before
    and bin: what a click picks."""
    sources = list(rates["source"].unique())
    sequences = list(rates["sequence"].unique())
    pairs = [(source, sequence) for source in sources for sequence in sequences]
    is_one_sequence = len(sequences) == 1
    colors = assign_colors(sources if is_one_sequence else sequences[::-1])
    upper: list[Any] = []
    lower: list[Any] = []
    for i, (source, sequence) in enumerate(pairs):
        name = sequence if len(sources) == 1 else f"{sequence} · {without_markup(source)}"
        color = colors[source if is_one_sequence else sequence]
        style = _SeriesStyle(name, color, sources.index(source))
        curve = curves[(curves["source"] == source) & (curves["sequence"] == sequence)]
        points = rates[(rates["source"] == source) & (rates["sequence"] == sequence)]
        shift = _SPREAD * ((i + 0.5) / len(pairs) - 0.5)
        points = points.assign(x=points["value"] + shift)
        if len(curve):
            upper += _curve(curve, style)
        upper += _points(points, style, legend=curve.empty)
        lower.append(_counts(points["from"] + 0.025, points["n"], style, "%{y:,} nils"))
    if mark is not None:
        upper += _star(mark)
    titles = ("nil value of the hand", "chance of the nil", "nils")
    shows = f"chance of a nil by the nil value of the hand; BIS’s threshold is {even:.1%}"
    figure = _chances_over_counts(upper, lower, titles, height, len(pairs), shows)
    threshold = f"BIS’s threshold: {even:.1%}"
    add_horizontal_line(figure, even, threshold, corner="bottom right", row=1, col=1)
    return figure.update_xaxes(range=[-0.01, 1.01], dtick=0.1, tickformat=".1f")


def _curve(curve: pd.DataFrame, style: _SeriesStyle) -> list[go.Scatter]:
    """The curve, faded where it is thin, over the band of its 95% interval where it has one."""
    is_thin = curve["n"] < FEW
    notes = [_curve_note(row) for row in curve.to_dict("records")]
    is_beside_thin = is_thin | is_thin.shift(-1, fill_value=False) | is_thin.shift(fill_value=False)
    lines = []
    for is_drawn, opacity in ((~is_thin, 1.0), (is_beside_thin, FADED)):
        line = dots(
            curve["value"],
            curve["chance"].where(is_drawn),
            f"nil value %{{x:.2f}}: curve %{{y:.1%}}%{{customdata[0]}}{TRACE_NAME}",
            data=[[note] for note in notes],
            mode="lines",
            line=style.line(2.2),
            opacity=opacity,
            showlegend=opacity == 1.0,
            **style.legend,
        )
        lines.append(line)
    if not is_thin.any():
        lines.pop()
    if curve["low"].isna().any():
        return lines
    color = with_alpha(style.color, _BAND_ALPHA)
    interval = band(
        curve["value"], curve["low"], curve["high"], color, mode="lines", legendgroup=style.name
    )
    return [interval, *lines]


def _curve_note(row: dict[str, Any]) -> str:
    """What a curve's hover adds to its chance: the interval, and the nils that it rests on."""
    note = ""
    if not np.isnan(row["low"]):
        note = f"<br>95%: {span((row['low'], row['high']), '.1%')}"
    n = row["n"]
    thin = "thin: " if n < FEW else ""
    return f"{note}<br>{thin}{counted(n, 'nil')} in this twentieth"


def _points(points: pd.DataFrame, style: _SeriesStyle, *, legend: bool) -> list[go.Scatter]:
    hover = (
        "nil value %{customdata[7]:.2f} to %{customdata[8]:.2f}: %{y:.1%}<br>"
        "%{customdata[4]:,} of %{customdata[3]:,} nils made<br>" + interval_text(5)
    )
    traces = _rates(
        points,
        "x",
        hover,
        _POINT_COLUMNS,
        few=FEW,
        legend=legend,
        marker=style.marker(8),
        error_bar={"thickness": 1.1, "width": 2},
        **style.legend,
    )
    for trace in traces:
        unselected = {"marker": {"opacity": trace.marker.opacity}}
        trace.update(selected={"marker": {"size": 14}}, unselected=unselected)
    return traces


def _rates(
    rows: pd.DataFrame,
    x: str,
    hover: str,
    columns: Sequence[str],
    *,
    few: int,
    marker: Options,
    error_bar: Options | None = None,
    legend: bool = True,
    **trace: Any,
) -> list[go.Scatter]:
    """Rates with their intervals, in two traces: those of at least ``few`` nils, which have the
    ``legend``, and, faded, those of fewer. If the first has no points, an undrawn one keeps its
    entry in the legend."""
    seen = rows[rows["n"] > 0]

    def faded_rates(shown: pd.DataFrame, opacity: float, *, showlegend: bool) -> go.Scatter:
        default_bar = {
            "thickness": 1.2,
            "width": 3,
            "color": with_alpha(marker["color"], opacity),
        }
        return estimates(
            shown,
            "rate",
            shown[x],
            hover + TRACE_NAME,
            columns,
            along="y",
            marker=marker | {"opacity": opacity},
            error_bar=default_bar | (error_bar or {}),
            showlegend=showlegend,
            **trace,
        )

    many = seen[seen["n"] >= few]
    clear = faded_rates(many, 1.0, showlegend=legend)
    if legend and many.empty:
        clear.update(x=[None], y=[None])
    return [clear, faded_rates(seen[seen["n"] < few], FADED, showlegend=False)]


def _counts(x: pd.Series, n: pd.Series, style: _SeriesStyle, hover: str) -> go.Bar:
    return bars(
        x,
        n.where(n > 0),
        hover + TRACE_NAME,
        color=style.color,
        marker={"opacity": 0.75},
        showlegend=False,
        **style.legend,
    )


def _star(mark: Mark) -> list[go.Scatter]:
    """The hand, at the chance of its nil, and the way there from the curve."""
    traces = []
    if mark.of_value is not None:
        added = f"these cards: {points_text(mark.chance - mark.of_value)} pp"
        stem = dots(
            [mark.value, mark.value],
            [mark.of_value, mark.chance],
            f"{added}<extra></extra>",
            mode="lines",
            line={"color": CHOSEN, "width": 3, "dash": "dot"},
            legendgroup="this nil",
            showlegend=False,
        )
        traces.append(stem)
    interval = span((mark.low, mark.high), ".1%")
    star = dots(
        [mark.value],
        [mark.chance],
        f"nil value %{{x:.3f}}: %{{y:.1%}}<br>95%: {interval}{TRACE_NAME}",
        marker={"symbol": "star", "size": 16, "color": CHOSEN},
        error_y=error_bars([mark.chance], [mark.low], [mark.high], color=CHOSEN, thickness=1.5),
        name="this nil",
        legendgroup="this nil",
    )
    return [*traces, star]


def _chances_over_counts(
    upper: Sequence[Any],
    lower: Sequence[Any],
    titles: tuple[str, str, str],
    height: int,
    n_entries: int,
    shows: str,
) -> go.Figure:
    """Two rows: chances over counts; ``titles`` of x, of the chances and of the counts;
    ``n_entries``: of the legend, which is below."""
    x_title, chance_title, count_title = titles
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.03
    )
    figure.add_traces(list(upper), rows=1, cols=1)
    figure.add_traces(list(lower), rows=2, cols=1)
    figure.update_layout(
        meta={"shows": shows},
        height=height + 22 * (n_entries // 3),
        margin=top_margin(30),
        legend=LEGEND_BELOW,
        showlegend=True,
        barmode="group",
        bargap=0.15,
        bargroupgap=0,
        **CLICKABLE,
    )
    chances = percent_axis(chance_title, range=[-0.02, 1.02], dtick=0.2)
    figure.update_yaxes(**chances, row=1, col=1)
    figure.update_yaxes(title=count_title, **_COUNT_AXIS, row=2, col=1)
    return figure.update_xaxes(title=x_title, row=2, col=1)


def plot_aces(rows: pd.DataFrame, *, height: int = 520) -> go.Figure:
    """P(highest spade) by the sum of the bids heard, a line for each source; seats of each sum
    below. Points of few seats are faded, and the line leaves them out."""
    sources = list(rows["source"].unique())
    colors = assign_colors(sources)
    upper: list[Any] = []
    lower: list[Any] = []
    hover = (
        "bids sum to %{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,} seats<br>"
        + interval_text(2)
    )
    for i, source in enumerate(sources):
        points = rows[rows["source"] == source]
        style = _SeriesStyle(without_markup(source), colors[source], i)
        on_line = points[points["n"] >= FEW]
        line = go.Scatter(
            x=on_line["total"],
            y=on_line["rate"],
            mode="lines",
            line=style.line(1.6),
            hoverinfo="skip",
            showlegend=False,
            **style.legend,
        )
        upper.append(line)
        upper += _rates(
            points,
            "total",
            hover,
            ["held", "n", "low", "high"],
            few=FEW,
            marker=style.marker(9),
            **style.legend,
        )
        lower.append(_counts(points["total"], points["n"], style, "sum %{x}: %{y:,} seats"))
    titles = ("sum of the bids heard", "holds the ace of spades", "seats")
    shows = "how often a seat holds the ace of spades, by the sum of the bids heard"
    figure = _chances_over_counts(upper, lower, titles, height, len(sources), shows)
    add_horizontal_line(figure, BY_CHANCE, "any seat, no bids heard: 25%", row=1, col=1)
    return figure.update_xaxes(dtick=1)


def plot_calibration(rows: pd.DataFrame, *, height: int = 480) -> go.Figure:
    """Points of forecast and share made with their 95% intervals, over the line where they agree.
    ``rows`` of ``calibration_rows``, bins of few nils being faded, or of ``sequence_rows`` or
    ``stratum_rows``, open where the interval doesn't reach the line."""
    traces = [diagonal(showlegend=False)]
    for method in rows["method"].unique():
        forecasts = rows[rows["method"] == method]
        if "bids" in rows:
            names = ["after " + bids if bids else "first to bid" for bids in forecasts["bids"]]
            traces.append(_forecasts_named(forecasts.assign(named=names), method, 6))
        elif "heard" in rows:
            values = [nil_values(fifth) for fifth in forecasts["fifth"]]
            names = forecasts["heard"] + " heard, nil value " + pd.Series(values, forecasts.index)
            traces.append(_forecasts_named(forecasts.assign(named=names), method, 8))
        else:
            traces += _forecasts_by_bin(forecasts, method)
    ticks = {"range": [-0.02, 1.02], "dtick": 0.2}
    return figure_of(
        traces,
        shows="share of nils made by the forecast chance, held-out rounds",
        height=height,
        xaxis=percent_axis("forecast chance of the nil", **ticks),
        yaxis=percent_axis("share made, held out", **ticks),
        legend={**LEGEND_ABOVE, "y": 1.02},
        hovermode="closest",
    )


_FORECAST_COLUMNS = ["n", "made", "low", "high", "named"]
_FORECAST_HOVER = (
    "%{customdata[4]}<br>forecast %{x:.1%}, made %{y:.1%}: %{customdata[1]:,} of "
    "%{customdata[0]:,} nils<br>" + interval_text(2)
)


def _forecasts_by_bin(rows: pd.DataFrame, method: str) -> list[go.Scatter]:
    return _rates(
        rows.assign(named="forecasts of one twentieth"),
        "forecast",
        _FORECAST_HOVER,
        _FORECAST_COLUMNS,
        few=FEW_FORECASTS,
        marker={"color": _METHOD_COLORS[method], "symbol": _METHOD_SYMBOLS[method], "size": 9},
        name=METHODS[method],
        legendgroup=method,
    )


def _forecasts_named(rows: pd.DataFrame, method: str, size: int) -> go.Scatter:
    """Forecasts of what ``named`` says; open where the interval of the share doesn't hold it."""
    color = _METHOD_COLORS[method]
    symbol = _METHOD_SYMBOLS[method]
    # The legend has the first's mark.
    rows = rows.sort_values("is_covered", ascending=False)
    symbols = [symbol if is_covered else f"{symbol}-open" for is_covered in rows["is_covered"]]
    clear, _ = _rates(
        rows,
        "forecast",
        _FORECAST_HOVER,
        _FORECAST_COLUMNS,
        few=0,
        marker={"color": color, "symbol": symbols, "size": size},
        error_bar={"thickness": 0.8, "width": 0, "color": with_alpha(color, FADED + 0.2)},
        name=METHODS[method],
        legendgroup=method,
    )
    return clear


FEW_IN_CELL = 30  # nils; a cell with fewer is faded
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_MAP_COLUMNS = ["partner", "total", "n", "made", "rate", "low", "high", "chance"]
_MAP_HOVER = (
    "partner bid %{x}, sum %{y}<br>curves: %{customdata[7]:.1%}<br>nils seen: "
    "%{customdata[3]:,} of %{customdata[2]:,} made (%{customdata[4]:.1%}, 95% "
    "%{customdata[5]:.1%} to %{customdata[6]:.1%})"
)
_MAP_COLOR_BAR = {
    "orientation": "h",
    "y": 1.0,
    "yanchor": "bottom",
    "thickness": 12,
    "tickformat": ".0%",
    "title": {"text": "made", "side": "top"},
}


def plot_map(rows: pd.DataFrame, measure: str, cell: tuple[int, int] | None = None) -> go.Figure:
    """Heat map: partner's bid across, sum of the bids up; cells of few nils faded.

    ``measure`` ``chance``, of the curves at one nil value, or ``rate``, of the nils seen. The
    ``customdata`` of the marks that take the clicks are the partner's bid and the sum. ``cell``:
    the pair that is framed."""
    shown = _up_to_largest_heard(rows)
    color_range = _color_range(rows, measure)
    is_clear = shown["n"] >= FEW_IN_CELL
    clear = _map_cells(shown[is_clear], measure, color_range, 1.0)
    few = _map_cells(shown[~is_clear], measure, color_range, FADED)
    squares = click_squares(
        shown["partner"],
        shown["total"],
        shown[_MAP_COLUMNS].to_numpy(),
        _MAP_HOVER,
        size=14,
        framed=0.0,
    )
    figure = figure_of(
        [clear.update(texttemplate="%{text}", showscale=True), few, squares],
        shows="chance of the nil by the partner's bid and the sum of the bids before",
        height=560,
        xaxis=_partner_axis() | {"showgrid": False, "zeroline": False},
        yaxis={
            "title": "sum of the bids before yours",
            "dtick": 2,
            "showgrid": False,
            "zeroline": False,
        },
        showlegend=False,
        **CLICKABLE_CELLS,
    )
    if cell is not None:
        partner, total = cell
        ends = {"x0": partner - 0.5, "x1": partner + 0.5, "y0": total - 0.5, "y1": total + 0.5}
        figure.add_shape(type="rect", line={"color": CHOSEN, "width": 3}, **ends)
    return figure


def _map_cells(
    cells: pd.DataFrame, measure: str, color_range: tuple[float, float], opacity: float
) -> go.Heatmap:
    low, high = color_range
    return heat_map(
        cells["partner"],
        cells["total"],
        cells[measure],
        zmin=low,
        zmax=high,
        colorscale=SEQUENTIAL_SCALE,
        colorbar=_MAP_COLOR_BAR,
        opacity=opacity,
        text=[f"{100 * value:.0f}" for value in cells[measure]],  # narrow, for phones
    )


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown = rows[rows["n"] >= FEW_IN_CELL]
    low, high = _color_range(rows, measure)
    values = shown.pivot(index="total", columns="partner", values=measure)
    counts = shown.pivot(index="total", columns="partner", values="n")
    surface = go.Surface(
        x=values.columns,
        y=values.index,
        z=values.to_numpy(),
        customdata=np.nan_to_num(counts.to_numpy()),
        cmin=low,
        cmax=high,
        colorscale=((0.0, OCHRE), (1.0, BLUE)),
        colorbar={"tickformat": ".0%", "thickness": 12, "title": "made"},
        hovertemplate=("partner %{x}, sum %{y}: %{z:.1%}<br>%{customdata:,} nils<extra></extra>"),
    )
    scene = {
        "xaxis": _partner_axis(),
        "yaxis": {"title": "sum of the bids"},
        "zaxis": {"title": "chance", "tickformat": ".0%", "range": [low, high]},
        "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
    }
    shows = "chance of the nil by the partner's bid and the sum of the bids before, as a surface"
    layout = {"height": 560, "margin": MARGIN, "scene": scene, "meta": {"shows": shows}}
    return go.Figure(surface, layout=layout)


def _up_to_largest_heard(rows: pd.DataFrame) -> pd.DataFrame:
    """Bids and sums up to the largest that were ever heard; all of them where none were."""
    heard = rows[rows["n"] > 0]
    if heard.empty:
        return rows
    return rows[
        (rows["total"] <= heard["total"].max()) & (rows["partner"] <= heard["partner"].max())
    ]


def _color_range(rows: pd.DataFrame, measure: str) -> tuple[float, float]:
    """What the colours run over: the cells of nils enough, out to the next twentieth."""
    values = rows.loc[rows["n"] >= FEW_IN_CELL, measure]
    if values.empty:
        return 0.0, 1.0
    return np.floor(values.min() * 20) / 20, np.ceil(values.max() * 20) / 20


def _partner_axis() -> Options:
    bids = list(range(MAX_BID + 1))
    return {
        "title": "partner's bid",
        "tickmode": "array",
        "tickvals": bids,
        "ticktext": [bid_word(bid) for bid in bids],
    }
