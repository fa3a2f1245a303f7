"""The chance of a nil over the partner's bid and the sum of the bids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.sequences import bid_word
from analysis.plots import template as t
from spades.core.rules import MAX_BID

FEW = 30  # nils; a cell with fewer is faded
FADED = 0.3
CHOSEN = t.CYCLE[0]
SCALE = "Cividis"
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_COLUMNS = ["partner", "total", "n", "made", "rate", "low", "high", "chance"]
_HOVER = (
    "partner bid %{x}, sum %{y}<br>curves: %{customdata[7]:.1%}<br>nils seen: "
    "%{customdata[3]:,} of %{customdata[2]:,} made (%{customdata[4]:.1%}, 95 % "
    "%{customdata[5]:.1%} to %{customdata[6]:.1%})"
)
_COLOR_BAR = {
    "tickformat": ".0%", "thickness": 12, "title": {"text": "made", "side": "top"},
    "orientation": "h", "y": 1.0, "yanchor": "bottom",
}  # fmt: skip


def plot_map(rows: pd.DataFrame, measure: str, cell: tuple[int, int] | None = None) -> go.Figure:
    """Heat map: partner's bid across, sum of the bids up; cells of few nils faded.

    ``measure`` ``chance``, of the curves at one nil value, or ``rate``, of the nils seen. The
    ``customdata`` of the marks that take the clicks are the partner's bid and the sum. ``cell``:
    the pair that is framed.
    """
    shown, (low, high) = _shown(rows), _span(rows, measure)
    traces = []
    for is_clear, opacity in ((True, 1.0), (False, FADED)):
        part = shown[(shown["n"] >= FEW) == is_clear]
        heat = t.heat_map(
            part["partner"],
            part["total"],
            part[measure],
            zmin=low,
            zmax=high,
            text=[f"{100 * value:.0f}" for value in part[measure]],  # narrow, for phones
            texttemplate="%{text}" if is_clear else None,
            colorscale=SCALE,
            opacity=opacity,
            showscale=is_clear,
            colorbar=_COLOR_BAR,
        )
        traces.append(heat)
    data = shown[_COLUMNS].to_numpy()
    traces.append(t.cell_marks(shown["partner"], shown["total"], data, _HOVER, size=14, framed=0.0))
    quiet = {"showgrid": False, "zeroline": False}
    figure = t.figure_of(
        traces,
        height=560,
        x={**_partner_axis(), **quiet},
        y={"title": "sum of the bids before yours", "dtick": 2, **quiet},
        showlegend=False,
        **t.CELL_CLICKS,
    )
    if cell is not None:
        x, y = cell
        frame = {"type": "rect", "line": {"color": CHOSEN, "width": 3}}
        figure.add_shape(x0=x - 0.5, x1=x + 0.5, y0=y - 0.5, y1=y + 0.5, **frame)
    return figure


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown, (low, high) = rows[rows["n"] >= FEW], _span(rows, measure)
    grid = shown.pivot(index="total", columns="partner", values=measure)
    counts = shown.pivot(index="total", columns="partner", values="n")
    surface = go.Surface(
        x=grid.columns,
        y=grid.index,
        z=grid.to_numpy(),
        cmin=low,
        cmax=high,
        colorscale=SCALE,
        colorbar={"tickformat": ".0%", "thickness": 12, "title": "made"},
        customdata=np.nan_to_num(counts.to_numpy()),
        hovertemplate="partner %{x}, sum %{y}: %{z:.1%}<br>%{customdata:,} nils<extra></extra>",
    )
    scene = {
        "xaxis": _partner_axis(),
        "yaxis": {"title": "sum of the bids"},
        "zaxis": {"title": "chance", "tickformat": ".0%", "range": [low, high]},
        "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
    }
    return go.Figure(surface).update_layout(height=560, margin=t.MARGIN, scene=scene)


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Bids and sums up to the largest that were ever heard; all of them where none were."""
    heard = rows[rows["n"] > 0]
    if heard.empty:
        return rows
    is_near = (rows["total"] <= heard["total"].max()) & (rows["partner"] <= heard["partner"].max())
    return rows[is_near]


def _span(rows: pd.DataFrame, measure: str) -> tuple[float, float]:
    """What the colours run over: the cells of nils enough, out to the next twentieth."""
    values = rows.loc[rows["n"] >= FEW, measure]
    if values.empty:
        return 0.0, 1.0
    return np.floor(values.min() * 20) / 20, np.ceil(values.max() * 20) / 20


def _partner_axis() -> dict[str, Any]:
    bids = list(range(MAX_BID + 1))
    ticks = {"tickmode": "array", "tickvals": bids, "ticktext": [bid_word(bid) for bid in bids]}
    return {"title": "partner's bid", **ticks}
