"""Layouts of figures: margins, legends, axes, reference lines, clicks."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from analysis.plots.alt import alt_text
from analysis.plots.colors import GREY
from spades.look.tokens import SIZES

Options = dict[str, Any]  # of a figure, an axis, a trace or a line, as Plotly names them

_TITLE_ROOM = 20  # pixels, of an axis's title over a plot
_AXIS_ROOM = 60  # under a plot, about
MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}  # pixels
LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
LEGEND_BELOW = {"orientation": "h", "x": 0, "y": 0, "yref": "container", "maxheight": 0.3}
"""A long one scrolls, so that a narrow screen keeps the plot."""
FIXED_ROOM_AXIS = {"automargin": False, "ticklabeloverflow": "allow"}
"""An axis whose labels have room: without this the browser lays out the page for every label."""
TOP_DOWN = {"autorange": "reversed"}
NAMES_TOP_DOWN = {"autorange": "reversed", "automargin": True, "type": "category"}
CLICKABLE: Options = {"clickmode": "event+select", "hovermode": "closest"}
CLICKABLE_CELLS: Options = {**CLICKABLE, "hoverdistance": -1}  # anywhere in a cell


def figure_of(
    traces: Iterable[Any],
    *,
    shows: str,
    height: float,
    xaxis: Options,
    yaxis: Options,
    **layout: Any,
) -> go.Figure:
    """A figure of these traces with narrow margins; ``layout`` is Plotly's. ``shows``: what the
    figure shows, for its alternative text. Setting the layout here takes a quarter of the time of
    ``update_layout``."""
    defaults = {"height": height, "margin": MARGIN, "xaxis": xaxis, "yaxis": yaxis}
    return go.Figure(list(traces), layout=defaults | layout | {"meta": {"shows": shows}})


def finish(figure: go.Figure) -> go.Figure:
    """The figure as every page shows it: few sizes of text, none of it turned, and an alternative
    text; ``meta`` keeps what its axes are called. A figure that is finished stays as it is."""
    meta = figure.layout.meta
    if "alt" in meta:
        return figure
    axes = {"x": _titles(figure.select_xaxes()), "y": _titles(figure.select_yaxes())}
    figure.layout.meta = {**meta, "alt": alt_text(figure), **axes}
    _lay_titles_flat(figure)
    small = {"size": SIZES[0]}
    figure.update_layout(font=small, legend_font=small)
    figure.update_annotations(font_size=SIZES[0])
    figure.update_traces(colorbar_title_font=small, selector={"type": "heatmap"})
    figure.update_xaxes(tickfont=small, title_font=small, tickangle=0)
    return figure.update_yaxes(tickfont=small)


def _titles(axes: Iterable[Any]) -> str:
    return "; ".join(dict.fromkeys(axis.title.text for axis in axes if axis.title.text))


def _lay_titles_flat(figure: go.Figure) -> None:
    """Put titles of vertical axes over them, under what else is over the plot."""
    layout = figure.layout
    axes = [axis for axis in figure.select_yaxes() if axis.title.text]
    if not axes:
        return
    for note in layout.annotations:
        if note.yref == "paper" and note.y >= 1:
            note.yshift = (note.yshift or 0) + _TITLE_ROOM
    room = _TITLE_ROOM / (layout.height - layout.margin.t - _AXIS_ROOM)  # of the plot's height
    if layout.legend.yanchor == "bottom" and layout.legend.yref != "container":
        layout.legend.y += room
    for trace in figure.select_traces({"type": "heatmap", "showscale": True}):
        if trace.colorbar.yanchor == "bottom":
            trace.colorbar.y += room
    layout.margin.t += _TITLE_ROOM
    layout.height += _TITLE_ROOM
    titles = {axis.title.text: axis for axis in reversed(axes)}  # the uppermost of each
    notes = [_title_over(figure, axis, text) for text, axis in titles.items()]
    layout.annotations = [*notes, *layout.annotations]
    for axis in axes:
        axis.title = {"text": ""}


def _title_over(figure: go.Figure, axis: Any, text: str) -> Options:
    across = figure.layout[(axis.anchor or "x").replace("x", "xaxis")]
    return {
        "text": text,
        "x": across.domain[0] if across.domain else 0,
        "y": axis.domain[1] if axis.domain else 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def top_margin(pixels: int) -> dict[str, int]:
    """The usual margins, but this one at the top."""
    return MARGIN | {"t": pixels}


def percent_axis(title: str, **axis: Any) -> Options:
    return {"title": title, "tickformat": ".0%", **axis}


def category_axis(names: Sequence[str], **axis: Any) -> Options:
    """An axis of these categories in this order."""
    return {"type": "category", "categoryorder": "array", "categoryarray": list(names), **axis}


def add_vertical_line(
    figure: go.Figure,
    x: float,
    text: str = "",
    *,
    corner: str = "top right",
    **line: Any,
) -> None:
    """A dotted reference line with a text in a corner of it; ``line``: other looks."""
    figure.add_vline(x=x, line={"color": GREY, "dash": "dot", **line}, **_annotation(text, corner))


def add_horizontal_line(
    figure: go.Figure,
    y: float,
    text: str = "",
    *,
    corner: str = "top right",
    **subplot: Any,
) -> None:
    """A dotted reference line with a text in a corner of it; ``subplot``: its row and column."""
    line = {"color": GREY, "dash": "dot"}
    figure.add_hline(y=y, line=line, **_annotation(text, corner), **subplot)


def _annotation(text: str, corner: str) -> Options:
    if not text:
        return {}
    return {
        "annotation": {"text": text},
        "annotation_position": corner,
    }


def add_label_above(figure: go.Figure, x: float, text: str, *, y: float = 1, **label: Any) -> None:
    """A text over the plot, at a value of x (its logarithm on a logarithmic axis). ``y``: 1 is the
    top of the plot."""
    figure.add_annotation(
        x=x, y=y, text=text, yref="paper", yanchor="bottom", showarrow=False, **label
    )


def with_narrow(figure: go.Figure, narrow: go.Figure) -> go.Figure:
    """The figure, which is exported in the width of a column as ``narrow`` is laid out: the same
    traces on other axes."""
    layout = finish(narrow).layout.to_plotly_json()
    layout.pop("template", None)
    axes = [{"xaxis": trace.xaxis, "yaxis": trace.yaxis} for trace in narrow.data]
    figure.layout.meta = {**figure.layout.meta, "narrow": {"layout": layout, "axes": axes}}
    return figure


def with_data_revision(figure: go.Figure) -> go.Figure:
    """The figure, numbered by its contents.

    The page's chart component hands every new figure to Plotly twice, in copies; by the same number
    Plotly doesn't take the second one's arrays for new data. It draws all the same, since
    Streamlit's theme comes as a new template each time."""
    contents = hashlib.blake2b(figure.to_json().encode(), digest_size=8)
    return figure.update_layout(datarevision=contents.hexdigest())
