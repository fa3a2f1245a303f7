"""Two readers of Replay who watch one search, and one who asks for more than there is room for."""

import time

import pytest

from analysis.decisions import background
from analysis.decisions.background import LiveSearch
from tests.pages.apps import run, texts
from tests.ui.replay.page import click, open_replay, searched
from ui.replay import panel
from ui.replay.panel import search_jobs

QUERY = {"hand": "south-nil", "iterations": "100", "ply": "4", "growth": "1"}


@pytest.fixture(autouse=True)
def endless(monkeypatch):
    """Long searches that never end by themselves."""

    def steps(search):
        while True:
            time.sleep(0.005)
            yield

    monkeypatch.setattr(LiveSearch, "steps", steps)


@pytest.fixture
def be(monkeypatch):
    """Makes the pages drawn from now on those of a reader."""
    return lambda name: monkeypatch.setattr(panel, "reader", lambda: name)


def shown(app):
    return [bar.proto.text for bar in app.get("progress") if "iterations with" in bar.proto.text]


def ask(app, iterations, seeds):
    app.selectbox(key="replay_live_iterations").select(iterations)
    app.selectbox(key="replay_live_seeds").select(seeds)
    return click(app, "Search longer")


def test_a_search_ends_when_the_last_of_its_readers_cancels_it(be, monkeypatch):
    monkeypatch.setattr(panel, "is_here", lambda reader: True)
    be("Ann")
    first = ask(searched(open_replay(**QUERY)), 250_000, 8)
    assert "reader" not in shown(first)[0]
    (job,) = search_jobs().live.jobs()
    be("Ben")
    second = searched(open_replay(**QUERY))
    second.selectbox(key="replay_live_seeds").select(8)
    assert "another reader waits for it" in shown(run(second))[0]
    be("Ann")
    click(first, "Cancel")
    assert "another reader waits for it and keeps it going" in shown(run(first))[0]
    assert not job.is_cancelled
    be("Ben")
    click(second, "Cancel")
    assert job.wait(10)
    assert "Cancelled; “Search longer” goes on from here" in texts(run(second))


def test_a_search_that_has_no_room_is_refused_and_drops_none(monkeypatch):
    monkeypatch.setattr(background, "MAX_TREE_BYTES", 305_000_000)
    app = ask(searched(open_replay(**QUERY)), 250_000, 8)
    (job,) = search_jobs().live.jobs()
    app = ask(app, 10_000, 5)
    assert "1 search is running on this server" in texts(app)
    assert job.is_active
    job.cancel()
    assert job.wait(10)
