"""Sweeps: closeness to humans against strength, heat maps of settings, time."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.colors import (
    CHOSEN,
    DASHES,
    DIVERGING_SCALE,
    GREEN,
    GREY,
    HUMAN,
    OCHRE,
    OLIVE,
    PINK,
    PURPLE,
    SEARCH,
    SEQUENTIAL_SCALE,
    TEAL,
    with_alpha,
)
from analysis.plots.labels import label_ends
from analysis.plots.layout import (
    CLICKABLE,
    CLICKABLE_CELLS,
    LEGEND_BELOW,
    Options,
    add_horizontal_line,
    add_vertical_line,
    category_axis,
    figure_of,
    percent_axis,
)
from analysis.plots.traces import (
    UNFADED,
    click_squares,
    dots,
    error_bars,
    heat_map,
    labels_apart,
    text_labels,
)
from analysis.sweeps import views
from analysis.sweeps.sweep import AGENT_OPTIONS, DIRECT, NONE
from analysis.text_tables import span
from spades.look.tokens import SIZES
from spades.search import TECHNIQUES

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon")
_HEIGHT = 560
_SERIES_COLORS = (GREEN, OLIVE, PURPLE, TEAL, OCHRE)
_SCALE_COLORS = (HUMAN, GREEN, TEAL, PINK, OCHRE, PURPLE, SEARCH)
"""Of the sources of the reward scale; the last is all of them."""
_WITHOUT_SERIES = {NONE: views.UNBIASED_NAME, DIRECT: views.DIRECT_NAME}


def plot_frontier(
    table: pd.DataFrame,
    measure: views.Measure,
    chosen: str = "",
    other: pd.DataFrame | None = None,
) -> go.Figure:
    """A point for each setting: how human it plays along x, further right being more, wins along y.

    A mark's colour says how human the setting is by another measure, ``views.other_view``.
    ``customdata`` of a point is its key. ``chosen``: the key of the one to ring. ``other``: a
    second sweep, laid over in hollow marks; series of one name have one colour."""
    sweeps = [table] if other is None else [table, other]
    settings = pd.concat(
        [sweep.assign(sweep=i) for i, sweep in enumerate(sweeps)], ignore_index=True
    )
    settings = settings[settings[measure.name].notna() & settings["win_rate"].notna()]
    recommended = settings[settings["paper"] != ""]
    settings = settings.assign(note=_notes_apart(settings, measure))
    colored = views.other_view(measure)
    has_colors = bool(settings[colored.name].notna().any())
    traces = [
        _pareto_line(settings, measure),
        *_series_of_settings(settings, sweeps, measure, colored if has_colors else None),
        *_rings(recommended, measure, "published setting", color=GREY, size=19, width=2),
        *_rings(
            settings[settings["key"] == chosen], measure, "chosen", color=CHOSEN, size=27, width=3
        ),
    ]
    published = [point for point in views.POINTS if getattr(point, measure.name, None) is not None]
    if published:
        traces.append(_published(published, measure))
    figure = figure_of(
        traces,
        shows=f"games won against {measure.label} of each setting of the sweep",
        height=_HEIGHT,
        xaxis={
            "title": f"{measure.axis}<br>more human →",
            "tickformat": ".0%" if measure.form.endswith("%") else measure.form,
            "autorange": True if measure.more_is_better else "reversed",
        },
        yaxis=percent_axis(views.WIN_RATE.axis),
        legend=LEGEND_BELOW,
        coloraxis=_color_axis(colored, settings[colored.name]) if has_colors else {},
        **CLICKABLE,
    )
    add_horizontal_line(figure, 0.5)
    chance_column = f"{measure.name}_chance"
    if chance_column in settings and len(settings):  # of samples of one and the same style
        chance = float(settings[chance_column].mean())
        add_vertical_line(figure, chance, "chance", corner="bottom left", dash="dash", width=1)
    return figure


def _notes_apart(settings: pd.DataFrame, measure: views.Measure) -> pd.Series:
    """Notes at the points, without those that would lie on another; the ends of lines have theirs
    first. A hover has all of them."""
    lines = settings.groupby(["sweep", "series"], sort=False)["order"]
    is_end = (settings["order"] == lines.transform("min")) | (
        settings["order"] == lines.transform("max")
    )
    ordered = settings.assign(is_end=is_end).sort_values("is_end", ascending=False, kind="stable")
    kept = labels_apart(ordered[measure.name], ordered["win_rate"])
    return ordered["note"].where(kept, "").reindex(settings.index)


def _pareto_line(settings: pd.DataFrame, measure: views.Measure) -> go.Scatter:
    """Steps through the settings that none beats on both axes."""
    best = views.pareto(settings, measure)
    return go.Scatter(
        x=best[measure.name],
        y=best["win_rate"],
        mode="lines",
        line={"color": with_alpha(GREY, 0.6), "width": 5, "shape": "vh"},
        name="none better in both",
        hoverinfo="skip",
        **UNFADED,
    )


def _series_of_settings(
    settings: pd.DataFrame,
    sweeps: Sequence[pd.DataFrame],
    measure: views.Measure,
    colored: views.Measure | None,
) -> list[go.Scatter]:
    names = list(dict.fromkeys(settings["series"]))
    colors = _series_colors(names)
    short_names = [views.shorter(list(dict.fromkeys(sweep["series"]))) for sweep in sweeps]
    traces = []
    for (sweep, name), rows in settings.groupby(["sweep", "series"], sort=False):
        symbol = _series_symbol(name, names.index(name))
        label = short_names[sweep][name]
        if sweep > 0:
            symbol += "-open"
            label += ", second sweep"
        series = _series(rows.sort_values("order"), measure, label, colors[name], symbol)
        if colored:
            traces.append(_legend_entry(series))
            series.marker.update(
                color=rows.sort_values("order")[colored.name], coloraxis="coloraxis"
            )
            series.update(showlegend=False, legendgroup=label)
        traces.append(series)
    return traces


def _legend_entry(series: go.Scatter) -> go.Scatter:
    """A series' line and mark for the legend, which draws marks of many colours in black."""
    return go.Scatter(
        x=[None],
        y=[None],
        mode="lines+markers",
        line=series.line,
        marker=series.marker,
        name=series.name,
        legendgroup=series.name,
        hoverinfo="skip",
    )


def _series_colors(names: Sequence[str]) -> dict[str, str]:
    colors = {}
    n_series = 0
    for name in names:
        if name.startswith(views.UNBIASED_NAME):
            colors[name] = SEARCH
        elif name.startswith(views.DIRECT_NAME):
            colors[name] = PINK
        else:
            colors[name] = _SERIES_COLORS[n_series % len(_SERIES_COLORS)]
            n_series += 1
    return colors


def _series_symbol(name: str, i: int) -> str:
    if name.startswith(views.UNBIASED_NAME):
        return "star"
    if name.startswith(views.DIRECT_NAME):
        return "x"
    return _SYMBOLS[i % len(_SYMBOLS)]


def _series(
    rows: pd.DataFrame,
    measure: views.Measure,
    name: str,
    color: str,
    symbol: str,
) -> go.Scatter:
    is_special = symbol.startswith(("star", "x"))
    return _settings(
        rows,
        measure.name,
        "win_rate",
        color,
        mode="lines+markers+text" if len(rows) > 1 else "markers",
        line={"color": with_alpha(color, 0.6), "width": 1.5},
        marker={
            "color": color,
            "symbol": symbol,
            "size": 16 if is_special else 11,
            "line": {"width": 1, "color": color},
        },
        error_x=_thin_error_bars(rows, measure.name, color),
        text=list(rows["note"]),
        textposition="top center",
        textfont={"size": SIZES[0]},
        hovertext=_setting_hovers(rows, measure),
        name=name,
    )


def _color_axis(measure: views.Measure, values: pd.Series) -> Options:
    """From the search's colour to the human's; a narrow bar above the figure is the key."""
    least = float(values.min())
    most = float(values.max())
    ends = f"{least:{measure.form}} to {most:{measure.form}}"
    return {
        "colorscale": [[0.0, SEARCH], [1.0, HUMAN]],
        "reversescale": not measure.more_is_better,
        "cmin": least,
        "cmax": most,
        "colorbar": {
            "title": {"text": f"{measure.label}: {ends}", "side": "top"},
            "showticklabels": False,
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "xpad": 0,
            "y": 1.06,
            "yanchor": "bottom",
            "ypad": 8,
            "len": 0.5,
            "thickness": 8,
            "outlinewidth": 0,
        },
    }


