"""Sweeps: closeness to humans against strength, heat maps of settings, time."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from spades.search.bias import PIKL

from analysis.plots import template as t
from analysis.sweeps import views
from analysis.sweeps.sweep import AGENT_OPTIONS, DIRECT, EXPERIENCE, KNOWLEDGE, NONE, plain
from analysis.text_tables import span

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon")
HEIGHT = 560
COLORS = {
    KNOWLEDGE: t.OLIVE,
    EXPERIENCE: t.TEAL,
    PIKL: t.PURPLE,
    NONE: t.SEARCH,
    DIRECT: t.CYCLE[3],
}
"""By technique; the unbiased search and imitation have the colours of these kinds of agents."""
LINES = (t.CYCLE[2], t.OLIVE, t.PURPLE, t.TEAL, t.CYCLE[5])  # of series
_MEASURES = (views.ACCURACY_ALL, views.LOG_LOSS, views.KL, views.TIME, views.WIN_RATE)
MEASURED = {one.name: one for one in _MEASURES}
_VARIED = ("c_bt", "k", "w", "lambda", "play", "delay")
SET_BY = {
    "technique": "Technique",
    "model": AGENT_OPTIONS["model"].title,
    **{name: AGENT_OPTIONS[name].title for name in _VARIED},
    "iterations": AGENT_OPTIONS["iterations"].title,
}
MOST_VALUES = 12  # on an axis that has them all written at it
AXES = {**SET_BY, "accuracy_all": "accuracy, all plays", "log_loss": "log-loss, nats",
        "kl": "KL, nats", "time_ratio": "time, × unbiased", "win_rate": "win rate"}  # fmt: skip
"""Axes of parallel coordinates, in their order, with their units."""
_PLAIN_NAMES = {NONE: views.UNBIASED_NAME, DIRECT: views.DIRECT_NAME}


def plot_frontier(
    table: pd.DataFrame, measure: views.Measure, chosen: str = "", other: pd.DataFrame | None = None
) -> go.Figure:
    """A point a setting: how human it plays along x, further right being more, wins along y.
    ``customdata`` of a point is its key. ``chosen``: the key of the one to ring. ``other``: a
    second sweep, laid over in hollow marks; lines of one name have one colour."""
    tables = [table] if other is None else [table, other]
    shown = pd.concat([one.assign(sweep=i) for i, one in enumerate(tables)], ignore_index=True)
    shown = shown[shown[measure.name].notna() & shown["win_rate"].notna()]
    names = list(dict.fromkeys(shown["series"]))
    short = [views.shorter(list(dict.fromkeys(one["series"]))) for one in tables]
    colors, traces = _colors(names), [_pareto_line(shown, measure)]
    for (i, name), rows in shown.groupby(["sweep", "series"], sort=False):
        symbol = SYMBOLS[names.index(name) % 6] + "-open" * i
        look = (short[i][name] + ", second sweep" * i, colors[name], symbol)
        traces.append(_points(rows.sort_values("order"), measure, *look))
    is_paper, is_chosen = shown["paper"] != "", shown["key"] == chosen
    traces += _rings(shown[is_paper], measure, "published setting", t.QUIET, 19)
    traces += _rings(shown[is_chosen], measure, "chosen", t.MARKED, 27)
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


def _pareto_line(shown: pd.DataFrame, measure: views.Measure) -> go.Scatter:
    """Steps through the settings that none beats on both axes."""
    best = views.pareto(shown, measure)
    line = {"color": t.with_alpha(t.QUIET, 0.6), "width": 5, "shape": "vh"}
    look: t.Options = {"mode": "lines", "line": line, "hoverinfo": "skip", **t.UNFADED}
    return go.Scatter(x=best[measure.name], y=best["win_rate"], name="none better in both", **look)


def _figure(traces: Sequence[go.Scatter], **layout: Any) -> go.Figure:
    """A chart to click, its legend below."""
    return t.figure_of(traces, legend=t.LEGEND_BELOW, **layout, **t.CLICKS)


def _colors(names: Sequence[str]) -> dict[str, str]:
    lines = [name for name in names if not name.startswith(tuple(_PLAIN_NAMES.values()))]
    found = {name: LINES[i % len(LINES)] for i, name in enumerate(lines)}
    plain = {True: COLORS[NONE], False: COLORS[DIRECT]}
    return {name: found.get(name, plain[name.startswith(views.UNBIASED_NAME)]) for name in names}


def _points(
    rows: pd.DataFrame, measure: views.Measure, name: str, color: str, symbol: str
) -> go.Scatter:
    special = {views.UNBIASED_NAME: "star", views.DIRECT_NAME: "x"}
    marks = [mark for start, mark in special.items() if name.startswith(start)]
    if marks:
        symbol = marks[0] + "-open" * symbol.endswith("-open")
    look = {"symbol": symbol, "size": 16 if marks else 11}
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
    ends = "" if math.isnan(low) else f" [{span((low, high), measure.form)}]"
    return f"{value:{measure.form}}{ends}"


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
    """A family of settings: C_BT by K as a heat map, or w or λ as a strip; each cell with its
    value. The squares that take the click have the keys as ``customdata``; ``chosen`` gets a frame.
    Win rates have their number of games, and a * where the 95% interval leaves out 50%."""
    is_grid = bool((rows["technique"] == KNOWLEDGE).all())
    across = _ACROSS[rows["technique"].iloc[0]]
    x = rows[across]
    y = rows["c_bt"] if is_grid else x * 0
    columns, lines = ([f"{value:g}" for value in sorted(set(axis))] for axis in (x, y))
    cells = {
        (f"{b:g}", f"{a:g}"): row for a, b, row in zip(x, y, rows.to_dict("records"), strict=True)
    }
    values = [[cells.get((b, a), {}).get(measure.name) for a in columns] for b in lines]
    heat = t.heat_map(columns, lines, values, gap=2, **_scale(rows, measure))
    frames = [_frame(*place) for place, row in cells.items() if row["key"] == chosen]
    quiet = {"showgrid": False, "tickfont": {"size": 11}}
    span = {"title": AGENT_OPTIONS[across].title, "range": [-0.5, len(columns) - 0.5]}
    name = {"title": AGENT_OPTIONS["c_bt"].title if is_grid else "", "showticklabels": is_grid}
    at = [column for _, column in cells], [line for line, _ in cells]
    texts = [_cell_text(row, measure) for row in cells.values()]
    values_in_cells = t.letters(*at, texts, "middle center", 11)  # six columns fit on a phone
    look: t.Options = {"size": 40, "framed": t.HIDDEN, "showlegend": False}
    look["hovertext"] = [_hover(row, measure) for row in cells.values()]
    marks = t.cell_marks(*at, [[row["key"]] for row in cells.values()], "%{hovertext}", **look)
    traces = [heat.update(hoverongaps=None), values_in_cells, marks, *frames]
    axes = t.category_axis(columns, **span, **quiet), t.category_axis(lines, **name, **quiet)
    height = 140 + 52 * len(lines)
    return t.figure_of(traces, height=height, x=axes[0], y=axes[1], **t.CELL_CLICKS)


_ACROSS = {KNOWLEDGE: "k", EXPERIENCE: "w", PIKL: "lambda"}
"""By technique: what a heat map has along x."""


def _scale(rows: pd.DataFrame, measure: views.Measure) -> t.Options:
    """Win rates diverge from 50%, the rest goes from less to more."""
    if measure is not views.WIN_RATE:
        return {"colorscale": t.SEQUENTIAL, "reversescale": not measure.more_is_better}
    reach = max(0.05, float((rows["win_rate"] - 0.5).abs().max()))
    return {"colorscale": t.DIVERGING, "zmin": 0.5 - reach, "zmax": 0.5 + reach}


def _frame(line: str, column: str) -> go.Scatter:
    look = {"symbol": "square-open", "size": 44, "color": t.MARKED, "line": {"width": 3}}
    quiet = {"hoverinfo": "skip", "showlegend": False}
    return go.Scatter(x=[column], y=[line], mode="markers", name="chosen", marker=look, **quiet)


def _cell_text(row: dict, measure: views.Measure) -> str:
    """Its value, a star at a published setting's."""
    value = row[measure.name]
    if value is None or math.isnan(value):
        return "–"
    lines = [f"{value:{measure.form}}"]
    if measure is views.WIN_RATE and not math.isnan(row["games"]):
        lines[0] = f"<b>{lines[0]} *</b>" if views.is_far_from_even(row) else lines[0]
        lines.append(f"n {row['games']:,.0f}")
    return "<br>".join([*lines, "★"] if row["paper"] else lines)


