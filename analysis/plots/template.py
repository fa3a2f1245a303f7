"""What every figure is made of: colours, whiskers, bands, marked values, cells that take clicks.

Figures draw tables and compute nothing. A trace that takes clicks tells what was clicked by its
``customdata``."""

from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

Options = dict[str, Any]  # of a figure, an axis, a trace or a line

# Colours that colour-blind readers can tell apart (Okabe and Ito 2008).
HUMAN = "#0072B2"
SEARCH = "#D55E00"
QUIET = "#8a928e"
CYCLE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
COLORS = (HUMAN, SEARCH, *CYCLE[2:])
MARKED = "#E69F00"  # frames what was chosen; no group, sequence or kind has it
PURPLE, OLIVE, TEAL = "#9467bd", "#8c8c2a", "#17a2a2"  # where more than one colour is needed
CARD_COLORS = (*CYCLE, PURPLE, OLIVE, TEAL)
OTHERS = ("#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#0072B2")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
HIDDEN = 0.0  # opacity of a mark that only takes clicks

MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}
LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
LEGEND_BELOW = {"orientation": "h", "x": 0, "y": 0, "yref": "container"}
UNFADED = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
"""Marks of a chart that takes clicks: none is dimmed by a click on another."""
QUICK_AXIS = {"automargin": False, "ticklabeloverflow": "allow"}
"""An axis whose labels have room: without this the browser lays out the page for every label."""
DOWN = {"autorange": "reversed"}
NAMES_DOWN = {**DOWN, "automargin": True, "type": "category"}
OF_TRACE = "<extra>%{fullData.name}</extra>"  # names the trace in a hover
OUTSIDE = {"orientation": "h", "textposition": "outside", "cliponaxis": False}
CLICKS: Options = {"clickmode": "event+select", "hovermode": "closest"}
CELL_CLICKS = {**CLICKS, "hoverdistance": -1}  # anywhere in a cell