def _settings(rows: pd.DataFrame, x: str, y: str, color: str, **trace: Any) -> go.Scatter:
    """A mark for each setting, with its key and the interval of y."""
    return dots(
        rows[x],
        rows[y],
        "%{hovertext}",
        data=[[key] for key in rows["key"]],
        error_y=_thin_error_bars(rows, y, color),
        selected=UNFADED["selected"],
        unselected=UNFADED["unselected"],
        **trace,
    )


def _thin_error_bars(rows: pd.DataFrame, name: str, color: str) -> Options:
    value = rows[name]
    low = rows[f"{name}_low"].fillna(value)
    high = rows[f"{name}_high"].fillna(value)
    return error_bars(value, low, high, color=with_alpha(color, 0.3), thickness=1.2, width=0)


def _setting_hovers(rows: pd.DataFrame, measure: views.Measure) -> list[str]:
    return [setting_hover(row, measure) for row in rows.to_dict("records")]


def setting_hover(row: Mapping[str, Any], measure: views.Measure) -> str:
    win_rate = f"Win rate: {_value_with_interval(row, views.WIN_RATE)}"
    if not math.isnan(row["games"]):
        win_rate += f", {row['games']:.0f} games"
    lines = [f"<b>{row['label']}</b>"]
    for known in (measure, views.other_view(measure)):
        if known is not views.WIN_RATE and not math.isnan(row[known.name]):
            lines.append(f"{known.label}: {_value_with_interval(row, known)}")
    lines.append(win_rate)
    if not math.isnan(row["ms"]):
        lines.append(f"{row['ms']:.2f} ms a move, {row['model_calls']:.0f} calls of the model")
    if row["paper"]:
        lines.append(f"strength of bias published by {row['paper']}")
    return "<br>".join(lines)


def _value_with_interval(row: Mapping[str, Any], measure: views.Measure) -> str:
    value = f"{row[measure.name]:{measure.form}}"
    low = row[f"{measure.name}_low"]
    high = row[f"{measure.name}_high"]
    if math.isnan(low):
        return value
    return f"{value} ({span((low, high), measure.form)})"


def _rings(
    rows: pd.DataFrame,
    measure: views.Measure,
    name: str,
    *,
    color: str,
    size: int,
    width: int,
) -> list[go.Scatter]:
    """Rings around settings, if there are any."""
    if rows.empty:
        return []
    rings = go.Scatter(
        x=rows[measure.name],
        y=rows["win_rate"],
        mode="markers",
        marker={"symbol": "circle-open", "size": size, "color": color, "line": {"width": width}},
        name=name,
        hoverinfo="skip",
    )
    return [rings]


def _published(points: Sequence[views.PublishedPoint], measure: views.Measure) -> go.Scatter:
    closeness = [getattr(point, measure.name) for point in points]
    texts = [
        f"{point.text}<br>{value:{measure.form}}, wins {point.win_rate:.1%}"
        "<br>measured on real humans"
        for point, value in zip(points, closeness, strict=True)
    ]
    return _crosses(
        closeness,
        [point.win_rate for point in points],
        texts,
        12,
        error_y={
            "type": "data",
            "array": [point.half_width or 0.0 for point in points],
            "color": GREY,
            "thickness": 1.2,
            "width": 0,
        },
        name="published, real humans",
    )


def _crosses(x: Any, y: Any, texts: Sequence[str], size: int, **trace: Any) -> go.Scatter:
    line = {"width": 3, "color": GREY}
    marker = {"symbol": "cross-thin", "size": size, "color": GREY, "line": line}
    return dots(x, y, "%{hovertext}", hovertext=texts, marker=marker, **trace)


