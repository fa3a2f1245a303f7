"""Sweeps: closeness to humans against strength, heat maps of settings, time. Computes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.sweeps.published import POINTS, TIMES, PublishedPoint
from analysis.sweeps.sweep import DIRECT, EXPERIENCE, KNOWLEDGE, NONE
from analysis.sweeps.views import DIRECT_NAME, TIME, UNBIASED_NAME, WIN_RATE, Measure, shorter

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon")
HEIGHT = 560
ROW_HEIGHT = 26
SCALE = ((0.0, "#fff7e6"), (1.0, "#4a9fd1"))  # light enough for dark letters
_PLAIN_NAMES = {NONE: UNBIASED_NAME, DIRECT: DIRECT_NAME}
_NO_MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}


def plot_frontier(table: pd.DataFrame, measure: Measure, chosen: str = "") -> go.Figure:
    """A point a setting: how human it plays along x, further right being more, wins along y.

    ``customdata`` of a point is its key. ``chosen``: the key of the one to ring.
    """
    shown = table[table[measure.name].notna() & table["win_rate"].notna()]
    figure = go.Figure()
    names = list(dict.fromkeys(shown["series"]))
    short, colors = shorter(names), _colors(names)
    for i, name in enumerate(names):
        rows = shown[shown["series"] == name].sort_values("order")
        figure.add_trace(_points(rows, measure, short[name], colors[name], SYMBOLS[i % 6]))
    _add_rings(figure, shown, measure, chosen)
    published = [one for one in POINTS if getattr(one, measure.name, None) is not None]
    if published:
        figure.add_trace(_published(published, measure))
    figure.add_hline(y=0.5, line={"color": QUIET, "dash": "dot", "width": 2})
    _add_chance(figure, shown, measure)
    figure.update_layout(
        height=HEIGHT,
        margin=_NO_MARGIN,
        xaxis={
            "title": f"{measure.axis}<br>more human →",
            "tickformat": _ticks(measure),
            "autorange": True if measure.more_is_better else "reversed",
        },
        yaxis={"title": WIN_RATE.axis, "tickformat": ".0%"},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        clickmode="event+select",
        hovermode="closest",
        dragmode="pan",
    )
    return figure


def _ticks(measure: Measure) -> str:
    return ".0%" if measure.form.endswith("%") else measure.form


def _colors(names: Sequence[str]) -> dict[str, str]:
    lines = [name for name in names if not name.startswith((UNBIASED_NAME, DIRECT_NAME))]
    found = {name: CYCLE[i % len(CYCLE)] for i, name in enumerate(lines)}
    return {name: found.get(name, QUIET) for name in names}


def _points(rows: pd.DataFrame, measure: Measure, name: str, color: str, symbol: str) -> go.Scatter:
    special = {UNBIASED_NAME: "star", DIRECT_NAME: "x"}
    marks = [mark for start, mark in special.items() if name.startswith(start)]
    return go.Scatter(
        x=rows[measure.name],
        y=rows["win_rate"],
        error_x=_bars(rows, measure.name, color),
        error_y=_bars(rows, "win_rate", color),
        mode="lines+markers+text" if len(rows) > 1 else "markers",
        name=name,
        text=rows["note"],
        textposition="top center",
        textfont={"size": 11, "color": color},
        line={"color": with_alpha(color, 0.6), "width": 1.5},
        marker={
            "color": color,
            "symbol": marks[0] if marks else symbol,
            "size": 16 if marks else 11,
        },
        selected={"marker": {"opacity": 1.0}},
        unselected={"marker": {"opacity": 1.0}},
        customdata=[[key] for key in rows["key"]],
        hovertext=[_hover(row, measure) for row in rows.to_dict("records")],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _bars(rows: pd.DataFrame, name: str, color: str) -> dict:
    return {
        "type": "data",
        "symmetric": False,
        "array": (rows[f"{name}_high"] - rows[name]).fillna(0.0),
        "arrayminus": (rows[name] - rows[f"{name}_low"]).fillna(0.0),
        "color": with_alpha(color, 0.3),
        "thickness": 1.2,
        "width": 0,
    }


def _hover(row: dict, measure: Measure) -> str:
    lines = [
        f"<b>{row['label']}</b>",
        f"{measure.label}: {_ranged(row, measure)}",
        f"Win rate: {_ranged(row, WIN_RATE)}",
    ]
    if not math.isnan(row["games"]):
        lines[-1] += f", {row['games']:.0f} games"
    if not math.isnan(row["ms"]):
        lines.append(f"{row['ms']:.2f} ms a move, {row['model_calls']:.0f} calls of the model")
    if row["paper"]:
        lines.append(f"strength of bias published by {row['paper']}")
    return "<br>".join(lines)


def _ranged(row: dict, measure: Measure) -> str:
    value, low, high = (row[measure.name + end] for end in ("", "_low", "_high"))
    if math.isnan(low):
        return f"{value:{measure.form}}"
    return f"{value:{measure.form}} [{low:{measure.form}} to {high:{measure.form}}]"


def _add_rings(figure: go.Figure, shown: pd.DataFrame, measure: Measure, chosen: str) -> None:
    """Rings: settings that a paper recommends, and the one chosen."""
    for rows, name, color, size in (
        (shown[shown["paper"] != ""], "published setting", QUIET, 19),
        (shown[shown["key"] == chosen], "chosen", SEARCH, 27),
    ):
        if len(rows):
            figure.add_trace(
                go.Scatter(
                    x=rows[measure.name],
                    y=rows["win_rate"],
                    mode="markers",
                    name=name,
                    marker={
                        "symbol": "circle-open",
                        "size": size,
                        "color": color,
                        "line": {"width": 2 if name != "chosen" else 3},
                    },
                    hoverinfo="skip",
                )
            )


def _published(points: Sequence[PublishedPoint], measure: Measure) -> go.Scatter:
    return go.Scatter(
        x=[getattr(point, measure.name) for point in points],
        y=[point.win_rate for point in points],
        error_y={
            "type": "data",
            "array": [point.half_width or 0.0 for point in points],
            "color": QUIET,
            "thickness": 1.2,
            "width": 0,
        },
        mode="markers",
        name="published, real humans",
        marker={
            "symbol": "cross-thin",
            "size": 12,
            "color": QUIET,
            "line": {"width": 3, "color": QUIET},
        },
        hovertext=[
            f"{point.text}<br>{getattr(point, measure.name):{measure.form}}, wins "
            f"{point.win_rate:.1%}<br>measured on real humans"
            for point in points
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _add_chance(figure: go.Figure, shown: pd.DataFrame, measure: Measure) -> None:
    """The KL that samples of one and the same style would show."""
    if f"{measure.name}_chance" in shown and len(shown):
        figure.add_vline(
            x=float(shown[f"{measure.name}_chance"].mean()),
            line={"color": QUIET, "dash": "dash", "width": 1},
            annotation={"text": "chance", "font": {"color": QUIET}},
            annotation_position="bottom left",
        )


def plot_heat(rows: pd.DataFrame, measure: Measure, chosen: str = "") -> go.Figure:
    """A family of settings: C_BT by K as a heat map, or w as a strip; each cell with its value.

    The squares that take the click have the keys as ``customdata``; ``chosen`` gets a frame.
    """
    is_grid = bool((rows["technique"] == KNOWLEDGE).all())
    x = rows["k"] if is_grid else rows["w"]
    y = rows["c_bt"] if is_grid else rows["w"] * 0
    columns, lines = ([f"{value:g}" for value in sorted(set(axis))] for axis in (x, y))
    cells = {
        (f"{b:g}", f"{a:g}"): row for a, b, row in zip(x, y, rows.to_dict("records"), strict=True)
    }
    values = [[cells.get((b, a), {}).get(measure.name) for a in columns] for b in lines]
    figure = go.Figure(
        go.Heatmap(
            x=columns,
            y=lines,
            z=values,
            colorscale=SCALE,
            reversescale=not measure.more_is_better,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
            showscale=False,  # each cell says its value
        )
    )
    figure.add_trace(_cell_marks(cells, measure))
    for (line, column), row in cells.items():
        if row["key"] == chosen:
            figure.add_trace(_frame(column, line))
    _lay_out_cells(figure, columns, lines, is_grid=is_grid)
    return figure


def _lay_out_cells(
    figure: go.Figure, columns: list[str], lines: list[str], *, is_grid: bool
) -> None:
    """Axes of categories: K by C_BT, or w alone."""
    axis = {"type": "category", "showgrid": False, "tickfont": {"size": 11}}
    figure.update_layout(
        height=140 + 52 * len(lines),
        margin=_NO_MARGIN,
        xaxis={
            **axis,
            "title": "K" if is_grid else "w",
            "categoryarray": columns,
            "range": [-0.5, len(columns) - 0.5],
        },
        yaxis={
            **axis,
            "title": "C_BT" if is_grid else "",
            "categoryarray": lines,
            "showticklabels": is_grid,
        },
        clickmode="event+select",
        hovermode="closest",
        hoverdistance=-1,  # anywhere in a cell
        dragmode=False,
    )


def _cell_marks(cells: dict[tuple[str, str], dict], measure: Measure) -> go.Scatter:
    """Values in the cells, a star at a published setting's."""
    keep = {"textfont": {"color": "#1d2420"}, "marker": {"opacity": 0.0}}
    return go.Scatter(
        x=[column for _, column in cells],
        y=[line for line, _ in cells],
        mode="markers+text",
        text=[_cell_text(row, measure) for row in cells.values()],
        textfont={"color": "#1d2420", "size": 11},  # six columns fit on a phone
        marker={"symbol": "square", "size": 40, "opacity": 0.0},
        selected=keep,
        unselected=keep,
        customdata=[[row["key"]] for row in cells.values()],
        hovertext=[_hover(row, measure) for row in cells.values()],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )


