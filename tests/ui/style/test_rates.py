"""Rates of a player against a cohort on the Style page."""

import pytest
import streamlit as st

from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules
from spades.notation.parquet import save_log
from tests.pages.apps import open_page, texts


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    for name, agents in (("mine", ("srp+bis", "human") * 2), ("bots", ("srp+bis",) * 4)):
        log = play_games(Seating(tuple(map(parse_agent, agents)), Rules(target=200)), 1, 0, 4).log()
        save_log(log, tmp_path / f"{name}.parquet", provenance={})
    yield tmp_path
    st.cache_data.clear()


def test_rates_are_shown_with_n_interval_and_percentile(logs):
    at = open_page(
        "3_Style", {"view": "rates", "log": "mine", "player": "srp+bis", "cohort": "mine"}
    )
    (table,) = at.dataframe
    assert list(table.value.columns) == ["Rate", "Player", "Cohort", "Percentile"]
    assert len(table.value) == 5
    first = table.value.iloc[0]
    assert first["Rate"].startswith("Points a round")
    assert ", n = " in first["Player"]
    points = [float(first[who].split(" (")[0]) for who in ("Player", "Cohort")]
    assert points[0] == pytest.approx(-points[1])  # what one side wins the other loses
    assert "by chance alone" in texts(at)


def test_a_cohort_without_people_is_said(logs):
    query = {"view": "rates", "log": "mine", "player": "srp+bis", "cohort": "bots"}
    at = open_page("3_Style", query)
    assert not at.dataframe
    assert "no whole round of people" in "".join(one.value for one in at.info)


def test_without_a_log_the_page_says_where_logs_come_from(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    at = open_page("3_Style", {"view": "rates", "log": "x"})
    assert not at.exception
    assert "No logs yet" in texts(at)
