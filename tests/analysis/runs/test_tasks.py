"""Tasks: run on Dask, their results stored once, by the code that asked."""

import os
import threading
import time
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import pytest

from analysis.runs import cluster
from analysis.runs.cluster import START_ATTEMPTS, ClusterError, dask_client, map_unordered
from analysis.runs.progress import Progress, format_seconds
from analysis.runs.store import ResultStoreError
from analysis.runs.tasks import Task, TaskRunner
from spades.core.errors import SpadesError
from tests.analysis.workers import InProcess


def square(n):
    return n * n


TRIMS = "MALLOC_TRIM_THRESHOLD_"  # Dask sets it, for its workers and in its own process


def die_once(path):
    """Kills its worker the first time it runs."""
    if not os.path.exists(path):
        with open(path, "w"):
            pass
        os._exit(9)
    return "done"


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_every_task_gives_its_result_once_though_a_worker_is_killed(tmp_path):
    before = os.environ.get(TRIMS)
    with dask_client(workers=2) as client:
        found = dict(map_unordered(client, square, [(n,) for n in range(40)]))
        assert found == {n: n * n for n in range(40)}
        killed = list(
            map_unordered(client, die_once, [(str(tmp_path / str(n)),) for n in range(3)])
        )
        assert sorted(killed) == [(0, "done"), (1, "done"), (2, "done")]
        assert set(client.run(os.environ.get, TRIMS).values()) == {before}


def test_a_cluster_without_the_project_is_named(monkeypatch):
    class Elsewhere:
        scheduler = SimpleNamespace(address="tcp://10.0.0.7:8786")

        def nthreads(self):
            return {"worker": 1}

        def submit(self, function, *call, pure):
            return self

        def result(self):
            raise RuntimeError(f"{why} the task graph. This frequently occurs if ...")

        def cancel(self, futures):
            pass

    client = Elsewhere()
    monkeypatch.setattr("distributed.wait", lambda *args, **how: SimpleNamespace(done=[client]))
    why = "Error during deserialization of"
    reason = r"tcp://10\.0\.0\.7:8786, or a worker of it, can't import this project"
    with pytest.raises(ClusterError, match=reason):
        list(map_unordered(client, abs, [(1,)]))
    why = "something else about"
    with pytest.raises(RuntimeError, match="something else"):
        list(map_unordered(client, abs, [(1,)]))


def die():
    os._exit(9)


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_a_task_that_ends_every_worker_is_refused():
    with dask_client(workers=1) as client, pytest.raises(ClusterError, match="had ended 4 workers"):
        list(map_unordered(client, die, [()]))


class FailingStarts:
    """Stands in for Dask's cluster: a worker dies in each of the first starts."""

    def __init__(self, monkeypatch, n_failing):
        self.left, self.started = n_failing, 0
        monkeypatch.setattr("distributed.LocalCluster", self.start)
        monkeypatch.setattr("distributed.Client", lambda cluster: nullcontext("client"))

    def start(self, **options):
        self.options = options
        self.started += 1
        if self.left:
            self.left -= 1
            raise RuntimeError("Nanny failed to start.")
        return nullcontext()


def test_a_cluster_that_fails_to_start_is_begun_again(monkeypatch):
    starts = FailingStarts(monkeypatch, START_ATTEMPTS - 1)
    with dask_client(workers=2) as client:
        assert client == "client"
    assert starts.started == START_ATTEMPTS


def test_a_cluster_that_never_starts_is_refused(monkeypatch):
    starts = FailingStarts(monkeypatch, 99)
    with (
        pytest.raises(ClusterError, match=r"2 worker processes .*Nanny failed.*fewer workers"),
        dask_client(workers=2),
    ):
        pass
    assert starts.started == START_ATTEMPTS


@pytest.mark.parametrize("workers", [0, -1])
def test_less_than_one_worker_is_refused(workers):
    with pytest.raises(ClusterError, match="1 or more"), dask_client(workers):
        pass


def test_a_scheduler_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("SPADES_SCHEDULER", "rubbish")
    with pytest.raises(ClusterError, match="no scheduler at 'rubbish'"), dask_client():
        pass


class Scheduler:
    """Stands in for a client of a scheduler whose number of workers is the next of a list."""

    scheduler = SimpleNamespace(address="tcp://10.0.0.1:8786")

    def __init__(self, monkeypatch, *counts):
        self.counts = list(counts)
        monkeypatch.setattr(cluster, "COUNT_WORKERS_EVERY", -1.0)  # at every look
        monkeypatch.setattr(cluster, "PATIENCE", 0.0)
        monkeypatch.setattr("distributed.wait", self.wait)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def nthreads(self):
        return dict.fromkeys(range(self.counts.pop(0)), 1)

    def submit(self, function, *call, pure):
        return object()

    def wait(self, futures, **options):
        raise TimeoutError

    def cancel(self, futures):
        pass


def test_that_no_worker_is_connected_is_said_once_each_time(monkeypatch, capsys):
    client = Scheduler(monkeypatch, 0, 0, 0, 2, 2, 0, 0)
    calls = [(n,) for n in range(3)]
    assert not list(map_unordered(client, square, calls, is_cancelled=lambda: not client.counts))
    line = (
        "no worker is connected to tcp://10.0.0.1:8786: its tasks wait for one, which "
        "`dask worker tcp://10.0.0.1:8786` starts\n"
    )
    assert capsys.readouterr().err == 2 * line


def test_a_worker_that_is_back_soon_is_not_missed(monkeypatch, capsys):
    client = Scheduler(monkeypatch, 0, 0, 1)
    monkeypatch.setattr(cluster, "PATIENCE", 60.0)
    assert not list(map_unordered(client, square, [(1,)], is_cancelled=lambda: not client.counts))
    assert capsys.readouterr().err == ""


def test_workers_beside_a_scheduler_are_said_to_be_its_own(monkeypatch, capsys):
    client = Scheduler(monkeypatch, 0)
    monkeypatch.setattr("distributed.Client", lambda address, timeout: client)
    with dask_client(workers=4, scheduler="tcp://10.0.0.1:8786"):
        said = capsys.readouterr().err
    assert said == "4 workers are none of a scheduler's: its own are used, 0 are connected\n"


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_tasks_wait_for_a_worker_that_comes_late(monkeypatch, capsys):
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as late:
        timer = threading.Timer(4.0, late.scale, [1])
        timer.start()
        with dask_client(scheduler=late.scheduler_address) as client:
            assert dict(map_unordered(client, square, [(3,)])) == {0: 9}
        timer.join()
    assert "no worker is connected to " in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["spades", "match", "--ns", "random", "--ew", "random", "--games", "2"],
        ["spades", "sweep", "none.toml"],
        ["analysis.disagreements.search_log", "none"],
        ["spades", "disagreements", "none"],
        ["spades", "suite", "sixty", "--agent", "random"],
    ],
)
def test_every_command_refuses_less_than_one_worker(command, capsys):
    module, *arguments = command
    main = import_module("spades.cli.main" if module == "spades" else module).main
    with pytest.raises(SystemExit, match="2"):
        main([*arguments, "--workers", "0"])
    assert "--workers: '0'; 1 or more are possible" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_cancelling_ends_the_run_early():
    with dask_client(workers=1) as client:
        done = []
        for result in map_unordered(
            client, time.sleep, [(0.05,)] * 500, is_cancelled=lambda: len(done) >= 3
        ):
            done.append(result)
        assert 3 <= len(done) < 20


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5 s"), (89, "89 s"), (600, "10 min"), (12_000, "3 h 20 min")]
)
def test_durations_for_people(seconds, text):
    assert format_seconds(seconds) == text


def test_progress_estimates_from_the_pace_of_this_run():
    progress = Progress(100, 50, "games", time.monotonic() - 10, done_before=40)
    assert progress.seconds_left == pytest.approx(50, abs=1)
    assert progress.text() == "50 of 100 games, 50 s left"
    assert Progress(100, 40, "games", time.monotonic(), 40).text() == "40 of 100 games"


def stored_squares(found, agents=()):
    """Tasks that store squares in a dictionary."""

    def task(n):
        return Task(
            square, lambda: (n,), agents, lambda: n in found, lambda x: found.update({n: x})
        )

    return [task(n) for n in range(6)]


def test_only_tasks_that_are_not_stored_are_run_and_stored(monkeypatch):
    at_work, told, found = InProcess(monkeypatch), [], {2: "stored", 4: "stored"}
    at_work.during.append(lambda: found.update({5: "by another process"}))
    with TaskRunner(
        6, "tasks", workers=3, tell=lambda progress: told.append(progress.done)
    ) as runner:
        assert runner.complete(stored_squares(found))
    assert found == {0: 0, 1: 1, 2: "stored", 3: 9, 4: "stored", 5: "by another process"}
    assert [arguments for _, arguments in at_work.done] == [(0,), (1,), (3,)]
    assert (told[0], told[-1]) == (2, 6)
    assert at_work.opened == [(3, 4)]
    with TaskRunner(6, "tasks") as runner:
        assert runner.complete(stored_squares(found))
    assert at_work.opened == [(3, 4)], "what is stored needs no workers"
    for total in (0, 7):  # other lists may follow
        with TaskRunner(total, "tasks") as runner:
            runner.complete(stored_squares({}))
    assert at_work.opened[1:] == [(None, None), (None, None)]


