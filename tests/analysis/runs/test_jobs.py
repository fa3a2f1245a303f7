"""The queue of long jobs: one after the other, each once, stopped."""

import threading
import time

import pytest

from analysis.runs import jobs
from analysis.runs.jobs import Desk, DeskFullError, Foreground, Job, JobQueue, StoredRun, Turns
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


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def squares(made=None, question=None, pause=0.0):
    """A run whose item i is i * i; ``made`` notes which were computed."""
    made = [] if made is None else made

    def make(i):
        made.append(i)
        yield
        time.sleep(pause)
        return i * i

    return StoredRun("squares", question or {"of": 1}, make, block=5, unit="squares")


def work(run, target):
    run.extend(target)
    for _ in run.steps():
        pass
    return run.items


def test_items_are_made_in_order_up_to_the_target():
    run = squares()
    assert run.items == []
    assert work(run, 7) == [0, 1, 4, 9, 16, 25, 36]
    assert work(run, 3) == run.items  # fewer asked for: nothing is lost
    assert len(work(run, 9)) == 9


def test_whole_blocks_are_read_again_and_the_rest_is_made_anew():
    made = []
    work(squares(made), 12)
    again = squares(made)
    assert again.items == [i * i for i in range(10)]
    assert work(again, 12) == [i * i for i in range(12)]
    assert made == [*range(12), 10, 11]
    assert squares(question={"of": 2}).items == []


def test_a_run_that_was_cut_short_goes_on_where_it_was():
    made = []
    run = squares(made)
    run.extend(10)
    steps = run.steps()
    while run.done < 3:
        next(steps)
    steps.close()
    assert run.items == [0, 1, 4]
    assert work(run, 10) == [i * i for i in range(10)]
    assert made == list(range(10))


