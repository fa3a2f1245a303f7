"""Dask, on this machine or on many: worker processes, and functions that are called on them."""

import math
import os
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any

from analysis.runs.command import say
from spades.core.errors import SpadesError

SCHEDULER_VARIABLE = "SPADES_SCHEDULER"
CONNECT_SECONDS = 10
START_ATTEMPTS = 3  # a worker may be killed, or out of time, before its cluster is up
CALLS_AHEAD = 4  # calls in flight for each worker: few, so that cancelling is quick
COUNT_WORKERS_EVERY = 1.0  # seconds: workers come and go
PATIENCE = 3.0  # seconds without a worker, after which that is said
QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.low-level-log-length": 0,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing-interval": "1s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}
"""Dask's monitoring of itself, unused here, took 7% of two idle cores; with these settings 2%.
Returning memory after every search, as Dask asks of glibc, took a quarter of a game's time."""


_NO_PROJECT = "Error during deserialization of the task graph"
"""How Dask says that a function or its arguments can't be imported."""


class ClusterError(SpadesError):
    """Worker processes that don't start, lack the project, or don't live long enough to finish a
    call."""


@contextmanager
def dask_client(
    workers: int | None = None, scheduler: str | None = None, n_tasks: int | None = None
) -> Iterator[Any]:
    """A Dask client of the scheduler given (or named by ``SPADES_SCHEDULER``), else of a local one.

    ``workers``: local processes, by default one a core, never more than cores or ``n_tasks``.
    ``ClusterError`` for less than one, and where no scheduler answers.
    """
    from distributed import Client

    if workers is not None and workers < 1:
        raise ClusterError(f"{workers} workers; 1 or more are possible")
    address = scheduler or os.environ.get(SCHEDULER_VARIABLE)
    with ExitStack() as stack:
        if address:
            client = _connect(address)
            if workers is not None:
                n_connected = len(client.nthreads())
                say(
                    f"{workers:,} workers are none of a scheduler's: its own are used, "
                    f"{n_connected:,} are connected"
                )
        else:
            cluster = stack.enter_context(_local_cluster(_affordable(workers, n_tasks)))
            client = Client(cluster)
        yield stack.enter_context(client)


def _connect(address: str) -> Any:
    from distributed import Client

    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # address, network
        raise ClusterError(
            f"no scheduler at {address!r} ({error}); a Dask scheduler's address is due, as "
            "tcp://127.0.0.1:8786"
        ) from error


def _affordable(workers: int | None, n_tasks: int | None) -> int:
    """How many of the workers asked for are of use; reports it where they are fewer."""
    cores = os.cpu_count() or 1
    limit = min(cores, n_tasks or cores)
    if workers is not None and workers > limit:
        each = "core" if limit == cores else "task"
        say(f"{workers:,} workers were asked for; started: {limit}, one for each {each}")
    return min(workers or limit, limit)


def _local_cluster(workers: int) -> Any:
    """A cluster of local processes, all of them up; started again where one dies on the way."""
    import dask
    from distributed import LocalCluster

    reason: Exception | None = None
    for _ in range(START_ATTEMPTS):
        try:
            with _interrupts_blocked(), dask.config.set(QUIET):
                return LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",  # a free port: two commands may run at once
                    silence_logs=50,
                )
        except (RuntimeError, TimeoutError) as error:  # how Dask reports a worker's death
            reason = error
    raise ClusterError(
        f"{workers} worker processes didn't start in {START_ATTEMPTS} attempts ({reason}): they "
        "were killed, or the machine has no memory or time for them; try fewer workers"
    ) from reason


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while workers start, and in them for good: this process stops them.

    A terminal sends Ctrl-C to every process at once. Threads and processes inherit the mask of
    their creator, so workers that are started again later block it too.
    """
    resource_tracker.ensure_running()  # started later, it would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Attendance:
    """Says, once each time, that no worker has been connected for a while."""

    def __init__(self) -> None:
        self._seen_at = time.monotonic()
        self._is_said = False

    def note(self, n_workers: int, client: Any) -> None:
        """How many workers a client's scheduler has now."""
        if n_workers:
            self._seen_at = time.monotonic()
            self._is_said = False
        elif not self._is_said and time.monotonic() - self._seen_at >= PATIENCE:
            self._is_said = True
            address = client.scheduler.address
            say(
                f"no worker is connected to {address}: its tasks wait for one, which "
                f"`dask worker {address}` starts"
            )


def map_unordered(
    client: Any,
    function: Callable[..., Any],
    arguments: Iterable[tuple],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Generator[tuple[int, Any], None, None]:
    """Call a function with each of the arguments: (index of the arguments, result) as they come.

    Ends early when cancelled. Arguments are taken as workers become free. A call that raises ends
    all with its exception; one that kills its worker again and again with ``ClusterError``.
    """
    from distributed import KilledWorker, wait

    waiting = enumerate(arguments)
    running: dict[Any, int] = {}  # index of the arguments by Dask's future
    limit = 0
    counted_at = -math.inf
    attendance = _Attendance()
    try:
        while not is_cancelled():
            if time.monotonic() - counted_at > COUNT_WORKERS_EVERY:
                n_workers = len(client.nthreads())
                attendance.note(n_workers, client)
                limit = CALLS_AHEAD * max(1, n_workers)
                counted_at = time.monotonic()
            for index, call in islice(waiting, max(0, limit - len(running))):
                running[client.submit(function, *call, pure=False)] = index
            if not running:
                return
            try:
                finished = wait(list(running), timeout=0.5, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue
            for future in finished:
                yield running.pop(future), future.result()
    except KilledWorker as error:
        n_killed = error.allowed_failures + 1
        raise ClusterError(
            f"a task was given up after it had ended {n_killed} workers: they were killed, or ran "
            "out of memory"
        ) from error
    except RuntimeError as error:
        if _NO_PROJECT not in str(error):
            raise
        raise ClusterError(
            f"the scheduler {client.scheduler.address}, or a worker of it, can't import this "
            "project: install the same version there"
        ) from error
    finally:
        client.cancel(list(running))
