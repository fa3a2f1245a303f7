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
    shown = _shown(rows)
    figure = go.Figure()
    for is_clear in (True, False):
        part = shown[(shown["n"] >= FEW) == is_clear]
        figure.add_trace(
            go.Heatmap(
                x=part["partner"],
                y=part["total"],
                z=part[measure],
                zmin=0,
                zmax=1,
                colorscale=SCALE,
                opacity=1.0 if is_clear else FADED,
                showscale=is_clear,
                colorbar={"tickformat": ".0%", "thickness": 12, "title": "made"},
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
        xaxis={**_partner_axis(), "showgrid": False, "range": [-0.5, MAX_BID + 0.5]},
        yaxis={"title": "sum of the bids before yours", "showgrid": False, "dtick": 2},
    )


def plot_surface(rows: pd.DataFrame, measure: str) -> go.Figure:
    """The same as a surface in three dimensions; only cells with nils enough."""
    shown = _shown(rows)
    shown = shown[shown["n"] >= FEW]
    grid = shown.pivot(index="total", columns="partner", values=measure)
    counts = shown.pivot(index="total", columns="partner", values="n")
    figure = go.Figure(
        go.Surface(
            x=grid.columns,
            y=grid.index,
            z=grid.to_numpy(),
            cmin=0,
            cmax=1,
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
            "zaxis": {"title": "chance", "tickformat": ".0%", "range": [0, 1]},
            "camera": {"eye": {"x": -1.5, "y": -1.6, "z": 0.9}},
        },
    )


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Sums up to the largest that was ever heard; all of them where none was."""
    heard = rows.loc[rows["n"] > 0, "total"]
    return rows[rows["total"] <= heard.max()] if len(heard) else rows


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
