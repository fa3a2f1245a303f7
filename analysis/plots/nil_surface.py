"""The chance of a nil over the partner's bid and the sum of the bids. Computes nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.nil_sequences import bid_word
from analysis.plots.style import MARGIN
from spades.rules import MAX_BID

FEW = 30  # nils; a cell with fewer is faded
FADED = 0.3
SCALE = "Cividis"
MEASURES = {"chance": "by the curves", "rate": "of the nils seen"}
_HOVER = ["n", "made", "rate", "low", "high", "chance"]


def plot_map(rows: pd.DataFrame, measure: str) -> go.Figure:
    """Heat map: partner's bid across, sum of the bids up; cells of few nils faded.

    ``measure`` ``chance``, of the curves at one nil value, or ``rate``, of the nils seen.
    """
    shown, (low, high) = _shown(rows), _span(rows, measure)
    figure = go.Figure()
    for is_clear in (True, False):
        part = shown[(shown["n"] >= FEW) == is_clear]
        figure.add_trace(
            go.Heatmap(
                x=part["partner"],
                y=part["total"],
                z=part[measure],
                zmin=low,
                zmax=high,
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
                customdata=part[_HOVER].to_numpy(),
                hovertemplate=_hover_text(),
                hoverongaps=False,
                xgap=1,
                ygap=1,
            )
        )
    return figure.update_layout(
        height=560,
        margin=MARGIN,
        xaxis={**_partner_axis(), "showgrid": False, "zeroline": False},
        yaxis={
            "title": "sum of the bids before yours",
            "showgrid": False,
            "zeroline": False,
            "dtick": 2,
        },
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
        "partner bid %{x}, sum %{y}<br>curves: %{customdata[5]:.1%}<br>nils seen: "
        "%{customdata[1]:,} of %{customdata[0]:,} made (%{customdata[2]:.1%}, 95 % "
        "%{customdata[3]:.1%} to %{customdata[4]:.1%})<extra></extra>"
    )
