"""The Disagreements page under AppTest: what is shown, searched, damaged, and drawn in time."""

import json
import os
import re
import shutil
import sqlite3
import threading
import time
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
import streamlit as st

from analysis.decisions.lenses import LABELS
from analysis.decisions.settings import STUDIED_AGENT
from analysis.disagreements import stored
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.search import run_log_search
from analysis.disagreements.search_log import main
from analysis.disagreements.stored import find, round_kind, shipped
from analysis.runs.store import ResultStore
from spades.core.cards import SEATS
from spades.look.words import pretty
from spades.notation.log_store import open_log
from tests.analysis.disagreements.quick import LEAST
from tests.behaviours import change_behaviour
from tests.pages.apps import address, run, say, see_ended, texts
from tests.ui.disagreements.page import AGENT, N_PLAYS, PLAN, page, stores_apart, use_stores
from ui.disagreements import controls
from ui.disagreements import listed as list_module
from ui.disagreements import page as list_page
from ui.disagreements.listed import listed_places
from ui.replay.state import OpenHand, parse_link
from ui.shared.jobs import POLL_SECONDS, page_jobs

HOW = ["--agent", AGENT, "--seed", "5", "--played-on", f"{PLAN.played_on}"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, request):
    """The page's stores."""
    return stores_apart(tmp_path, monkeypatch, getattr(request, "param", N_PLAYS))


@pytest.fixture
def searched(tmp_path, monkeypatch, searched_stores):
    """The page's stores, in which ``PLAN`` is searched."""
    folder = tmp_path / "searched"
    shutil.copytree(searched_stores, folder)
    use_stores(folder, monkeypatch)
    stored.forget_checks()
    return folder


def listed(at):
    """What the list is sent."""
    sent = (json.loads(one.proto.json) for one in at.get("bidi_component"))
    return next(data for data in sent if "rows" in data)


def rows(at):
    """The rows of the list as a table; ``worth``: what they are sorted by."""
    table = pd.DataFrame(listed(at)["rows"])
    links = [parse_qs(urlsplit(link).query) for link in table["href"]]
    return table.assign(
        worth=[abs(float(text.replace("−", "-"))) for text in table["first"]],
        round=[int(link["round"][0]) for link in links],
        ply=[int(link["ply"][0]) for link in links],
    )


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def choose(at, kind, key, value):
    getattr(at, kind)(key=f"disagreements_{key}").set_value(value)
    return run(at)


def press(at, label):
    next(button for button in at.button if button.label == label).click()
    return run(at)


@pytest.mark.slow
@pytest.mark.parametrize("here", [18], indirect=True)
def test_what_was_searched(here):
    """Rows and charts in every order, filters, links."""
    run_log_search(PLAN)
    (here / "logs" / os.fsdecode(b"caf\xe9.parquet")).write_bytes(b"not a name in UTF-8")
    at = page(seed="-3", lens="cheats,bag", agent="ismcts:playout=**bold**", played_on="3000")
    assert "seed=-3; 0 to 2,147,483,647 are legal. Shown: 0." in texts(at)
    assert f"played_on=3000; {LEAST} to 2,000 are legal. Shown: 2000." in texts(at)
    assert "playout is '**bold**'" in texts(at)
    assert any("\\*\\*bold" in block.value for block in at.warning)
    assert at.session_state["disagreements_lens"] == ["bag"]
    at = page()
    rows_are_biggest_first_and_lead_to_replay(at)
    order_filters_and_charts_are_in_the_address(at)
    lenses_count_the_same_in_chart_and_list(at)
    before = rows(at)
    choose(at, "selectbox", "model", "devlin2016")  # needs no new search
    assert "human model devlin2016-nil" not in texts(at)
    assert rows(at)["human_share"].tolist() != before["human_share"].tolist()
    choose(at, "selectbox", "model", "devlin2016-nil")
    assert rows(at).equals(before)
    choose(at, "multiselect", "kind", ["human"])
    assert "No decision passes these filters" in texts(at)