def _frame(column: str, line: str) -> go.Scatter:
    return go.Scatter(
        x=[column],
        y=[line],
        mode="markers",
        name="chosen",
        marker={"symbol": "square-open", "size": 44, "color": SEARCH, "line": {"width": 3}},
        hoverinfo="skip",
        showlegend=False,
    )


def _cell_text(row: dict, measure: Measure) -> str:
    value = row[measure.name]
    if value is None or math.isnan(value):
        return "–"
    return f"{value:{measure.form}}" + ("<br>★" if row["paper"] else "")


def plot_times(table: pd.DataFrame) -> go.Figure:
    """Time a move of every setting against calls of the model, with Baier's table beside."""
    rows = table[table["time_ratio"].notna()]
    figure = go.Figure()
    for technique, group in rows.groupby("technique", sort=False):
        color = {KNOWLEDGE: HUMAN, EXPERIENCE: SEARCH, NONE: CYCLE[2], DIRECT: CYCLE[3]}[technique]
        for budget, part in group.groupby("budget", sort=False):
            name = _PLAIN_NAMES.get(technique, f"{technique}, {budget}")
            figure.add_trace(_times(part, name, color, budget))
    figure.add_trace(
        go.Scatter(
            x=[one.model_calls for one in TIMES],
            y=[one.ratio for one in TIMES],
            mode="markers",
            name="published, another machine",
            marker={
                "symbol": "cross-thin",
                "size": 11,
                "color": QUIET,
                "line": {"width": 3, "color": QUIET},
            },
            hovertext=[
                f"{one.text}<br>{one.ratio:.2f} x, {one.model_calls:.0f} calls" for one in TIMES
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    figure.add_hline(y=1.0, line={"color": QUIET, "dash": "dot", "width": 2})
    figure.update_layout(
        height=HEIGHT - 120,
        margin=_NO_MARGIN,
        xaxis={"title": "calls of the human model a move"},
        yaxis={"title": "time a move (unbiased = 1)", "rangemode": "tozero"},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        clickmode="event+select",
        hovermode="closest",
        dragmode="pan",
    )
    return figure


def _times(rows: pd.DataFrame, name: str, color: str, budget: str) -> go.Scatter:
    return go.Scatter(
        x=rows["model_calls"],
        y=rows["time_ratio"],
        error_y=_bars(rows, "time_ratio", color),
        mode="markers",
        name=name,
        marker={
            "size": 11,
            "color": color,
            "symbol": "circle" if budget == "iterations" else "diamond",
        },
        customdata=[[key] for key in rows["key"]],
        selected={"marker": {"opacity": 1.0}},
        unselected={"marker": {"opacity": 1.0}},
        hovertext=[
            f"<b>{row['label']}</b><br>{row['ms']:.2f} ms a move, unbiased {row['unbiased_ms']:.2f}"
            f"<br>{_ranged(row, TIME)} x, {row['model_calls']:.1f} calls"
            for row in rows.to_dict("records")
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )
