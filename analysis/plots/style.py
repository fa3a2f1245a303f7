"""Styles of play: Devlin's panels, divergences, where they come from, and how each style bids."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.style import PUBLISHED_BRANCHING, PUBLISHED_SUM_OF_BIDS, BiddingStyle
from analysis.plots import template as t
from analysis.style.compare import Decomposition
from analysis.style.counts import Group

FADED = 0.22
MEET_ROW = "how often the context is met"
_CELL_COLUMNS = [
    *("context", "move", "contribution", "of_share", "to_share", "of_count", "to_count", "chance")
]


def color_of(groups: Sequence[Group]) -> dict[str, str]:
    """Colours by label: a group has its own, whichever others are shown."""
    colors = t.colors_of([group.value for group in groups])
    return {group.label: colors[group.value] for group in groups}


def revised(figure: go.Figure) -> go.Figure:
    """The figure, numbered by its contents. The page's chart component hands every new figure to
    Plotly twice, in copies; by the same number Plotly doesn't take the second one's arrays for new
    data. It draws all the same, since Streamlit's theme comes as a new template each time."""
    contents = hashlib.blake2b(figure.to_json().encode(), digest_size=8)
    return figure.update_layout(datarevision=contents.hexdigest())


def plot_divergences(
    rows: pd.DataFrame, published: Mapping[str, float], colors: Mapping
) -> go.Figure:
    """KL from one group to each other: dots with intervals, chance level, published figures."""
    names = [t.plain(name) for name in rows["to"]]
    hover, bar = "%{y}: %{x:.4f} nats by chance alone", {"width": 3}
    mark = {"symbol": "line-ns-open", "size": 18, "color": t.QUIET, "line": bar}
    chance = t.dots(rows["chance"], names, hover, name="chance level", marker=mark)
    hover = (
        f"%{{y}}: %{{x:.4f}} nats<br>{t.between(0, '.4f')}<br>"
        "%{customdata[2]:,} games, %{customdata[3]:,} decisions"
    )
    look: t.Options = {"marker": {"size": 12, "color": [colors[name] for name in rows["to"]]}}
    look["bar"] = {"thickness": 2, "width": 5, "color": t.QUIET}
    look["name"] = "KL, 95% interval over games"
    columns = ["kl_low", "kl_high", "to_games", "to_decisions"]
    divergences = t.estimates(rows, "kl", names, hover, columns, **look)
    x = {"title": "KL divergence (nats)", "rangemode": "tozero"}
    layout: t.Options = {"height": 180 + 40 * len(rows), "margin": t.margin(96)}
    y = {**t.NAMES_DOWN, "title": "other group"}
    figure = t.figure_of([chance, divergences], x=x, y=y, showlegend=False, **layout)
    for name, value in published.items():
        t.mark_x(figure, value)
        origin = f"{name}: {value:.4f} against real humans (Devlin 2016, table 1)"
        note: t.Options = {"font": {"size": 11, "color": t.QUIET}, "textangle": -35}
        t.label_above(figure, value, name, hovertext=origin, xanchor="left", **note)
    return figure


def plot_decomposition(
    found: Decomposition, *, of: str, to: str, colors: Mapping[str, str], by: str = "context"
) -> go.Figure:
    """Heat map of a divergence: contexts across, called ``by``, moves down, coloured by who plays
    it more.

    Cells that noise alone may explain are faded, those that nobody played are blank. A square over
    every other takes the click; its ``customdata`` begin with the context's and the move's label.
    The first row is how often the context is met, its colour cut off where the moves' ends."""
    cells = pd.concat([found.contexts.assign(move=MEET_ROW), found.cells], ignore_index=True)
    is_played = (cells["of_count"] + cells["to_count"]) > 0
    contexts, moves = list(found.contexts["context"]), [MEET_ROW, *found.cells["move"].unique()]
    signed = np.sign(cells["of_share"] - cells["to_share"]) * np.sqrt(cells["contribution"])
    top = max(float(np.abs(signed[cells["move"] != MEET_ROW]).max()), 1e-9)
    scale = [[0, colors[to]], [0.5, t.with_alpha(t.QUIET, 0.06)], [1, colors[of]]]
    heat = []
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        shown = np.where(is_played & (cells["is_clear"] == is_clear), signed, np.nan)
        look: t.Options = {"zmin": -top, "zmax": top, "opacity": opacity, "colorscale": scale}
        heat.append(t.heat_map(cells["context"], cells["move"], shown, **look).update(xgap=2))
    heat[0].update(showscale=True, colorbar=_color_bar(top, of, to))
    # A context has its part of the whole under it: of meeting it and of choosing within it.
    parts, whole = cells.groupby("context")["contribution"].sum(), found.kl_joint
    texts = [f"<br>{parts[context] / whole:.0%}" if whole > 0 else "" for context in contexts]
    ticks = [f"<b>{context}</b>{part}" for context, part in zip(contexts, texts, strict=True)]
    title = f"{by},<br>and its part of the KL"
    x = {"title": title, "side": "top", "type": "category", "tickmode": "array",
         "tickvals": contexts, "ticktext": ticks, "showgrid": False,
         "range": [-0.5, len(contexts) - 0.5]}  # fmt: skip
    span = {"range": [len(moves) - 0.5, -0.5], "dtick": 1, "automargin": True, "showgrid": False}
    span["title"] = "abstract move"
    layout: t.Options = {"height": 180 + 19 * len(moves), "margin": t.margin(56), **t.CELL_CLICKS}
    traces, y = [*heat, _marks(cells[is_played], of, to)], t.category_axis(moves, **span)
    return t.figure_of(traces, x=x, y=y, showlegend=False, **layout)


