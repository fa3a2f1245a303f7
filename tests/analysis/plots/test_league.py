"""The league's charts, by their numbers."""

import numpy as np
import pandas as pd
import pytest

from analysis.matches.league import League, pair_table, rating_table
from analysis.matches.running import Standing
from analysis.plots.alt import alt_text
from analysis.plots.colors import agent_color
from analysis.plots.league import (
    LINE_HEIGHT,
    MAX_ROW_LINE,
    is_sparse,
    plot_gaps,
    plot_points,
    plot_shares,
    plot_standings,
    plot_win_rates,
)


def met(first, second, wins, losses, undecided=0):
    games = wins + losses + undecided
    return {
        "first": first, "second": second, "games": games, "wins_first": wins,
        "wins_second": losses, "undecided": undecided, "rounds": games * 9,
        "points_first": 50.0, "points_second": 40.0,
    }  # fmt: skip


@pytest.fixture
def league():
    pairs = pair_table(
        pd.DataFrame(
            [met("a", "b", 30, 70), met("b", "c", 60, 40), met("c", "d", 0, 0, undecided=4)]
        )
    )
    return League(pairs, rating_table(pairs))


def test_the_heat_map_shows_every_pair_from_both_sides(league):
    heat, written, targets = plot_win_rates(league).data
    assert list(heat.x) == list(heat.y) == league.ratings["agent"].tolist()
    texts = {
        (row, column): text
        for row, column, text in zip(written.y, written.x, written.text, strict=True)
    }
    at = {
        (row, column): (heat.z[i][j], texts.get((row, column), ""), heat.hovertext[i][j])
        for i, row in enumerate(heat.y)
        for j, column in enumerate(heat.x)
    }
    assert at["a", "b"][0] == pytest.approx(0.3)
    assert at["b", "a"][:2] == (pytest.approx(0.7), "70")
    assert "70 of 100 decided games" in at["b", "a"][2]
    assert "40.0 to 50.0 points" in at["b", "a"][2]
    low, high = league.pairs.loc[0, ["low", "high"]]
    assert f"{100 - 100 * high:.1f}% to {100 - 100 * low:.1f}%" in at["b", "a"][2]
    assert at["a", "c"] == (None, "", "a and c haven't met")
    assert "against itself" in at["a", "a"][2]
    assert "none of 4 games was decided" in at["c", "d"][2]
    assert [tuple(pair) for pair in targets.customdata] == list(
        zip(targets.y, targets.x, strict=True)
    )
    assert len(targets.x) == 6, "every pair that met, from both sides"
    assert targets.hovertext[0] == at[targets.y[0], targets.x[0]][2]


def test_the_points_chart_has_two_dots_a_pair(league):
    figure = plot_points(league, names_above=True)
    first, second, names = figure.data
    assert list(first.x) == [50, 50, 50]
    assert list(second.x) == [40, 40, 40]
    assert list(names.text) == ["a – b", "b – c", "c – d"]
    assert first.text[0] == "a: 50.0"
    assert [shape.y0 for shape in figure.layout.shapes] == list(first.y) == list(second.y)
    assert max(names.x) < 40  # left of every dot


def test_rows_leave_room_for_every_line_of_their_names():
    long = "ismcts:iterations=2500,bias=experience,model=t-200-150-100,delay=root"
    rows = [met(long, "srp", 6, 4), met("a", long + "+bis", 6, 4), met("b", "c", 6, 4)]
    figure = plot_points(League(pair_table(pd.DataFrame(rows)), pd.DataFrame()), names_above=True)
    names = figure.data[2]
    lines = [text.split("<br>") for text in names.text]
    assert sorted(map(len, lines)) == [1, 2, 2]
    assert max(len(line) for of in lines for line in of) <= MAX_ROW_LINE + 15
    tops = [y - LINE_HEIGHT * len(of) for y, of in zip(names.y, lines, strict=True)]
    dots = list(figure.data[0].y)
    assert all(top >= dot + 8 for top, dot in zip(tops[1:], dots, strict=False))
    assert all(y < dot for y, dot in zip(names.y, dots, strict=True))
    inner = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    assert list(figure.layout.yaxis.range) == [inner, 0]  # one unit is one pixel


def test_names_of_agents_fit_a_phone():
    long = "ismcts:iterations=2500,bias=knowledge+bis:threshold=20"
    pairs = pair_table(pd.DataFrame([met(long, "<b>x", 6, 4)]))
    figure = plot_win_rates(League(pairs, rating_table(pairs)))
    folded = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert folded[long].replace("<br>", "") == f"{long} 1"
    assert max(map(len, folded[long].split("<br>"))) <= len(":iterations=2500")
    assert folded["<b>x"] == "‹b›x 2"
    assert figure.layout.xaxis.ticktext == ("1", "2")
    assert not figure.data[0].showscale


def test_an_empty_league_can_be_drawn():
    columns = list(met("a", "b", 1, 1))
    pairs = pair_table(pd.DataFrame([], columns=columns))
    empty = League(pairs, rating_table(pairs))
    assert len(plot_win_rates(empty).data[0].z or ()) == 0
    assert len(plot_points(empty).data[0].x) == 0


