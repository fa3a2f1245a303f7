"""The queue of long jobs: one after the other, each once, stopped."""

import threading
import time

from analysis.runs.jobs import JobQueue
from spades.core.errors import SpadesError


def wait_for(job):
    until = time.monotonic() + 5
    while not job.is_finished and time.monotonic() < until:
        time.sleep(0.01)
    return job.state


def test_jobs_run_one_after_the_other_and_report_how_they_ended():
    book, order, gate = JobQueue(), [], threading.Event()

    def first(job):
        gate.wait(5)
        order.append("first")

    def refused(job):
        raise SpadesError("no such agent")

    def broken(job):
        raise ZeroDivisionError("oops")

    jobs = [
        book.start("a", first),
        book.start("b", lambda job: order.append("second")),
        book.start("c", refused),
        book.start("d", broken),
    ]
    assert jobs[1].state == "waiting"
    gate.set()
    assert [wait_for(job) for job in jobs] == ["done", "done", "failed", "failed"]
    assert order == ["first", "second"]
    assert [job.reason for job in jobs[2:]] == ["no such agent", "ZeroDivisionError: oops"]
    assert book.jobs() == jobs[::-1]


def test_a_job_stops_when_told_to_and_a_waiting_one_never_starts():
    book, started = JobQueue(), []

    def work(job):
        while not job.is_stopping:
            time.sleep(0.01)

    running, waiting = book.start("a", work), book.start("b", started.append)
    waiting.stop()
    running.stop()
    assert [wait_for(running), wait_for(waiting)] == ["stopped", "stopped"]
    assert started == []


def test_nobody_asks_for_the_same_thing_twice_at_once():
    book, gate = JobQueue(), threading.Event()
    first = book.start("a", lambda job: gate.wait(5), subject="match 1")
    assert book.start("a again", lambda job: None, subject="match 1") is first
    other = book.start("b", lambda job: None, subject="match 2")
    assert book.under_way("match 1") is first
    assert book.under_way("match 3") is None
    gate.set()
    assert [wait_for(first), wait_for(other)] == ["done", "done"]
    assert book.under_way("match 1") is None
    assert book.start("a anew", lambda job: None, subject="match 1") is not first
    assert len(book.jobs()) == 3