@pytest.mark.parametrize(
    ("asked", "n_tasks", "started", "said"),
    [
        (1000, None, 4, "1,000 workers were asked for; started: 4, one for each core"),
        (1000, 2, 2, "1,000 workers were asked for; started: 2, one for each task"),
        (3, 9, 3, ""),
        (None, None, 4, ""),
        (None, 2, 2, ""),
    ],
)
def test_no_more_workers_start_than_there_are_cores_and_tasks(
    asked, n_tasks, started, said, monkeypatch, capsys
):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    starts = FailingStarts(monkeypatch, 0)
    with dask_client(asked, n_tasks=n_tasks):
        assert starts.options["n_workers"] == started
    assert capsys.readouterr().err.strip() == said


def test_a_result_that_can_not_be_stored_ends_the_calls_before_their_workers(monkeypatch):
    at_work, order = InProcess(monkeypatch), []

    def calls(*arguments, **options):
        try:
            yield from at_work.run(*arguments, **options)
        finally:
            order.append("calls")

    def refuse(value):
        raise ResultStoreError("the disk is full")

    monkeypatch.setattr("analysis.runs.tasks.map_unordered", calls)
    tasks = [replace(task, store=refuse) for task in stored_squares({})]
    with TaskRunner(6, "tasks") as runner:
        with pytest.raises(ResultStoreError):  # its traceback holds the generator
            runner.complete(tasks)
        assert order == ["calls"]


def test_a_cancelled_run_keeps_what_is_stored(monkeypatch):
    InProcess(monkeypatch)
    found = {}
    with TaskRunner(6, "tasks", is_cancelled=lambda: len(found) == 2) as runner:
        assert not runner.complete(stored_squares(found))
    assert found == {0: 0, 1: 1}


def test_the_answer_of_a_worker_with_other_code_or_models_is_refused(monkeypatch):
    InProcess(monkeypatch)
    versions = iter([{"code": "ours"}, {"code": "theirs"}])
    monkeypatch.setattr("analysis.runs.tasks.version_of", lambda *agents: next(versions))
    found = {}
    with (
        pytest.raises(SpadesError, match="a worker's agents or models"),
        TaskRunner(6, "tasks") as runner,
    ):
        runner.complete(stored_squares(found))
    assert found == {}


class SlowStart:
    """Workers that are up once so many results are stored; ``started``: how many were then."""

    def __init__(self, monkeypatch, found, n_stored, error=None):
        self.at_work = InProcess(monkeypatch)
        self.started = None

        @contextmanager
        def client(*options):
            until = time.monotonic() + 10
            while len(found) < n_stored and time.monotonic() < until:
                time.sleep(0.001)
            if error:
                raise error
            self.started = len(found)
            yield "client"

        monkeypatch.setattr("analysis.runs.tasks.dask_client", client)


def slowly(tasks):
    """Tasks that leave a waiting thread the time to see their results."""

    def compute(n):
        time.sleep(0.02)
        return square(n)

    return [replace(task, compute=compute) for task in tasks]


def test_the_first_tasks_are_computed_here_while_the_workers_start(monkeypatch):
    found, told = {}, []
    start = SlowStart(monkeypatch, found, 2)
    with TaskRunner(
        6, "tasks", begins_here=True, tell=lambda progress: told.append(progress.done)
    ) as runner:
        assert runner.complete(slowly(stored_squares(found)))
    assert start.started >= 2
    assert found == {n: n * n for n in range(6)}
    by_workers = [n for _, (n,) in start.at_work.done]
    assert by_workers
    assert by_workers == list(range(6))[-len(by_workers) :], "the first ones, in order, here"
    assert told == list(range(7))


def test_what_was_computed_here_is_stored_though_no_worker_starts(monkeypatch):
    found = {}
    SlowStart(monkeypatch, found, 2, ClusterError("no memory"))
    with (
        TaskRunner(6, "tasks", begins_here=True) as runner,
        pytest.raises(ClusterError, match="no memory"),
    ):
        runner.complete(slowly(stored_squares(found)))
    assert 2 <= len(found) < 6


def test_a_task_that_fails_here_ends_the_run(monkeypatch):
    found = {}
    SlowStart(monkeypatch, found, 0)
    first, second, *others = slowly(stored_squares(found))

    def refuse(value):
        raise ResultStoreError("the disk is full")

    with (
        TaskRunner(6, "tasks", begins_here=True) as runner,
        pytest.raises(ResultStoreError, match="the disk is full"),
    ):
        runner.complete([replace(first, store=refuse), second, *others])
