"""The chance of a nil over the partner's bid and the sum of the bids. Computes nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.bidding.sequences import bid_word
from analysis.plots.palette import CYCLE
from analysis.plots.style import MARGIN
from spades.core.rules import MAX_BID

FEW = 30  # nils; a cell with fewer is faded
FADED = 0.3
CHOSEN = CYCLE[0]
SCALE = "Cividis"
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_HOVER = ["n", "made", "rate", "low", "high", "chance"]


def plot_map(rows: pd.DataFrame, measure: str, cell: tuple[int, int] | None = None) -> go.Figure:
    """Heat map: partner's bid across, sum of the bids up; cells of few nils faded.

    ``measure`` ``chance``, of the curves at one nil value, or ``rate``, of the nils seen. A square
    over every cell takes the click: heat maps can't; its ``customdata`` are the partner's bid and
    the sum. ``cell``: the pair that is framed.
    """
    shown, span = _shown(rows), _span(rows, measure)
    figure = go.Figure()
    for is_clear in (True, False):
        part = shown[(shown["n"] >= FEW) == is_clear]
        figure.add_trace(_heat(part, measure, span, is_clear=is_clear))
    figure.add_trace(_click_targets(shown))
    if cell is not None:
        _frame(figure, *cell)
    return figure.update_layout(
        height=560,
        margin=MARGIN,
        showlegend=False,
        clickmode="event+select",
        hovermode="closest",
        hoverdistance=-1,  # anywhere in a cell
        dragmode=False,
        xaxis={**_partner_axis(), "showgrid": False, "zeroline": False},
        yaxis={
            "title": "sum of the bids before yours",
            "showgrid": False,
            "zeroline": False,
            "dtick": 2,
        },
    )


def _heat(
    part: pd.DataFrame, measure: str, span: tuple[float, float], *, is_clear: bool
) -> go.Heatmap:
    return go.Heatmap(
        x=part["partner"],
        y=part["total"],
        z=part[measure],
        zmin=span[0],
        zmax=span[1],
        text=[f"{100 * value:.0f}" for value in part[measure]],  # narrow, for phones
        texttemplate="%{text}" if is_clear else None,
        colorscale=SCALE,
        opacity=1.0 if is_clear else FADED,
        showscale=is_clear,
        colorbar={
            "tickformat": ".0%",
            "thickness": 12,
            "title": {"text": "made", "side": "top"},
            "orientation": "h",
            "y": 1.0,
            "yanchor": "bottom",
        },
        hoverinfo="skip",
        hoverongaps=False,
        xgap=1,
        ygap=1,
    )


def _click_targets(shown: pd.DataFrame) -> go.Scatter:
    unseen = {"marker": {"opacity": 0.0}}
    return go.Scatter(
        x=shown["partner"],
        y=shown["total"],
        mode="markers",
        marker={"symbol": "square", "size": 14, "opacity": 0.0},
        selected=unseen,
        unselected=unseen,
        customdata=shown[["partner", "total", *_HOVER]].to_numpy(),
        hovertemplate=_hover_text(),
    )


def _frame(figure: go.Figure, partner: int, total: int) -> None:
    figure.add_shape(
        type="rect",
        x0=partner - 0.5,
        x1=partner + 0.5,
        y0=total - 0.5,
        y1=total + 0.5,
        line={"color": CHOSEN, "width": 3},
    )


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown, (low, high) = rows[rows["n"] >= FEW], _span(rows, measure)
    grid = shown.pivot(index="total", columns="partner", values=measure)
    counts = shown.pivot(index="total", columns="partner", values="n")
    figure = go.Figure(
        go.Surface(
            x=grid.columns,
            y=grid.index,
            z=grid.to_numpy(),
            cmin=low,
            cmax=high,
            colorscale=SCALE,
            colorbar={"tickformat": ".0%", "thickness": 12, "title": "made"},
            customdata=np.nan_to_num(counts.to_numpy()),
            hovertemplate=(
                "partner %{x}, sum %{y}: %{z:.1%}<br>%{customdata:,} nils<extra></extra>"
            ),
        )
    )
    return figure.update_layout(
        height=560,
        margin=MARGIN,
        scene={
            "xaxis": _partner_axis(),
            "yaxis": {"title": "sum of the bids"},
            "zaxis": {"title": "chance", "tickformat": ".0%", "range": [low, high]},
            "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
        },
    )


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


def _partner_axis() -> dict:
    bids = list(range(MAX_BID + 1))
    return {
        "title": "partner's bid",
        "tickmode": "array",
        "tickvals": bids,
        "ticktext": [bid_word(bid) for bid in bids],
    }


def _hover_text() -> str:
    return (
        "partner bid %{x}, sum %{y}<br>curves: %{customdata[7]:.1%}<br>nils seen: "
        "%{customdata[3]:,} of %{customdata[2]:,} made (%{customdata[4]:.1%}, 95 % "
        "%{customdata[5]:.1%} to %{customdata[6]:.1%})<extra></extra>"
    )
