"""The panel of decision stability: asked for, stopped, gone on with, hidden where it must be."""

import time
from types import SimpleNamespace

import pytest

from analysis.decisions import candidates
from analysis.decisions.candidates import CardStability
from analysis.intervals import share_interval
from tests.pages.apps import address, run
from tests.pages.replay import TIMEOUT, click, open_replay, searched
from ui.replay.candidates import stability_sentence as sentence

QUICK = {"hand": "four-bots", "iterations": "100", "stability": "1", "searches": "20"}


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def opened(**query):
    return searched(open_replay(**QUICK | query))


def table(app):
    found = [frame.value for frame in app.dataframe if "wins" in frame.value.columns]
    return found[0] if found else None


def ended(app):
    """Run until the panel has its table and no stop button."""
    until = time.monotonic() + TIMEOUT
    while table(app) is None or any(button.label == "Stop" for button in app.button):
        assert time.monotonic() < until
        run(app)
    return app


def words(app):
    return " ".join(element.value for element in (*app.caption, *app.markdown))


def test_nothing_is_searched_before_it_is_asked_for(monkeypatch):
    app = open_replay(hand="four-bots", iterations="100")
    assert not [button for button in app.button if "times" in button.label]
    monkeypatch.setattr(candidates, "new_search", lambda *a, **k: pytest.fail("searched too early"))
    app = opened()
    assert table(app) is None
    assert [button for button in app.button if button.label == "Search 20 times"]


def test_twenty_searches_a_chart_a_table_and_a_sentence():
    app = ended(click(opened(), "Search 20 times"))
    found = table(app)
    assert found["wins"].sum() == 20
    assert set(found["searches"]) == {20}
    assert found["played"].sum() == found["likeliest_human"].sum() == 1
    assert (found["low"] <= found["share"]).all()
    assert (found["share"] <= found["high"]).all()
    assert f"{found['wins'].iloc[0]} of 20 searches" in words(app).replace("\\", "")
    assert "the decision table's choice, wins" in words(app)
    assert len(app.get("plotly_chart")) == 2


def test_more_searches_go_on_from_those_that_are_there():
    app = ended(click(opened(), "Search 20 times"))
    app.selectbox(key="replay_searches").set_value(100)
    run(app)
    assert address(app)["stability"] == "1"
    assert "searches" not in address(app)  # the default
    assert "20 of 100 searches are done: too early to say" in words(app)
    assert " wins " not in words(app)
    app = ended(click(app, "Go on to 100"))
    assert set(table(app)["searches"]) == {100}
    app.selectbox(key="replay_searches").set_value(20)
    assert set(table(run(app))["searches"]) == {20}


def told(wins, *, choice, played=None):
    """The sentence on a run of 20 searches; ``wins`` by card, most first."""
    rows = [
        CardStability(card, count, 20, share_interval(count, 20), 0.0, 0.0, 0.0)
        for card, count in wins.items()
    ]
    decision = SimpleNamespace(search_choice=SimpleNamespace(card=choice), played=played)
    return sentence(rows, decision, 0)


def test_tied_cards_are_named_as_tied_and_the_choice_and_the_card_played_are_told():
    wins = {"DK": 4, "H7": 4, "D3": 4, "DA": 4, "H5": 3, "DQ": 1}
    assert told(wins, choice="DQ", played="H5") == (
        "**Q♦**, the decision table's choice, wins 1 of 20 searches (5.0%, 95 %: 0.1% to 24.9%); "
        "5♥, the card played, wins 3 of 20 searches (15.0%, 95 %: 3.2% to 37.9%). K♦, 7♥, 3♦ and "
        "A♦ tie for the most wins, each 4 of 20 searches (20.0%, 95 %: 5.7% to 43.7%)."
    )


def test_a_choice_that_leads_alone_is_told_once():
    assert told({"SA": 15, "S2": 5}, choice="SA", played="SA") == (
        "**A♠**, the decision table's choice, wins most often, in 15 of 20 searches "
        "(75.0%, 95 %: 50.9% to 91.3%)."
    )
    assert "2♠, the card played, wins 5 of 20" in told(
        {"SA": 15, "S2": 5}, choice="SA", played="S2"
    )


def test_another_card_that_leads_alone_is_named():
    found = told({"SA": 15, "S2": 5}, choice="S2")
    assert found.startswith("**2♠**, the decision table's choice, wins 5 of 20")
    assert found.endswith("A♠ wins most often, in 15 of 20 searches (75.0%, 95 %: 50.9% to 91.3%).")


def test_a_tie_with_the_choice_among_the_first():
    found = told({"SA": 10, "S2": 10}, choice="SA")
    assert "wins most often" not in found
    assert "A♠ and 2♠ tie for the most wins, each 10 of 20" in found
