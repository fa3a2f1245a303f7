"""Sweeps: closeness to humans against strength, heat maps of settings, time."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots import template as t
from analysis.sweeps import views
from analysis.sweeps.sweep import DIRECT, EXPERIENCE, KNOWLEDGE, NONE

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon")
HEIGHT = 560
SCALE = ((0.0, "#fff7e6"), (1.0, "#4a9fd1"))  # light enough for dark letters
_PLAIN_NAMES = {NONE: views.UNBIASED_NAME, DIRECT: views.DIRECT_NAME}


def plot_frontier(table: pd.DataFrame, measure: views.Measure, chosen: str = "") -> go.Figure:
    """A point a setting: how human it plays along x, further right being more, wins along y.
    ``customdata`` of a point is its key. ``chosen``: the key of the one to ring."""
    shown = table[table[measure.name].notna() & table["win_rate"].notna()]
    names = list(dict.fromkeys(shown["series"]))
    short, colors, traces = views.shorter(names), _colors(names), []
    for i, name in enumerate(names):
        rows = shown[shown["series"] == name].sort_values("order")
        traces.append(_points(rows, measure, short[name], colors[name], SYMBOLS[i % 6]))
    is_paper, is_chosen = shown["paper"] != "", shown["key"] == chosen
    traces += _rings(shown[is_paper], measure, "published setting", t.QUIET, 19)
    traces += _rings(shown[is_chosen], measure, "chosen", t.SEARCH, 27)
    published = [one for one in views.POINTS if getattr(one, measure.name, None) is not None]
    traces += [_published(published, measure)] if published else []
    direction = True if measure.more_is_better else "reversed"
    ticks = ".0%" if measure.form.endswith("%") else measure.form
    axis = {"tickformat": ticks, "autorange": direction}
    x = {"title": f"{measure.axis}<br>more human →", **axis}
    figure = _figure(traces, x=x, y=t.shares(views.WIN_RATE.axis), height=HEIGHT)
    t.mark_y(figure, 0.5)
    if f"{measure.name}_chance" in shown and len(shown):  # of samples of one and the same style
        chance = float(shown[f"{measure.name}_chance"].mean())
        t.mark_x(figure, chance, "chance", corner="bottom left", dash="dash", width=1)
    return figure


def _figure(traces: Sequence[go.Scatter], **layout: Any) -> go.Figure:
    """A chart to zoom and click, its legend below."""
    legend = {"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0}
    return t.figure_of(traces, legend=legend, **{**layout, **t.CLICKS})


def _colors(names: Sequence[str]) -> dict[str, str]:
    lines = [name for name in names if not name.startswith(tuple(_PLAIN_NAMES.values()))]
    found = {name: t.CYCLE[i % len(t.CYCLE)] for i, name in enumerate(lines)}
    return {name: found.get(name, t.QUIET) for name in names}


def _points(
    rows: pd.DataFrame, measure: views.Measure, name: str, color: str, symbol: str
) -> go.Scatter:
    special = {views.UNBIASED_NAME: "star", views.DIRECT_NAME: "x"}
    marks = [mark for start, mark in special.items() if name.startswith(start)]
    look = {"symbol": marks[0], "size": 16} if marks else {"symbol": symbol, "size": 11}
    trace = t.written(rows["note"], "top center", textfont={"size": 11, "color": color})
    trace["mode"] = "lines+markers+text" if len(rows) > 1 else "markers"
    trace |= {"line": {"color": t.with_alpha(color, 0.6), "width": 1.5}, "name": name}
    trace |= {"error_x": _bars(rows, measure.name, color), "marker": {"color": color, **look}}
    trace["hovertext"] = [_hover(row, measure) for row in rows.to_dict("records")]
    return _settings(rows, measure.name, "win_rate", color, **trace)


def _settings(rows: pd.DataFrame, x: str, y: str, color: str, **trace: Any) -> go.Scatter:
    """A mark a setting, with its key and the interval of y."""
    trace |= {"data": [[key] for key in rows["key"]], "error_y": _bars(rows, y, color), **t.UNFADED}
    return t.dots(rows[x], rows[y], "%{hovertext}", **trace)


def _bars(rows: pd.DataFrame, name: str, color: str) -> t.Options:
    ends = (rows[name + end].fillna(rows[name]) for end in ("", "_low", "_high"))
    return t.whiskers(*ends, color=t.with_alpha(color, 0.3), thickness=1.2, width=0)


def _hover(row: dict, measure: views.Measure) -> str:
    lines = [
        f"<b>{row['label']}</b>",
        f"{measure.label}: {_ranged(row, measure)}",
        f"Win rate: {_ranged(row, views.WIN_RATE)}",
    ]
    if not math.isnan(row["games"]):
        lines[-1] += f", {row['games']:.0f} games"
    if not math.isnan(row["ms"]):
        lines.append(f"{row['ms']:.2f} ms a move, {row['model_calls']:.0f} calls of the model")
    if row["paper"]:
        lines.append(f"strength of bias published by {row['paper']}")
    return "<br>".join(lines)


def _ranged(row: dict, measure: views.Measure) -> str:
    value, low, high = (row[measure.name + end] for end in ("", "_low", "_high"))
    if math.isnan(low):
        return f"{value:{measure.form}}"
    return f"{value:{measure.form}} [{low:{measure.form}} to {high:{measure.form}}]"


def _rings(
    rows: pd.DataFrame, measure: views.Measure, name: str, color: str, size: int
) -> list[go.Scatter]:
    """Rings around settings that a paper recommends, or around the one chosen."""
    line = {"width": 3 if name == "chosen" else 2}
    look = {"symbol": "circle-open", "size": size, "color": color, "line": line}
    place = {"x": rows[measure.name], "y": rows["win_rate"], "mode": "markers"}
    return [go.Scatter(**place, name=name, marker=look, hoverinfo="skip")] if len(rows) else []


def _published(points: Sequence[views.PublishedPoint], measure: views.Measure) -> go.Scatter:
    x, y = [getattr(point, measure.name) for point in points], [point.win_rate for point in points]
    texts = [
        f"{point.text}<br>{closeness:{measure.form}}, wins {point.win_rate:.1%}"
        "<br>measured on real humans"
        for point, closeness in zip(points, x, strict=True)
    ]
    error: t.Options = {"type": "data", "array": [point.half_width or 0.0 for point in points]}
    error |= {"color": t.QUIET, "thickness": 1.2, "width": 0}
    return _crosses(x, y, texts, 12, error_y=error, name="published, real humans")


def _crosses(x: Any, y: Any, texts: Sequence[str], size: int, **trace: Any) -> go.Scatter:
    line = {"width": 3, "color": t.QUIET}
    marker = {"symbol": "cross-thin", "size": size, "color": t.QUIET, "line": line}
    return t.dots(x, y, "%{hovertext}", hovertext=texts, marker=marker, **trace)


def plot_heat(rows: pd.DataFrame, measure: views.Measure, chosen: str = "") -> go.Figure:
    """A family of settings: C_BT by K as a heat map, or w as a strip; each cell with its value. The
    squares that take the click have the keys as ``customdata``; ``chosen`` gets a frame."""
    is_grid = bool((rows["technique"] == KNOWLEDGE).all())
    x = rows["k"] if is_grid else rows["w"]
    y = rows["c_bt"] if is_grid else rows["w"] * 0
    columns, lines = ([f"{value:g}" for value in sorted(set(axis))] for axis in (x, y))
    cells = {
        (f"{b:g}", f"{a:g}"): row for a, b, row in zip(x, y, rows.to_dict("records"), strict=True)
    }
    values = [[cells.get((b, a), {}).get(measure.name) for a in columns] for b in lines]
    reverse = not measure.more_is_better
    heat = t.heat_map(columns, lines, values, gap=2, colorscale=SCALE, reversescale=reverse)
    frames = [_frame(*place) for place, row in cells.items() if row["key"] == chosen]
    quiet = {"showgrid": False, "tickfont": {"size": 11}}
    span = {"title": "K" if is_grid else "w", "range": [-0.5, len(columns) - 0.5]}
    name = {"title": "C_BT" if is_grid else "", "showticklabels": is_grid}
    traces = [heat.update(hoverongaps=None), _cell_texts(cells, measure), *frames]
    axes = t.category_axis(columns, **span, **quiet), t.category_axis(lines, **name, **quiet)
    height = 140 + 52 * len(lines)
    return t.figure_of(traces, height=height, x=axes[0], y=axes[1], **t.CELL_CLICKS)


def _cell_texts(cells: dict[tuple[str, str], dict], measure: views.Measure) -> go.Scatter:
    """Values in the cells, a star at a published setting's; they take the clicks."""
    keep = {"textfont": {"color": t.DARK_LETTERS}, "marker": {"opacity": t.HIDDEN}}
    rows, x, y = cells.values(), [column for _, column in cells], [line for line, _ in cells]
    look: t.Options = {"marker": {"symbol": "square", "size": 40, "opacity": t.HIDDEN}}
    look |= {"selected": keep, "unselected": keep, "mode": "markers+text", "showlegend": False}
    look |= {"text": [_cell_text(row, measure) for row in rows]}
    look |= {"textfont": {"color": t.DARK_LETTERS, "size": 11}}  # six columns fit on a phone
    look |= {"hovertext": [_hover(row, measure) for row in rows]}
    return t.dots(x, y, "%{hovertext}", data=[[row["key"]] for row in rows], **look)


