"""Success curves of nil as figures, with the rates behind them. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.nil.ace import BY_CHANCE
from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.plots.style import MARGIN, plain

COLORS = (HUMAN, SEARCH, *CYCLE[2:])
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
SPREAD = 0.03  # of a nil value, over which points of one bin stand side by side
LEGEND_BELOW = 60  # pixels under the axis
AROUND = 150  # pixels of a figure's height that axes don't fill
BAND_ALPHA = 0.14
FEW, FADED = 10, 0.3  # points of fewer nils are faded
COUNT_TICKS, COUNT_TEXTS = (1, 100, 10_000, 1_000_000), ("1", "100", "10k", "1M")
POINT_COLUMNS = ["source", "bids", "bin", "n", "made", "low", "high", "from", "to"]


class Mark(NamedTuple):
    """A hand's place on a curve, and where its threshold lies; chances are 0 to 1."""

    value: float
    chance: float
    label: str


def plot_curves(
    curves: pd.DataFrame,
    rates: pd.DataFrame,
    *,
    marks: Sequence[Mark] = (),
    even: float | None = None,
    height: int = 560,
) -> go.Figure:
    """Chance of a nil by its value: curves with bands, points with intervals; nils a bin below.

    A colour a sequence; a dash and a symbol a source. ``even``: chance above which BIS bids nil.
    The points' ``customdata`` begin with source, bids before and bin: what a click picks.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.03
    )
    sources, sequences = list(rates["source"].unique()), list(rates["sequence"].unique())
    pairs = [(source, sequence) for source in sources for sequence in sequences]
    for at, (source, sequence) in enumerate(pairs):
        look = _look(sources.index(source), sequences.index(sequence), len(sequences))
        name = sequence if len(sources) == 1 else f"{sequence} · {plain(source)}"
        line = _of(curves, source, sequence)
        points = _of(rates, source, sequence)
        if len(line):
            _add_curve(figure, line, name, look)
        shift = SPREAD * ((at + 0.5) / len(pairs) - 0.5)
        is_clear = points["n"] >= FEW
        for shown, opacity in ((points[is_clear], 1.0), (points[~is_clear], FADED)):
            legend = not len(line) and opacity == 1.0
            trace = _points(shown, name, look, shift, opacity=opacity, legend=legend)
            figure.add_trace(trace, row=1, col=1)
        figure.add_trace(_bars(points["from"] + 0.025, points["n"], name, look), row=2, col=1)
    for i, mark in enumerate(marks):
        figure.add_trace(_star(mark, legend=i == 0), row=1, col=1)
    if even is not None:
        figure.add_hline(
            y=even, row=1, col=1, line={"color": QUIET, "dash": "dot", "width": 1.5},
            annotation={"text": f"BIS bids nil above {even:.1%}", "font": {"color": QUIET}},
            annotation_position="bottom right",
        )  # fmt: skip
    return _laid_out(figure, "nil value of the hand", height, n_entries=len(pairs)).update_xaxes(
        range=[-0.01, 1.01], dtick=0.1, tickformat=".1f"
    )


def _of(table: pd.DataFrame, source: str, sequence: str) -> pd.DataFrame:
    return table[(table["source"] == source) & (table["sequence"] == sequence)]


def _look(source: int, sequence: int, n_sequences: int) -> dict[str, str]:
    """A colour a sequence, or a source where there is one sequence only; a dash and a symbol."""
    colored = sequence if n_sequences > 1 else source
    return {
        "color": COLORS[colored % len(COLORS)],
        "dash": DASHES[source % len(DASHES)],
        "symbol": SYMBOLS[source % len(SYMBOLS)],
    }


def _add_curve(figure: go.Figure, line: pd.DataFrame, name: str, look: dict[str, str]) -> None:
    """The curve, over the band of its 95 % interval where it has one."""
    if line["low"].notna().all():
        figure.add_trace(
            go.Scatter(
                x=np.concatenate([line["value"], line["value"][::-1]]),
                y=np.concatenate([line["low"], line["high"][::-1]]),
                fill="toself",
                fillcolor=with_alpha(look["color"], BAND_ALPHA),
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                legendgroup=name,
                showlegend=False,
            ),
            row=1,
            col=1,
        )
    figure.add_trace(
        go.Scatter(
            x=line["value"],
            y=line["chance"],
            name=name,
            legendgroup=name,
            mode="lines",
            line={"color": look["color"], "dash": look["dash"], "width": 2.2},
            hovertemplate="nil value %{x:.2f}: curve %{y:.1%}<extra>%{fullData.name}</extra>",
        ),
        row=1,
        col=1,
    )


def _points(
    points: pd.DataFrame,
    name: str,
    look: dict[str, str],
    shift: float,
    *,
    opacity: float,
    legend: bool,
) -> go.Scatter:
    seen = points[points["n"] > 0]
    nothing = [None] if legend and seen.empty else None  # a legend entry needs a point
    return go.Scatter(
        x=nothing or (seen["from"] + seen["to"]) / 2 + shift,
        y=nothing or seen["rate"],
        name=name,
        legendgroup=name,
        showlegend=legend,
        mode="markers",
        marker={
            "color": look["color"],
            "symbol": look["symbol"],
            "size": 8,
            "opacity": opacity,
        },
        selected={"marker": {"size": 14}},
        unselected={"marker": {"opacity": opacity}},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (seen["high"] - seen["rate"]).tolist(),
            "arrayminus": (seen["rate"] - seen["low"]).tolist(),
            "thickness": 1.1,
            "width": 2,
            "color": with_alpha(look["color"], opacity),
        },
        customdata=seen[POINT_COLUMNS].to_numpy(),
        hovertemplate=(
            "nil value %{customdata[7]:.2f} to %{customdata[8]:.2f}: %{y:.1%}<br>"
            "%{customdata[4]:,} of %{customdata[3]:,} nils made<br>95 %: %{customdata[5]:.1%} to "
            "%{customdata[6]:.1%}<extra>%{fullData.name}</extra>"
        ),
    )


def _bars(x: pd.Series, n: pd.Series, name: str, look: dict[str, str]) -> go.Bar:
    return go.Bar(
        x=x,
        y=n.where(n > 0),
        name=name,
        legendgroup=name,
        showlegend=False,
        marker={"color": look["color"], "opacity": 0.75},
        hovertemplate="%{y:,} nils<extra>%{fullData.name}</extra>",
    )


def _star(mark: Mark, *, legend: bool) -> go.Scatter:
    return go.Scatter(
        x=[mark.value],
        y=[mark.chance],
        name="this hand",
        legendgroup="this hand",
        showlegend=legend,
        mode="markers",
        marker={
            "symbol": "star", "size": 18, "color": CYCLE[4],
            "line": {"color": "#222222", "width": 1.2},
        },
        hovertemplate=(
            "this hand: nil value %{x:.3f}, %{y:.1%}" f"<extra>{plain(mark.label)}</extra>"
        ),
    )  # fmt: skip


def _laid_out(figure: go.Figure, title: str, height: int, *, n_entries: int) -> go.Figure:
    """Two rows: chances over counts."""
    figure.update_layout(
        height=height + 22 * (n_entries // 3),
        margin={**MARGIN, "t": 30},
        legend={
            "orientation": "h",
            "y": -LEGEND_BELOW / (height - AROUND),
            "yanchor": "top",
            "x": 0,
        },
        showlegend=True,
        barmode="group",
        bargap=0.15,
        bargroupgap=0,
        hovermode="closest",
        clickmode="event+select",
        dragmode=False,
    )
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2, row=1, col=1)
    figure.update_yaxes(
        type="log",
        title="n",
        tickvals=COUNT_TICKS,
        ticktext=COUNT_TEXTS,
        showgrid=False,
        row=2,
        col=1,
    )
    figure.update_xaxes(title=title, row=2, col=1)
    return figure


def plot_aces(rows: pd.DataFrame, *, height: int = 520) -> go.Figure:
    """P(highest spade) by the sum of the bids heard, a line a source; seats a sum below.

    Points of few seats are faded, and the line leaves them out.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.03
    )
    sources = list(rows["source"].unique())
    for at, source in enumerate(sources):
        mine, look = rows[rows["source"] == source], _look(at, at, len(sources))
        figure.add_trace(_ace_line(mine[mine["n"] >= FEW], source, look), row=1, col=1)
        for is_clear, opacity in ((True, 1.0), (False, FADED)):
            shown = mine[(mine["n"] >= FEW) == is_clear]
            figure.add_trace(_ace_points(shown, source, look, opacity), row=1, col=1)
        bars = _bars(mine["total"], mine["n"], plain(source), look)
        bars.hovertemplate = "sum %{x}: %{y:,} seats<extra>%{fullData.name}</extra>"
        figure.add_trace(bars, row=2, col=1)
    figure.add_hline(
        y=BY_CHANCE, row=1, col=1, line={"color": QUIET, "dash": "dot"},
        annotation={"text": "any seat, no bids heard: 25 %", "font": {"color": QUIET}},
    )  # fmt: skip
    return _laid_out(figure, "sum of the bids heard", height, n_entries=len(sources)).update_xaxes(
        dtick=1
    )


