"""What each play gives away, from conclusions made by hand."""

import pytest

from analysis.decisions.given_away import given_away
from tests.analysis.decisions.made_up import of_cards
from tests.pages.texts import shipped


def test_a_row_for_each_judged_play_that_is_asked_for():
    record = shipped("bug-report-335")
    conclusions = [None] * len(record.plays)
    conclusions[24] = of_cards(record.observation(24), {"SK": 9.0})  # North played the 4 of hearts
    conclusions[25] = of_cards(record.observation(25), {record.plays[25]: 9.0})
    rows = given_away(record, conclusions, [23, 24, 25])
    assert (rows[0].ply, rows[0].seat, rows[0].card) == (24, 0, "H4")
    assert rows[0].points == pytest.approx(9.0)
    assert rows[0].error == pytest.approx(0.1 * 2**0.5)  # of a difference of two means
    assert (rows[0].grade, rows[0].is_settled) == ("mistake", True)
    assert all(row.points == row.error == 0 for row in rows[1:])
    assert given_away(record, conclusions, [25, 24])[-1] == rows[0]
    assert given_away(record, conclusions, [23]) == []
