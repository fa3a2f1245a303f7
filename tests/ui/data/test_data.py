"""The Data page in three visits: logs and imports, a log generated, and by real workers."""

import json
import os
import time

import pytest
import streamlit as st

from analysis.logs.simulate import SimulationPlan, parts_folder, simulate
from spades.agents import Seating, parse_agent, play_range
from spades.core.rules import Rules
from spades.notation import format_records, read_text
from spades.notation.log_store import list_logs, open_log, store_log
from tests.analysis.workers import InProcess
from tests.pages.apps import address, button, open_page, run, see_ended, texts
from ui.data import logs as data
from ui.replay.state import parse_link
from ui.shared import template
from ui.shared.jobs import page_jobs
from ui.shared.records import DEFAULT_HAND, shipped_hands

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


def press(at, label):
    button(at, label).click()
    return run(at)


def ticked(at):
    """The list of logs, and the name of the one that is ticked."""
    table = next(one for one in at.dataframe if "made by" in one.value)
    names = table.value["log"].tolist()
    default = json.loads(table.proto.selection_default)
    return table.value, [names[row] for row in default["selection"]["rows"]]


def paste(at, text, name=""):
    """Import a pasted text, from the view Import."""
    at.button_group(key="data_view").set_value("import")
    run(at)
    at.text_input(key="data_import_name").input(name)
    at.text_area(key="data_paste").input(text)
    return press(at, "Import")


def test_logs_are_listed_and_the_one_in_hand_is_described(store):
    assert "No logs yet" in page().info[0].value
    log = play_range(HUMANS, 1, 0, 30, unit="rounds")
    for name in ("small", "twin"):
        store_log(log, name, {"command": "made by a test"})
    at = page(log="nosuch")
    assert "log=nosuch; small, twin are legal. Shown: small" in texts(at)
    listed, chosen = ticked(at)
    assert (listed["log"].tolist(), chosen) == (["small", "twin"], ["small"])
    assert "small: 30 rounds in 30 games" in texts(at)
    rows = {"selection": {"rows": [1], "columns": [], "cells": []}}
    at.session_state["logs_small_2_table"] = rows
    run(at)
    assert address(at) == {"log": "twin"}
    assert ticked(at)[1] == ["twin"]
    at.session_state["data_contents"] = True
    run(at)
    summary = next(one.value for one in at.dataframe if "what" in one.value)
    described = dict(summary.itertuples(index=False))
    assert described["complete rounds"] == "30"
    assert described["S played by"] == "simulated-human human (30)"


def test_an_import_is_ticked_described_and_answered(small_log):
    text = format_records(list(small_log.records())[:3], "jsonl")
    at = paste(page(), text + '{"schema_version": 1}\n', "mine")
    assert "3 rounds stored as mine" in at.success[0].value
    assert "1 refused, 0 remarks" in at.error[0].value
    refused = next(one.value for one in at.dataframe if "line" in one.value)
    assert refused["line"].tolist() == [4]
    assert len(open_log("mine")) == 3
    assert address(at) == {"log": "mine"}
    listed, chosen = ticked(at)
    assert chosen == ["mine"]
    assert dict(zip(listed["log"], listed["made by"], strict=True)) == {
        "mine": "import of pasted (jsonl)",
        "small": "made by a test",
    }
    assert "repeat" not in texts(at)
    paste(at, text, "mine")  # once more: it is said, and counted once
    assert ticked(at)[1] == ["mine-2"]
    assert "3 rounds repeat another of mine" in texts(at)
    paste(at, format_records(list(small_log.records())[:1], "jsonl"), "one")
    assert "1 round stored as one" in at.success[0].value
    assert "one: 1 round in 1 game" in texts(at)
    assert "Few games" in texts(at)


def test_a_table_of_other_columns_is_told_which_are_wanted(store):
    at = paste(page(), "who,seat,card\nann,N,S2\n")
    assert "CSV template" in [button.label for button in at.get("download_button")]
    (refusal,) = read_text("who,seat,card\nann,N,S2\n", name="table.csv").refused
    assert refusal.reason == (
        "the columns game, round, trick, led suit, bid, player, kind are missing; found are "
        "'who, seat, card'; game, round, trick, seat, card, led suit, bid, player, kind are needed"
    )
    assert f"Nothing is stored: line 1: {refusal.reason}" in texts(at)
    assert "*game*, *round*, *trick*, *seat*, *card*" in texts(at)
    assert not list_logs()


def test_the_template_of_a_table_reads_back():
    reading = read_text(template.csv_template(), name="template.csv")
    assert not reading.refused
    assert reading.notation == "csv"
    (record,) = reading.records
    assert record.plays == shipped_hands()[template.HAND].plays


def test_file_names_that_are_not_utf8_are_listed_escaped(store, small_log):
    odd = os.fsdecode(b"caf\xe9.parquet")
    (store / odd).write_bytes(b"x")
    parts_folder(store / odd).mkdir()
    plan = SimulationPlan(("human",) * 4, 4, unit="rounds")
    (parts_folder(store / odd) / "plan.json").write_text(plan.stamp())
    at = page(log="small")
    table = at.dataframe[0].value
    assert table["log"].tolist() == ["caf\\udce9", "small"]
    assert "can't be opened" in table["made by"][0]
    assert "was interrupted" not in texts(page(view="generate"))


