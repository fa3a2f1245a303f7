"""Replay's figures by their numbers."""

import pytest

from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.decision import analyse_decision
from analysis.decisions.given_away import GivenAway
from analysis.decisions.settings import AnalysisSettings
from analysis.plots.layout import finish
from analysis.plots.replay import plot_given_away, plot_shares
from tests.analysis.decisions.made_up import of_cards
from tests.pages.texts import shipped

ROWS = [
    GivenAway(4, 0, "H4", 0.0, 0.0, True, "best"),
    GivenAway(9, 1, "SK", 12.0, 2.0, True, "mistake"),
    GivenAway(17, 3, "C2", 8.0, 5.0, False, "mistake"),
]


def test_a_bar_for_each_play_by_its_grade_with_an_interval_that_ends_at_nothing():
    best, mistake = plot_given_away(ROWS, 52).data
    assert (best.name, list(best.x), list(best.y)) == ("best", [4], [0.0])
    assert (mistake.name, list(mistake.x), list(mistake.y)) == ("mistake", [9, 17], [12.0, 8.0])
    assert list(mistake.error_y.array) == pytest.approx([3.92, 9.8])
    assert list(mistake.error_y.arrayminus) == pytest.approx([3.92, 8.0])
    assert list(mistake.marker.pattern.shape) == ["", "/"]
    assert list(mistake.text) == ["East's K♠, trick 3", "West's 2♣, trick 5, not settled"]
    assert "n = 3 plays" in finish(plot_given_away(ROWS, 52)).layout.meta["alt"]


def test_the_shares_of_a_decision_are_those_of_its_table():
    record = shipped("bug-report-335")
    decision = analyse_decision(record, 24, AnalysisSettings(iterations=300))
    found = of_cards(decision.observation, {"SK": 9.0})
    shown = by_class(with_findings(decision, found))
    human, search = plot_shares(shown, "devlin2016").data
    assert sum(human.x) == pytest.approx(1)
    assert sum(search.x) == pytest.approx(1)
    best = shown.row("SK")
    assert human.y[0] == search.y[0] == "K♠ = Q♠, loss 0.0"
    assert (human.x[0], search.x[0]) == (best.human["devlin2016"], best.share)
    assert [name.rpartition(" ")[2] for name in human.y[1:]] == ["9.0"] * (len(shown.cards) - 1)
    assert search.name == "search, 1 × 300"
