"""Devlin's panels: how often each abstract move is played, a bar for each group of players."""

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.colors import CHOSEN, GREY
from analysis.plots.layout import FIXED_ROOM_AXIS, Options, category_axis, with_data_revision
from analysis.plots.traces import (
    TRACE_NAME,
    UNFADED,
    bars,
    error_bars,
    interval_text,
    without_markup,
)

PANELS = {
    "single": "Only card of its category",
    "lowest": "Lowest",
    "other": "Any other card",
    "highest": "Highest that is not the boss",
    "boss": "Boss",
}
"""Devlin 2016, figure 2, (a) to (e)."""
_SUITS = {"": "", "S": "", "H": " ♥", "D": " ♦", "C": " ♣"}
_MEASURES = {"within": "share of its category", "share": "share of all plays"}

# Pixels. Room for the labels is set beforehand: a chart that finds its own too narrow is drawn
# twice.
_LETTER = 6.3  # of a letter of a label, if wide
_BESIDE = 24  # around labels at the left, and at the right
_LEGEND_LINE = 28
_LEGEND_MARK = 56
_LEGEND_WIDTH = 720
_NARROW_LEGEND_WIDTH = 260
_TITLE_LINE = 18
_AXIS_LINE = 46
_FRAME = 3  # around the marked bar
_TITLE_LETTERS = 15  # of a title, on a line
_GAP = 0.022  # between columns, as a share of their whole width
_TICK_STEPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MAX_TICKS = 4.2
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"}


def plot_panels(
    frequencies: pd.DataFrame,
    *,
    measure: str,
    errors: str,
    colors: Mapping[str, str],
    is_narrow: bool = False,
    marked: tuple[str, str] | None = None,
) -> go.Figure:
    """The panels side by side, a row for each category and a bar for each group, with error bars;
    one panel under the other where there is room for one only (``is_narrow``). The bar ``marked``
    by its move and group is framed.

    The ``customdata`` of a bar begin with its abstract move and end with its group, for clicks.
    ``measure`` ``within`` the category or ``share`` of all plays, on one scale; ``errors`` ``sd``
    over games or the bootstrap ``interval`` of the frequency."""
    figure = go.Figure()
    panels = {position: frequencies[frequencies["position"] == position] for position in PANELS}
    for i, rows in enumerate(panels.values()):
        for group, color in colors.items():
            trace = _group_bars(rows[rows["group"] == group], group, color, measure, errors, marked)
            trace.update(
                xaxis="x" if is_narrow else _axis_name("x", i),
                yaxis=_axis_name("y", i) if is_narrow else "y",
                showlegend=i == 0,
            )
            figure.add_trace(trace)
    categories = {position: list(dict.fromkeys(_labels(rows))) for position, rows in panels.items()}
    scale = _scale(frequencies, measure, errors)
    place_panels = _stacked_panels if is_narrow else _panels_side_by_side
    figure.update_layout(
        barmode="group",
        bargap=0.28,
        bargroupgap=0.05,
        legend=_LEGEND,
        showlegend=True,
        meta={"shows": f"how often each abstract move is played, {_MEASURES[measure]}"},
        **place_panels(categories, list(colors), scale, _MEASURES[measure]),
    )
    return with_data_revision(figure)


def _axis_name(letter: str, i: int) -> str:
    """Plotly's name of the axis of panel ``i``: x, x2, ..."""
    return f"{letter}{i + 1}" if i else letter


def _axis_key(letter: str, i: int) -> str:
    """Plotly's key of that axis in a layout: xaxis, xaxis2, ..."""
    return f"{letter}axis{i + 1}" if i else f"{letter}axis"


def _labels(rows: pd.DataFrame) -> list[str]:
    pairs = zip(rows["category"], rows["suit"], strict=True)
    return [category + _SUITS[suit] for category, suit in pairs]


def _scale(frequencies: pd.DataFrame, measure: str, errors: str) -> Options:
    """The axis of shares, the same in every panel; it ends where the longest bar does."""
    _, highs = _error_ends(frequencies, measure, errors)
    highest = float(highs.fillna(frequencies[measure]).max())  # of one game there is no SD
    end = min(1.0, 1.06 * highest) if highest > 0 else 1.0
    step = next(step for step in _TICK_STEPS if end / step < _MAX_TICKS)
    return {
        **FIXED_ROOM_AXIS,
        "tickformat": ".0%" if step >= 0.01 else ".1%",
        "dtick": step,
        "showgrid": True,
        "range": [0, end],
    }