def plot_parallel(table: pd.DataFrame, measure: views.Measure, chosen: str = "") -> go.Figure:
    """Parallel coordinates, an axis under the other, so that they fit a phone: a line a setting,
    through what it is set by and what was measured of it, what is better on the right. Thick: what
    none beats in wins and in ``measure``, and the one ``chosen``. ``customdata``: the key."""
    most = {**dict.fromkeys(SET_BY, MOST_VALUES), **dict.fromkeys(MEASURED, math.inf)}
    axes = [axis for axis, limit in most.items() if 1 < table[axis].nunique() <= limit]
    places, ticks = pd.DataFrame(index=table.index), []
    for at, axis in enumerate(axes):
        places[axis], labels = _along(table[axis], axis)
        texts, heights = [*labels.values()], [at + 0.16] * len(labels)
        ticks.append(t.letters([*labels], heights, texts, "middle center", 12))
    best, traces = set(views.pareto(table, measure)["key"]), []
    for i, row in enumerate(table.to_dict("records")):
        is_strong, is_chosen = row["key"] in best, row["key"] == chosen
        color = t.MARKED if is_chosen else COLORS[row["technique"]]
        line = {"width": 5 if is_chosen else 3 if is_strong else 1, "color": color}
        look: t.Options = {"mode": "lines+markers", "line": line, "marker": {"size": 8}}
        look |= {"hovertext": [_hover(row, measure)] * len(axes), **t.UNFADED}
        data, x = [[row["key"]]] * len(axes), places.iloc[i].tolist()
        traces.append(t.dots(x, list(range(len(axes))), "%{hovertext}", data=data, **look))
    names = [AXES[axis] for axis in axes]
    above = [at - 0.18 for at in range(len(axes))]
    titles = t.letters([0.0] * len(axes), above, names, "top right", 12)
    traces += [titles, *ticks]
    x = {"visible": False, "range": [-0.06, 1.06]}
    lines = {"tickvals": list(range(len(axes))), "showticklabels": False, "zeroline": False}
    y = {**lines, "range": [len(axes) - 0.4, -0.8]}
    height = 90 * len(axes) + 40
    return t.figure_of(traces, height=height, x=x, y=y, showlegend=False, **t.CLICKS)


