"""Results made of independent parts: what isn't stored yet is computed on Dask, and stored.

The value of a part depends on its arguments alone (a seed among them): a run that was stopped or
killed goes on where it was, and makes the same with any number of workers. A part may be computed
twice (a killed worker's runs again); it is stored once.
"""

import math
import os
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any, Self, TypedDict, Unpack

from analysis.runs.command import say
from analysis.runs.store import Question, ResultStore, version_of
from spades.core.errors import SpadesError

SCHEDULER_VARIABLE = "SPADES_SCHEDULER"
TASKS_AHEAD = 4  # tasks in flight for each worker: stopping stays quick
COUNT_WORKERS_EVERY = 1.0  # seconds: they come and go
QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.low-level-log-length": 0,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing-interval": "1s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}
"""Dask's monitoring of itself, unused here, took 7% of two idle cores, now 2%. Giving memory back
after every search, as Dask asks of glibc, took a quarter of a game's time."""
CONNECT_SECONDS = 10
PART_SECONDS = 1.5  # a part should take about this long
STARTS = 3  # a worker may be killed, or out of time, before its cluster is up


class ClusterError(SpadesError):
    """Worker processes that don't start, or don't live long enough to finish a task."""


@dataclass
class Progress:
    """How far a run of tasks is; ``unit`` says what is counted."""

    total: int
    done: int = 0
    unit: str = "tasks"
    started: float = 0.0
    done_before: int = 0

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the pace since the start of this run; None before there is one."""
        fresh = self.done - self.done_before
        if not fresh or not self.started:
            return None
        return (time.monotonic() - self.started) / fresh * (self.total - self.done)

    def text(self) -> str:
        left = self.seconds_left
        remaining = "" if left is None else f", {format_seconds(left)} left"
        return f"{self.done:,} of {self.total:,} {self.unit}{remaining}"


def format_seconds(seconds: float) -> str:
    """A duration for people: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


@dataclass(frozen=True)
class Part:
    """A piece of a result, and where its value is stored. ``compute`` runs on a worker with
    ``arguments()``, which are made when it is sent off; the value depends on them and on the
    behaviour of ``agents`` (texts). ``size``: its share of the progress."""

    compute: Callable[..., Any]
    arguments: Callable[[], tuple]
    agents: tuple[str, ...]
    is_stored: Callable[[], bool]
    store: Callable[[Any], object]
    size: int = 1

    @classmethod
    def of_store(
        cls,
        place: tuple[ResultStore, str, Question],
        compute: Callable[..., Any],
        arguments: Callable[[], tuple],
        agents: tuple[str, ...],
        size: int = 1,
    ) -> Self:
        """A part whose value is an answer in the store of results: (store, kind, question)."""
        store, kind, question = place
        has, put = partial(store.has, kind, question), partial(store.put, kind, question)
        return cls(compute, arguments, agents, has, put, size)


class RunOptions(TypedDict, total=False):
    """How a run is carried out. ``client``: a Dask client to use; otherwise ``dask_client`` opens
    one for ``workers`` and ``scheduler``. ``tell`` gets the progress, ``is_cancelled`` ends the
    run."""

    client: Any
    workers: int | None
    scheduler: str | None
    tell: Callable[[Progress], None]
    is_cancelled: Callable[[], bool]


class Run(ExitStack):
    """Computes parts that aren't stored, list by list, with one set of workers and one progress. A
    context; workers are started when a part is missing."""

    def __init__(self, total: int, unit: str, done: int = 0, **options: Unpack[RunOptions]) -> None:
        super().__init__()
        self._client = options.get("client")
        self._workers = options.get("workers"), options.get("scheduler")
        self._tell = options.get("tell", lambda progress: None)
        self._is_cancelled = options.get("is_cancelled", lambda: False)
        self._unit = unit
        self.expect(total, done)

    def expect(self, total: int, done: int = 0) -> None:
        """Begin to count anew, from ``done`` to ``total``; nothing is reported while that is 0."""
        self._progress = Progress(total, done, self._unit, time.monotonic(), done)

    def complete(self, parts: Sequence[Part], *, begin: Callable[[], None] = lambda: None) -> bool:
        """Compute and store what is missing of these; False if it was cancelled before the end.
        ``begin`` is called if any is missing, once there are workers."""
        missing = [part for part in parts if not part.is_stored()]
        n_left = sum(part.size for part in missing)
        stored = sum(part.size for part in parts) - n_left
        self._progress.done_before += stored
        self._count(stored)
        if missing and not self._is_cancelled():
            if self._client is None:
                # Of other lists that follow nobody knows how long they are.
                is_all = 0 < self._progress.total <= self._progress.done + n_left
                how = (*self._workers, len(missing) if is_all else None)
                self._client = self.enter_context(dask_client(*how))
            begin()
            sent: list[Part] = []
            tasks, stop = self._tasks(missing, sent), self._is_cancelled
            # Closed before its client is, also where a value can't be stored.
            with closing(run_tasks(self._client, _compute, tasks, is_cancelled=stop)) as values:
                for i, value in values:
                    sent[i].store(value)
                    self._count(sent[i].size)
        return all(part.is_stored() for part in missing)

    def _tasks(self, missing: Sequence[Part], sent: list[Part]) -> Iterator[tuple]:
        """Arguments of ``_compute``, made as they are needed; ``sent`` gets their parts."""
        versions: dict[tuple[str, ...], dict[str, Any]] = {}
        for part in missing:
            if part.is_stored():  # by another process, in the meantime
                self._count(part.size)
                continue
            if part.agents not in versions:
                versions[part.agents] = version_of(*part.agents)
            sent.append(part)
            yield part.compute, part.arguments(), part.agents, versions[part.agents]

    def _count(self, size: int) -> None:
        self._progress.done += size
        if self._progress.total:
            self._tell(self._progress)


