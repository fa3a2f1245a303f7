"""Searches of logs as jobs of the Disagreements page: run, stopped, listed, and drawn in time."""

import threading
import time
from dataclasses import replace

import pytest
import streamlit as st

from analysis.disagreements import search as log_search_library
from analysis.disagreements.files import parts_of
from analysis.disagreements.search import run_log_search
from tests.pages.apps import run, say, see_ended, texts
from tests.pages.disagreements import AGENT, PLAN, page, stores_apart
from ui.disagreements import controls as disagreements_search
from ui.shared.jobs import POLL_SECONDS, job_book


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    return stores_apart(tmp_path, monkeypatch)


@pytest.fixture
def searched(here):
    run_log_search(PLAN)


def press(at, label):
    next(button for button in at.button if button.label == label).click()
    return run(at)


def test_searched_from_the_page_stopped_and_extended(here):
    at = see_ended(press(page(rounds="4"), "Search"))
    assert "4 of 12 rounds searched" in texts(at)
    assert "All 4 rounds are searched" in texts(at)
    kept = {part.path.name: part.stamp for part in parts_of(PLAN.question())}
    at.number_input(key="disagreements_rounds").set_value(7)
    run(at)
    assert "3 of 7 rounds are to be searched" in texts(at)
    at = see_ended(press(at, "Search on"))
    assert "7 of 12 rounds searched" in texts(at)
    now = {part.path.name: part.stamp for part in parts_of(PLAN.question())}
    assert {name: now[name] for name in kept} == kept


def test_a_search_keeps_its_name_while_it_grows():
    """Browsers call what is chosen by its name: one of before must not be taken for a pick."""
    names = []
    for rounds in (2, 4):
        run_log_search(replace(PLAN, rounds=rounds))
        at = page(rounds="4")
        assert f"{rounds} of 12 rounds searched" in texts(at)
        names.append(at.selectbox(key=disagreements_search.PICKED).options)
    assert names[0] == names[1]


def test_a_click_that_names_a_search_that_is_gone_is_still_heard(searched, monkeypatch):
    at = page(rounds="7")
    picked = at.selectbox(key=disagreements_search.PICKED)
    say(monkeypatch, picked, "gone · ismcts · seed 0")
    at = see_ended(press(at, "Search on"))
    assert "7 of 12 rounds searched" in texts(at)


def test_a_job_that_ends_while_the_page_reads_the_store_is_not_missed(monkeypatch):
    """Its last rounds are stored just after the page has looked: the page has to look again."""
    fragment, polls = st.fragment, []

    def watched(*, run_every):
        polls.append(run_every)
        return fragment(run_every=run_every)

    read, go_on = threading.Event(), threading.Event()
    search, look = disagreements_search.run_log_search, log_search_library.find

    def late(*args, **options):
        assert go_on.wait(60)
        return search(*args, **options)

    def found_before_the_job_ends(plan):
        found = look(plan)
        if read.is_set() and not go_on.is_set():
            go_on.set()
            while any(not job.is_finished for job in job_book().jobs()):
                time.sleep(0.02)
        return found

    monkeypatch.setattr(disagreements_search, "run_log_search", late)
    monkeypatch.setattr(log_search_library, "find", found_before_the_job_ends)
    monkeypatch.setattr(st, "fragment", watched)
    at = page(rounds="4")
    next(button for button in at.button if button.label == "Search").click()
    read.set()
    run(at)
    assert polls[-1] == POLL_SECONDS
    assert "4 of 12 rounds searched" in texts(run(at))


def test_what_a_stopping_search_still_finds_is_drawn_at_once(searched):
    plan = replace(PLAN, rounds=600)
    go_on = threading.Event()
    job = job_book().start("a search", lambda job: go_on.wait(60), subject=f"{plan.key} 600")
    try:
        running = disagreements_search.drawn(plan)
        run_log_search(replace(PLAN, rounds=6))
        assert disagreements_search.drawn(plan) == running
        job.stop()
        stopping = disagreements_search.drawn(plan)
        run_log_search(replace(PLAN, rounds=8))
        assert running != stopping != disagreements_search.drawn(plan)
    finally:
        go_on.set()


def test_jobs_are_listed_on_their_own_page_and_once_a_plan(monkeypatch):
    def stopped(plan, *, is_cancelled, **options):
        job_book().everyones()[0].stop()

    monkeypatch.setattr(disagreements_search, "run_log_search", stopped)
    at = page(rounds="4")
    for _ in range(3):
        at = see_ended(press(at, "Search"))
    told = f"tiny, 4 rounds by {AGENT}: stopped"
    assert len(job_book().jobs()) == 3
    assert texts(at).count(told) == 1
    for script in ("7_Arena", "9_Data"):
        at.switch_page(f"pages/{script}.py")
        run(at)
        assert told not in texts(at)
        assert "Running and done" not in [block.value for block in at.subheader]


def test_a_job_that_waits_shows_whose_it_waits_for():
    go_on, book = threading.Event(), job_book()
    first = book.start("A match", lambda job: go_on.wait(60), subject="match", origin="Arena")
    while first.state == "waiting":
        time.sleep(0.01)
    try:
        at = page(rounds="4")
        assert not at.get("progress")
        at = press(at, "Search")
        assert ["A match" in one.proto.text for one in at.get("progress")] == [True, False]
    finally:
        go_on.set()
    see_ended(at)
