"""The Data page, and rounds of a log in Replay."""

import time

import pytest
import streamlit as st

from analysis.logs.simulate import SimulationPlan, parts_folder, simulate
from spades.agents import Seating, parse_agent, play_range
from spades.core.rules import Rules
from spades.notation import format_records
from spades.notation.log_store import list_logs, open_log, store_log
from tests.analysis.workers import InProcess
from tests.pages.apps import open_page
from ui.data import simulate as data_simulate
from ui.shared.jobs import job_book
from ui.shared.records import DEFAULT_HAND

SEATS = ("north", "east", "south", "west")
HUMANS = Seating(tuple(parse_agent("human") for _ in range(4)), Rules())


def page(**query):
    return open_page("9_Data", query)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    st.cache_data.clear()
    st.cache_resource.clear()
    return tmp_path


@pytest.fixture
def small_log(store):
    log = play_range(HUMANS, 1, 0, 30, unit="rounds")
    store_log(log, "small", {"command": "made by a test"})
    return log


def test_an_empty_store_says_what_to_do(store):
    assert "No logs yet" in page().info[0].value


def test_logs_are_listed_and_one_is_described(small_log):
    at = page(log="small")
    assert at.dataframe[0].value["rounds"].tolist() == [30]
    summary = dict(at.dataframe[1].value.itertuples(index=False))
    assert summary["complete rounds"] == "30"
    assert summary["S played by"] == "simulated-human human (30)"


def test_pasted_rounds_are_stored_and_refused_ones_reported_by_line(store, small_log):
    text = format_records(list(small_log.records())[:3], "jsonl")
    at = page(tab="import")
    at.text_input(key="data_import_name").input("mine")
    at.text_area(key="data_paste").input(text + '{"schema_version": 1}\n')
    next(button for button in at.button if button.label == "Import").click().run()
    assert not at.exception
    assert "3 rounds stored as mine" in at.success[0].value
    assert "1 refused" in at.error[0].value
    assert at.dataframe[0].value["line"].tolist() == [4]
    assert len(open_log("mine")) == 3


def test_two_imports_under_one_name_keep_both(store, small_log):
    entries = [store_log(small_log, "twice", {}) for _ in range(2)]
    assert len({entry.name for entry in entries}) == 2
    assert len(list_logs()) == 3


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_generating_a_log_shows_progress_and_stores_it(store):
    at = page(tab="generate")
    for seat in SEATS:
        at.text_input(key=f"data_{seat}").input("human")
    at.number_input(key="data_count").set_value(40)
    at.selectbox(key="data_unit").select("rounds")
    at.text_input(key="data_name").input("made here")
    next(button for button in at.button if button.label == "Generate").click().run()
    assert not at.exception
    until = time.monotonic() + 90
    while not list_logs() and time.monotonic() < until:
        time.sleep(0.2)
    assert len(open_log("made-here")) == 40


def test_what_is_to_be_generated_is_in_the_address(store):
    link = {"tab": "generate", "west": "random", "count": "7", "unit": "rounds", "name": "mine"}
    at = page(**link)
    assert at.text_input(key="data_west").value == "random"
    assert at.number_input(key="data_count").value == 7
    at.text_input(key="data_east").input("human")
    next(button for button in at.button if button.label == "Generate").click().run()
    assert dict(at.query_params) == {**link, "east": "human"}


def test_a_name_under_way_is_not_given_twice(small_log, monkeypatch):
    assert data_simulate.free_name("Small") == "small-2"
    monkeypatch.setattr(data_simulate, "_names_under_way", lambda: {"small-2", "new"})
    assert data_simulate.free_name("Small") == "small-3"
    assert data_simulate.free_name("new") == "new-2"


