"""The league: who beats whom, and by how many points a round. Draws, computes nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.matches.league import League
from analysis.plots.palette import HUMAN, QUIET, SEARCH
from analysis.plots.style import plain

# From vermilion (loses) over white (even) to blue (wins): told apart by colour-blind readers.
SCALE = ((0.0, SEARCH), (0.5, "#ffffff"), (1.0, HUMAN))
ROW_HEIGHT = 48
LETTER, LONG_NAME = 7, 12  # pixels of a letter; letters that a line of a name may have
PHONE = 230  # pixels that a phone leaves for the columns
PHONE_LETTERS = 50  # that a name over its row may have in a line
MANY_AGENTS = 12  # more than a sparse heat map can show
NAME_SIZE, LINE = 11, 15  # of a name over its row: letters; pixels of a line
NAME_ABOVE, ROW_GAP = 8, 28  # pixels of a name over its dot, and of a row beside its name
AROUND_ROWS, SIDES = (34, 50), 20  # pixels over and under the rows; beside them, for ticks
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
    texts = [_wrapped(plain(agent)) for agent in ratings["agent"]]
    places = row_places(texts)
    figure = go.Figure(_share_dots(ratings, places, _met_by(league.pairs)))
    figure.add_trace(_names_over(texts, places, [0.0] * len(texts)))
    figure.add_vline(
        x=0.5, line={"color": QUIET, "dash": "dot", "width": 1}, layer="below", opacity=0.6
    )
    figure.update_layout(
        xaxis={"range": [0, 1], "tickformat": ".0%", "title": "games won"},
        showlegend=False,
        clickmode="event+select",
        dragmode=False,
        **_rows_layout(places),
    )
    return figure


def row_places(texts: Sequence[str]) -> list[float]:
    """How far down the dot of each row stands, in pixels: under all lines of its name."""
    places, place = [], 0.0
    for text in texts:
        place += ROW_GAP + LINE * (text.count("<br>") + 1)
        places.append(place)
    return places


def _names_over(texts: Sequence[str], places: Sequence[float], x: Sequence[float]) -> go.Scatter:
    return go.Scatter(
        x=list(x),
        y=[place - NAME_ABOVE for place in places],
        mode="text",
        text=list(texts),
        textposition="top right",
        textfont={"size": NAME_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _rows_layout(places: Sequence[float]) -> dict:
    """Height and axis of rows at these places: one unit is one pixel."""
    total = (places[-1] if places else 0.0) + ROW_GAP
    return {
        "height": total + sum(AROUND_ROWS),
        "margin": {"l": SIDES, "r": SIDES, "t": AROUND_ROWS[0], "b": AROUND_ROWS[1]},
        "yaxis": {"visible": False, "range": [total, 0], "automargin": False},
    }


def _wrapped(name: str) -> str:
    """A name in lines that a phone has room for, broken before what separates its parts."""
    return "<br>".join(_lines(name, PHONE_LETTERS))


def _met_by(pairs: pd.DataFrame) -> dict[str, str]:
    """One opponent of every agent."""
    met: dict[str, str] = {}
    for first, second in zip(pairs["first"], pairs["second"], strict=True):
        met.setdefault(first, second)
        met.setdefault(second, first)
    return met


def _share_dots(ratings: pd.DataFrame, places: Sequence[float], met: dict[str, str]) -> go.Scatter:
    shares = ratings[["agent", "win_rate", "wins", "losses", "low", "high"]]
    return go.Scatter(
        x=ratings["win_rate"],
        y=list(places),
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


def _lines(name: str, longest: int = LONG_NAME) -> list[str]:
    """A long agent's text, broken before what separates its parts."""
    lines = [""]
    for part in re.split("(?=[:+,–])", name):
        if lines[-1] and len(lines[-1] + part) > longest:
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
    """Points a round of both agents of every pair: two dots and the line between them.

    The names of a pair stand over its row, so that they fit a phone.
    """
    pairs = league.pairs
    named = zip(pairs["first"], pairs["second"], strict=True)
    texts = [_wrapped(plain(f"{first} – {second}")) for first, second in named]
    places = row_places(texts)
    figure = go.Figure()
    for place, first, second in zip(
        places, pairs["points_first"], pairs["points_second"], strict=True
    ):
        figure.add_shape(
            type="line", x0=first, x1=second, y0=place, y1=place, line={"color": QUIET, "width": 2}
        )
    figure.add_trace(_dots(pairs["points_first"], places, pairs["first"], HUMAN, "circle"))
    figure.add_trace(_dots(pairs["points_second"], places, pairs["second"], SEARCH, "diamond"))
    low, high = _points_range(pairs)
    figure.add_trace(_names_over(texts, places, [low] * len(texts)))
    figure.update_layout(
        xaxis={"title": "points a round, bag penalties taken off", "range": [low, high]},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        **_rows_layout(places),
    )
    return figure


def _points_range(pairs: pd.DataFrame) -> tuple[float, float]:
    """What the axis of points runs over: a little beyond every dot."""
    points = pairs[["points_first", "points_second"]].to_numpy(dtype=float)
    if not points.size:
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    room = max(1.0, 0.05 * (high - low))
    return low - room, high + room


def _dots(
    points: pd.Series, places: Sequence[float], agents: pd.Series, color: str, symbol: str
) -> go.Scatter:
    return go.Scatter(
        x=points,
        y=list(places),
        mode="markers",
        name="first of the pair" if symbol == "circle" else "second of the pair",
        marker={"color": color, "symbol": symbol, "size": 11},
        text=[f"{agent}: {value:.1f}" for agent, value in zip(agents, points, strict=True)],
        hovertemplate="%{text} points a round<extra></extra>",
    )