def _panels_side_by_side(
    categories: Mapping[str, list[str]],
    groups: list[str],
    scale: Options,
    measure: str,
) -> Options:
    """Layout of five columns whose rows are the same categories."""
    all_categories = max(categories.values(), key=len)  # a duck is never the boss
    top = _legend_height(groups, _LEGEND_WIDTH) + 2 * _TITLE_LINE
    heights = [_panel_height(names, groups) for names in categories.values()]
    column = (1 + _GAP) / len(PANELS)
    layout: Options = {
        "height": round(top + max(heights) + _AXIS_LINE),
        "margin": _margin(all_categories, top),
        "annotations": [],
        "yaxis": _categories_axis(all_categories),
    }
    for i, position in enumerate(categories):
        left = i * column
        layout[_axis_key("x", i)] = scale | {"domain": [left, min(1.0, left + column - _GAP)]}
        title = "<br>".join(wrap(PANELS[position], _TITLE_LETTERS))
        layout["annotations"].append(_title(title, left, 1.0))
    layout[_axis_key("x", len(PANELS) // 2)]["title"] = measure
    return layout


def _stacked_panels(
    categories: Mapping[str, list[str]],
    groups: list[str],
    scale: Options,
    measure: str,
) -> Options:
    """Layout of one panel under the other, each with its own categories."""
    longest = max(categories.values(), key=len)
    gap = 2 * _TITLE_LINE
    top = _legend_height(groups, _NARROW_LEGEND_WIDTH) + _TITLE_LINE
    heights = [_panel_height(names, groups) for names in categories.values()]
    whole = sum(heights) + gap * (len(PANELS) - 1)
    layout: Options = {
        "height": round(top + whole + _AXIS_LINE),
        "margin": _margin(longest, top),
        "annotations": [],
        "xaxis": scale | {"anchor": _axis_name("y", len(PANELS) - 1), "title": measure},
    }
    above = 0.0  # pixels of the panels above
    for i, (position, names) in enumerate(categories.items()):
        panel_top = 1 - above / whole
        panel_bottom = max(0.0, 1 - (above + heights[i]) / whole)
        layout[_axis_key("y", i)] = _categories_axis(names) | {"domain": [panel_bottom, panel_top]}
        layout["annotations"].append(_title(PANELS[position], 0.0, panel_top))
        above += heights[i] + gap
    return layout


def _panel_height(names: Sequence[str], groups: Sequence[str]) -> int:
    return len(names) * (10 + 12 * len(groups))


def _legend_height(groups: Sequence[str], width: float) -> int:
    """Of the legend's lines; every name takes as much of one as the longest."""
    entry = _LEGEND_MARK + _LETTER * max((len(group) for group in groups), default=0)
    per_line = max(1, width // entry)
    return _LEGEND_LINE * math.ceil(len(groups) / per_line)


def _margin(names: Sequence[str], top: int) -> dict[str, int]:
    longest = max((len(name) for name in names), default=0)
    left = round(_BESIDE + _LETTER * longest)
    return {"l": left, "r": _BESIDE, "t": top, "b": _AXIS_LINE}


def _categories_axis(names: Sequence[str]) -> Options:
    return category_axis(names, range=[len(names) - 0.5, -0.5], dtick=1, **FIXED_ROOM_AXIS)


def _title(text: str, x: float, y: float) -> Options:
    return {
        "text": f"<b>{text}</b>",
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
    }


def _error_ends(rows: pd.DataFrame, measure: str, errors: str) -> tuple[pd.Series, pd.Series]:
    if errors == "sd":
        sd = rows[f"{measure}_sd"]
        low = rows[measure] - sd
        high = rows[measure] + sd
    else:
        low = rows[f"{measure}_low"]
        high = rows[f"{measure}_high"]
    return low.clip(lower=0), high.clip(upper=1)


def _group_bars(
    rows: pd.DataFrame,
    group: str,
    color: str,
    measure: str,
    errors: str,
    marked: tuple[str, str] | None,
) -> go.Bar:
    columns = [
        "move",
        "count",
        "category_count",
        "decisions",
        "games",
        f"{measure}_sd",
        f"{measure}_low",
        f"{measure}_high",
        "group",
    ]
    whole = (
        "%{customdata[2]:,} of the category" if measure == "within" else "%{customdata[3]:,} plays"
    )
    ends_are = "SD over games" if errors == "sd" else "95% interval"
    hover = (
        f"%{{customdata[0]}}: %{{x:.1%}}<br>%{{customdata[1]:,}} of {whole}<br>"
        f"%{{customdata[4]:,}} games, SD %{{customdata[5]:.1%}}, {interval_text(6)}<br>"
        f"bar ends: {ends_are}{TRACE_NAME}"
    )
    low, high = _error_ends(rows, measure, errors)
    frame_widths = [_FRAME if (move, group) == marked else 0 for move in rows["move"]]
    return bars(
        rows[measure].tolist(),
        _labels(rows),
        hover,
        color=color,
        data=rows[columns].to_numpy().tolist(),
        marker={"line": {"color": CHOSEN, "width": frame_widths}},
        orientation="h",
        error_x=error_bars(rows[measure], low, high, color=GREY, thickness=1.2, width=3),
        name=without_markup(group),
        legendgroup=without_markup(group),
        **UNFADED,
    )
