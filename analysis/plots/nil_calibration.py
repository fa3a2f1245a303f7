"""Forecast against share made of nils held out. Draws, computes nothing."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from analysis.nil.foretold import METHODS
from analysis.plots.nil import FADED
from analysis.plots.palette import CYCLE, HUMAN, QUIET, SEARCH, with_alpha
from analysis.plots.style import MARGIN

LOOKS = dict(
    zip(
        METHODS,
        ((HUMAN, "circle"), (SEARCH, "square"), (CYCLE[2], "diamond"), (CYCLE[3], "triangle-up")),
        strict=True,
    )
)
FEW = 100  # nils; a bin with fewer is faded
_COLUMNS = ["n", "made", "low", "high", "named"]


def plot_calibration(rows: pd.DataFrame, *, height: int = 480) -> go.Figure:
    """Points of forecast and share made with their 95 % intervals, over the line where they agree.

    ``rows`` of ``calibration_rows``, or of
    ``sequence_rows``, whose points that the intervals don't reach from
    the line are open. Bins of few nils are faded.
    """
    figure = go.Figure(_agreement())
    for method in rows["method"].unique():
        mine = _named(rows[rows["method"] == method])
        if "bids" in rows:
            mine = mine.sort_values(
                "is_covered", ascending=False
            )  # the legend has the first's mark
            figure.add_trace(_points(mine, method, by_sequence=True))
            continue
        for is_clear in (True, False):
            shown = mine[(mine["n"] >= FEW) == is_clear]
            figure.add_trace(_points(shown, method, is_clear=is_clear))
    axis = {"range": [-0.02, 1.02], "tickformat": ".0%", "dtick": 0.2}
    return figure.update_layout(
        height=height,
        margin=MARGIN,
        xaxis={**axis, "title": "forecast chance of the nil"},
        yaxis={**axis, "title": "share made, held out"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        hovermode="closest",
        dragmode=False,
    )


def _named(mine: pd.DataFrame) -> pd.DataFrame:
    if "bids" not in mine:
        return mine.assign(named="forecasts of one twentieth")
    return mine.assign(named=["after " + bids if bids else "first to bid" for bids in mine["bids"]])


def _agreement() -> go.Scatter:
    return go.Scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": QUIET, "dash": "dot", "width": 1.2},
        hoverinfo="skip",
        showlegend=False,
    )


def _points(
    mine: pd.DataFrame, method: str, *, is_clear: bool = True, by_sequence: bool = False
) -> go.Scatter:
    color, symbol = LOOKS[method]
    opacity = 1.0 if is_clear else FADED
    symbols = [symbol if one else f"{symbol}-open" for one in mine["is_covered"]]
    nothing = [None] if is_clear and mine.empty else None  # a legend entry needs a point
    return go.Scatter(
        x=nothing or mine["forecast"],
        y=nothing or mine["rate"],
        name=METHODS[method],
        legendgroup=method,
        showlegend=is_clear,
        mode="markers",
        marker={
            "color": color,
            "symbol": symbols if by_sequence and len(mine) else symbol,
            "size": 6 if by_sequence else 9,
            "opacity": opacity,
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (mine["high"] - mine["rate"]).tolist(),
            "arrayminus": (mine["rate"] - mine["low"]).tolist(),
            "thickness": 0.8 if by_sequence else 1.2,
            "width": 0 if by_sequence else 3,
            "color": with_alpha(color, FADED + 0.2 if by_sequence else opacity),
        },
        customdata=mine[_COLUMNS].to_numpy(),
        hovertemplate=(
            "%{customdata[4]}<br>forecast %{x:.1%}, made %{y:.1%}: %{customdata[1]:,} of "
            "%{customdata[0]:,} nils<br>95 %: %{customdata[2]:.1%} to %{customdata[3]:.1%}"
            "<extra>%{fullData.name}</extra>"
        ),
    )
