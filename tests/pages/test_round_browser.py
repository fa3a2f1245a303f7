import pytest
import streamlit as st

from spades.notation.log_store import store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, open_page
from ui.replay import toolbar
from ui.shared.records import rounds_of


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    st.cache_data.clear()
    st.cache_resource.clear()
    found = random_log(23)
    store_log(found, "small")
    return found


@pytest.fixture
def page(log, monkeypatch):
    monkeypatch.setattr(toolbar, "MAX_SHOWN", 10)
    return follow()


def number(page, label):
    return next(box for box in page.number_input if box.label.startswith(label))


def shown(page):
    """The table of rounds."""
    tables = (table.value for table in page.dataframe)
    return next(table for table in tables if {"round", "game"} <= set(table.columns))


def test_a_round_opens_by_its_number(page, log):
    box = number(page, "Round, of 23")
    assert (box.min, box.max) == (0, 22)
    assert "from 0" in box.help
    box.set_value(22).run()
    assert not page.exception
    assert page.session_state["replay_hand"].record == log.record(22)
    assert page.query_params["hand"] == "log.small.22"


def test_every_round_is_on_a_page(page):
    assert shown(page)["round"].tolist() == list(range(10))
    number(page, "Page, of 3").set_value(3).run()
    assert not page.exception
    assert shown(page)["round"].tolist() == [20, 21, 22]


def test_a_game_is_found_by_its_name(page, log):
    game = log.record(21).game_id
    page.text_input(key="replay_browse_game").set_value(game).run()
    assert not page.exception
    rounds = rounds_of("small")
    assert shown(page)["round"].tolist() == rounds["round"][rounds["game"] == game].tolist()


def follow(**query):
    return open_page("", {"iterations": "100", **query})


def chosen(page):
    """What the address says of the round browser."""
    return {name: v for name, v in address(page).items() if name.startswith("browse")}


def test_what_is_looked_through_is_in_the_address(page, log):
    assert chosen(page) == {}
    number(page, "Page, of 3").set_value(2).run()
    assert chosen(page) == {"browse_page": "2"}
    page.selectbox(key="replay_browse").set_value("nil").run()
    assert chosen(page) == {"browse": "nil"}  # other rounds, from their first page on
    game = log.record(21).game_id
    page.selectbox(key="replay_browse").set_value("all").run()
    page.text_input(key="replay_browse_game").set_value(game).run()
    assert chosen(page) == {"browse_game": game}


def test_a_link_shows_the_same_rounds(page, log):
    store_log(random_log(5), "another")  # now the first
    again = follow(browse_log="small", browse_page="3")
    assert not again.warning
    assert shown(again)["round"].tolist() == [20, 21, 22]
    assert chosen(again) == {"browse_log": "small", "browse_page": "3"}
    rounds = rounds_of("small")
    nils = rounds["round"][rounds["nil"] != ""].tolist()
    found = follow(browse_log="small", browse="nil")
    assert shown(found)["round"].tolist() == nils[:10]
    number(found, "Round, of 23").set_value(4).run()
    assert found.query_params["hand"] == "log.small.4"
    assert chosen(found) == {"browse": "nil"}  # the log on the table is the usual one


@pytest.mark.parametrize(
    ("name", "value", "words", "kept"),
    [
        ("browse_log", "nowhere", "browse_log=nowhere; legal is one of (nothing), small", {}),
        ("browse_page", "9", "legal is 1 to 3 for these rounds. Shown: 3", {"browse_page": "3"}),
    ],
)
def test_a_link_to_rounds_that_are_not_there_says_so(page, name, value, words, kept):
    at = follow(**{name: value})
    (warning,) = at.warning
    assert words in warning.value.replace("\\", "")
    assert chosen(at) == kept