def _color_bar(top: float, of: str, to: str) -> t.Options:
    ticks = [-top, -top / 2, 0, top / 2, top]
    title = f"nats; colour and scale by their square root<br>◀ {t.plain(to)} more<br>"
    title += f"{t.plain(of)} more ▶"
    labels = {"tickvals": ticks, "ticktext": [f"{tick * tick:.2g}" for tick in ticks]}
    place = {"orientation": "h", "y": -0.01, "yanchor": "top", "thickness": 10}
    place |= {"x": 1, "xanchor": "right", "lenmode": "pixels", "len": 280}  # axes may be narrower
    text = {"text": title, "side": "bottom", "font": {"size": 12}}
    return {**place, **labels, "tickmode": "array", "title": text}


def _marks(cells: pd.DataFrame, of: str, to: str) -> go.Scatter:
    hover = (
        "%{customdata[1]}, %{customdata[0]}<br>%{customdata[2]:.5f} nats, "
        "%{customdata[7]:.5f} by chance<br>"
        f"{t.plain(of)}: %{{customdata[3]:.1%}} (%{{customdata[5]:,}})<br>"
        f"{t.plain(to)}: %{{customdata[4]:.1%}} (%{{customdata[6]:,}})"
    )
    data = cells[_CELL_COLUMNS].to_numpy()
    return t.cell_marks(cells["context"], cells["move"], data, hover, size=15)


def plot_bidding(style: BiddingStyle, colors: Mapping[str, str]) -> dict[str, go.Figure]:
    """Figures ``positions``, ``sums`` and ``legal``, each with a line a group."""
    bidders = {name: colors.get(name, t.HUMAN) for name in style.nils["group"]}
    return {
        "positions": _plot_means(style.positions, bidders),
        "sums": _plot_distribution(style.sums, "sum of bids", PUBLISHED_SUM_OF_BIDS, bidders),
        "legal": _plot_distribution(style.legal, "legal cards", PUBLISHED_BRANCHING, colors),
    }


def _plot_means(rows: pd.DataFrame, colors: Mapping[str, str]) -> go.Figure:
    hover = f"%{{x}}: %{{y:.2f}}<br>{t.between(0, '.2f')}<br>%{{customdata[2]:,}} bids"
    columns = ["position", "mean", "low", "high", "bids"]
    traces = _lines(rows, columns, colors, hover, width=1.5, marker={"size": 8})
    return revised(_small(traces, x={"title": "position"}, y={"title": "mean bid"}))


def _plot_distribution(
    rows: pd.DataFrame, title: str, published: float, colors: Mapping[str, str]
) -> go.Figure:
    """Shares of the values of a count; the published mean as a dotted line."""
    hover = "%{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,}"
    traces = _lines(rows, ["value", "share", "count", "n"], colors, hover, width=2, **t.UNFADED)
    tick = max(1, math.ceil((rows["value"].max() if len(rows) else 1) / 13))
    x, y = {"title": title, "dtick": tick}, t.shares("share", rangemode="tozero")
    figure = _small(traces, x=x, y=y)
    t.mark_x(figure, published, f"published mean {published:g}")
    return revised(figure)


def _lines(
    rows: pd.DataFrame,
    columns: Sequence[str],
    colors: Mapping[str, str],
    hover: str,
    *,
    width: float,
    **look: Any,
) -> list[go.Scatter]:
    """A line a group, one for those that would lie on each other; ``columns``: of x, of y, and
    those that ``hover`` speaks of."""
    found = []
    for group, color in _different(rows, columns, colors).items():
        mine = rows[rows["group"] == group[0]]
        x, y, data = mine[columns[0]], mine[columns[1]], mine[[*columns[2:]]].to_numpy()
        look |= {"mode": "lines+markers", "line": {"color": color, "width": width}}
        name = t.plain(" and ".join(group))
        trace = t.dots(x, y, hover + t.OF_TRACE, data=data, name=name, **look)
        if "low" in columns:
            trace.update(error_y=t.whiskers(mine[columns[1]], mine["low"], mine["high"]))
        found.append(trace)
    return found


