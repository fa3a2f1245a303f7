"""Published tables and figures beside ours: verdicts of all, the picture of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS
from analysis.plots import template as t

VERDICT_COLORS = {AGREES: "#009E73", CANT_TELL: t.QUIET, DIFFERS: t.SEARCH}
PUBLISHED = "published"
MANY_TIMES = 20  # the largest x of the smallest, above which an axis is logarithmic
MOST_TICKS, PANEL_HEIGHT, GAP = 16, 175, 125


def plot_verdicts(table: pd.DataFrame, chosen: str) -> go.Figure:
    """A bar a figure: how many of its claims agree, can't be told or differ; the chosen one framed.
    ``table``: ``id``, ``label`` and a column a verdict. A click tells the id."""
    traces = []
    for verdict, color in VERDICT_COLORS.items():
        hover = "%{y}: %{x} " + verdict
        widths = [2.5 if one == chosen else 0 for one in table["id"]]
        look = {"line": {"color": t.MARKED, "width": widths}}
        data = table[["id"]].to_numpy()
        options: t.Options = {"name": verdict, "orientation": "h", "data": data, "look": look}
        traces.append(t.bars(table[verdict], table["label"], hover, color, **options, **t.UNFADED))
    layout: t.Options = {"barmode": "stack", "bargap": 0.25, **t.CLICKS}
    layout["legend"] = {**t.LEGEND_ABOVE, "traceorder": "normal"}
    layout |= {"height": 70 + 24 * len(table), "margin": t.margin(24)}
    return t.figure_of(traces, x={"title": "claims"}, y=t.NAMES_DOWN, **layout)


def plot_points(
    points: Sequence[dict[str, Any]], axes: Sequence[str], *, columns: int = 2
) -> go.Figure:
    """A figure in the axes of its paper, a panel each, in so many ``columns``, with 95% intervals;
    published points as diamonds. ``axes``: titles of x and y."""
    table = pd.DataFrame(points)
    panels = list(dict.fromkeys(table["panel"]))
    is_named = bool(table["x"].map(lambda x: isinstance(x, str)).any())
    columns = min(columns, len(panels))
    n_rows = -(-len(panels) // columns)
    gap = 70 + 7.5 * table["x"].str.len().max() if is_named else GAP  # for names that are turned
    titles, height = panels if any(panels) else None, 60 + n_rows * (PANEL_HEIGHT + gap)
    spacing = min(0.25, gap / height) if n_rows > 1 else None
    figure = make_subplots(n_rows, columns, subplot_titles=titles, vertical_spacing=spacing)
    series = list(dict.fromkeys(table["series"]))
    ours = [name for name in series if PUBLISHED not in name]
    colors = dict(zip(ours, t.COLORS * (1 + len(ours) // len(t.COLORS)), strict=False))
    named: set[str] = set()
    for i, panel in enumerate(panels):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        values = table.loc[table["panel"] == panel, "y"]
        if values.between(0, 1).all() and "KL" not in f"{panel} {axes[1]}":
            figure.update_yaxes(tickformat=".1~%", **at)
        for name in series:
            rows = table[(table["panel"] == panel) & (table["series"] == name)]
            if len(rows):
                trace = _trace(rows, name, colors.get(name), is_joined=not is_named)
                trace.update(showlegend=name not in named, offsetgroup=name if is_named else None)
                figure.add_trace(trace, **at)
                named.add(name)
    legend = {**t.LEGEND_ABOVE, "y": 1 + (30 if titles else 4) / height}
    layout: t.Options = {"height": height, "margin": t.margin(76 if titles else 48)}
    figure.update_layout(legend=legend, scattermode="group" if is_named else None, **layout)
    _style_axes(figure, table, axes, is_named=is_named)
    return figure


def _trace(rows: pd.DataFrame, name: str, color: str | None, *, is_joined: bool) -> go.Scatter:
    is_published = PUBLISHED in name
    symbol, color = ("diamond-open", t.QUIET) if is_published else ("circle", color)
    is_line = is_joined and not is_published and len(rows) > 1
    rows = rows.sort_values("x") if is_line else rows
    form = ".1%" if rows["y"].abs().max() <= 1 else ".4g"
    look: t.Options = {"name": t.plain(name), "mode": "lines+markers" if is_line else "markers"}
    look |= {"marker": {"symbol": symbol, "color": color, "size": 8}, "line": {"color": color}}
    look["error_y"] = t.whiskers(rows["y"], rows["low"], rows["high"], thickness=1.2, width=3)
    return t.dots(rows["x"], rows["y"], f"%{{x}}: %{{y:{form}}}{t.OF_TRACE}", **look)


def _style_axes(
    figure: go.Figure, table: pd.DataFrame, axes: Sequence[str], *, is_named: bool
) -> None:
    x, y = axes
    if is_named:
        figure.update_xaxes(type="category")
    else:
        figure.update_xaxes(title=x)
        places = np.array(table["x"], dtype=float)
        if places.min() > 0 and places.max() / places.min() > MANY_TIMES:
            figure.update_xaxes(type="log")
        if len(set(places)) <= MOST_TICKS:
            figure.update_xaxes(tickvals=sorted(set(places)), tickformat="~g")
    figure.update_yaxes(title=y)