def rows_are_biggest_first_and_lead_to_replay(at):
    assert "4 of 12 rounds searched" in texts(at)
    assert "Simulated humans" in texts(at)
    assert "human model devlin2016-nil" in texts(at)
    table = rows(at)
    assert table["worth"].is_monotonic_decreasing
    assert set(table["round"]) == {0, 1, 2, 3}
    assert (table["best"] != table["human"]).all()
    assert (table["reason"] != "").all()
    assert (table["worth"] > 1).all()
    assert "with an interval above 0" in texts(at)
    assert re.search(rf"{len(table)} of \d+ decisions are disagreements of at least", texts(at))
    link = parse_qs(urlsplit(table["href"][0]).query)
    place = {"log": ["tiny"], "round": [str(table["round"][0])], "ply": [str(table["ply"][0])]}
    (source,) = link.pop("list")
    assert link == {**place, "iterations": ["100"], "seed": ["5"], "model": ["devlin2016-nil"]}
    assert listed_places(source) == tuple(zip(table["round"], table["ply"], strict=True))
    assert len([trace for trace in figure(at)["data"] if trace["type"] == "bar"]) == 5
    rows_show_their_positions(table)


def rows_show_their_positions(table):
    log = open_log("tiny")
    for row in table.itertuples():
        seen = log.record(row.round).observation(row.ply)
        legal = [card for _, cards in row.legal for _, card in cards]
        assert set(legal) == set(seen.legal)
        shown = [f"{rank}{suit}" for suit, cards in row.legal for rank, _ in cards]
        assert {*row.best, *row.human, *row.played} <= set(shown)
        assert [card for _, card in row.trick] == list(map(pretty, seen.trick))
        assert row.seat[0] == SEATS[seen.seat]
        assert row.number == row.ply // 4 + 1
        underlined = {mark: [] for mark in ("good", "worse")}
        for card, mark in row.marks.items():
            underlined[mark].append(pretty(card))
        assert sorted(underlined["good"]) == sorted(row.best)
        assert sorted(underlined["worse"]) == sorted(row.human)


def order_filters_and_charts_are_in_the_address(at):
    choose(at, "button_group", "by", "divergence")
    assert rows(at)["worth"].is_monotonic_decreasing
    assert rows(at)["worth"].max() <= 1, "bits"
    choose(at, "button_group", "by", "stakes")
    choose(at, "number_input", "points", 20.0)
    assert rows(at)["worth"].min() >= 20
    choose(at, "multiselect", "seat", ["S"])
    assert set(rows(at)["seat"]) == {"South"}
    assert rows(at)["about"].str.endswith("simulated human").all()
    choose(at, "multiselect", "seat", [])
    choose(at, "number_input", "points", 0.0)
    n_all = len(rows(at))
    choose(at, "number_input", "points", 20.0)
    n_big = len(rows(at))
    assert f"{n_big} of " in texts(at)
    assert f"at least 20 points ({n_all - n_big} are smaller)" in texts(at)
    choose(at, "number_input", "points", 0.0)
    choose(at, "multiselect", "class", ["finds"])
    assert 0 < len(rows(at)) < n_all
    wanted = {"points": "0", "class": "finds"}
    assert wanted.items() <= address(at).items()
    choose(at, "number_input", "points", 400.0)
    assert "0 of " in texts(at)
    assert "disagreements of at least 400 points" in texts(at)
    choose(at, "selectbox", "lens_of", "played")
    for chart, n in (("class", 3), ("lens", 6)):
        choose(at, "button_group", "chart", chart)
        (trace,) = figure(at)["data"]
        assert len(trace["text"]) == n
        assert "bootstrap over rounds" in texts(at)
    for kind, key, value in (
        ("selectbox", "lens_of", "human"),
        ("multiselect", "class", []),
        ("number_input", "points", 1.0),
    ):
        choose(at, kind, key, value)


def lenses_count_the_same_in_chart_and_list(at):
    told = "The filters by class, lens and least value apply to the list only"
    (trace,) = figure(at)["data"]
    n, label = max((int(n), label) for n, label in zip(trace["text"], trace["y"], strict=True))
    name = next(name for name, text in LABELS.items() if text == label)
    choose(at, "multiselect", "lens", [name])
    limit = float(int(rows(at)["worth"].max()))
    choose(at, "number_input", "points", limit)
    found = len(rows(at))
    assert 0 < found <= n
    of_least = f"disagreements of at least {limit:g} point"
    assert f"{found} of " in texts(at)
    assert of_least in texts(at)
    assert told in texts(at)
    choose(at, "multiselect", "lens", [])
    choose(at, "number_input", "points", 1.0)


DAMAGES = ("substr(answer, 1, 200)", "''", "replace(answer, '1', '2')")