def _compute(
    compute: Callable[..., Any], arguments: tuple, agents: Sequence[str], version: Mapping[str, Any]
) -> Any:
    value = compute(*arguments)
    if (here := version_of(*agents)) != version:
        raise SpadesError(
            f"a worker's agents or models ({here}) are not those of this process ({version}): "
            "give both the same code and data"
        )
    return value


def part_size(seconds: float, most: int) -> int:
    """How many things that take ``seconds`` each make a part, the same whoever asks."""
    return min(max(1, round(PART_SECONDS / seconds)), most)


def ranges(n: int, size: int) -> list[tuple[int, int]]:
    """``n`` things in parts: (first, end) of each."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]


@contextmanager
def dask_client(
    workers: int | None = None, scheduler: str | None = None, n_tasks: int | None = None
) -> Iterator[Any]:
    """A Dask client: of the scheduler given (or named by ``SPADES_SCHEDULER``), or a local one.
    ``workers``: local processes (default: one a core), never more than cores or ``n_tasks``.
    ``ClusterError`` for less than one, and where no scheduler answers."""
    from distributed import Client

    if workers is not None and workers < 1:
        raise ClusterError(f"{workers} workers; 1 or more are possible")
    with ExitStack() as stack:
        if address := scheduler or os.environ.get(SCHEDULER_VARIABLE):
            try:
                client = Client(address, timeout=CONNECT_SECONDS)
            except (OSError, ValueError, TypeError, RuntimeError) as error:  # address, network
                raise ClusterError(
                    f"no scheduler at {address!r} ({error}); a Dask scheduler's address is due, as "
                    "tcp://127.0.0.1:8786"
                ) from error
        else:
            client = Client(stack.enter_context(_local_cluster(_affordable(workers, n_tasks))))
        yield stack.enter_context(client)


def _affordable(workers: int | None, n_tasks: int | None) -> int:
    """How many workers are of use, of those asked for; says so where they are fewer."""
    cores = os.cpu_count() or 1
    most = min(cores, n_tasks or cores)
    if workers is not None and workers > most:
        each = "core" if most == cores else "task"
        say(f"{workers:,} workers were asked for; started: {most}, one for each {each}")
    return min(workers or most, most)


def _local_cluster(workers: int) -> Any:
    """A cluster of local processes, all of them up; begun anew where one dies on the way."""
    import dask
    from distributed import LocalCluster

    reason: Exception | None = None
    for _ in range(STARTS):
        try:
            with _interrupts_held(), dask.config.set(QUIET):
                return LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",  # a free port: two runs may go on at once
                    silence_logs=50,
                )
        except (RuntimeError, TimeoutError) as error:  # what Dask makes of a worker's death
            reason = error
    raise ClusterError(
        f"{workers} worker processes didn't start in {STARTS} attempts ({reason}): they were "
        "killed, or the machine has no memory or time for them; try fewer workers"
    ) from reason


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C while workers start, and in them for good: this process stops them. A terminal
    sends it to every process at once. Threads and processes inherit the mask of their creator, so
    workers that are started again later do too."""
    resource_tracker.ensure_running()  # where it starts, it lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_tasks(
    client: Any,
    function: Callable[..., Any],
    arguments: Iterable[tuple],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Generator[tuple[int, Any], None, None]:
    """Results as they come: (index of the arguments, result). Ends early when cancelled. Arguments
    are taken as workers become free. A task that raises ends the run with its exception, one that
    kills its worker again and again with ``ClusterError``."""
    from distributed import KilledWorker, wait

    waiting = enumerate(arguments)
    running: dict[Any, int] = {}
    ahead, counted_at = 0, -math.inf
    try:
        while not is_cancelled():
            if time.monotonic() - counted_at > COUNT_WORKERS_EVERY:
                ahead = TASKS_AHEAD * max(1, len(client.nthreads()))
                counted_at = time.monotonic()
            for index, task in islice(waiting, max(0, ahead - len(running))):
                running[client.submit(function, *task, pure=False)] = index
            if not running:
                return
            try:
                finished = wait(list(running), timeout=0.5, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue
            for future in finished:
                yield running.pop(future), future.result()
    except KilledWorker as error:
        raise ClusterError(
            f"a task was given up after it had ended {error.allowed_failures + 1} workers: they "
            "were killed, or ran out of memory"
        ) from error
    finally:
        client.cancel(list(running))