def _different(
    rows: pd.DataFrame, columns: Sequence[str], colors: Mapping[str, str]
) -> dict[tuple[str, ...], str]:
    """Groups by what is drawn of them, alike ones together, with their colour; a quiet one where
    there are several."""
    found: dict[bytes, list[str]] = {}
    for group in colors:
        values = rows.loc[rows["group"] == group, [*columns]].astype(str)
        found.setdefault(values.to_csv(index=False).encode(), []).append(group)
    return {
        tuple(groups): colors[groups[0]] if len(groups) == 1 else t.QUIET
        for groups in found.values()
    }


def _small(traces: Sequence[go.Scatter], *, x: t.Options, y: t.Options) -> go.Figure:
    layout: t.Options = {"margin": t.margin(24) | {"l": 64, "b": 96}, "legend": t.LEGEND_BELOW}
    axes = {"x": {**t.QUICK_AXIS, **x}, "y": {**t.QUICK_AXIS, **y}}
    return t.figure_of(traces, height=320, **axes, **layout, showlegend=True)


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
SHARES = {"within": "share of its category", "share": "share of all plays"}
LEGEND_LINE, TITLE_LINE, AXIS_LINE, BESIDE = 28, 18, 46, 24  # pixels
LEGEND_MARK, WIDE_LEGEND, NARROW_LEGEND = 56, 720, 260
TICKS, MOST_TICKS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25), 4.2
TITLE_LETTERS = 15  # of a title, a line
FRAME = 3  # pixels
GAP = 0.022  # between columns, of all the width that they have
LEGEND = {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"}


def plot_panels(
    frequencies: pd.DataFrame,
    *,
    measure: str,
    errors: str,
    colors: Mapping[str, str],
    is_narrow: bool = False,
    marked: tuple[str, str] | None = None,
) -> go.Figure:
    """The panels side by side, a row a category and a bar a group, with error bars; one under the
    other where there is room for one only (``is_narrow``). The bar ``marked`` by its move and group
    is framed.

    The ``customdata`` of a bar begin with its abstract move and end with its group, for clicks.
    ``measure`` ``within`` the category or ``share`` of all plays, on one scale; ``errors`` ``sd``
    over games or the bootstrap ``interval`` of the frequency."""
    figure = go.Figure()
    rows = {position: frequencies[frequencies["position"] == position] for position in PANELS}
    for i, panel in enumerate(rows.values()):
        axes = {"xaxis": "x", "yaxis": _axis("y", i)}
        if not is_narrow:
            axes = {"xaxis": _axis("x", i), "yaxis": "y"}
        for group, color in colors.items():
            mine = panel[panel["group"] == group]
            bars = _bars(mine, group, color, measure, errors)
            frames = [FRAME if (move, group) == marked else 0 for move in mine["move"]]
            bars.update(marker_line={"color": t.MARKED, "width": frames})
            figure.add_trace(bars.update(showlegend=i == 0, legendgroup=t.plain(group), **axes))
    # The categories of a panel, each once.
    labels = {position: list(dict.fromkeys(_bar_labels(panel))) for position, panel in rows.items()}
    layout = _layout(labels, list(colors), is_narrow=is_narrow)
    for i in range(len(PANELS)):
        key = _axis("x", 0 if is_narrow else i, key=True)
        layout[key] = {**_scale(frequencies, measure, errors), **layout.get(key, {})}
        if is_narrow or i == len(PANELS) // 2:
            layout[key]["title"] = SHARES[measure]
    layout |= {"barmode": "group", "bargap": 0.28, "bargroupgap": 0.05}
    return revised(figure.update_layout(**layout, showlegend=True))


def _axis(letter: str, i: int, *, key: bool = False) -> str:
    """Plotly's name of an axis, or the layout's ``key`` of it: x2, xaxis2."""
    return f"{letter}{'axis' * key}{i + 1 if i else ''}"


def _bar_labels(rows: pd.DataFrame) -> list[str]:
    pairs = zip(rows["category"], rows["suit"], strict=True)
    return [category + _SUITS[suit] for category, suit in pairs]


def _scale(frequencies: pd.DataFrame, measure: str, errors: str) -> t.Options:
    """The axis of shares, the same in every panel; it ends where the longest bar does."""
    high = _ends(frequencies, measure, errors)[1].fillna(frequencies[measure])  # one game: no SD
    top = min(1.0, 1.06 * float(high.max())) if high.max() > 0 else 1.0
    step = next(step for step in TICKS if top / step < MOST_TICKS)
    form = ".0%" if step >= 0.01 else ".1%"
    ticks = {"tickformat": form, "dtick": step, "showgrid": True}
    return {**t.QUICK_AXIS, **ticks, "range": [0, top]}


def _layout(labels: Mapping[str, list[str]], groups: list[str], *, is_narrow: bool) -> t.Options:
    """Five columns whose rows are the same categories, or one column; without the scale."""
    names, across = max(labels.values(), key=len), (1 + GAP) / len(PANELS)  # a duck is no boss
    heights = [len(rows) * (10 + 12 * len(groups)) for rows in labels.values()]
    lines, width, between = (1, NARROW_LEGEND, 2 * TITLE_LINE) if is_narrow else (2, WIDE_LEGEND, 0)
    # Of the legend's lines; every name takes as much of one as the longest.
    longest = LEGEND_MARK + LETTER * max(map(len, groups), default=0)
    legend = LEGEND_LINE * math.ceil(len(groups) / max(1, width // longest))
    top = legend + lines * TITLE_LINE
    whole = sum(heights) + between * (len(PANELS) - 1) if is_narrow else max(heights)
    # Room for the labels beforehand: a chart that finds its own too narrow is drawn twice.
    sides = {"l": round(BESIDE + LETTER * max(map(len, names), default=0)), "r": BESIDE}
    layout: t.Options = {"legend": LEGEND, "annotations": []}
    layout |= {"height": round(top + whole + AXIS_LINE)}
    layout |= {"margin": {**sides, "t": top, "b": AXIS_LINE}}
    below = 0.0
    for i, (position, rows) in enumerate(labels.items()):
        if is_narrow:
            place, title = (0.0, 1 - below / whole), PANELS[position]
            domain = [max(0.0, 1 - (below + heights[i]) / whole), place[1]]
            layout[_axis("y", i, key=True)] = {**_categories(rows), "domain": domain}
        else:
            place, title = (i * across, 1.0), "<br>".join(wrap(PANELS[position], TITLE_LETTERS))
            domain = [place[0], min(1.0, (i + 1) * across - GAP)]
            layout[_axis("x", i, key=True)] = {"domain": domain}
        layout["annotations"].append(_title(title, *place))
        below += heights[i] + between
    if is_narrow:
        return layout | {"xaxis": {"anchor": _axis("y", len(PANELS) - 1)}}
    return layout | {"yaxis": _categories(names)}


def _categories(rows: Sequence[str]) -> t.Options:
    return t.category_axis(rows, range=[len(rows) - 0.5, -0.5], dtick=1, **t.QUICK_AXIS)


def _title(text: str, x: float, y: float) -> t.Options:
    look = {"text": f"<b>{text}</b>", "align": "left", "showarrow": False, "font": {"size": 13}}
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return {**look, **place, "x": x, "y": y}


def _ends(rows: pd.DataFrame, measure: str, errors: str) -> tuple[pd.Series, pd.Series]:
    if errors == "sd":
        value, sd = rows[measure], rows[f"{measure}_sd"]
        low, high = value - sd, value + sd
    else:
        low, high = rows[f"{measure}_low"], rows[f"{measure}_high"]
    return low.clip(lower=0), high.clip(upper=1)


def _bars(rows: pd.DataFrame, group: str, color: str, measure: str, errors: str) -> go.Bar:
    ends = _ends(rows, measure, errors)
    meaning = "SD over games" if errors == "sd" else "95% interval"
    columns = ["move", "count", "category_count", "decisions", "games"]
    columns += [*(f"{measure}{end}" for end in ("_sd", "_low", "_high")), "group"]
    of = "%{customdata[2]:,} of the category" if measure == "within" else "%{customdata[3]:,} plays"
    hover = (
        f"%{{customdata[0]}}: %{{x:.1%}}<br>%{{customdata[1]:,}} of {of}<br>%{{customdata[4]:,}} "
        f"games, SD %{{customdata[5]:.1%}}, {t.between(6)}<br>bar ends: {meaning}{t.OF_TRACE}"
    )
    error = t.whiskers(rows[measure], *ends, color=t.QUIET, thickness=1.2, width=3)
    look: t.Options = {"error_x": error, "orientation": "h", "name": t.plain(group), **t.UNFADED}
    data = rows[columns].to_numpy().tolist()
    return t.bars(rows[measure].tolist(), _bar_labels(rows), hover, color, data=data, **look)