def damage(rounds, answer):
    """Change stored answers, as a failing disk may, before the server starts again."""
    with sqlite3.connect(ResultStore().path) as connection:
        for index in rounds:
            connection.execute(
                f"UPDATE results SET answer = {answer} WHERE kind = ? AND question = ?",
                (round_kind(PLAN.key), f'{{"round":{index}}}'),
            )
    connection.close()
    stored.forget_checks()


@pytest.mark.slow
@pytest.mark.usefixtures("searched")
def test_damaged_rounds_are_left_out():
    at = page()
    whole = rows(at)
    for answer in DAMAGES:
        damage([0, 1], answer)
        choose(at, "number_input", "rounds", 4)
        assert set(rows(at)["round"]) == {2, 3}
        assert len(rows(at)) == (whole["round"] >= 2).sum()
        assert "2 stored rounds are damaged" in texts(at)
        assert re.search(r"round 0: result \w+ is damaged", texts(at))
        assert "2 of 12 rounds searched" in texts(at)
        assert "2 of 4 rounds are to be searched" in texts(at)
        run_log_search(PLAN)
        run(at)
        assert "damaged" not in texts(at)
        assert rows(at).equals(whole)
    damage(range(4), "''")
    assert "4 stored rounds are damaged" in texts(run(at))
    assert "Nothing of this log is searched yet" in texts(at)


def stored_rounds():
    """When each searched round was stored, by its key."""
    return ResultStore().keys(round_kind(PLAN.key))


@pytest.mark.slow
def test_searching_from_the_page(here, monkeypatch):
    """Cancelled, extended, listed on its own page; a search keeps its name while it grows."""
    at = page(rounds="4")
    assert "Press “Search”" in texts(at)
    assert not at.get("plotly_chart")
    assert "4 of 4 rounds are to be searched" in texts(at)
    jobs_wait_for_those_of_other_pages(at)
    assert "4 of 12 rounds searched" in texts(at)
    assert "All 4 rounds are searched" in texts(at)
    picked = controls.page.key("picked")
    names = at.selectbox(key=picked).options
    kept = stored_rounds()
    choose(at, "number_input", "rounds", 7)
    assert "3 of 7 rounds are to be searched" in texts(at)
    with monkeypatch.context() as gone:  # the browser names a search that is gone meanwhile
        say(gone, at.selectbox(key=picked), "gone · ismcts · seed 0 · 60 rounds played on")
        at = see_ended(press(at, "Search on"))
    assert "7 of 12 rounds searched" in texts(at)
    assert at.selectbox(key=picked).options == names
    assert kept.items() <= stored_rounds().items()
    cancelled_jobs_are_listed_once(at, monkeypatch)
    searches_of_other_code_are_shown_as_such(here, monkeypatch)


def test_hands_opened_on_replay_become_a_log():
    at = page()
    label = "Add the hand of Replay"
    assert label not in [button.label for button in at.button]
    at.session_state[controls.OPENED] = [OpenHand("z.1", open_log("tiny").record(2))]
    press(run(at), label)
    assert address(at)["log"] == "opened-hands"
    assert "1 of 1 rounds are to be searched" in texts(at)
    assert open_log("opened-hands").record(0).hands == open_log("tiny").record(2).hands


def jobs_wait_for_those_of_other_pages(at):
    go_on = threading.Event()
    first = page_jobs().call("A match", lambda job: go_on.wait(60), key="match", origin="Tune")
    while first.state == "waiting":
        time.sleep(0.01)
    try:
        assert len(run(at).get("progress")) == 1, "in the bar"
        press(at, "Search")
        shown = ["A match" in one.proto.text for one in at.get("progress")]
        assert shown == [False, True, True, False], "in the bar and, what comes first, on the page"
    finally:
        go_on.set()
    see_ended(at)


def cancelled_jobs_are_listed_once(at, monkeypatch):
    def cancelled(plan, *, is_cancelled, **options):
        page_jobs().jobs()[0].cancel()

    with monkeypatch.context() as slow:
        slow.setattr(controls, "run_log_search", cancelled)
        choose(at, "number_input", "rounds", 9)
        for _ in range(3):
            see_ended(press(at, "Search on"))
    told = f"tiny, 9 rounds by {AGENT}: cancelled"
    assert texts(at).count(told) == 2, "in the bar and on the page"
    for script in ("7_Agents", "9_Data"):
        at.switch_page(f"pages/{script}.py")
        run(at)
        assert texts(at).count(told) == 1, "in the bar"
        assert "Running and done" not in [block.value for block in at.subheader]