def plot_heat(rows: pd.DataFrame, measure: views.Measure, chosen: str = "") -> go.Figure:
    """A family of settings: C_BT by K as a heat map, or w or λ as a strip; each cell with its
    value.

    The squares that take the click have the keys as ``customdata``; ``chosen`` gets a frame. Win
    rates have their number of games, and a * where the 95% interval leaves out 50%."""
    technique = TECHNIQUES[rows["technique"].iloc[0]]
    is_grid = bool(technique.second)
    x_name = technique.second or technique.strength
    x_values = rows[x_name]
    y_values = rows[technique.strength] if is_grid else x_values * 0
    columns = _sorted_labels(x_values)
    lines = _sorted_labels(y_values)
    cells = {
        (f"{x:g}", f"{y:g}"): row
        for x, y, row in zip(x_values, y_values, rows.to_dict("records"), strict=True)
    }
    values: list[list[float | None]] = []
    for line in lines:
        line_cells = [cells.get((column, line)) for column in columns]
        values.append([cell and cell[measure.name] for cell in line_cells])
    heat = heat_map(columns, lines, values, gap=2, **_color_scale(rows, measure))
    heat.update(hoverongaps=None)
    cell_columns = [column for column, _ in cells]
    cell_lines = [line for _, line in cells]
    texts = [_cell_text(row, measure) for row in cells.values()]
    squares = click_squares(
        cell_columns,
        cell_lines,
        [[row["key"]] for row in cells.values()],
        "%{hovertext}",
        size=40,
        framed=0.0,
        hovertext=[setting_hover(row, measure) for row in cells.values()],
        showlegend=False,
    )
    frames = [_frame(*place) for place, row in cells.items() if row["key"] == chosen]
    return figure_of(
        [
            heat,
            text_labels(cell_columns, cell_lines, texts, "middle center", SIZES[0]),
            squares,
            *frames,
        ],
        shows=f"{measure.label} by the strength of the bias",
        height=140 + 52 * len(lines),
        xaxis=category_axis(
            columns,
            title=AGENT_OPTIONS[x_name].title,
            range=[-0.5, len(columns) - 0.5],
            showgrid=False,
        ),
        yaxis=category_axis(
            lines,
            title=AGENT_OPTIONS[technique.strength].title if is_grid else "",
            showticklabels=is_grid,
            showgrid=False,
        ),
        **CLICKABLE_CELLS,
    )


def _sorted_labels(values: pd.Series) -> list[str]:
    return [f"{value:g}" for value in sorted(set(values))]


def _color_scale(rows: pd.DataFrame, measure: views.Measure) -> Options:
    """Win rates diverge from 50%, the rest goes from less to more."""
    if measure != views.WIN_RATE:
        return {"colorscale": SEQUENTIAL_SCALE, "reversescale": not measure.more_is_better}
    reach = max(0.05, float((rows["win_rate"] - 0.5).abs().max()))
    return {"colorscale": DIVERGING_SCALE, "zmin": 0.5 - reach, "zmax": 0.5 + reach}


def _frame(column: str, line: str) -> go.Scatter:
    return go.Scatter(
        x=[column],
        y=[line],
        mode="markers",
        marker={"symbol": "square-open", "size": 44, "color": CHOSEN, "line": {"width": 3}},
        name="chosen",
        hoverinfo="skip",
        showlegend=False,
    )


def _cell_text(row: Mapping[str, Any], measure: views.Measure) -> str:
    """Its value, a ◆ at a published setting's."""
    value = row[measure.name]
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:{measure.form}}"
    if measure == views.WIN_RATE and not math.isnan(row["games"]):
        if views.is_far_from_even(row):
            text = f"<b>{text} *</b>"
        text += f"<br>n {row['games']:,.0f}"
    if row["paper"]:
        text += "<br>◆"
    return text


def plot_reward_scale(table: pd.DataFrame, best: int) -> go.Figure:
    """The misfit of each source, and of all together, by points in a reward.

    ``table``: of ``analysis.sweeps.reward_scale.misfit_table``; ``best``: the scale that has the
    largest mark. Scales are doubled from place to place along x."""
    names = list(table["source"].unique())
    lines = []
    for i, name in enumerate(names):
        rows = table[table["source"] == name]
        is_all = name == names[-1]
        sizes = [13 if is_all and scale == best else 6 for scale in rows["reward_scale"]]
        line = {"color": _SCALE_COLORS[i], "width": 1.5, "dash": DASHES[1 + i % 5]}
        if is_all:
            line = {"color": SEARCH, "width": 4, "dash": "solid"}
        lines.append(
            go.Scatter(
                x=[f"{scale:,}" for scale in rows["reward_scale"]],
                y=rows["misfit"],
                name=name,
                mode="lines+markers",
                line=line,
                marker={"size": sizes},
                hovertemplate="%{x} points: misfit %{y:.2f}",
            )
        )
    figure = figure_of(
        lines,
        shows="how far ours is from what each source prints, by points in a reward",
        height=420,
        xaxis={"title": "points in one reward", "type": "category"},
        yaxis={"title": "misfit", "rangemode": "tozero"},
        legend=LEGEND_BELOW,
    )
    return label_ends(figure)
