"""Matches: one with its intervals, who beats whom in a league, and by how many points a round."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.matches.league import League
from analysis.matches.result import MatchResult
from analysis.matches.running import Standing
from analysis.plots import template as t
from analysis.text_tables import span

ROW_HEIGHT = 48
LETTER, LONG_NAME = 7, 12  # pixels of a letter; letters that a line of a name may have
PHONE = 230  # pixels that a phone leaves for the columns
PHONE_LETTERS = 50  # that a name over its row may have in a line
MANY_AGENTS = 12  # more than a sparse heat map can show
NAME_SIZE, LINE = 11, 15  # of a name over its row: letters; pixels of a line
NAME_ABOVE, ROW_GAP = 8, 28  # pixels of a name over its dot, and between a row and the next name
AROUND_ROWS, SIDES = (34, 50), 20  # pixels over and under the rows; at their sides, for ticks
NARROWEST = 0.06  # half the width of a match's axis around even odds
ROWS = {"interval": "over games<br>(Clopper–Pearson)", "interval_pairs": "over pairs<br>of games"}


def plot_match(result: MatchResult) -> go.Figure:
    """Share of the games that the first side won, with both 95% intervals, against 50%."""
    rows = {name: label for name, label in ROWS.items() if getattr(result, name)}
    assert result.win_rate is not None
    rates = [result.win_rate] * len(rows)
    intervals = [getattr(result, name) for name in rows]
    reach = max([NARROWEST, *(abs(end - 0.5) for ends in intervals for end in ends)]) * 1.1
    color = t.agent_color(result.ns)
    error = t.whiskers(rates, *zip(*intervals, strict=True), thickness=3, width=8, color=color)
    look: t.Options = {"error_x": error, "marker": {"size": 13, "color": color}}
    hover = "%{x:.1%}<br>" + t.between(0)
    points = t.dots(rates, list(rows.values()), hover, data=intervals, **look)
    span = [max(0.0, 0.5 - reach), min(1.0, 0.5 + reach)]
    x = t.shares(f"games won by {result.ns}", range=span, nticks=7)
    figure = t.figure_of([points], height=170, x=x, y=t.NAMES_DOWN, showlegend=False)
    t.mark_x(figure, 0.5)
    return figure


def plot_standings(standings: Sequence[Standing], agent: str) -> go.Figure:
    """A match while it is played: the share of games that ``agent`` won, with the interval that
    holds at every look, against the games played."""
    games, color = [one.games for one in standings], t.agent_color(agent)
    low, high = zip(*(one.interval or (0.0, 1.0) for one in standings), strict=True)
    hover = "%{y:.1%} of %{x:,} games<br>" + t.between(0)
    look: t.Options = {"mode": "lines+markers", "marker": {"size": 6, "color": color}}
    look["line"] = {"color": color}
    ends = [list(pair) for pair in zip(low, high, strict=True)]
    line = t.dots(games, [one.share for one in standings], hover, data=ends, **look)
    reach = max(0.1, *(abs(end - 0.5) for end in (low[-1], high[-1]))) * 1.4
    y = t.shares(f"won by {t.plain(agent)}", range=[max(0, 0.5 - reach), min(1, 0.5 + reach)])
    traces = [t.band(games, low, high, t.with_alpha(color, 0.2), mode="lines"), line]
    x = {"title": "games played", "rangemode": "tozero"}
    figure = t.figure_of(traces, height=240, x=x, y=y, showlegend=False)
    t.mark_y(figure, 0.5)
    return figure


def plot_win_rates(league: League) -> go.Figure:
    """Heat map of the row agent's win rate against the column agent, best rated first. A square
    over every pair that met takes the click; its ``customdata`` are row and column."""
    agents, met = league.ratings["agent"].tolist(), _both_ways(league.pairs)
    cells = [[(row, column, met.get((row, column))) for column in agents] for row in agents]
    rates = [[cell and cell["win_rate"] for _, _, cell in row] for row in cells]
    look: t.Options = {"gap": 2, "colorscale": t.DIVERGING, "zmin": 0, "zmax": 1}
    look |= {"hovertext": [[_hover(*cell) for cell in row] for row in cells]}
    look |= {"hovertemplate": "%{hovertext}<extra></extra>", "hoverinfo": None, "hoverongaps": None}
    heat = t.heat_map(agents, agents, rates, **look)
    width = PHONE / max(1, len(agents))
    letters = min(13, max(7, width / 2.6))
    hovers = [_hover(*pair, cell) for pair, cell in met.items()]
    look = {"size": min(42, max(10, width)), "hovertext": hovers}
    columns, rows = [column for _, column in met], [row for row, _ in met]
    marks = t.cell_marks(columns, rows, [*map(list, met)], "%{hovertext}", **look)
    won = [cell["win_rate"] for cell in met.values()]
    texts = ["" if math.isnan(share) else f"{share:.0%}" for share in won]
    longest = max((len(line) for name in agents for line in _lines(name)), default=0)
    traces = [heat, t.letters(columns, rows, texts, "middle center", letters), marks]
    # Upright names fit columns as narrow as a phone's.
    x = _axis(agents) | {"title": "games won against", "side": "top", "tickangle": -90}
    layout: t.Options = {"y": _axis(agents[::-1]), "showlegend": False, **t.CELL_CLICKS}
    layout["height"] = 60 + LETTER * longest + ROW_HEIGHT * max(2, len(agents))
    return t.figure_of(traces, x=x, **layout)


def is_sparse(league: League) -> bool:
    """Whether a heat map of all pairs would be mostly empty: many agents, few of which met."""
    n = len(league.ratings)
    return n > MANY_AGENTS and 6 * len(league.pairs) < n * (n - 1)


def plot_shares(league: League) -> go.Figure:
    """Each agent's share of its decided games, with interval, best rated first. For leagues in
    which few pairs met. Names are over their rows, so that they fit a phone; ``customdata`` are the
    agent and one that it met."""
    ratings = league.ratings
    met = dict(_both_ways(league.pairs[::-1]).keys())  # of several the first
    ratings = ratings.assign(met=ratings["agent"].map(met))
    texts = [_wrapped(agent) for agent in ratings["agent"]]
    places = row_places(texts)
    look: t.Options = {"bar": {"thickness": 1.5, "width": 4, "color": t.QUIET}}
    look["hovertext"] = [
        f"{t.plain(row.agent)}<br>{row.win_rate:.1%} of "
        f"{row.wins + row.losses:,} games, 95%: {span((row.low, row.high), '.1%')}"
        for row in ratings.itertuples()
    ]
    colors, columns = [t.agent_color(agent) for agent in ratings["agent"]], ["agent", "met"]
    look |= {"marker": {"size": 10, "color": colors}, **t.UNFADED}
    look["selected"] = {"marker": {"opacity": 1, "size": 17}}
    points = t.estimates(ratings, "win_rate", places, "%{hovertext}", columns, **look)
    click = {"showlegend": False, "clickmode": "event+select"}
    x = t.shares("share of decided games won", range=[0, 1])
    figure = _rows([points, _names_over(texts, places, 0.0)], places, x, **click)
    figure.add_vline(x=0.5, line={"color": t.QUIET, "dash": "dot", "width": 1}, layer="below")
    return figure


def plot_points(league: League) -> go.Figure:
    """Points a round of both agents of every pair: two dots and the line between them. The names of
    a pair are over its row, so that they fit a phone."""
    pairs = league.pairs
    first, second = pairs["points_first"], pairs["points_second"]
    named = zip(pairs["first"], pairs["second"], strict=True)
    texts = [_wrapped(f"{one} – {other}") for one, other in named]
    places, (low, high) = row_places(texts), _points_range(pairs)
    sides = (("first", first, "circle"), ("second", second, "diamond"))
    traces = []
    for side, points, symbol in sides:
        hovers = [f"{who}: {value:.1f}" for who, value in zip(pairs[side], points, strict=True)]
        colors = [t.agent_color(agent) for agent in pairs[side]]
        marker = {"color": colors, "symbol": symbol, "size": 11}
        look: t.Options = {"name": f"{side} of the pair", "marker": marker, "text": hovers}
        traces.append(t.dots(points, places, "%{text} points a round", **look))
    x = {"title": "points a round, bag penalties taken off", "range": [low, high]}
    figure = _rows([*traces, _names_over(texts, places, low)], places, x, legend=t.LEGEND_ABOVE)
    for place, x0, x1 in zip(places, first, second, strict=True):
        line = {"color": t.QUIET, "width": 2}
        figure.add_shape(type="line", x0=x0, x1=x1, y0=place, y1=place, line=line)
    return figure


def plot_gaps(table: pd.DataFrame, names: str) -> go.Figure:
    """Points a round ahead of each row's agent (``gap``), with interval, under the row's name from
    the column ``names``, against 0."""
    texts = [_wrapped(name) for name in table[names]]
    places, ends = row_places(texts), table[["gap", "gap_low", "gap_high"]]
    reach = 1.1 * max(1.0, float(np.nanmax(np.abs(ends.to_numpy()), initial=0.0)))
    hover = "%{x:+.1f} points a round<br>" + t.between(0, "+.1f")
    look: t.Options = {"bar": {"thickness": 1.5, "width": 4, "color": t.QUIET}}
    look["marker"] = {"size": 10, "color": [t.agent_color(agent) for agent in table["agent"]]}
    points = t.estimates(table, "gap", places, hover, ["gap_low", "gap_high"], **look)
    x = {"title": "points a round ahead", "range": [-reach, reach]}
    figure = _rows([points, _names_over(texts, places, -reach)], places, x, showlegend=False)
    t.mark_x(figure, 0)
    return figure


def row_places(texts: Sequence[str]) -> list[float]:
    """How far down the dot of each row is, in pixels: under all lines of its name."""
    places, place = [], 0.0
    for text in texts:
        place += ROW_GAP + LINE * (text.count("<br>") + 1)
        places.append(place)
    return places


def _names_over(texts: Sequence[str], places: Sequence[float], x: float) -> go.Scatter:
    above = [place - NAME_ABOVE for place in places]
    return t.letters([x] * len(texts), above, texts, "top right", NAME_SIZE)


def _rows(traces: Iterable[Any], places: Sequence[float], x: t.Options, **layout: Any) -> go.Figure:
    """Rows at these places: one unit is one pixel."""
    total, (above, below) = (places[-1] if places else 0.0) + ROW_GAP, AROUND_ROWS
    margin = {"l": SIDES, "r": SIDES, "t": above, "b": below}
    y = {"visible": False, "range": [total, 0], "automargin": False}
    return t.figure_of(traces, height=total + above + below, x=x, y=y, margin=margin, **layout)


def _wrapped(name: str, longest: int = PHONE_LETTERS) -> str:
    """A name in lines, for a phone, broken before what separates its parts."""
    return "<br>".join(_lines(t.plain(name), longest))


def _lines(name: str, longest: int = LONG_NAME) -> list[str]:
    lines = [""]
    for part in re.split("(?=[:+,–])", name):
        if lines[-1] and len(lines[-1] + part) > longest:
            lines.append("")
        lines[-1] += part
    return lines


def _axis(agents: Sequence[str]) -> t.Options:
    folded = [_wrapped(agent, LONG_NAME) for agent in agents]
    ticks = {"tickmode": "array", "tickvals": list(agents), "ticktext": folded}
    place = {"range": [-0.5, len(agents) - 0.5], "automargin": True, "showgrid": False}
    return t.category_axis(agents, **ticks, **place)


def _both_ways(pairs: pd.DataFrame) -> dict[tuple[str, str], dict]:
    """Every pair seen from either agent, by (agent, opponent)."""
    found = {}
    swapped = {"wins": "losses", "points_first": "points_second"}
    swapped |= {other: one for one, other in swapped.items()}
    for row in pairs.to_dict("records"):
        found[row["first"], row["second"]] = row
        turned = {"win_rate": 1 - row["win_rate"], "low": 1 - row["high"], "high": 1 - row["low"]}
        turned |= {one: row[other] for one, other in swapped.items()}
        found[row["second"], row["first"]] = {**row, **turned}
    return found


def _hover(first: str, second: str, cell: dict | None) -> str:
    if first == second:
        return f"{first} against itself says nothing"
    if cell is None:
        return f"{first} and {second} haven't met"
    if math.isnan(cell["win_rate"]):
        return f"{first} against {second}: none of {cell['games']:,} games was decided"
    return (
        f"{first} wins {cell['win_rate']:.1%} against {second}"
        f"<br>95% interval {span((cell['low'], cell['high']), '.1%')}"
        f"<br>{cell['wins']:,} of {cell['wins'] + cell['losses']:,} decided games, "
        f"{cell['undecided']:,} undecided"
        f"<br>{cell['points_first']:.1f} to {cell['points_second']:.1f} points a round"
    )


def _points_range(pairs: pd.DataFrame) -> tuple[float, float]:
    points = pairs[["points_first", "points_second"]].to_numpy(dtype=float)
    if not points.size:
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    room = max(1.0, 0.05 * (high - low))
    return low - room, high + room
