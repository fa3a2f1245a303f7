"""The report on Replay: nothing of it before it is asked for, nothing that is hidden."""

import pytest

from analysis.decisions.decision import AnalysisSettings, analyse_decision
from analysis.decisions.report import verdict
from tests.pages.apps import run
from tests.pages.replay import answered, open_replay, searched, view_data
from tests.pages.texts import shipped


def opened(**query):
    app = searched(open_replay(iterations="100", ply="24", **query))
    app.session_state["replay_report"] = True
    return run(app)


def test_the_report_is_of_the_decision_shown():
    app = opened()
    (text,) = (block.value for block in app.code)
    decision = analyse_decision(shipped("bug-report-335"), 24, AnalysisSettings(iterations=100))
    assert verdict(decision, "devlin2016") in text
    assert view_data(app)["decisions"][24]["verdict"] in text
    assert "iterations=100" in text
    assert "ply=24" in text
    assert "/?" in text


def test_nothing_before_it_is_asked_for():
    app = searched(open_replay(iterations="100", ply="24"))
    assert not app.code


def test_nothing_hidden_is_told():
    assert not opened(spoiler="1").code
    assert not opened(view="own", seat="S").code  # North decides
    assert len(opened(view="own", seat="N").code) == 1


def test_nothing_to_report_at_the_end():
    app = searched(open_replay(iterations="100", ply="52"))
    app.session_state["replay_report"] = True
    run(app)
    assert not app.code
    assert any("No play is left here" in caption.value for caption in app.caption)


def opened_at_bid(**query):
    app = answered(open_replay(hand="south-nil", iterations="100", bid="3", **query))
    app.session_state["replay_report"] = True
    return run(app)


@pytest.mark.usefixtures("compiled_bidders")
def test_the_report_on_a_bid_is_of_the_bid_shown():
    app = opened_at_bid()
    (text,) = (block.value for block in app.code)
    assert view_data(app)["bids"]["decisions"][2]["verdict"] in text
    assert "South to bid, bid 3 of 4" in text
    assert "| human (simulated) | 1 | 89.5% of 200 |" in text
    assert "bid=3" in text
    assert "[Event" in text


@pytest.mark.usefixtures("compiled_bidders")
def test_nothing_hidden_is_told_of_a_bid():
    assert not opened_at_bid(spoiler="1").code
    assert not opened_at_bid(view="own", seat="N").code  # South bids
    assert len(opened_at_bid(view="own", seat="S").code) == 1
