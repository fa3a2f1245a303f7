"""Round robin: fair between readers, short jobs first, making way for pages."""

import threading
import time
from types import SimpleNamespace

import pytest

from analysis.runs import foreground as foreground_module
from analysis.runs import jobs, scheduler
from analysis.runs.foreground import Foreground
from analysis.runs.jobs import Job
from analysis.runs.scheduler import RoundRobin


def job_of(steps):
    return Job(SimpleNamespace(steps=lambda: steps))


def logged(log, name, steps, *, until=None):
    """Steps of some 2 ms that write down whose they are; ``until`` is set after the last."""
    for _ in range(steps):
        time.sleep(0.002)
        log.append(name)
        yield
    if until is not None:
        until.set()


@pytest.fixture
def step_by_step(monkeypatch):
    """A slice is a single step."""
    monkeypatch.setattr(scheduler, "SLICE_SECONDS", 0.0)


def start(turns, log, reader, steps, *, name="", until=None):
    """A job that a reader waits for."""
    job = job_of(logged(log, name or reader, steps, until=until))
    job.heartbeat(reader)
    return turns.submit(job)


@pytest.mark.usefixtures("step_by_step")
def test_many_jobs_of_one_reader_do_not_hold_up_another():
    turns, log, ended = RoundRobin(), [], threading.Event()
    heavy = [start(turns, log, "heavy", 1000) for _ in range(8)]
    while len(log) < 50:
        time.sleep(0.001)
    before = len(log)
    start(turns, log, "light", 10, until=ended)
    assert ended.wait(20)
    between = log[before : len(log) - log[::-1].index("light")]
    for job in heavy:
        job.cancel()
    assert between.count("light") == 10
    assert between.count("heavy") <= 5  # 80 where jobs take turns instead of readers


@pytest.mark.usefixtures("step_by_step")
def test_a_short_job_does_not_wait_for_a_long_one_of_the_same_reader():
    turns, log, ended = RoundRobin(), [], threading.Event()
    long = start(turns, log, "reader", 1000, name="long")
    while len(log) < 50:
        time.sleep(0.001)
    before = len(log)
    start(turns, log, "reader", 10, name="short", until=ended)
    assert ended.wait(20)
    between = log[before : len(log) - log[::-1].index("short")]
    long.cancel()
    assert between.count("long") <= 5


@pytest.mark.usefixtures("step_by_step")
def test_who_was_served_long_is_not_starved_by_newcomers():
    turns, log = RoundRobin(), []
    first = start(turns, log, "first", 1000)
    while len(log) < 20:
        time.sleep(0.001)
    second = start(turns, log, "second", 1000)
    while log.count("second") < 100:
        time.sleep(0.001)
    before = len(log)
    while len(log) < before + 100:
        time.sleep(0.001)
    first.cancel()
    second.cancel()
    shares = log[before : before + 100]
    assert 25 <= shares.count("first") <= 75


def test_jobs_make_way_for_who_waits_for_a_page():
    """After each slice, but not for ever; nor for a page that itself waits for a job."""
    drawn = Foreground()
    has_begun, may_end = threading.Event(), threading.Event()

    def draw():
        drawn.enter()
        has_begun.set()
        may_end.wait(30)

    def took(act):
        started = time.monotonic()
        act()
        return time.monotonic() - started

    assert took(lambda: drawn.make_way(30)) < 1
    page = threading.Thread(target=draw)
    page.start()
    assert has_begun.wait(30)
    assert took(lambda: drawn.make_way(0.2)) >= 0.2
    may_end.set()
    page.join()
    assert not drawn.is_busy, "a thread that has ended"
    drawn.enter()
    with drawn.left():
        assert not drawn.is_busy
    assert drawn.is_busy


@pytest.mark.usefixtures("step_by_step")
def test_after_each_slice_a_job_makes_way(monkeypatch):
    made_way = []
    monkeypatch.setattr(foreground_module.foreground, "make_way", made_way.append)
    n_steps = 5
    job = RoundRobin().submit(job_of(iter([None] * n_steps)))
    assert job.wait(30)
    # The thread makes way after its last slice too, which has ended the job by then.
    assert made_way[:n_steps] == [scheduler.MAKES_WAY_SECONDS] * n_steps


def test_a_thread_that_waits_for_a_job_is_not_made_way_for(monkeypatch):
    drawn = Foreground()
    for module in (jobs, scheduler):
        monkeypatch.setattr(module, "foreground", drawn)
    seen = []

    def look():
        seen.append(drawn.is_busy)
        yield

    drawn.enter()
    job = job_of(look())
    threading.Timer(0.2, RoundRobin().submit, (job,)).start()
    assert job.wait(30)
    assert seen == [False]
    assert drawn.is_busy
