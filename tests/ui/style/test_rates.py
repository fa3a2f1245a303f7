"""One player on the Style page: as a group beside the people of a log, and by rates."""

import re

import pytest
import streamlit as st

from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules
from spades.notation.parquet import save_log
from tests.pages.apps import address, charts, open_page, texts

RATES = ("Rate", "Player", "Cohort", "Distance", "Percentile")


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    for name, agents in (("mine", ("srp+bis", "human") * 2), ("bots", ("srp+bis",) * 4)):
        log = play_games(Seating(tuple(map(parse_agent, agents)), Rules(target=200)), 1, 0, 4).log()
        save_log(log, tmp_path / f"{name}.parquet", provenance={})
    yield tmp_path
    st.cache_data.clear()
    st.cache_resource.clear()


def table_with(page, *columns):
    frames = [frame.value for frame in page.dataframe]
    return next(frame for frame in frames if {*columns} <= set(frame.columns))


def show(**query):
    return open_page("3_Style", {"view": "rates", **query})


def test_an_old_link_shows_rates_with_n_interval_and_percentile(logs):
    at = show(log="mine", player="srp+bis", cohort="mine")
    table = table_with(at, *RATES)
    assert list(table.columns) == list(RATES)
    assert len(table) == 5
    points = table.set_index("Rate").loc["Points a round, own side less the other"]
    assert ", n = " in points["Player"]
    written = [points[who].split(" (")[0] for who in ("Player", "Cohort")]
    sums = [float(text.replace("−", "-")) for text in written]
    assert sums[0] == pytest.approx(-sums[1])  # what one side wins the other loses
    assert points["Distance"].startswith("+" if sums[0] > 0 else "−")
    assert address(at)["player"] == "srp+bis"
    assert "from" not in address(at)
    assert not at.warning


def test_a_player_is_a_group_beside_the_others(logs):
    at = show(log="mine", player="human", cohort="mine")
    assert "There are no other people in mine" in "".join(one.value for one in at.info)
    at = show(log="mine", player="srp+bis", cohort="mine")
    said = re.search(
        r"srp\+bis and Other simulated humans of mine are ([\d.]+) nats apart", texts(at)
    )
    pair = table_with(at, "kl", "of", "to").iloc[0]
    assert float(said[1]) == pytest.approx(pair["kl"], abs=5.1e-5)
    sizes = table_with(at, "kl_halves").set_index("group")["decisions"]
    rounds = int(table_with(at, *RATES).iloc[0]["Player"].rpartition("n = ")[2])
    assert sizes["srp+bis"] == 13 * rounds


@pytest.mark.slow
def test_the_others_of_another_log_are_all_its_people(logs):
    at = show(log="bots", player="srp+bis", cohort="mine")
    sizes = table_with(at, "kl_halves").set_index("group")["decisions"]
    assert list(sizes.index) == ["srp+bis", "Simulated humans of mine"]
    human = show(log="mine", player="srp+bis", cohort="mine")
    others = table_with(human, "kl_halves").set_index("group")["decisions"]
    assert sizes["Simulated humans of mine"] == others["Other simulated humans of mine"]


def test_a_rate_is_drawn_over_the_rounds_in_order(logs):
    at = show(log="mine", player="srp+bis", cohort="mine", rate="bags")
    figure = charts(at)["rate_over_rounds"]
    assert figure["layout"]["xaxis"]["title"]["text"] == "the player's rounds, in the log's order"
    assert address(at)["rate"] == "bags"


def test_a_cohort_without_people_is_said(logs):
    at = show(log="mine", player="srp+bis", cohort="bots")
    assert not at.dataframe
    assert "There are no other people in bots" in "".join(one.value for one in at.info)


@pytest.mark.slow
def test_the_usual_cohort_is_another_log():
    at = show(log="human-south")
    assert at.selectbox(key="style_cohort").value == "four-humans"
    at = show(log="four-humans")
    assert at.selectbox(key="style_cohort").value == "human-south"


def test_without_a_log_the_page_says_where_logs_come_from(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    at = show(log="x")
    assert not at.exception
    assert "No logs yet" in texts(at)
