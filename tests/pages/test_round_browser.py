from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from spades.log_store import store_log
from tests.analysis.styles import random_log
from ui import round_browser
from ui.replay_data import round_data
from ui.stored_logs import rounds_of

APP = str(Path(__file__).parents[2] / "app.py")


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
    monkeypatch.setattr(round_browser, "MAX_SHOWN", 10)
    at = AppTest.from_file(APP, default_timeout=90)
    at.query_params["iterations"] = "100"
    at.run()
    assert not at.exception
    return at


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
    page.text_input(key="replay_game").set_value(game).run()
    assert not page.exception
    rounds = rounds_of("small")
    assert shown(page)["round"].tolist() == rounds["round"][rounds["game"] == game].tolist()


def test_the_kind_of_a_player_is_not_repeated_as_the_name():
    kinds = ("simulated-human", "simulated-human", "bot", "human")
    names = ("simulated human", "human", "ismcts", "Ann")
    record = random_log(1, kinds=kinds, players=names).record(0)
    assert [seat["name"] for seat in round_data(record)["seats"]] == ["", "", "ismcts", "Ann"]
