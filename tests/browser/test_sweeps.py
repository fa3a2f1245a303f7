"""A sweep run on the page: it outlives the page and a killed worker, is cancelled, and resumed."""

import os
import re
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from analysis.runs.store import ResultStore
from analysis.sweeps.sweep import SETTING
from tests.analysis.small_sweeps import store_tiny_log
from tests.analysis.workers import kill_a_worker, workers_of
from tests.browser.conftest import running_server
from tests.browser.visitor import box_at_rest, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.xdist_group("browser")]
HERE = SimpleNamespace(pid=os.getpid())  # the servers' processes are this one's
FORM = {
    "view": "run",
    "sweep_c_bt": "0.03, 0.1",
    "sweep_k": "100, 1000",
    "sweep_budget": "800",
    "sweep_iterations": "800",
    "sweep_games": "4",
    "sweep_decisions": "60",
    "sweep_rounds": "10",
    "sweep_log": "tiny",
    "sweep_name": "Mine",
}


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server with stores of its own and a small log."""
    folders = {"SPADES_LOGS": str(tmp_path / "logs"), "SPADES_RESULTS": str(tmp_path / "results")}
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)
    store_tiny_log()
    with running_server(**folders) as home:
        yield home


def n_settings():
    return len(list(ResultStore().results(SETTING)))


def click(visitor, name):
    visitor.page.get_by_role("button", name=name, exact=True).first.click()


def test_a_sweep_outlives_page_reload_worker_and_cancelling(server, visit):
    visitor = visit(server)
    page = visitor.page
    page.goto(f"{server}/Tune?{urlencode(FORM)}")
    visitor.see_text("5 settings with the unbiased one")
    visitor.settle()
    click(visitor, "Run the sweep")
    visitor.see_text("parts")
    page.goto(f"{server}/Agents")  # leaves the page, with a new session
    visitor.settle()
    expect(page.get_by_text("Mine, 5 settings")).to_have_count(0)  # only its own jobs
    wait_until(lambda: workers_of(HERE), lambda: "no worker was started", page=page)
    wait_until(lambda: n_settings() > 0, lambda: "nothing measured", page=page)
    kill_a_worker(HERE)
    page.goto(f"{server}/Tune?{urlencode(FORM)}")
    visitor.see_text("Mine, 5 settings")
    page.reload()
    visitor.see_text("Mine, 5 settings")
    before = n_settings()
    wait_until(lambda: n_settings() > before, lambda: "it stands still", page=page)
    click(visitor, "Cancel")
    visitor.see_text("Mine, 5 settings: cancelled")
    stopped = n_settings()
    assert 1 < stopped < 5
    page.get_by_role("radio", name="Run a sweep").click()
    visitor.see_text(f"{stopped} of 5 settings measured")
    visitor.settle()
    click(visitor, "Go on")
    visitor.see_text("Mine, 5 settings: done")
    assert n_settings() == 5
    pick_a_point(visitor)


def pick_a_point(visitor):
    """Choose the sweep, click a point: its setting is in the address, and a reload keeps it."""
    page = visitor.page
    page.get_by_role("radio", name="Sweeps").click()
    page.get_by_label("Sweep", exact=True).first.click()
    page.get_by_role("option", name="Mine (5 settings)").click()
    visitor.see_text(re.compile(r"\b4 games a setting"))  # no longer the shipped sweep
    visitor.settle()
    points = page.locator(".js-plotly-plot .scatterlayer .trace .point")
    expect(points.first).to_be_visible()
    box = box_at_rest(points.nth(1))
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    wait_until(lambda: visitor.address.get("point"), lambda: page.url, page=page)
    visitor.settle()
    point = visitor.address["point"]
    page.reload()
    visitor.settle()
    visitor.see_text("bias=knowledge")
    assert visitor.address["point"] == point
    visitor.page.get_by_role("button", name="See it on the ladder").click()
    visitor.see_text("K (visits)")
    visitor.settle()
    setting = setting_of(point)
    shown = {"c_bt": "0.03", "k": "1000", **visitor.address}
    assert float(shown["c_bt"]) == setting["c_bt"]
    assert float(shown["k"]) == setting["k"]


def setting_of(point):
    found = (result.answer for result in ResultStore().results(SETTING))
    return next(one["setting"] for one in found if one["key"] == point)
