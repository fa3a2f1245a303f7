"""How far apart styles of play are, as figures: divergences and where they come from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.style.compare import Decomposition

COLORS = (HUMAN, SEARCH, *CYCLE[2:])
FADED = 0.22
MEET_ROW = "how often the context is met"
_CELL_COLUMNS = [
    *("context", "move", "contribution", "of_share", "to_share", "of_count", "to_count", "chance"),
]
MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}
UNFADED = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
"""Marks of a chart that takes clicks: none is dimmed by a click on another."""
QUICK_AXIS = {"automargin": False, "ticklabeloverflow": "allow"}
"""An axis whose labels have room: without this the browser lays out the page for every label."""


def plain(text: str) -> str:
    """A name from a record, with nothing that a figure would take for markup."""
    return text.replace("<", "‹").replace(">", "›")


def color_of(groups: Sequence[str]) -> dict[str, str]:
    """A colour a group, the same in every figure of the page."""
    return {group: COLORS[i % len(COLORS)] for i, group in enumerate(groups)}


def revised(figure: go.Figure) -> go.Figure:
    """The figure, numbered by what it holds.

    The page's chart component hands every new figure to Plotly twice, in copies; by the same
    number Plotly doesn't take the second one's arrays for new data. It draws all the same, since
    Streamlit's theme comes as a new template each time.
    """
    held = hashlib.blake2b(figure.to_json().encode(), digest_size=8)
    return figure.update_layout(datarevision=held.hexdigest())


def plot_divergences(
    rows: pd.DataFrame, published: Mapping[str, float], colors: Mapping
) -> go.Figure:
    """KL from one group to each other: dots with intervals, chance level, published figures."""
    figure = go.Figure()
    names = [plain(name) for name in rows["to"]]
    figure.add_trace(
        go.Scatter(
            x=rows["chance"],
            y=names,
            name="chance level",
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 18, "color": QUIET, "line": {"width": 3}},
            hovertemplate="%{y}: %{x:.4f} nats by chance alone<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=rows["kl"],
            y=names,
            name="KL, 95 % interval over games",
            mode="markers",
            marker={"size": 12, "color": [colors[name] for name in rows["to"]]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (rows["kl_high"] - rows["kl"]).tolist(),
                "arrayminus": (rows["kl"] - rows["kl_low"]).tolist(),
                "thickness": 2,
                "width": 5,
                "color": QUIET,
            },
            customdata=rows[["kl_low", "kl_high", "to_games", "to_decisions"]].to_numpy(),
            hovertemplate=(
                "%{y}: %{x:.4f} nats<br>95 %: %{customdata[0]:.4f} to %{customdata[1]:.4f}<br>"
                "%{customdata[2]:,} games, %{customdata[3]:,} decisions<extra></extra>"
            ),
        )
    )
    for name, value in published.items():
        _mark_published(figure, name, value)
    figure.update_layout(
        height=180 + 40 * len(rows),
        margin={**MARGIN, "t": 96},
        xaxis={"title": "KL divergence (nats)", "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        showlegend=False,
    )
    return figure


def _mark_published(figure: go.Figure, name: str, value: float) -> None:
    figure.add_vline(x=value, line={"color": QUIET, "dash": "dot", "width": 1.2})
    figure.add_annotation(
        x=value,
        y=1,
        yref="paper",
        yanchor="bottom",
        textangle=-35,
        xanchor="left",
        text=name,
        hovertext=f"{name}: {value:.4f} against real humans (Devlin 2016, table 1)",
        showarrow=False,
        font={"size": 11, "color": QUIET},
    )


def plot_decomposition(
    found: Decomposition, *, of: str, to: str, colors: Mapping[str, str]
) -> go.Figure:
    """Heat map of a divergence: contexts across, moves down, coloured by who plays it more.

    Cells that noise alone may explain are faded, those that nobody played are blank. A square over
    every other takes the click; its ``customdata`` begin with the context's and the move's label.
    The first row is how often the context is met, its colour cut off where the moves' ends.
    """
    cells = _with_meeting_row(found)
    is_played = (cells["of_count"] + cells["to_count"]) > 0
    contexts, moves = list(found.contexts["context"]), [MEET_ROW, *found.cells["move"].unique()]
    signed = np.sign(cells["of_share"] - cells["to_share"]) * np.sqrt(cells["contribution"])
    top = max(float(np.abs(signed[cells["move"] != MEET_ROW]).max()), 1e-9)
    figure = go.Figure()
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        shown = np.where(is_played & (cells["is_clear"] == is_clear), signed, np.nan)
        figure.add_trace(_heat_trace(cells, shown, top, opacity, (colors[to], colors[of])))
    figure.data[0].update(showscale=True, colorbar=_color_bar(top, of, to))
    figure.add_trace(_click_targets(cells[is_played], of, to))
    figure.update_layout(
        height=190 + 19 * len(moves),
        margin={**MARGIN, "t": 36},
        xaxis={
            "side": "top",
            "type": "category",
            "tickmode": "array",
            "tickvals": contexts,
            "ticktext": [_context_tick(found, context) for context in contexts],
            "showgrid": False,
            "range": [-0.5, len(contexts) - 0.5],
        },
        yaxis={
            "range": [len(moves) - 0.5, -0.5],
            "type": "category",
            "categoryorder": "array",
            "categoryarray": moves,
            "dtick": 1,
            "automargin": True,
            "showgrid": False,
        },
        showlegend=False,
        clickmode="event+select",
        hovermode="closest",
        hoverdistance=-1,  # anywhere in a cell
        dragmode=False,
    )
    return figure


def _heat_trace(
    cells: pd.DataFrame, values: np.ndarray, top: float, opacity: float, ends: tuple[str, str]
) -> go.Heatmap:
    return go.Heatmap(
        x=cells["context"],
        y=cells["move"],
        z=values,
        zmin=-top,
        zmax=top,
        opacity=opacity,
        colorscale=[[0, ends[0]], [0.5, with_alpha(QUIET, 0.06)], [1, ends[1]]],
        showscale=False,
        hoverinfo="skip",
        hoverongaps=False,
        xgap=2,
        ygap=1,
    )


def _with_meeting_row(found: Decomposition) -> pd.DataFrame:
    return pd.concat([found.contexts.assign(move=MEET_ROW), found.cells], ignore_index=True)


def _context_tick(found: Decomposition, context: str) -> str:
    """The context and its part of the whole: of meeting it and of choosing within it."""
    rows = _with_meeting_row(found)
    part = rows.loc[rows["context"] == context, "contribution"].sum()
    whole = found.kl_joint
    return f"<b>{context}</b><br>{part / whole:.0%}" if whole > 0 else f"<b>{context}</b>"


def _color_bar(top: float, of: str, to: str) -> dict:
    ticks = [-top, -top / 2, 0, top / 2, top]
    return {
        "orientation": "h",
        "y": -0.01,
        "yanchor": "top",
        "thickness": 10,
        "len": 0.9,
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick * tick:.2g}" for tick in ticks],
        "title": {
            "text": (
                "nats; colour and scale by their square root<br>"
                f"◀ {plain(to)} more<br>{plain(of)} more ▶"
            ),
            "side": "bottom",
            "font": {"size": 12},
        },
    }


def _click_targets(cells: pd.DataFrame, of: str, to: str) -> go.Scatter:
    return go.Scatter(
        x=cells["context"],
        y=cells["move"],
        mode="markers",
        marker={
            "symbol": "square-open",
            "size": 15,
            "color": QUIET,
            "line": {"width": 2.5},
            "opacity": 0.0,
        },
        selected={"marker": {"opacity": 1.0}},
        unselected={"marker": {"opacity": 0.0}},
        customdata=cells[_CELL_COLUMNS].to_numpy(),
        hovertemplate=(
            "%{customdata[1]}, %{customdata[0]}<br>%{customdata[2]:.5f} nats, "
            "%{customdata[7]:.5f} by chance<br>"
            f"{plain(of)}: %{{customdata[3]:.1%}} (%{{customdata[5]:,}})<br>"
            f"{plain(to)}: %{{customdata[4]:.1%}} (%{{customdata[6]:,}})<extra></extra>"
        ),
    )
