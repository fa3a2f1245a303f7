"""Devlin's five panels of abstract moves as one figure.

One figure and not five: a browser draws it in half the time, and the panels share their categories
and their scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.style import revised
from analysis.plots.template import QUICK_AXIS, QUIET, UNFADED, category_axis, plain, whiskers

PANELS = {
    "single": "Only card of its category",
    "lowest": "Lowest",
    "other": "Any other card",
    "highest": "Highest that is not the boss",
    "boss": "Boss",
}
"""Devlin 2016, figure 2, (a) to (e)."""
_SUITS = {"": "", "S": "", "H": " ♥", "D": " ♦", "C": " ♣"}
LETTER = 6.3  # pixels of a letter of a chart's labels, if wide
LEGEND_LINE, TITLE_LINE, AXIS_LINE, BESIDE = 28, 18, 28, 24  # pixels
LEGEND_MARK, WIDE_LEGEND, NARROW_LEGEND = 56, 720, 260
TICKS, MOST_TICKS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25), 4.2
COLUMN_WORDS = 3  # of a title, a line
GAP = 0.022  # between columns, of all the width that they have
LEGEND = {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"}


def plot_panels(
    frequencies: pd.DataFrame,
    *,
    measure: str,
    errors: str,
    colors: Mapping[str, str],
    is_narrow: bool = False,
) -> go.Figure:
    """The panels side by side, a row a category and a bar a group, with error bars; one under the
    other where the page ``is_narrow``.

    The ``customdata`` of a bar begin with its abstract move, for clicks. ``measure`` ``within`` the
    category or ``share`` of all plays, on one scale; ``errors`` ``sd`` over games or the bootstrap
    ``interval`` of the frequency.
    """
    figure = go.Figure()
    rows = {position: frequencies[frequencies["position"] == position] for position in PANELS}
    for i, panel in enumerate(rows.values()):
        axes = {"xaxis": "x", "yaxis": _axis("y", i)}
        if not is_narrow:
            axes = {"xaxis": _axis("x", i), "yaxis": "y"}
        for group, color in colors.items():
            mine = panel[panel["group"] == group]
            bars = _bars(mine, group, color, measure, errors)
            figure.add_trace(bars.update(showlegend=i == 0, legendgroup=plain(group), **axes))
    labels = {position: _labels(panel) for position, panel in rows.items()}
    lay_out = _one_under_the_other if is_narrow else _side_by_side
    figure.update_layout(
        **lay_out(labels, _scale(frequencies, measure, errors), list(colors)),
        barmode="group",
        bargap=0.28,
        bargroupgap=0.05,
        showlegend=True,
        dragmode=False,
    )
    return revised(figure)


def _axis(letter: str, i: int) -> str:
    return letter if i == 0 else f"{letter}{i + 1}"


def _layout_key(letter: str, i: int) -> str:
    return f"{letter}axis{i + 1 if i else ''}"


def _labels(rows: pd.DataFrame) -> list[str]:
    """The categories of a panel, each once."""
    return list(dict.fromkeys(_bar_labels(rows)))


def _bar_labels(rows: pd.DataFrame) -> list[str]:
    pairs = zip(rows["category"], rows["suit"], strict=True)
    return [category + _SUITS[suit] for category, suit in pairs]


def _scale(frequencies: pd.DataFrame, measure: str, errors: str) -> dict[str, Any]:
    """The axis of shares, the same in every panel; it ends where the longest bar does."""
    high = _ends(frequencies, measure, errors)[1].fillna(frequencies[measure])  # one game: no SD
    top = min(1.0, 1.06 * float(high.max())) if high.max() > 0 else 1.0
    step = next(step for step in TICKS if top / step < MOST_TICKS)
    form = ".0%" if step >= 0.01 else ".1%"
    ticks = {"tickformat": form, "dtick": step, "showgrid": True}
    return {**QUICK_AXIS, **ticks, "range": [0, top]}


def _side_by_side(
    labels: Mapping[str, list[str]], scale: dict[str, Any], groups: Sequence[str]
) -> dict[str, Any]:
    """Layout of five columns whose rows are the same categories."""
    rows = max(labels.values(), key=len)  # a panel may lack some: no boss is a duck
    width = (1 + GAP) / len(PANELS)
    top = _legend_height(groups, WIDE_LEGEND) + 2 * TITLE_LINE
    layout: dict[str, Any] = {
        "height": round(top + len(rows) * _row_height(groups) + AXIS_LINE),
        "margin": {**_beside(rows), "t": top, "b": AXIS_LINE},
        "yaxis": _categories(rows),
        "legend": LEGEND,
        "annotations": [
            _title(_in_lines(title), i * width, 1.0) for i, title in enumerate(PANELS.values())
        ],
    }
    for i in range(len(PANELS)):
        domain = [i * width, min(1.0, (i + 1) * width - GAP)]
        layout[_layout_key("x", i)] = {**scale, "domain": domain}
    return layout


def _in_lines(title: str) -> str:
    words = title.split()
    firsts = range(0, len(words), COLUMN_WORDS)
    return "<br>".join(" ".join(words[i : i + COLUMN_WORDS]) for i in firsts)


def _one_under_the_other(
    labels: Mapping[str, list[str]], scale: dict[str, Any], groups: Sequence[str]
) -> dict[str, Any]:
    """Layout of one column."""
    between, top = 2 * TITLE_LINE, _legend_height(groups, NARROW_LEGEND) + TITLE_LINE
    heights = [len(rows) * _row_height(groups) for rows in labels.values()]
    whole = sum(heights) + between * (len(PANELS) - 1) or 1
    layout: dict[str, Any] = {
        "height": round(top + whole + AXIS_LINE),
        "margin": {**_beside(max(labels.values(), key=len)), "t": top, "b": AXIS_LINE},
        "xaxis": {**scale, "anchor": _axis("y", len(PANELS) - 1)},
        "legend": LEGEND,
        "annotations": [],
    }
    below = 0.0
    for i, (position, rows) in enumerate(labels.items()):
        end = below + heights[i]
        domain = [max(0.0, 1 - end / whole), 1 - below / whole]
        layout[_layout_key("y", i)] = {**_categories(rows), "domain": domain}
        layout["annotations"].append(_title(PANELS[position], 0, 1 - below / whole))
        below = end + between
    return layout


def _legend_height(groups: Sequence[str], width: int) -> int:
    """Of its lines; every name takes as much of a line as the longest."""
    longest = LEGEND_MARK + LETTER * max(map(len, groups), default=0)
    return LEGEND_LINE * math.ceil(len(groups) / max(1, width // longest))


def _row_height(groups: Sequence[str]) -> int:
    return 10 + 12 * len(groups)


def _beside(labels: Sequence[str]) -> dict[str, int]:
    """Margins for labels at the left; a chart that finds its own too narrow is drawn twice."""
    return {"l": round(BESIDE + LETTER * max(map(len, labels), default=0)), "r": BESIDE}


def _categories(rows: Sequence[str]) -> dict[str, Any]:
    return category_axis(rows, range=[len(rows) - 0.5, -0.5], dtick=1, **QUICK_AXIS)


def _title(text: str, x: float, y: float) -> dict[str, Any]:
    look = {"text": f"<b>{text}</b>", "align": "left", "showarrow": False, "font": {"size": 13}}
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return {**look, **place, "x": x, "y": y}


def _ends(rows: pd.DataFrame, measure: str, errors: str) -> tuple[pd.Series, pd.Series]:
    """Where the error bars end."""
    if errors == "sd":
        value, sd = rows[measure], rows[f"{measure}_sd"]
        low, high = value - sd, value + sd
    else:
        low, high = rows[f"{measure}_low"], rows[f"{measure}_high"]
    return low.clip(lower=0), high.clip(upper=1)


def _bars(rows: pd.DataFrame, group: str, color: str, measure: str, errors: str) -> go.Bar:
    ends = _ends(rows, measure, errors)
    meaning = "SD over games" if errors == "sd" else "95 % interval"
    columns = ["move", "count", "category_count", "decisions", "games"]
    columns += [f"{measure}{end}" for end in ("_sd", "_low", "_high")]
    of = "%{customdata[2]:,} of the category" if measure == "within" else "%{customdata[3]:,} plays"
    return go.Bar(
        y=_bar_labels(rows),
        x=rows[measure].tolist(),
        name=plain(group),
        orientation="h",
        marker={"color": color},
        **UNFADED,
        error_x=whiskers(rows[measure], *ends, thickness=1.2, width=3, color=QUIET),
        customdata=rows[columns].to_numpy().tolist(),
        hovertemplate=(
            "%{customdata[0]}: %{x:.1%}<br>%{customdata[1]:,} of " + of + "<br>%{customdata[4]:,} "
            "games, SD %{customdata[5]:.1%}, 95 %: %{customdata[6]:.1%} to %{customdata[7]:.1%}"
            f"<br>bar ends: {meaning}<extra>%{{fullData.name}}</extra>"
        ),
    )