def test_a_store_that_cannot_be_used_is_said_and_stops_nothing(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("no database")
    run = squares()
    assert "results.sqlite" in run.complaint
    assert len(work(run, 6)) == 6


def test_progress_counts_what_this_start_has_made():
    work(squares(), 10)
    run = squares(pause=0.01)
    run.extend(20)
    steps = run.steps()
    while run.done < 15:
        next(steps)
    progress = run.progress
    assert (progress.done, progress.total, progress.done_before) == (15, 20, 10)
    assert 0.03 < progress.seconds_left < 1


def test_the_desk_shares_a_run_starts_it_once_and_forgets_idle_ones():
    desk = Desk(Turns(), 5)
    made = []
    run, job = desk.open("a", lambda: squares(made, pause=0.002))
    assert job is None
    desk.start("a", lambda: pytest.fail("it is there"), lambda run: run.extend(20))
    desk.start("a", lambda: pytest.fail("it is there"), lambda run: run.extend(1000))  # under way
    again, job = desk.open("a", lambda: pytest.fail("it is there"))
    assert again is run
    assert job.wait(10)
    assert made == list(range(20))
    for i in range(8):
        desk.open(str(i), lambda: squares())
    assert desk.find("a") is None
    assert desk.open("a", lambda: squares())[0].done == 20


def test_work_under_way_is_forgotten_last():
    desk = Desk(Turns(), 2)
    _, job = desk.start("busy", lambda: squares(pause=0.01), lambda run: run.extend(500))
    for key in "abc":
        desk.open(key, lambda: squares())
    assert desk.find("busy")[1] is job
    _, other = desk.start("c", lambda: squares(pause=0.01), lambda run: run.extend(500))
    with pytest.raises(DeskFullError, match="2 searches are under way"):
        desk.start("d", lambda: squares(), lambda run: run.extend(5))
    assert desk.find("d") is None
    assert job.state in ("waiting", "running")
    assert not job.is_stopping
    other.stop()
    assert other.wait(5)
    desk.start("d", lambda: squares(), lambda run: run.extend(5))
    assert desk.find("c") is None
    job.stop()


def test_stopped_work_that_made_room_begins_anew():
    desk = Desk(Turns(), 2)
    first, job = desk.start("a", lambda: squares(pause=0.01), lambda run: run.extend(500))
    job.stop()
    assert job.wait(5)
    for key in "bc":
        desk.open(key, squares)
    again, job = desk.start("a", squares, lambda run: run.extend(5))
    assert again is not first
    assert job.wait(5)
    assert again.done == 5


def test_a_desk_has_room_for_the_sizes_of_its_work():
    desk = Desk(Turns(), 10)
    _, job = desk.start("busy", lambda: squares(pause=0.01), lambda run: run.extend(500), size=6)
    desk.open("a", squares, size=2)
    desk.open("b", squares, size=4)
    assert desk.find("a") is None
    with pytest.raises(DeskFullError):
        desk.open("b", squares, size=5)
    assert desk.open("b", squares, size=1)[1] is None, "what is held keeps its room"
    assert desk.find("busy")[1] is job
    job.stop()


def test_one_reader_who_stops_a_job_does_not_stop_it_for_another():
    job = Job(patience=60)
    job.look("first")
    job.look("second")
    job.stop("first")
    job.look("first")
    assert job.n_readers == 1
    assert not job.is_stopping
    job.stop("second")
    assert job.is_stopping


def test_a_reader_who_has_closed_the_page_waits_no_more():
    job = Job(patience=60)
    job.look("here")
    job.look("gone")
    job.forget_readers(lambda reader: reader == "here")
    assert job.n_readers == 1
    job.look("gone")
    job.stop("here")
    assert not job.is_stopping
    job.forget_readers(lambda reader: reader == "here")
    assert job.is_stopping


def test_a_job_ends_when_nobody_looks_and_goes_on_for_the_next_who_does():
    desk = Desk(Turns(), 5, patience=0.3)
    run, job = desk.start("a", lambda: squares(pause=0.01), lambda run: run.extend(500))
    for _ in range(8):
        job.look("reader")
        time.sleep(0.05)
    assert not job.is_stopping
    assert job.wait(5)
    assert (job.state, job.is_abandoned) == ("stopped", True)
    assert 0 < run.done < 500
    again, job = desk.start("a", lambda: pytest.fail("it is there"), again=False)
    assert again is run
    job.stop()
    assert job.wait(5)
    assert desk.start("a", squares, again=False)[1] is job, "who stopped it meant it"


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
    monkeypatch.setattr(jobs, "SLICE_SECONDS", 0.0)


@pytest.mark.usefixtures("step_by_step")
def test_many_jobs_of_one_reader_do_not_hold_up_another():
    turns, log, ended = Turns(), [], threading.Event()
    heavy = [Job() for _ in range(8)]
    for job in heavy:
        job.look("heavy")
        turns.submit(job, logged(log, "heavy", 1000))
    while len(log) < 50:
        time.sleep(0.001)
    before = len(log)
    light = Job()
    light.look("light")
    turns.submit(light, logged(log, "light", 10, until=ended))
    assert ended.wait(20)
    between = log[before : len(log) - log[::-1].index("light")]
    for job in heavy:
        job.stop()
    assert between.count("light") == 10
    assert between.count("heavy") <= 5  # 80 where jobs take turns instead of readers


@pytest.mark.usefixtures("step_by_step")
def test_a_short_job_does_not_wait_for_a_long_one_of_the_same_reader():
    turns, log, ended = Turns(), [], threading.Event()
    long, short = Job(), Job()
    for job in (long, short):
        job.look("reader")
    turns.submit(long, logged(log, "long", 1000))
    while len(log) < 50:
        time.sleep(0.001)
    before = len(log)
    turns.submit(short, logged(log, "short", 10, until=ended))
    assert ended.wait(20)
    between = log[before : len(log) - log[::-1].index("short")]
    long.stop()
    assert between.count("long") <= 5


@pytest.mark.usefixtures("step_by_step")
def test_who_was_served_long_is_not_starved_by_newcomers():
    turns, log = Turns(), []
    first = Job()
    first.look("first")
    turns.submit(first, logged(log, "first", 1000))
    while len(log) < 20:
        time.sleep(0.001)
    second = Job()
    second.look("second")
    turns.submit(second, logged(log, "second", 1000))
    while log.count("second") < 100:
        time.sleep(0.001)
    before = len(log)
    while len(log) < before + 100:
        time.sleep(0.001)
    first.stop()
    second.stop()
    shares = log[before : before + 100]
    assert 25 <= shares.count("first") <= 75


def test_only_who_started_a_job_may_stop_it_while_they_are_here():
    job = Job()
    job.look("starter")
    assert job.may_be_stopped_by("starter")
    assert not job.may_be_stopped_by("another")
    job.forget_readers(lambda reader: reader != "starter")
    assert job.may_be_stopped_by("another")
    assert not job.is_stopping


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


def test_after_each_slice_a_job_makes_way(monkeypatch):
    made_way = []
    monkeypatch.setattr(jobs.foreground, "make_way", made_way.append)
    monkeypatch.setattr(jobs, "SLICE_SECONDS", 0.0)  # a slice for every step
    n_steps = 5
    job = Turns().submit(Job(), iter([None] * n_steps))
    assert job.wait(30)
    # The thread makes way after its last slice too, which has ended the job by then.
    assert made_way[:n_steps] == [jobs.MAKES_WAY_SECONDS] * n_steps


def test_a_thread_that_waits_for_a_job_is_not_made_way_for(monkeypatch):
    drawn = Foreground()
    monkeypatch.setattr(jobs, "foreground", drawn)
    seen = []

    def look():
        seen.append(drawn.is_busy)
        yield

    drawn.enter()
    job = Job()
    threading.Timer(0.2, Turns().submit, (job, look())).start()
    assert job.wait(30)
    assert seen == [False]
    assert drawn.is_busy
