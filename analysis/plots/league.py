"""The league: who beats whom, and by how many points a round. Draws, computes nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.league import League
from analysis.plots.palette import HUMAN, QUIET, SEARCH
from analysis.plots.style import plain

# From vermilion (loses) over white (even) to blue (wins): told apart by colour-blind readers.
SCALE = ((0.0, SEARCH), (0.5, "#ffffff"), (1.0, HUMAN))
ROW_HEIGHT, MARGINS = 48, 130
LETTER, LONG_NAME = 7, 12  # pixels of a letter; letters that a line of a name may have
PHONE = 230  # pixels that a phone leaves for the columns
MANY_AGENTS, SHARE_HEIGHT = 12, 34  # more than a sparse heat map can show; pixels of a row
STRONG = 0.3  # further than this from even odds a cell is too dark for dark letters


def plot_win_rates(league: League) -> go.Figure:
    """Heat map of the row agent's win rate against the column agent, best rated first.

    A square over every pair that met takes the click; its ``customdata`` are row and column.
    """
    agents = league.ratings["agent"].tolist()
    met = _both_ways(league.pairs)
    cells = [[met.get((row, column)) for column in agents] for row in agents]
    figure = go.Figure(
        go.Heatmap(
            x=agents,
            y=agents,
            z=[[None if cell is None else cell["win_rate"] for cell in row] for row in cells],
            hovertext=[
                [_hover(first, second, cell) for second, cell in zip(agents, row, strict=True)]
                for first, row in zip(agents, cells, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            colorscale=SCALE,
            zmin=0,
            zmax=1,
            xgap=2,
            ygap=2,
            showscale=False,  # every cell has its number
        )
    )
    cell = PHONE / max(1, len(agents))
    for is_light in (True, False):
        figure.add_trace(_cell_texts(met, is_light=is_light, size=min(13, max(7, cell / 2.6))))
    figure.add_trace(_click_targets(met, size=min(42, max(10, cell))))
    longest = max((len(line) for name in agents for line in _lines(name)), default=0)
    figure.update_layout(
        height=60 + LETTER * longest + ROW_HEIGHT * max(2, len(agents)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        # Upright names fit columns as narrow as a phone's.
        xaxis=_axis(agents) | {"title": "against", "side": "top", "tickangle": -90},
        yaxis=_axis(agents[::-1]),
        showlegend=False,
        clickmode="event+select",
        hovermode="closest",
        hoverdistance=-1,  # anywhere in a cell
        dragmode=False,
    )
    return figure


def is_sparse(league: League) -> bool:
    """Whether a heat map of all pairs would be mostly empty: many agents, few of which met."""
    n = len(league.ratings)
    return n > MANY_AGENTS and 6 * len(league.pairs) < n * (n - 1)


def plot_shares(league: League) -> go.Figure:
    """Each agent's share of its decided games, with interval, best rated first.

    For leagues in which few pairs met. Names stand over their rows, so that they fit a phone;
    ``customdata`` are the agent and one that it met.
    """
    ratings = league.ratings
    agents = ratings["agent"].tolist()
    figure = go.Figure(_share_dots(ratings, _met_by(league.pairs)))
    figure.add_trace(
        go.Scatter(
            x=[0.0] * len(agents),
            y=agents,
            mode="text",
            text=[f"{plain(agent)}<br> " for agent in agents],  # a line above its dot
            textposition="top right",
            textfont={"size": 11},
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    figure.add_vline(x=0.5, line={"color": QUIET, "dash": "dot", "width": 1})
    figure.update_layout(
        height=70 + SHARE_HEIGHT * len(agents),
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={"range": [0, 1], "tickformat": ".0%", "title": "games won"},
        yaxis={"visible": False, "range": [len(agents) - 0.3, -1]},
        showlegend=False,
        clickmode="event+select",
        dragmode=False,
    )
    return figure


def _met_by(pairs: pd.DataFrame) -> dict[str, str]:
    """One opponent of every agent."""
    met: dict[str, str] = {}
    for first, second in zip(pairs["first"], pairs["second"], strict=True):
        met.setdefault(first, second)
        met.setdefault(second, first)
    return met


def _share_dots(ratings: pd.DataFrame, met: dict[str, str]) -> go.Scatter:
    shares = ratings[["agent", "win_rate", "wins", "losses", "low", "high"]]
    return go.Scatter(
        x=ratings["win_rate"],
        y=ratings["agent"].tolist(),
        mode="markers",
        marker={"size": 10, "color": HUMAN},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": (ratings["high"] - ratings["win_rate"]).tolist(),
            "arrayminus": (ratings["win_rate"] - ratings["low"]).tolist(),
            "thickness": 1.5,
            "width": 4,
            "color": QUIET,
        },
        customdata=[[agent, met[agent]] for agent in ratings["agent"]],
        hovertext=[
            f"{plain(agent)}<br>{rate:.1%} of {won + lost:,} games, 95 %: {low:.1%} to {high:.1%}"
            for agent, rate, won, lost, low, high in shares.itertuples(index=False)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _lines(name: str) -> list[str]:
    """A long agent's text, broken before what separates its parts."""
    lines = [""]
    for part in re.split("(?=[:+,])", name):
        if lines[-1] and len(lines[-1] + part) > LONG_NAME:
            lines.append("")
        lines[-1] += part
    return lines


def _folded(name: str) -> str:
    return "<br>".join(_lines(plain(name)))


def _axis(agents: Sequence[str]) -> dict:
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": list(agents),
        "ticktext": [_folded(agent) for agent in agents],
        "categoryorder": "array",
        "categoryarray": list(agents),
        "range": [-0.5, len(agents) - 0.5],
        "automargin": True,
        "showgrid": False,
    }


def _cell_texts(met: dict[tuple[str, str], dict], *, is_light: bool, size: float) -> go.Scatter:
    """The rates, in light letters on strong colours or in dark ones, whatever is selected."""
    shown = {
        pair: _rate(cell)
        for pair, cell in met.items()
        if _rate(cell) and (abs(cell["win_rate"] - 0.5) > STRONG) == is_light
    }
    letters = {"color": "#ffffff" if is_light else "#1d2420", "size": size}
    keep = {"textfont": {"color": letters["color"]}}
    return go.Scatter(
        x=[column for _, column in shown],
        y=[row for row, _ in shown],
        text=list(shown.values()),
        mode="text",
        textfont=letters,
        selected=keep,
        unselected=keep,
        hoverinfo="skip",
    )


def _click_targets(met: dict[tuple[str, str], dict], *, size: float) -> go.Scatter:
    return go.Scatter(
        x=[column for _, column in met],
        y=[row for row, _ in met],
        mode="markers",
        marker={
            "symbol": "square-open",
            "size": size,
            "color": QUIET,
            "line": {"width": 3},
            "opacity": 0.0,
        },
        selected={"marker": {"opacity": 1.0}},
        unselected={"marker": {"opacity": 0.0}},
        customdata=[list(pair) for pair in met],
        hovertext=[_hover(row, column, cell) for (row, column), cell in met.items()],
        hovertemplate="%{hovertext}<extra></extra>",
    )


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
    return "" if math.isnan(cell["win_rate"]) else f"{100 * cell['win_rate']:.1f}"


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
    names = [f"{_folded(row.first)} –<br>{_folded(row.second)}" for row in pairs.itertuples()]
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
        height=MARGINS + sum(18 * (name.count("<br>") + 2) for name in names),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "points a round, bag penalties taken off"},
        yaxis={"type": "category", "autorange": "reversed"},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
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