def _along(values: pd.Series, axis: str) -> tuple[pd.Series, dict[float, str]]:
    """Places from 0 to 1 on an axis, and its labels: every value that settings were given, in
    order, or the ends of what was measured."""
    if axis in SET_BY:
        known = sorted(values.dropna().unique(), key=_order)
        place = {value: i / (len(known) - 1) for i, value in enumerate(known)}
        return values.map(place), {place[value]: plain(value) for value in known}
    measure, low, high = MEASURED[axis], values.min(), values.max()
    places = (values - low) / (high - low)
    labels = {0.0: f"{low:{measure.form}}", 1.0: f"{high:{measure.form}}"}
    if measure.more_is_better:
        return places, labels
    return 1 - places, {1 - place: label for place, label in labels.items()}


def _order(value: Any) -> tuple[float, str]:
    """Numbers by their size, then words."""
    is_number = not isinstance(value, str) or value.isdecimal()
    return (float(value), "") if is_number else (math.inf, value)


def plot_times(table: pd.DataFrame) -> go.Figure:
    """Time a move of every setting against calls of the model, with Baier's table."""
    rows, traces = table[table["time_ratio"].notna()], []
    for (technique, budget), part in rows.groupby(["technique", "budget"], sort=False):
        name = _PLAIN_NAMES.get(technique, f"{technique}, {budget}")
        traces.append(_times(part, name, COLORS[technique], budget))
    texts = [f"{one.text}<br>{one.ratio:.2f} x, {one.model_calls:.0f} calls" for one in views.TIMES]
    calls, ratios = [one.model_calls for one in views.TIMES], [one.ratio for one in views.TIMES]
    published = _crosses(calls, ratios, texts, 11, name="published, another machine")
    x = {"title": "calls of the human model a move"}
    y = {"title": "time a move, in times of the unbiased search's", "rangemode": "tozero"}
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
