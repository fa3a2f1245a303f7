"""The registry: a job for each key, shared, restarted, making room; long jobs in turn."""

import threading
import time

import pytest

from analysis.runs.jobs import CANCELLED, DONE, FAILED, NEW, WAITING
from analysis.runs.registry import MAX_FINISHED, JobRegistry, LongJobs, RegistryFullError
from analysis.runs.scheduler import RoundRobin
from spades.core.errors import SpadesError
from tests.analysis.runs.test_series import squares


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def wait_for(job):
    job.wait(5)
    return job.state


def up_to(n):
    return lambda series: series.extend(n)


def slow_squares():
    return squares(pause=0.01)


def not_made():
    pytest.fail("it is there")


def test_a_registry_shares_work_starts_it_once_and_forgets_idle_jobs():
    registry = JobRegistry(RoundRobin(), capacity=5)
    made = []
    job = registry.open("a", lambda: squares(made, pause=0.002))
    assert job.state == NEW
    assert registry.start("a", not_made, up_to(20)) is job
    assert registry.start("a", not_made, up_to(1000)) is job, "it is active"
    assert registry.active("a") is job
    assert registry.open("a", not_made) is job
    assert job.wait(10)
    assert registry.active("a") is None
    assert made == list(range(20))
    for i in range(8):
        registry.open(str(i), squares)
    assert registry.find("a") is None
    assert registry.open("a", squares).work.done == 20


def test_active_jobs_make_no_room():
    registry = JobRegistry(RoundRobin(), capacity=2)
    job = registry.start("busy", slow_squares, up_to(500))
    for key in "abc":
        registry.open(key, squares)
    assert registry.find("busy") is job
    other = registry.start("c", slow_squares, up_to(500))
    with pytest.raises(RegistryFullError, match="2 searches are running"):
        registry.start("d", squares, up_to(5))
    assert registry.find("d") is None
    assert job.is_active
    assert not job.is_cancelled
    other.cancel()
    assert other.wait(5)
    registry.start("d", squares, up_to(5))
    assert registry.find("c") is None
    job.cancel()


def test_cancelled_work_that_made_room_begins_anew():
    registry = JobRegistry(RoundRobin(), capacity=2)
    first = registry.start("a", slow_squares, up_to(500))
    first.cancel()
    assert first.wait(5)
    for key in "bc":
        registry.open(key, squares)
    again = registry.start("a", squares, up_to(5))
    assert again.work is not first.work
    assert again.wait(5)
    assert again.work.done == 5


def test_a_registry_has_room_for_the_sizes_of_its_jobs():
    registry = JobRegistry(RoundRobin(), capacity=10)
    job = registry.start("busy", slow_squares, up_to(500), size=6)
    registry.open("a", squares, size=2)
    registry.open("b", squares, size=4)
    assert registry.find("a") is None
    with pytest.raises(RegistryFullError):
        registry.open("b", squares, size=5)
    assert registry.open("b", squares, size=1).state == NEW, "what is held keeps its room"
    assert registry.find("busy") is job
    job.cancel()


def test_a_job_without_heartbeats_times_out_and_is_restarted_for_the_next_reader():
    registry = JobRegistry(RoundRobin(), capacity=5, idle_timeout=0.3)
    job = registry.start("a", slow_squares, up_to(500))
    for _ in range(8):
        job.heartbeat("reader")
        time.sleep(0.05)
    assert not job.is_cancelled
    assert job.wait(5)
    assert (job.state, job.has_timed_out) == (CANCELLED, True)
    assert 0 < job.work.done < 500
    again = registry.start("a", not_made, restart=False)
    assert again is not job
    assert again.work is job.work
    again.cancel()
    assert again.wait(5)
    assert registry.start("a", squares, restart=False) is again, "who cancelled it meant it"


def test_long_jobs_run_one_after_the_other_and_report_how_they_ended():
    long_jobs = LongJobs()
    order = []
    gate = threading.Event()

    def first(job):
        gate.wait(5)
        order.append("first")

    def refused(job):
        raise SpadesError("no such agent")

    def broken(job):
        raise ZeroDivisionError("oops")

    started = [
        long_jobs.call("a", first, key="1"),
        long_jobs.call("b", lambda job: order.append("second"), key="2"),
        long_jobs.call("c", refused, key="3"),
        long_jobs.call("d", broken, key="4", origin="Arena"),
    ]
    assert started[1].state == WAITING
    gate.set()
    assert [wait_for(job) for job in started] == [DONE, DONE, FAILED, FAILED]
    assert order == ["first", "second"]
    assert [job.reason for job in started[2:]] == ["no such agent", "ZeroDivisionError: oops"]
    assert long_jobs.jobs() == started[::-1]
    assert [job.title for job in started] == ["a", "b", "c", "d"]
    assert started[3].origin == "Arena"


def test_a_long_job_ends_when_it_is_cancelled_and_a_waiting_one_never_starts():
    long_jobs = LongJobs()
    started = []

    def work(job):
        while not job.is_cancelled:
            time.sleep(0.01)

    running = long_jobs.call("a", work, key="1")
    waiting = long_jobs.call("b", started.append, key="2")
    waiting.cancel()
    running.cancel()
    assert [wait_for(running), wait_for(waiting)] == [CANCELLED, CANCELLED]
    assert started == []


def test_nobody_asks_for_the_same_thing_twice_at_once():
    long_jobs = LongJobs()
    gate = threading.Event()
    first = long_jobs.call("a", lambda job: gate.wait(5), key="match 1")
    assert long_jobs.call("a again", lambda job: None, key="match 1") is first
    assert first.title == "a"
    other = long_jobs.call("b", lambda job: None, key="match 2")
    assert long_jobs.active("match 1") is first
    assert long_jobs.active("match 3") is None
    gate.set()
    assert [wait_for(first), wait_for(other)] == [DONE, DONE]
    assert long_jobs.active("match 1") is None
    called = []
    anew = long_jobs.call("a anew", called.append, key="match 1")
    assert wait_for(anew) == DONE
    assert called == [anew], "what is called is the new function"
    assert long_jobs.jobs() == [anew, other], "it takes the place of the first"


def test_only_the_last_finished_long_jobs_are_listed():
    long_jobs = LongJobs()
    gate = threading.Event()
    waiting = long_jobs.call("waits", lambda job: gate.wait(5), key="waits")
    others = [long_jobs.call(str(i), lambda job: None, key=str(i)) for i in range(MAX_FINISHED + 9)]
    assert len(long_jobs.jobs()) == MAX_FINISHED + 10, "unfinished ones all are"
    gate.set()
    assert wait_for(others[-1]) == DONE
    last = long_jobs.call("last", lambda job: None, key="last")
    assert long_jobs.jobs() == [last, *others[: -MAX_FINISHED - 1 : -1]]
    assert waiting.state == DONE
