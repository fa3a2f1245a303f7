"""The league: who beats whom, and by how many points a round. Draws, computes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.league import League
from analysis.plots.palette import HUMAN, QUIET, SEARCH

# From vermilion (loses) over white (even) to blue (wins): told apart by colour-blind readers.
SCALE = ((0.0, SEARCH), (0.5, "#ffffff"), (1.0, HUMAN))
ROW_HEIGHT, MARGINS = 48, 130


def plot_win_rates(league: League) -> go.Figure:
    """Heat map of the row agent's win rate against the column agent, best rated first."""
    agents = league.ratings["agent"].tolist()
    met = _both_ways(league.pairs)
    cells = [[met.get((row, column)) for column in agents] for row in agents]
    figure = go.Figure(
        go.Heatmap(
            x=agents,
            y=agents,
            z=[[None if cell is None else cell["win_rate"] for cell in row] for row in cells],
            text=[["" if cell is None else _rate(cell) for cell in row] for row in cells],
            hovertext=[
                [_hover(first, second, cell) for second, cell in zip(agents, row, strict=True)]
                for first, row in zip(agents, cells, strict=True)
            ],
            texttemplate="%{text}",
            hovertemplate="%{hovertext}<extra></extra>",
            colorscale=SCALE,
            zmin=0,
            zmax=1,
            xgap=2,
            ygap=2,
            colorbar={"title": "win rate", "tickformat": ".0%"},
        )
    )
    figure.update_layout(
        height=MARGINS + ROW_HEIGHT * max(2, len(agents)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "against", "type": "category", "side": "top"},
        yaxis={"type": "category", "autorange": "reversed"},
    )
    return figure


def _both_ways(pairs: pd.DataFrame) -> dict[tuple[str, str], dict]:
    """Every pair seen from either agent, by (agent, opponent)."""
    found = {}
    for row in pairs.to_dict("records"):
        found[row["first"], row["second"]] = row
        found[row["second"], row["first"]] = {
            **row,
            "wins": row["losses"],
            "losses": row["wins"],
            "win_rate": 1 - row["win_rate"],
            "low": 1 - row["high"],
            "high": 1 - row["low"],
            "points_first": row["points_second"],
            "points_second": row["points_first"],
        }
    return found


def _rate(cell: dict) -> str:
    return "" if math.isnan(cell["win_rate"]) else f"{cell['win_rate']:.1%}"


def _hover(first: str, second: str, cell: dict | None) -> str:
    if first == second:
        return f"{first} against itself says nothing"
    if cell is None:
        return f"{first} and {second} haven't met"
    if math.isnan(cell["win_rate"]):
        return f"{first} against {second}: none of {cell['games']:,} games was decided"
    return (
        f"{first} wins {cell['win_rate']:.1%} against {second}"
        f"<br>95 % interval {cell['low']:.1%} to {cell['high']:.1%}"
        f"<br>{cell['wins']:,} of {cell['wins'] + cell['losses']:,} decided games, "
        f"{cell['undecided']:,} undecided"
        f"<br>{cell['points_first']:.1f} to {cell['points_second']:.1f} points a round"
    )


def plot_points(league: League) -> go.Figure:
    """Points a round of both agents of every pair: two dots and the line between them."""
    pairs = league.pairs
    names = [f"{row.first} – {row.second}" for row in pairs.itertuples()]
    figure = go.Figure()
    for name, first, second in zip(
        names, pairs["points_first"], pairs["points_second"], strict=True
    ):
        figure.add_shape(
            type="line", x0=first, x1=second, y0=name, y1=name, line={"color": QUIET, "width": 2}
        )
    figure.add_trace(_dots(pairs["points_first"], names, pairs["first"], HUMAN, "circle"))
    figure.add_trace(_dots(pairs["points_second"], names, pairs["second"], SEARCH, "diamond"))
    figure.update_layout(
        height=MARGINS + ROW_HEIGHT * max(1, len(names)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "points a round, bag penalties taken off"},
        yaxis={"type": "category", "autorange": "reversed"},
        legend={"orientation": "h"},
    )
    return figure


def _dots(
    points: pd.Series, names: Sequence[str], agents: pd.Series, color: str, symbol: str
) -> go.Scatter:
    return go.Scatter(
        x=points,
        y=list(names),
        mode="markers",
        name="first of the pair" if symbol == "circle" else "second of the pair",
        marker={"color": color, "symbol": symbol, "size": 11},
        text=[f"{agent}: {value:.1f}" for agent, value in zip(agents, points, strict=True)],
        hovertemplate="%{text} points a round<extra></extra>",
    )