def _ace_line(mine: pd.DataFrame, source: str, look: dict[str, str]) -> go.Scatter:
    return go.Scatter(
        x=mine["total"],
        y=mine["rate"],
        name=plain(source),
        legendgroup=plain(source),
        mode="lines",
        line={"color": look["color"], "dash": look["dash"], "width": 1.6},
        hoverinfo="skip",
        showlegend=False,
    )


def _ace_points(
    mine: pd.DataFrame, source: str, look: dict[str, str], opacity: float
) -> go.Scatter:
    is_clear = opacity == 1.0
    nothing = [None] if is_clear and mine.empty else None  # a legend entry needs a point
    return go.Scatter(
        x=nothing or mine["total"],
        y=nothing or mine["rate"],
        name=plain(source),
        legendgroup=plain(source),
        showlegend=is_clear,
        mode="markers",
        marker={
            "color": look["color"], "symbol": look["symbol"], "size": 9, "opacity": opacity,
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (mine["high"] - mine["rate"]).tolist(),
            "arrayminus": (mine["rate"] - mine["low"]).tolist(),
            "thickness": 1.2,
            "width": 3,
            "color": with_alpha(look["color"], opacity),
        },
        customdata=mine[["held", "n", "low", "high"]].to_numpy(),
        hovertemplate=(
            "bids sum to %{x}: %{y:.1%}<br>%{customdata[0]:,} of %{customdata[1]:,} seats<br>"
            "95 %: %{customdata[2]:.1%} to %{customdata[3]:.1%}<extra>%{fullData.name}</extra>"
        ),
    )  # fmt: skip
