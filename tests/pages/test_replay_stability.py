"""The panel of decision stability: asked for, stopped, gone on with, hidden where it must be."""

import time

import pytest

from analysis import stability
from tests.pages.replay import TIMEOUT, address, click, open_replay, run, searched

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
    monkeypatch.setattr(stability, "new_search", lambda *a, **k: pytest.fail("searched too early"))
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
    assert f"wins {found['wins'].iloc[0]} of 20 searches" in words(app).replace("\\", "")
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


def test_another_visitor_finds_what_was_kept():
    first = table(ended(click(opened(), "Search 20 times")))
    import streamlit as st

    st.cache_resource.clear()
    assert table(opened()).equals(first)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"spoiler": "1"}, "Hidden in spoiler mode"),
        ({"view": "own", "seat": "W"}, "decides here, and those cards are hidden"),
        ({"ply": "52"}, "No play is left here"),
        ({"ply": "51"}, "nothing to choose"),
    ],
)
def test_it_says_why_there_is_nothing(query, said):
    app = opened(**query)
    assert said in words(app)
    assert not [button for button in app.button if "times" in button.label]


@pytest.mark.parametrize(
    ("name", "value", "legal"),
    [
        ("searches", "7", "one of 20, 100, 300, 1000"),
        ("stability", "yes", "one of 0, 1"),
    ],
)
def test_a_bad_link_is_told(name, value, legal):
    app = open_replay(**{"hand": "four-bots", "iterations": "100", name: value})
    assert legal in app.warning[0].value.replace("\\", "")
