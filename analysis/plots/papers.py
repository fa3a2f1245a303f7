"""Published tables and figures beside ours: verdicts of all, the picture of one."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.papers.figures import PUBLISHED
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS, NO_N
from analysis.plots.colors import CHOSEN, GREEN, GREY, SEARCH, SERIES_COLORS, with_alpha
from analysis.plots.layout import (
    CLICKABLE,
    LEGEND_ABOVE,
    NAMES_TOP_DOWN,
    Options,
    figure_of,
    top_margin,
)
from analysis.plots.traces import TRACE_NAME, UNFADED, bars, dots, error_bars, without_markup

_POINT = ["panel", "series", "x", "y", "low", "high", "margin"]
"""Results that were stored before points had margins lack the last."""
_PALE = 0.35
_MARGIN_BAND = 11  # pixels across
VERDICT_COLORS = {AGREES: GREEN, CANT_TELL: GREY, NO_N: with_alpha(GREY, _PALE), DIFFERS: SEARCH}
_LOG_AXIS_RATIO = 20  # largest to smallest x, above which an axis is logarithmic
_MAX_TICKS = 16
_PANEL_HEIGHT = 175  # pixels
_PANEL_GAP = 110
_NAMED_ROW = 26
_PADDING = 0.06  # of an axis, beside the data


def plot_verdicts(table: pd.DataFrame, chosen: str) -> go.Figure:
    """For each figure, how many of its claims agree, can't be told or differ; the chosen one is
    framed. ``table``: ``id``, ``label`` and a column for each verdict. A click gives the id."""
    frame_widths = [2.5 if figure_id == chosen else 0 for figure_id in table["id"]]
    traces = [
        bars(
            table[verdict],
            table["label"],
            "%{y}: %{x} " + verdict,
            color=color,
            data=table[["id"]].to_numpy(),
            marker={"line": {"color": CHOSEN, "width": frame_widths}},
            name=verdict,
            orientation="h",
            **UNFADED,
        )
        for verdict, color in VERDICT_COLORS.items()
        if table[verdict].any()
    ]
    return figure_of(
        traces,
        shows="claims of each published figure that agree with ours, can't be told or differ",
        height=70 + 24 * len(table),
        xaxis={"title": "claims"},
        yaxis=NAMES_TOP_DOWN,
        barmode="stack",
        bargap=0.25,
        legend={**LEGEND_ABOVE, "traceorder": "normal"},
        margin=top_margin(24),
        **CLICKABLE,
    )


def plot_points(
    points: Sequence[dict[str, Any]],
    axes: Sequence[str],
    *,
    columns: int = 2,
) -> go.Figure:
    """A figure in the axes of its paper, with 95% intervals, its panels in so many ``columns``;
    published points as diamonds, in a band of their ``margin``, that of their row.
    ``axes``: titles of x and y. Where names stand on the paper's x, they are down the side here, so
    that they are read level. Axes frame their panel's data."""
    table = pd.DataFrame(points, columns=_POINT)
    panels = list(dict.fromkeys(table["panel"]))
    is_named = bool(table["x"].map(lambda x: isinstance(x, str)).any())
    columns = min(columns, len(panels))
    n_rows = math.ceil(len(panels) / columns)
    names = list(dict.fromkeys(table["x"]))
    panel_height = _NAMED_ROW * len(names) if is_named else _PANEL_HEIGHT
    height = 60 + n_rows * (panel_height + _PANEL_GAP)
    figure = make_subplots(
        n_rows,
        columns,
        subplot_titles=panels if any(panels) else None,
        vertical_spacing=min(0.25, _PANEL_GAP / height) if n_rows > 1 else None,
        shared_yaxes=is_named,
    )
    series_colors = _series_colors(table)
    in_legend: set[str] = set()
    for i, panel in enumerate(panels):
        subplot = {"row": i // columns + 1, "col": i % columns + 1}
        rows = table[table["panel"] == panel]
        _frame_values(figure, rows, f"{panel} {axes[1]}", is_named=is_named, **subplot)
        for name, color in series_colors.items():
            series = rows[rows["series"] == name]
            if series.empty:
                continue
            trace = _series(series, name, color, is_named=is_named)
            trace.update(showlegend=name not in in_legend, offsetgroup=name if is_named else None)
            figure.add_trace(trace, **subplot)
            in_legend.add(name)
    top = 76 if any(panels) else 48
    figure.update_layout(
        meta={"shows": f"{' by '.join(filter(None, reversed(axes)))}, ours and published"},
        height=height,
        margin=top_margin(top),
        legend={**LEGEND_ABOVE, "y": 1 + (top - 46) / height},
        scattermode="group" if is_named else None,
    )
    if is_named:
        order = {"type": "category", "categoryorder": "array", "categoryarray": names}
        figure.update_yaxes(**order, autorange="reversed", dtick=1)
        figure.update_xaxes(title=axes[1])
    else:
        _style_number_axes(figure, np.array(table["x"], dtype=float), title=axes[0])
        figure.update_yaxes(title=axes[1])
    return figure


def _frame_values(
    figure: go.Figure, rows: pd.DataFrame, title: str, *, is_named: bool, **subplot: int
) -> None:
    """Have the axis of values end where the panel's data and their intervals do."""
    margins = rows["margin"].astype(float).fillna(0.0)
    columns = (rows["y"] - margins, rows["y"] + margins, rows["low"], rows["high"])
    ends = [float(end) for column in columns for end in column.dropna()]
    low = min(ends)
    high = max(ends)
    padding = _PADDING * (high - low) or 1.0
    axis: Options = {"range": [low - padding, high + padding]}
    if rows["y"].between(0, 1).all() and "KL" not in title:
        axis |= {"tickformat": ".1~%", "range": [max(-0.01, low - padding), high + padding]}
    update = figure.update_xaxes if is_named else figure.update_yaxes
    update(**axis, **subplot)


def _series_colors(table: pd.DataFrame) -> dict[str, str]:
    """Colours by series, in their order; all published ones are grey."""
    colors: dict[str, str] = {}
    n_ours = 0
    for name in dict.fromkeys(table["series"]):
        if PUBLISHED in name:
            colors[name] = GREY
        else:
            colors[name] = SERIES_COLORS[n_ours % len(SERIES_COLORS)]
            n_ours += 1
    return colors


def _series(rows: pd.DataFrame, name: str, color: str, *, is_named: bool) -> go.Scatter:
    is_published = PUBLISHED in name
    is_line = not is_named and not is_published and len(rows) > 1
    if is_line:
        rows = rows.sort_values("x")
    form = ".1%" if rows["y"].abs().max() <= 1 else ".4g"
    intervals = error_bars(rows["y"], rows["low"], rows["high"], thickness=1.2, width=3)
    if rows["margin"].notna().any():  # a published series, which has no intervals
        margins = rows["margin"].astype(float)
        band = {"thickness": _MARGIN_BAND, "width": 0, "color": with_alpha(GREY, _PALE)}
        intervals = error_bars(rows["y"], rows["y"] - margins, rows["y"] + margins, **band)
    hover = f"%{{y}}: %{{x:{form}}}" if is_named else f"%{{x}}: %{{y:{form}}}"
    trace = dots(
        rows["y"] if is_named else rows["x"],
        rows["x"] if is_named else rows["y"],
        hover + TRACE_NAME,
        name=without_markup(name),
        mode="lines+markers" if is_line else "markers",
        marker={
            "symbol": "diamond-open" if is_published else "circle",
            "color": color,
            "size": 8,
        },
        line={"color": color},
        orientation="h" if is_named else "v",
    )
    return trace.update({"error_x" if is_named else "error_y": intervals})


def _style_number_axes(figure: go.Figure, x: np.ndarray, *, title: str) -> None:
    figure.update_xaxes(title=title)
    if x.min() > 0 and x.max() / x.min() > _LOG_AXIS_RATIO:
        figure.update_xaxes(type="log")
    places = sorted(set(x))
    if len(places) <= _MAX_TICKS:
        figure.update_xaxes(tickvals=places, tickformat="~g")
