"""Matches: one with its intervals, who beats whom in a league, and by how many points a round."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.matches.league import League
from analysis.matches.result import MatchResult
from analysis.matches.running import Standing
from analysis.plots.colors import DIVERGING_SCALE, GREY, agent_color, with_alpha
from analysis.plots.layout import (
    CLICKABLE_CELLS,
    LEGEND_ABOVE,
    NAMES_TOP_DOWN,
    Options,
    add_horizontal_line,
    add_vertical_line,
    category_axis,
    figure_of,
    percent_axis,
)
from analysis.plots.traces import (
    UNFADED,
    band,
    click_squares,
    dots,
    error_bars,
    estimates,
    heat_map,
    interval_text,
    text_labels,
    without_markup,
)
from analysis.text_tables import span
from spades.look.tokens import SIZES

# Heat map of win rates, pixels.
_CELL_HEIGHT = 48
_PHONE_WIDTH = 230  # that a phone leaves for the columns
_MAX_NAME_LINE = 12  # letters of a line of an agent's name
_MAX_DENSE_AGENTS = 12  # above, a heat map of few matches would be mostly empty

# Rows under their names, pixels.
MAX_ROW_LINE = 50  # letters of a line of the name, on a phone
LINE_HEIGHT = 15
_NAME_ABOVE_DOT = 8
_LINE_ABOVE_DOT = 6  # of a reference line, which leaves the names out
_LINE_BELOW_DOT = 15
_ROW_GAP = 28
_NAMED_ROW_HEIGHT = 22  # of a row whose name stands beside it
_MAX_ROWS_OF_A_SCREEN = 12
_ROWS_MARGIN = {"l": 20, "r": 20, "t": 34, "b": 50}
_AXIS_ON_TOP_MARGIN = {"l": 20, "r": 20, "t": 84, "b": 10}

_MIN_REACH = 0.06  # least half width of a match's axis around even odds
_INTERVALS = {
    "interval": "over games<br>(Clopper–Pearson)",
    "interval_pairs": "over pairs<br>of games",
}
_ROW_ERROR_BAR = {"thickness": 1.5, "width": 4, "color": GREY}


def plot_match(result: MatchResult) -> go.Figure:
    """Share of the games that the first side won, with both 95% intervals, against 50%."""
    labels = {name: label for name, label in _INTERVALS.items() if getattr(result, name)}
    intervals = [getattr(result, name) for name in labels]
    lows = [low for low, _ in intervals]
    highs = [high for _, high in intervals]
    assert result.win_rate is not None
    shares = [result.win_rate] * len(labels)
    color = agent_color(result.ns)
    points = dots(
        shares,
        list(labels.values()),
        "%{x:.1%}<br>" + interval_text(0),
        data=intervals,
        marker={"size": 13, "color": color},
        error_x=error_bars(shares, lows, highs, thickness=3, width=8, color=color),
    )
    reach = 1.1 * max([_MIN_REACH, *(abs(end - 0.5) for end in lows + highs)])
    figure = figure_of(
        [points],
        shows=f"share of games won by {result.ns} against {result.ew}, with 95% intervals",
        height=170,
        xaxis=percent_axis(
            f"games won by {result.ns}",
            range=[max(0.0, 0.5 - reach), min(1.0, 0.5 + reach)],
            nticks=7,
        ),
        yaxis=NAMES_TOP_DOWN,
        showlegend=False,
    )
    add_vertical_line(figure, 0.5)
    return figure


def plot_standings(standings: Sequence[Standing], agent: str) -> go.Figure:
    """A match while it is played: the share of games that ``agent`` won, with the interval that
    holds at every look, against the games played."""
    games = [standing.games for standing in standings]
    intervals = [standing.interval or (0.0, 1.0) for standing in standings]
    lows = [low for low, _ in intervals]
    highs = [high for _, high in intervals]
    color = agent_color(agent)
    line = dots(
        games,
        [standing.share for standing in standings],
        "%{y:.1%} of %{x:,} games<br>" + interval_text(0),
        data=[list(interval) for interval in intervals],
        mode="lines+markers",
        marker={"size": 6, "color": color},
        line={"color": color},
    )
    reach = 1.4 * max(0.1, abs(lows[-1] - 0.5), abs(highs[-1] - 0.5))
    figure = figure_of(
        [band(games, lows, highs, with_alpha(color, 0.2), mode="lines"), line],
        shows=f"share of games won by {agent} so far, with its interval, by games played",
        height=240,
        xaxis={"title": "games played", "rangemode": "tozero"},
        yaxis=percent_axis(
            f"won by {without_markup(agent)}",
            range=[max(0, 0.5 - reach), min(1, 0.5 + reach)],
        ),
        showlegend=False,
    )
    add_horizontal_line(figure, 0.5)
    return figure


def plot_win_rates(league: League) -> go.Figure:
    """Heat map of the row agent's win rate against the column agent, best rated first. A square
    over every pair that met takes the click; its ``customdata`` are row and column."""
    agents = league.ratings["agent"].tolist()
    matches = _matches_by_pair(league.pairs)
    rows = [row for row, _ in matches]
    columns = [column for _, column in matches]
    column_width = _PHONE_WIDTH / max(1, len(agents))
    squares = click_squares(
        columns,
        rows,
        [list(pair) for pair in matches],
        "%{hovertext}",
        size=min(42, max(10, column_width)),
        hovertext=[_match_hover(row, column, match) for (row, column), match in matches.items()],
    )
    texts = [_win_rate_text(match["win_rate"]) for match in matches.values()]
    win_rates = text_labels(columns, rows, texts, "middle center", SIZES[0])
    return figure_of(
        [_win_rate_cells(agents, matches), win_rates, squares],
        shows="share of games that the agent of a row won against that of a column",
        height=90 + _CELL_HEIGHT * max(2, len(agents)),
        # Columns as narrow as a phone's have the numbers of their agents, which the rows name.
        xaxis=_agents_axis(agents, [str(i) for i in range(1, len(agents) + 1)])
        | {"title": "games won against, %", "side": "top"},
        yaxis=_agents_axis(agents[::-1], _numbered(agents)[::-1]),
        showlegend=False,
        **CLICKABLE_CELLS,
    )


PairRow = dict[str, Any]  # of a league's pairs, from the view of one of its agents
RowsByAgents = Mapping[tuple[str, str], PairRow]  # by agent and opponent


def _win_rate_cells(agents: Sequence[str], matches: RowsByAgents) -> go.Heatmap:
    win_rates = []
    hovers = []
    for row in agents:
        row_matches = {column: matches.get((row, column)) for column in agents}
        win_rates.append([match and match["win_rate"] for match in row_matches.values()])
        hovers.append([_match_hover(row, column, match) for column, match in row_matches.items()])
    return heat_map(
        agents,
        agents,
        win_rates,
        gap=2,
        colorscale=DIVERGING_SCALE,
        zmin=0,
        zmax=1,
        hovertext=hovers,
        hovertemplate="%{hovertext}<extra></extra>",
        hoverinfo=None,
        hoverongaps=None,
    )


def _win_rate_text(win_rate: float) -> str:
    return "" if math.isnan(win_rate) else f"{100 * win_rate:.0f}"


def _match_hover(agent: str, opponent: str, match: PairRow | None) -> str:
    if agent == opponent:
        return f"{agent} against itself says nothing"
    if match is None:
        return f"{agent} and {opponent} haven't met"
    if math.isnan(match["win_rate"]):
        return f"{agent} against {opponent}: none of {match['games']:,} games was decided"
    return (
        f"{agent} wins {match['win_rate']:.1%} against {opponent}"
        f"<br>95% interval {span((match['low'], match['high']), '.1%')}"
        f"<br>{match['wins']:,} of {match['wins'] + match['losses']:,} decided games, "
        f"{match['undecided']:,} undecided"
        f"<br>{match['points_first']:.1f} to {match['points_second']:.1f} points a round"
    )


def _matches_by_pair(pairs: pd.DataFrame) -> RowsByAgents:
    """Every match as either agent sees it."""
    matches = {}
    for match in pairs.to_dict("records"):
        first = match["first"]
        second = match["second"]
        matches[first, second] = match
        matches[second, first] = match | {
            "win_rate": 1 - match["win_rate"],
            "low": 1 - match["high"],
            "high": 1 - match["low"],
            "wins": match["losses"],
            "losses": match["wins"],
            "points_first": match["points_second"],
            "points_second": match["points_first"],
        }
    return matches


def _numbered(agents: Sequence[str]) -> list[str]:
    return [f"{_wrapped(agent, _MAX_NAME_LINE)} {i}" for i, agent in enumerate(agents, start=1)]


def _agents_axis(agents: Sequence[str], labels: Sequence[str]) -> Options:
    return category_axis(
        agents,
        tickmode="array",
        tickvals=list(agents),
        ticktext=list(labels),
        range=[-0.5, len(agents) - 0.5],
        automargin=True,
        showgrid=False,
    )


def is_sparse(league: League) -> bool:
    """Whether a heat map of all pairs would be mostly empty: many agents, few of which met."""
    n = len(league.ratings)
    return n > _MAX_DENSE_AGENTS and 6 * len(league.pairs) < n * (n - 1)


def plot_shares(league: League, *, names_above: bool = False) -> go.Figure:
    """Each agent's share of its decided games, with interval, best rated first. For leagues in
    which few pairs met. ``customdata`` are the agent and one that it met."""
    opponents = dict(_matches_by_pair(league.pairs[::-1]).keys())  # of several the first
    ratings = league.ratings.assign(met=league.ratings["agent"].map(opponents))
    rows = _rows_of(ratings["agent"], names_above=names_above)
    hovers = [
        f"{without_markup(row.agent)}<br>{row.win_rate:.1%} of "
        f"{row.wins + row.losses:,} games, 95%: {span((row.low, row.high), '.1%')}"
        for row in ratings.itertuples()
    ]
    points = estimates(
        ratings,
        "win_rate",
        rows.places,
        "%{hovertext}",
        ["agent", "met"],
        hovertext=hovers,
        marker={"size": 10, "color": [agent_color(agent) for agent in ratings["agent"]]},
        selected={"marker": {"opacity": 1, "size": 17}},
        unselected=UNFADED["unselected"],
        error_bar=_ROW_ERROR_BAR,
    )
    figure = _rows_figure(
        [points],
        rows,
        0.0,
        percent_axis("share of decided games won", range=[0, 1]),
        shows="share of its decided games that each agent won, best rated first",
        showlegend=False,
        clickmode="event+select",
    )
    _add_reference(figure, rows, 0.5)
    return figure


def plot_points(league: League, *, names_above: bool = False) -> go.Figure:
    """Points a round of both agents of every pair: two dots and the line between them, the pair
    that is furthest apart first. Where all met one and the same agent, a row is named after the
    other, and that one is the second of every pair."""
    pairs, shared = _against_shared_opponent(league.pairs)
    ahead = pairs["points_first"] - pairs["points_second"]
    pairs = pairs.iloc[np.argsort(-ahead.to_numpy(dtype=float), kind="stable")]
    names = list(pairs["first"])
    if shared is None:
        names = [
            f"{first} – {second}"
            for first, second in zip(pairs["first"], pairs["second"], strict=True)
        ]
    rows = _rows_of(names, names_above=names_above)
    low, high = _points_range(pairs)
    figure = _rows_figure(
        [
            _points_of_side(pairs, "first", rows.places, "circle", shared and "agent"),
            _points_of_side(pairs, "second", rows.places, "diamond", shared),
        ],
        rows,
        low,
        {"title": "points a round, bag penalties taken off", "range": [low, high]},
        shows="points a round of both agents of every pair",
        legend=LEGEND_ABOVE,
    )
    ends = zip(rows.places, pairs["points_first"], pairs["points_second"], strict=True)
    for place, first, second in ends:
        line = {"color": GREY, "width": 2}
        figure.add_shape(type="line", x0=first, x1=second, y0=place, y1=place, line=line)
    return figure


def _against_shared_opponent(pairs: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """The pairs, where all of three or more have one agent in common with that one as their second;
    and who it is, or None."""
    met = pd.concat([pairs["first"], pairs["second"]]).value_counts()
    if len(pairs) < 3 or met.iloc[0] < len(pairs):
        return pairs, None
    shared = str(met.index[0])
    is_turned = pairs["first"] == shared
    sides = {"first": "second", "points_first": "points_second"}
    turned = pairs.rename(columns=sides | {second: first for first, second in sides.items()})
    columns = [*sides, *sides.values()]
    return pd.concat([pairs.loc[~is_turned, columns], turned.loc[is_turned, columns]]), shared


def _points_of_side(
    pairs: pd.DataFrame,
    side: str,
    places: Sequence[float],
    symbol: str,
    name: str | None,
) -> go.Scatter:
    agents = pairs[side]
    points = pairs[f"points_{side}"]
    return dots(
        points,
        places,
        "%{text} points a round",
        name=name or f"{side} of the pair",
        marker={
            "color": [agent_color(agent) for agent in agents],
            "symbol": symbol,
            "size": 11,
        },
        text=[f"{agent}: {value:.1f}" for agent, value in zip(agents, points, strict=True)],
    )


def _points_range(pairs: pd.DataFrame) -> tuple[float, float]:
    points = pairs[["points_first", "points_second"]].to_numpy(dtype=float)
    if not points.size:
        return 0.0, 1.0
    low = float(points.min())
    high = float(points.max())
    padding = max(1.0, 0.05 * (high - low))
    return low - padding, high + padding


def plot_gaps(table: pd.DataFrame, name_column: str) -> go.Figure:
    """Points a round ahead of each row's agent (``gap``), with interval, under the row's name from
    the column ``name_column``, against 0."""
    rows = _rows_of(table[name_column], names_above=True)
    ends = table[["gap", "gap_low", "gap_high"]].to_numpy()
    reach = 1.1 * max(1.0, float(np.nanmax(np.abs(ends), initial=0.0)))
    points = estimates(
        table,
        "gap",
        rows.places,
        "%{x:+.1f} points a round<br>" + interval_text(0, "+.1f"),
        ["gap_low", "gap_high"],
        marker={"size": 10, "color": [agent_color(agent) for agent in table["agent"]]},
        error_bar=_ROW_ERROR_BAR,
    )
    figure = _rows_figure(
        [points],
        rows,
        -reach,
        {"title": "points a round ahead", "range": [-reach, reach]},
        shows="points a round ahead of each agent, with 95% intervals",
        showlegend=False,
    )
    _add_reference(figure, rows, 0)
    return figure


class _Rows(NamedTuple):
    """Rows of a figure: their names, in lines; how far down each one's dot is, in pixels; whether a
    name stands over its row, so that it fits a phone, or beside it."""

    names: list[str]
    places: list[float]
    names_above: bool


def _rows_of(names: Iterable[str], *, names_above: bool) -> _Rows:
    if not names_above:
        beside = [without_markup(name) for name in names]
        places = [_NAMED_ROW_HEIGHT * (i + 0.5) for i in range(len(beside))]
        return _Rows(beside, places, names_above)
    above = [_wrapped(name) for name in names]
    places = []
    place = 0.0
    for name in above:
        place += _ROW_GAP + LINE_HEIGHT * (name.count("<br>") + 1)
        places.append(place)
    return _Rows(above, places, names_above)


def _names_over_rows(rows: _Rows, x: float) -> go.Scatter:
    above = [place - _NAME_ABOVE_DOT for place in rows.places]
    return text_labels([x] * len(above), above, rows.names, "top right", SIZES[0])


def _rows_figure(
    traces: Sequence[Any],
    rows: _Rows,
    left_end: float,
    xaxis: Options,
    **layout: Any,
) -> go.Figure:
    """Rows at their places: one unit is one pixel. An axis names them; where names stand over rows,
    from ``left_end`` on, it isn't drawn, but alternative text and export read it. Of many rows the
    first screen shows some: their scale is on top."""
    last = rows.places[-1] if rows.places else 0.0
    rows_height = last + (_ROW_GAP if rows.names_above else _NAMED_ROW_HEIGHT / 2)
    if rows.names_above:
        traces = [*traces, _names_over_rows(rows, left_end)]
    is_long = len(rows.places) > _MAX_ROWS_OF_A_SCREEN
    margin = _AXIS_ON_TOP_MARGIN if is_long else _ROWS_MARGIN
    return figure_of(
        traces,
        height=rows_height + margin["t"] + margin["b"],
        xaxis=xaxis | {"side": "top" if is_long else "bottom"},
        yaxis={
            "visible": not rows.names_above,
            "range": [rows_height, 0],
            "automargin": not rows.names_above,
            "showgrid": False,
            "tickvals": rows.places,
            "ticktext": rows.names,
        },
        margin=margin,
        **layout,
    )


def _add_reference(figure: go.Figure, rows: _Rows, x: float) -> None:
    """A dotted line at ``x`` under the dots; where names stand over rows, it leaves those out."""
    line = {"color": GREY, "dash": "dot", "width": 1}
    if not rows.names_above:
        figure.add_vline(x=x, line=line, layer="below")
        return
    for place in rows.places:
        ends = {"y0": place - _LINE_ABOVE_DOT, "y1": place + _LINE_BELOW_DOT}
        figure.add_shape(type="line", x0=x, x1=x, **ends, line=line, layer="below")


def _wrapped(name: str, longest: int = MAX_ROW_LINE) -> str:
    """A name in lines, for a phone, broken before what separates its parts."""
    return "<br>".join(_lines(without_markup(name), longest))


def _lines(name: str, longest: int) -> list[str]:
    lines = [""]
    for part in re.split("(?=[:+,–])", name):
        if lines[-1] and len(lines[-1] + part) > longest:
            lines.append("")
        lines[-1] += part
    return lines