def test_two_imports_under_one_name_keep_both(small_log):
    entries = [store_log(small_log, "twice", {}) for _ in range(2)]
    assert len({entry.name for entry in entries}) == 2
    assert len(list_logs()) == 3


def test_a_log_is_generated_as_the_link_says(store, small_log, monkeypatch):
    """While it is, another log takes its name; a simulation that was killed can go on."""
    played = InProcess(monkeypatch)
    with monkeypatch.context() as patch:  # killed before its parts were removed
        patch.setattr("analysis.logs.simulate.shutil.rmtree", lambda path: None)
        for name in ("whole", "parts"):
            plan = SimulationPlan(("human",) * 4, 4, unit="rounds")
            simulate(plan, store / f"{name}.parquet")
            assert parts_folder(store / f"{name}.parquet").is_dir()
    (store / "parts.parquet").unlink()
    link = {
        "view": "generate",
        "west": "random",
        "count": "4",
        "unit": "rounds",
        "name": "my-games",
    }
    at = page(**link)
    assert at.text_input(key="data_west").value == "random"
    assert at.number_input(key="data_count").value == 4
    assert [one.value for one in at.markdown if "was interrupted" in one.value] == [
        "**parts** was interrupted: 4 rounds"
    ]
    assert [one.label for one in at.button].count("Go on") == 1
    assert any("How close simulated humans" in folded.label for folded in at.expander)
    assert at.dataframe[0].value["Achieved"].tolist()[2].startswith("63.13%")
    for typed in (0, 2.5, 1e20):
        at.number_input(key="data_count").set_value(typed)
        press(at, "Generate")
        assert "1 to 1,000,000 are legal" in at.error[0].value.replace("\\", "")
    assert not page_jobs().jobs()
    at.number_input(key="data_count").set_value(4)
    at.text_input(key="data_north").input("ghost")
    press(at, "Generate")
    assert "ghost" in at.error[0].value
    assert "my-games" not in {entry.name for entry in list_logs()}
    for seat in ("north", "east", "south"):
        at.text_input(key=f"data_{seat}").input("random")
    played.during.append(lambda: store_log(small_log, "my-games"))
    press(at, "Generate")
    assert address(at) == {**link, "north": "random", "east": "random", "south": "random"}
    assert not at.expander  # no simulated human plays
    see_ended(at)
    assert "**my-games-2** is generated" in texts(at)
    assert list(open_log("my-games").records()) == list(small_log.records())
    assert len(open_log("my-games-2")) == 4
    assert "my-games-2 (my-games was taken meanwhile): 4 rounds: done" in texts(at)


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_workers_generate_a_log(store):
    at = page(view="generate", count="40", unit="rounds", name="made here")
    for seat in SEATS:
        at.text_input(key=f"data_{seat}").input("human")
    press(at, "Generate")
    until = time.monotonic() + 90
    while not list_logs() and time.monotonic() < until:
        time.sleep(0.2)
    assert len(open_log("made-here")) == 40


def test_a_name_of_a_log_being_made_is_not_given_twice(small_log, monkeypatch):
    assert data.free_name("Small") == "small-2"
    monkeypatch.setattr(data, "names_being_made", lambda: {"small-2", "new"})
    assert data.free_name("Small") == "small-3"
    assert data.free_name("new") == "new-2"


@pytest.mark.parametrize(
    ("agent", "is_human"),
    [("human", True), ("ismcts+human", True), ("ismcts:model=human", False), ("random", False)],
)
def test_which_agents_are_simulated_humans(agent, is_human):
    assert data.is_human(agent) == is_human


def test_a_round_of_a_log_opens_in_replay(small_log):
    values, step, complaints = parse_link({"log": "small", "round": "7", "ply": "3"})
    assert not complaints
    assert (values["hand"].name, step) == ("log.small.7", 3)
    assert values["hand"].record == small_log.record(7)


@pytest.mark.parametrize(
    ("query", "words", "shown"),
    [
        ({"log": "none", "round": "0"}, "no log", DEFAULT_HAND),
        ({"hand": "log.none.0"}, "no log", DEFAULT_HAND),
        ({"hand": "log.../../etc/passwd.0"}, "log", DEFAULT_HAND),
        ({"log": "small", "round": "30"}, "0 to 29", "log.small.29"),
        ({"log": "small", "round": "-1"}, "0 to 29", "log.small.0"),
        ({"hand": "log.small.999999"}, "0 to 29", "log.small.29"),
    ],
)
def test_links_to_rounds_that_are_not_there_show_the_nearest(small_log, query, words, shown):
    values, _, (complaint,) = parse_link(query)
    assert words in complaint
    assert complaint.endswith(f"Shown: {shown}.")
    assert values["hand"].name == shown
    if shown != DEFAULT_HAND:
        assert values["hand"].record == small_log.record(int(shown.rpartition(".")[2]))