def test_an_import_during_a_generation_keeps_its_rounds(store, small_log, monkeypatch):
    def store_another():
        assert store_log(small_log, "my-games").name == "my-games"

    InProcess(monkeypatch).during.append(store_another)
    at = page(tab="generate", count="4", unit="rounds", name="my-games")
    for seat in SEATS:
        at.text_input(key=f"data_{seat}").input("human")
    next(button for button in at.button if button.label == "Generate").click().run()
    (job,) = job_book().jobs()
    until = time.monotonic() + 60
    while not job.is_finished and time.monotonic() < until:
        time.sleep(0.05)
    at.run()
    assert list(open_log("my-games").records()) == list(small_log.records())
    assert len(open_log("my-games-2")) == 4
    told = " ".join(element.value for element in at.markdown).replace("\\", "")
    assert "my-games-2 (my-games was taken meanwhile): 4 rounds: done" in told


@pytest.fixture
def played_here(monkeypatch):
    """Parts are played in this process."""

    InProcess(monkeypatch)


@pytest.mark.parametrize("is_whole", [True, False])
def test_only_what_has_no_log_yet_goes_on(store, played_here, monkeypatch, is_whole):
    plan = SimulationPlan(("human",) * 4, 4, unit="rounds")
    with monkeypatch.context() as patch:  # killed before its parts were removed
        patch.setattr("analysis.logs.simulate.shutil.rmtree", lambda path: None)
        simulate(plan, store / "mine.parquet")
    assert parts_folder(store / "mine.parquet").is_dir()
    if not is_whole:
        (store / "mine.parquet").unlink()
    at = page(tab="generate")
    told = [text.value for text in at.markdown if "was interrupted" in text.value]
    assert len(told) == (0 if is_whole else 1)
    assert ("Go on" in [button.label for button in at.button]) == (not is_whole)


def test_agents_that_are_none_are_refused_on_the_page(store):
    at = page(tab="generate")
    at.text_input(key="data_north").input("ghost")
    next(button for button in at.button if button.label == "Generate").click().run()
    assert "ghost" in at.error[0].value
    assert not list_logs()


def test_a_round_of_a_log_opens_by_link(small_log):
    at = open_page("", {"log": "small", "round": "7", "ply": "3", "iterations": "100"})
    assert not at.warning
    assert at.session_state["replay_hand"].record == small_log.record(7)
    assert "log.small.7" in at.query_params["hand"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"log": "none", "round": "0"}, "no log"),
        ({"hand": "log.none.0"}, "no log"),
        ({"hand": "log.../../etc/passwd.0"}, "log"),
    ],
)
def test_links_to_logs_that_are_not_there_say_so(small_log, query, message):
    at = open_page("", {**query, "iterations": "100"})
    assert message in at.warning[0].value.replace("\\", "")
    assert at.session_state["replay_hand"].name == DEFAULT_HAND


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ({"log": "small", "round": "30"}, 29),
        ({"log": "small", "round": "-1"}, 0),
        ({"hand": "log.small.999999"}, 29),
    ],
)
def test_links_beyond_a_log_show_its_nearest_round(small_log, query, nearest):
    at = open_page("", {**query, "iterations": "100"})
    told = at.warning[0].value.replace("\\", "")
    assert "0 to 29" in told
    assert f"log.small.{nearest}" in told
    assert at.session_state["replay_hand"].record == small_log.record(nearest)


def test_a_log_that_is_not_there_is_told_and_leaves_the_address(small_log):
    at = page(log="nosuch")
    assert "nosuch" in at.warning[0].value
    assert dict(at.query_params) == {}


def test_how_close_simulated_humans_come_is_told_where_one_is_generated(store):
    at = page(tab="generate")
    assert any("How close simulated humans" in folded.label for folded in at.expander)
    assert at.dataframe[0].value["Achieved"].tolist()[2].startswith("63.13 %")
    bots = page(tab="generate", south="ismcts:iterations=100")
    assert not bots.expander


@pytest.mark.parametrize(
    ("agent", "is_human"),
    [("human", True), ("ismcts+human", True), ("ismcts:model=human", False), ("random", False)],
)
def test_which_agents_are_simulated_humans(agent, is_human):
    assert data_simulate.is_human(agent) == is_human
