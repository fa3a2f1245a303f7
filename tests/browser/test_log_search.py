"""A log searched from the page: it outlives page, reload, worker and cancelling, and is resumed."""

import os
import re
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import find
from tests.analysis.disagreements.quick import store_cut_log
from tests.analysis.workers import kill_a_worker, workers_of
from tests.browser.conftest import running_server
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.xdist_group("browser")]
HERE = SimpleNamespace(pid=os.getpid())  # the servers' processes are this one's
ROUNDS, MORE = 40, 3  # more than are searched before the stop; how many after it
N_PLAYS = 2  # of each round: the judge takes its time over a decision
PLAN = LogSearchPlan("tiny", ROUNDS, "ismcts:iterations=100", played_on=60)


def address(rounds):
    asked = {"log": "tiny", "agent": PLAN.agent, "played_on": PLAN.played_on, "rounds": rounds}
    return f"Disagreements?{urlencode(asked)}"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server with stores of its own and a small log."""
    folders = {"SPADES_LOGS": str(tmp_path / "logs"), "SPADES_RESULTS": str(tmp_path / "results")}
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)
    store_cut_log(ROUNDS, N_PLAYS)
    with running_server(**folders) as home:
        yield home


def n_searched():
    return len(find(PLAN).rounds)


def click(visitor, name):
    visitor.page.get_by_role("button", name=name, exact=True).first.click()


def test_a_search_outlives_page_reload_worker_and_cancelling(server, visit):
    visitor = visit(server)
    page = visitor.page
    page.goto(f"{server}/{address(ROUNDS)}")
    visitor.see_text("Nothing of this log is searched yet")
    visitor.settle()
    click(visitor, "Search")
    expect(visitor.button("Cancel")).to_be_visible()
    page.goto(f"{server}/Agents")  # leaves the page, with a new session
    visitor.settle()
    expect(page.get_by_text(f"{ROUNDS} rounds by")).to_have_count(0)  # only its own jobs
    wait_until(lambda: workers_of(HERE), lambda: "no worker was started", page=page)
    wait_until(lambda: n_searched() > 0, lambda: "nothing searched", page=page)
    kill_a_worker(HERE)
    page.goto(f"{server}/{address(ROUNDS)}")
    visitor.see_text(re.compile(rf"\d+ of {ROUNDS} rounds searched"))
    page.reload()
    visitor.see_text(re.compile(rf"\d+ of {ROUNDS} rounds searched"))
    before = n_searched()
    wait_until(lambda: n_searched() > before, lambda: "it stands still", page=page)
    visitor.button("Cancel").first.click()
    visitor.see_text(re.compile(r"=100: cancelled"))
    stopped = n_searched()
    assert 0 < stopped < ROUNDS
    visitor.see_text(f"{stopped} of {ROUNDS} rounds searched")
    visitor.settle()
    few = stopped + MORE
    page.goto(f"{server}/{address(few)}")
    visitor.settle()
    page.get_by_text("Search a log").click()
    visitor.see_text(f"{MORE} of {few} rounds are to be searched")
    click(visitor, "Search on")
    visitor.see_text(re.compile(r"=100: done"))
    visitor.see_text(f"{few} of {ROUNDS} rounds searched")
    assert n_searched() == few
    expect(page.get_by_test_id("stException")).to_have_count(0)