def test_a_league_in_which_few_met_shows_shares_of_each_agent():
    others = [f"agent-{i:02}" for i in range(14)]
    rows = [met(name, "srp", 20 + 4 * i, 80 - 4 * i) for i, name in enumerate(others)]
    pairs = pair_table(pd.DataFrame(rows))
    league = League(pairs, rating_table(pairs))
    assert is_sparse(league)
    dots, names = plot_shares(league, names_above=True).data
    assert set(names.text) == {*others, "srp"}
    place = list(names.text).index("agent-05")
    assert dots.x[place] == pytest.approx(0.4)
    assert np.diff(dots.y).min() > 0
    assert list(dots.customdata[place]) == ["agent-05", "srp"]
    assert "40.0% of 100 games" in dots.hovertext[place]
    assert dots.unselected.marker.opacity == dots.selected.marker.opacity == 1
    assert names.selected.textfont.color, "or the letters fade"
    low = league.ratings.set_index("agent").loc["agent-05", "low"]
    assert dots.error_x["arrayminus"][place] == pytest.approx(0.4 - low)


def test_the_line_at_half_leaves_out_the_names_over_rows():
    long = "ismcts:iterations=2500,determinization=network,playout=human,equivalence=on"
    rows = [met(long, "srp", 60, 40), met("uct", "srp", 55, 45)]
    pairs = pair_table(pd.DataFrame(rows))
    league = League(pairs, rating_table(pairs))
    figure = plot_shares(league, names_above=True)
    dots, names = figure.data
    assert "<br>" in names.text[0]
    pieces = sorted((line.y0, line.y1) for line in figure.layout.shapes)
    assert len(pieces) == 3
    for (top, bottom), y in zip(pieces, dots.y, strict=True):
        assert top < y < bottom
    for bottom_of_name, name in zip(names.y, names.text, strict=True):
        top_of_name = bottom_of_name - LINE_HEIGHT * (name.count("<br>") + 1)
        assert all(bottom < top_of_name or top > bottom_of_name for top, bottom in pieces)
    (whole,) = plot_shares(league).layout.shapes
    assert (whole.x0, whole.yref) == (0.5, "y domain")


def test_a_kind_of_agent_has_one_colour():
    rows = [met("ismcts:iterations=100+bis", "human", 6, 4), met("srp", "uct:last=5", 6, 4)]
    pairs = pair_table(pd.DataFrame(rows))
    found = League(pairs, rating_table(pairs))
    first, second = plot_points(found).data
    assert list(first.marker.color) == [agent_color("ismcts"), agent_color("srp+rb")]
    assert list(second.marker.color) == [agent_color("human"), agent_color("uct")]
    assert len({agent_color(one) for one in ("human", "ismcts", "srp", "direct", "random")}) == 5
    shown = dict(zip(found.ratings["agent"], plot_shares(found).data[0].marker.color, strict=True))
    assert shown["srp"] == agent_color("srp")


def test_standings_draw_share_and_interval_over_games():
    standings = [Standing(10, 0.6, (0.3, 0.9), False), Standing(18, 0.66, (0.51, 0.8), True)]
    band, line = plot_standings(standings, "human").data
    assert list(line.x) == [10, 18]
    assert list(line.y) == [0.6, 0.66]
    assert list(band.y) == [0.9, 0.8, 0.51, 0.3]
    assert line.line.color == agent_color("human")


def test_the_scale_of_a_long_league_is_in_its_first_screen(league):
    rows = [met(f"agent-{i:02}", "srp", 20 + 4 * i, 80 - 4 * i) for i in range(14)]
    pairs = pair_table(pd.DataFrame(rows))
    long = League(pairs, rating_table(pairs))
    assert plot_shares(long).layout.xaxis.side == "top"
    assert plot_shares(league).layout.xaxis.side == "bottom"


def test_pairs_with_one_opponent_are_named_after_the_other_one():
    rows = [met("a", "srp", 6, 4), met("srp", "wrp", 5, 5), met("b", "srp", 7, 3)]
    rows[1]["points_second"] = 20.0  # srp is 30 ahead, the others are 10 ahead of it
    pairs = pair_table(pd.DataFrame(rows))
    figure = plot_points(League(pairs, rating_table(pairs)))
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "wrp"], "the furthest ahead first"
    first, second = figure.data
    assert [list(first.x), list(second.x)] == [[50, 50, 20], [40, 40, 50]]
    assert [first.name, second.name] == ["agent", "srp"]
    assert second.text[2] == "srp: 50.0"


def test_a_league_of_few_agents_is_not_sparse(league):
    assert not is_sparse(league)


def test_gaps_stand_under_their_names_on_both_sides_of_level():
    rows = [("duck off instead of on", 2.0, 0.5, 3.5), ("playout human", -4.0, -9.0, 1.0)]
    table = pd.DataFrame(rows, columns=["changed", "gap", "gap_low", "gap_high"])
    figure = plot_gaps(table.assign(agent="ismcts:duck=off+bis"), "changed")
    points, names = figure.data
    assert (list(points.x), list(names.text)) == ([2.0, -4.0], [row[0] for row in rows])
    assert list(points.error_x.array) == [1.5, 5.0]
    assert list(points.error_x.arrayminus) == [1.5, 5.0]
    assert figure.layout.shapes[0].x0 == 0
    low, high = figure.layout.xaxis.range
    assert low == -high < -9
    assert alt_text(figure).endswith(
        "Highest 2 at duck off instead of on, lowest -4 at playout human."
    )


def test_gaps_without_intervals_are_drawn():
    table = pd.DataFrame([("a", "srp", 3.0, np.nan, np.nan)])
    table.columns = ["changed", "agent", "gap", "gap_low", "gap_high"]
    assert plot_gaps(table, "changed").layout.xaxis.range[1] > 3