def _frame(line: str, column: str) -> go.Scatter:
    look = {"symbol": "square-open", "size": 44, "color": t.SEARCH, "line": {"width": 3}}
    quiet = {"hoverinfo": "skip", "showlegend": False}
    return go.Scatter(x=[column], y=[line], mode="markers", name="chosen", marker=look, **quiet)


def _cell_text(row: dict, measure: views.Measure) -> str:
    value = row[measure.name]
    if value is None or math.isnan(value):
        return "–"
    return f"{value:{measure.form}}" + ("<br>★" if row["paper"] else "")


def plot_times(table: pd.DataFrame) -> go.Figure:
    """Time a move of every setting against calls of the model, with Baier's table."""
    rows, traces = table[table["time_ratio"].notna()], []
    colors = {KNOWLEDGE: t.HUMAN, EXPERIENCE: t.SEARCH, NONE: t.CYCLE[2], DIRECT: t.CYCLE[3]}
    for (technique, budget), part in rows.groupby(["technique", "budget"], sort=False):
        name = _PLAIN_NAMES.get(technique, f"{technique}, {budget}")
        traces.append(_times(part, name, colors[technique], budget))
    texts = [f"{one.text}<br>{one.ratio:.2f} x, {one.model_calls:.0f} calls" for one in views.TIMES]
    calls, ratios = [one.model_calls for one in views.TIMES], [one.ratio for one in views.TIMES]
    published = _crosses(calls, ratios, texts, 11, name="published, another machine")
    x = {"title": "calls of the human model a move"}
    y = {"title": "time a move (unbiased = 1)", "rangemode": "tozero"}
    figure = _figure([*traces, published], height=HEIGHT - 120, x=x, y=y)
    t.mark_y(figure, 1.0)
    return figure


def _times(rows: pd.DataFrame, name: str, color: str, budget: str) -> go.Scatter:
    symbol = "circle" if budget == "iterations" else "diamond"
    texts = [
        f"<b>{row['label']}</b><br>{row['ms']:.2f} ms a move, unbiased {row['unbiased_ms']:.2f}"
        f"<br>{_ranged(row, views.TIME)} x, {row['model_calls']:.1f} calls"
        for row in rows.to_dict("records")
    ]
    look: t.Options = {"marker": {"size": 11, "color": color, "symbol": symbol}, "name": name}
    return _settings(rows, "model_calls", "time_ratio", color, hovertext=texts, **look)
