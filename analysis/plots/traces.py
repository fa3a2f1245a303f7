"""Traces of figures: dots with error bars, bars, bands, cells that take clicks.

Figures draw tables and compute nothing. A trace that takes clicks says by its ``customdata`` what
was clicked. ``hover`` is Plotly's template of a hover text; ``**trace`` are Plotly's options."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from analysis.plots.colors import GREY
from analysis.plots.layout import Options

TRACE_NAME = "<extra>%{fullData.name}</extra>"  # at the end of a hover: names the trace
UNFADED: Options = {
    "selected": {"marker": {"opacity": 1}},
    "unselected": {"marker": {"opacity": 1}},
}
"""Marks of a chart that takes clicks: none is dimmed by a click on another."""
_LABEL_WIDTH = 0.16  # of a short label on a phone, as a share of the plot's
_LABEL_HEIGHT = 0.13
_INVISIBLE = 0.0  # opacity of a mark that only takes clicks


def without_markup(text: str) -> str:
    """A name from a record, without what Plotly would take for markup."""
    return text.replace("<", "‹").replace(">", "›")


def interval_text(column: int, form: str = ".1%") -> str:
    """What a hover says of the interval whose ends are in this and the next column of the data."""
    return f"95%: %{{customdata[{column}]:{form}}} to %{{customdata[{column + 1}]:{form}}}"


def error_bars(value: ArrayLike, low: ArrayLike, high: ArrayLike, **line: Any) -> Options:
    """Error bars from ``low`` to ``high``; none where an end is missing."""
    middle = np.asarray(value, dtype=float)
    above = np.asarray(high, dtype=float) - middle
    below = middle - np.asarray(low, dtype=float)
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **line}


def band(
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    color: str,
    **trace: Any,
) -> go.Scatter:
    """A filled band from ``low`` to ``high``: its outline goes out along one and back along the
    other."""
    return go.Scatter(
        x=[*x, *list(x)[::-1]],
        y=[*high, *list(low)[::-1]],
        fill="toself",
        fillcolor=color,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        **trace,
    )


def dots(
    x: Any,
    y: Any,
    hover: str,
    *,
    data: Any = None,
    mode: str = "markers",
    **trace: Any,
) -> go.Scatter:
    """Markers whose hover reads x, y and the columns of ``data`` (Plotly's ``customdata``)."""
    return go.Scatter(
        x=x, y=y, mode=mode, customdata=data, hovertemplate=_hover_template(hover), **trace
    )


def estimates(
    rows: pd.DataFrame,
    value: str,
    places: Any,
    hover: str,
    columns: Sequence[str],
    *,
    along: str = "x",
    error_bar: Options | None = None,
    **trace: Any,
) -> go.Scatter:
    """Dots with error bars ``along`` one axis, at ``places`` of the other.

    The ends of the bars are the columns ``low`` and ``high``, else ``{value}_low`` and
    ``{value}_high``. ``columns``: the data that ``hover`` reads; ``error_bar``: how bars look."""
    low = rows["low" if "low" in rows else f"{value}_low"]
    high = rows["high" if "high" in rows else f"{value}_high"]
    trace[f"error_{along}"] = error_bars(rows[value], low, high, **(error_bar or {}))
    data = rows[[*columns]].to_numpy()
    if along == "x":
        return dots(rows[value], places, hover, data=data, **trace)
    return dots(places, rows[value], hover, data=data, **trace)


def bars(
    x: Any,
    y: Any,
    hover: str,
    *,
    color: Any,
    data: Any = None,
    marker: Options | None = None,
    **trace: Any,
) -> go.Bar:
    """Bars with hovers as of ``dots``; ``marker``: how they look, beside their colour."""
    return go.Bar(
        x=x,
        y=y,
        marker={"color": color, **(marker or {})},
        customdata=data,
        hovertemplate=_hover_template(hover),
        **trace,
    )


def _hover_template(hover: str) -> str:
    """Without the trace's name, which Plotly adds unless the text decides about it."""
    return hover if "<extra>" in hover else f"{hover}<extra></extra>"


def text_labels(
    x: Any, y: Any, texts: Sequence[str], position: str, size: float, *, beside: float = 0.0
) -> go.Scatter:
    """Texts alone, in the page's own colour; a click on another trace doesn't fade them.
    ``beside``: size of the marks, pixels, that they stand beside."""
    return go.Scatter(
        x=x,
        y=y,
        mode="markers+text" if beside else "text",
        marker={"size": beside, "opacity": 0},
        text=list(texts),
        textposition=position,
        textfont={"size": size},
        selected={"textfont": {"color": GREY}},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )


def labels_apart(x: pd.Series, y: pd.Series) -> list[bool]:
    """Which labels of points, in their order, are written: those that lie on none before them."""
    across = (x / ((x.max() - x.min()) or 1.0) / _LABEL_WIDTH).to_numpy()
    up = (y / ((y.max() - y.min()) or 1.0) / _LABEL_HEIGHT).to_numpy()
    written: list[int] = []
    for i in range(len(x)):
        if all(max(abs(across[i] - across[j]), abs(up[i] - up[j])) >= 1 for j in written):
            written.append(i)
    return [i in written for i in range(len(x))]


def diagonal(**trace: Any) -> go.Scatter:
    """Where forecast and outcome agree."""
    line = {"color": GREY, "dash": "dot"}
    return go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip", **trace)


def heat_map(x: Any, y: Any, z: Any, *, gap: int = 1, **trace: Any) -> go.Heatmap:
    """Cells by colour, ``gap`` pixels apart; clicks and hovers are for the ``click_squares`` over
    them."""
    defaults = {"hoverinfo": "skip", "hoverongaps": False, "showscale": False}
    return go.Heatmap(x=x, y=y, z=z, xgap=gap, ygap=gap, **(defaults | trace))


def click_squares(
    x: Any,
    y: Any,
    data: Any,
    hover: str,
    *,
    size: float,
    framed: float = 1.0,
    **trace: Any,
) -> go.Scatter:
    """An invisible square over every cell that takes its click (heat maps can't). ``framed``:
    opacity of the frame around the one clicked."""
    square = {"symbol": "square-open", "size": size, "color": GREY, "line": {"width": 3}}
    return dots(
        x,
        y,
        hover,
        data=data,
        marker=square | {"opacity": _INVISIBLE},
        selected={"marker": {"opacity": framed}},
        unselected={"marker": {"opacity": _INVISIBLE}},
        **trace,
    )