def with_alpha(color: str, alpha: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


LESS, MORE = "#7b3294", "#008837"
FAINT, CLEAR = 0.05, 0.6
"""Opacities of cells: on a light or a dark page alike, letters in its text colour are read."""
DIVERGING = (
    (0.0, with_alpha(LESS, CLEAR)),
    (0.5, with_alpha(QUIET, FAINT)),
    (1.0, with_alpha(MORE, CLEAR)),
)
SEQUENTIAL = ((0.0, with_alpha(HUMAN, FAINT)), (1.0, with_alpha(HUMAN, CLEAR)))

AGENT_COLORS = {
    **dict.fromkeys(("human", "simulated-human"), HUMAN),
    **dict.fromkeys(("ismcts", "best", "uct"), SEARCH),
    **dict.fromkeys(("flat-mc", "flat-ucb", "stars", "pimc"), PURPLE),
    **dict.fromkeys(("srp", "wrp", "thumb"), CYCLE[2]),
    **dict.fromkeys(("direct", "corpus"), CYCLE[3]),
}
KIND_COLORS = "Blue: simulated human; vermilion: tree search; purple: flat search; green: rules; "
KIND_COLORS += "pink: imitation; grey: random."


def agent_color(agent: str) -> str:
    """The colour of an agent's kind, by its text: the same in all figures."""
    return AGENT_COLORS.get(agent.partition("+")[0].partition(":")[0], QUIET)


IDENTITIES = {
    "simulated-human": HUMAN, "simulated humans": HUMAN, "human": "#56B4E9", "bot": SEARCH,
    "srp bots": AGENT_COLORS["srp"],
}  # fmt: skip
"""Kinds of players as pages call them: each has one colour everywhere."""


def colors_of(names: Sequence[str]) -> dict[str, str]:
    """A colour a name: a kind's own, else by the name alone; of two names with one colour the later
    takes the next that is free."""
    found: dict[str, str] = {}
    for name in names:
        start = crc32(name.encode()) % len(OTHERS)
        wanted = [IDENTITIES[name]] if name in IDENTITIES else []
        wanted += [*OTHERS[start:], *OTHERS[:start]]
        free = [color for color in wanted if color not in found.values()]
        found[name] = (free or wanted)[0]
    return found


def plain(text: str) -> str:
    """A name from a record, without what a figure would take for markup."""
    return text.replace("<", "‹").replace(">", "›")


def figure_of(
    traces: Iterable[Any], *, height: float, x: Options, y: Options, **layout: Any
) -> go.Figure:
    whole = {"height": height, "margin": MARGIN, "xaxis": x, "yaxis": y, **layout}
    return go.Figure(list(traces), layout=whole)  # a quarter of the time of update_layout


def margin(top: int) -> dict[str, int]:
    return MARGIN | {"t": top}


def shares(title: str, **axis: Any) -> Options:
    return {"title": title, "tickformat": ".0%", **axis}


def category_axis(names: Sequence[str], **axis: Any) -> Options:
    """An axis of these categories in this order, without a grid."""
    return {"type": "category", "categoryorder": "array", "categoryarray": list(names), **axis}


def whiskers(value: ArrayLike, low: ArrayLike, high: ArrayLike, **look: Any) -> Options:
    """Error bars from ``low`` to ``high``; none where an end is missing."""
    least, middle, most = (np.asarray(values, dtype=float) for values in (low, value, high))
    above, below = most - middle, middle - least
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def band(
    x: Sequence[float], low: Sequence[float], high: Sequence[float], color: str, **trace: Any
) -> go.Scatter:
    there_and_back = {"x": [*x, *list(x)[::-1]], "y": [*high, *list(low)[::-1]]}
    look: Options = {"fill": "toself", "fillcolor": color, "line": {"width": 0}}
    return go.Scatter(**there_and_back, **look, hoverinfo="skip", showlegend=False, **trace)


def dots(x: Any, y: Any, hover: str, *, data: Any = None, **trace: Any) -> go.Scatter:
    """Markers that tell ``hover`` of what they hold: x, y and the columns of ``data``."""
    mode = trace.pop("mode", "markers")
    return go.Scatter(x=x, y=y, mode=mode, customdata=data, hovertemplate=_only(hover), **trace)


def estimates(
    rows: pd.DataFrame,
    value: str,
    at: Any,
    hover: str,
    columns: Sequence[str],
    *,
    along: str = "x",
    **trace: Any,
) -> go.Scatter:
    """Dots with whiskers ``along`` an axis, at places ``at`` of the other. ``columns``: what
    ``hover`` tells; ``bar``: looks of the whiskers; the ends are ``{value}_low`` and
    ``{value}_high``, or ``low`` and ``high``."""
    low, high = (end if end in rows else f"{value}_{end}" for end in ("low", "high"))
    trace[f"error_{along}"] = whiskers(rows[value], rows[low], rows[high], **trace.pop("bar", {}))
    x, y = (rows[value], at) if along == "x" else (at, rows[value])
    return dots(x, y, hover, data=rows[[*columns]].to_numpy(), **trace)


def bars(x: Any, y: Any, hover: str, color: Any, *, data: Any = None, **trace: Any) -> go.Bar:
    """Bars that tell ``hover`` as ``dots`` do; ``look``: of their markers beside the color."""
    look = {"color": color, **trace.pop("look", {})}
    return go.Bar(x=x, y=y, marker=look, customdata=data, hovertemplate=_only(hover), **trace)


def _only(hover: str) -> str:
    """Without the name of the trace, unless the text says otherwise."""
    return hover if "<extra>" in hover else f"{hover}<extra></extra>"


def between(i: int, form: str = ".1%") -> str:
    """What a hover says of the interval in columns ``i`` and ``i + 1`` of the data."""
    return f"95%: %{{customdata[{i}]:{form}}} to %{{customdata[{i + 1}]:{form}}}"


def written(texts: Iterable[str], place: str, **font: Any) -> Options:
    """Marks with a text each, at a side of them."""
    return {"mode": "markers+text", "text": list(texts), "textposition": place, **font}


def letters(x: Any, y: Any, texts: Sequence[str], place: str, size: float) -> go.Scatter:
    """Texts alone, in the page's own colour; a click on another trace doesn't fade them."""
    quiet: Options = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    look = written(texts, place, textfont={"size": size}) | {"mode": "text"}
    return go.Scatter(x=x, y=y, selected={"textfont": {"color": QUIET}}, **look, **quiet)


def diagonal(**trace: Any) -> go.Scatter:
    """Where forecast and outcome agree."""
    line = {"color": QUIET, "dash": "dot"}
    return go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip", **trace)


def mark_x(
    figure: go.Figure, at: float, text: str = "", *, corner: str = "top right", **line: Any
) -> None:
    figure.add_vline(x=at, line={"color": QUIET, "dash": "dot", **line}, **_note(text, corner))


def mark_y(
    figure: go.Figure, at: float, text: str = "", *, corner: str = "top right", **where: Any
) -> None:
    figure.add_hline(y=at, line={"color": QUIET, "dash": "dot"}, **_note(text, corner), **where)


def _note(text: str, corner: str) -> Options:
    note = {"text": text, "font": {"color": QUIET}}
    return {"annotation": note, "annotation_position": corner} if text else {}


def label_above(figure: go.Figure, x: float, text: str, *, y: float = 1, **note: Any) -> None:
    """A text over the plot, at a value of x (its logarithm on such an axis)."""
    at = {"yref": "paper", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(x=x, y=y, text=text, **at, **note)


def heat_map(x: Any, y: Any, z: Any, *, gap: int = 1, **trace: Any) -> go.Heatmap:
    """Cells by colour; clicks and hovers are for the marks of ``cell_marks`` over them."""
    quiet = {"hoverinfo": "skip", "hoverongaps": False, "showscale": False}
    return go.Heatmap(x=x, y=y, z=z, xgap=gap, ygap=gap, **{**quiet, **trace})


def cell_marks(
    x: Any, y: Any, data: Any, hover: str, *, size: float, framed: float = 1.0, **trace: Any
) -> go.Scatter:
    """An invisible square over every cell that takes its click (heat maps can't). ``framed``:
    opacity of the frame around the one clicked."""
    look = {"symbol": "square-open", "size": size, "color": QUIET, "line": {"width": 3}}
    trace |= {"marker": {**look, "opacity": HIDDEN}, "selected": {"marker": {"opacity": framed}}}
    return dots(x, y, hover, data=data, unselected={"marker": {"opacity": HIDDEN}}, **trace)