def searches_of_other_code_are_shown_as_such(here, monkeypatch):
    out = here / "shipped" / "tiny.jsonl.xz"
    main(["tiny", "--rounds", "2", *HOW, "--out", str(out)])
    (search,) = shipped()
    monkeypatch.setenv("SPADES_RESULTS", str(here / "elsewhere"))
    at = page()
    assert "earlier version" not in texts(at)
    change_behaviour(monkeypatch)
    run(at)
    assert "Searched by an earlier version of this agent or of the judge" in texts(at)
    assert f"code {search.question['code']}" in texts(at)
    assert "2 of 12 rounds searched" in texts(at)


@pytest.mark.slow
def test_a_job_that_ends_while_the_page_reads_the_store_is_not_missed(monkeypatch):
    """Its last rounds are stored just after the page has looked: the page has to look again."""
    fragment, polls = st.fragment, []

    def watched(*drawn, run_every):
        polls.append(run_every)
        return fragment(*drawn, run_every=run_every)

    read, go_on = threading.Event(), threading.Event()
    search = controls.run_log_search

    def late(*args, **options):
        assert go_on.wait(60)
        return search(*args, **options)

    def found_before_the_job_ends(plan):
        found = find(plan)
        if read.is_set() and not go_on.is_set():
            go_on.set()
            while any(job.is_active for job in page_jobs().jobs()):
                time.sleep(0.02)
        return found

    monkeypatch.setattr(controls, "run_log_search", late)
    monkeypatch.setattr(list_page, "find", found_before_the_job_ends)
    monkeypatch.setattr(st, "fragment", watched)
    at = page(rounds="4")
    next(button for button in at.button if button.label == "Search").click()
    read.set()
    run(at)
    assert polls[-1] == POLL_SECONDS
    assert "4 of 12 rounds searched" in texts(run(at))


@pytest.mark.usefixtures("searched")
@pytest.mark.slow
def test_what_a_cancelled_search_still_finds_is_drawn_at_once():
    plan = replace(PLAN, rounds=600)
    go_on = threading.Event()
    job = page_jobs().call("a search", lambda job: go_on.wait(60), key=f"{plan.key} 600")
    try:
        running = controls.drawn(plan)
        run_log_search(replace(PLAN, rounds=5))
        assert controls.drawn(plan) == running
        job.cancel()
        cancelling = controls.drawn(plan)
        run_log_search(replace(PLAN, rounds=6))
        assert running != cancelling != controls.drawn(plan)
    finally:
        go_on.set()


def test_a_link_to_replay_carries_every_option_of_the_search(monkeypatch):
    monkeypatch.setattr(list_module.page, "get", {"model": "devlin2016"}.get)
    options = "iterations=500,determinization=posterior,reward_scale=200,skew=on,skew_k=50"
    plan = LogSearchPlan("tiny", 4, f"ismcts:{options}", seed=5)
    link = parse_qs(urlsplit(list_module.link_to_decision(plan, 3, 5)).query)
    values, step, complaints = parse_link({name: found[0] for name, found in link.items()})
    wanted = {"determinization": "posterior", "reward_scale": 200.0, "skew": True, "skew_k": 50.0}
    assert {name: values[name] for name in wanted} == wanted
    assert (values["hand"].name, step, values["iterations"]) == ("log.tiny.3", 5, 500)
    assert (values["seed"], complaints) == (5, [])


@pytest.mark.parametrize(
    ("agent", "written"), [("ismcts:reward_scale=100", "100"), (STUDIED_AGENT, None)]
)
def test_a_link_to_replay_says_a_scale_that_is_not_its_usual_one(monkeypatch, agent, written):
    monkeypatch.setattr(list_module.page, "get", {"model": "devlin2016"}.get)
    plan = LogSearchPlan("tiny", 4, agent)
    link = parse_qs(urlsplit(list_module.link_to_decision(plan, 3, 5)).query)
    assert link.get("reward_scale") == (written and [written])
    values, _, _ = parse_link({name: found[0] for name, found in link.items()})
    assert values["reward_scale"] == plan.player.reward_scale
