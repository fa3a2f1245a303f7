"""Independent tasks on Dask: local processes by default, any scheduler by its address.

A task is a function of plain arguments whose result depends on them alone, not on where or in what
order it ran. Tasks may run twice (a killed worker's run again): results are handed on once.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from spades.core.errors import SpadesError

SCHEDULER_VARIABLE = "SPADES_SCHEDULER"
TASKS_AHEAD = 4  # tasks in flight for each worker
ASKED_EVERY = 1.0  # seconds between two looks at how many workers there are
QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.low-level-log-length": 0,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing-interval": "1s",
}
"""Dask's watching of itself, which nobody here looks at: it took 7 % of two idle cores, now 2 %."""
CONNECT_SECONDS = 10
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


@contextmanager
def dask_client(workers: int | None = None, scheduler: str | None = None) -> Iterator[Any]:
    """A Dask client: of the scheduler given (or named by ``SPADES_SCHEDULER``), or a local one.

    ``workers`` counts local processes (default: one a core). Raises ``ClusterError`` for less
    than one, and where no scheduler answers.
    """
    from distributed import Client

    if workers is not None and workers < 1:
        raise ClusterError(f"{workers} workers; 1 or more are possible")
    if address := scheduler or os.environ.get(SCHEDULER_VARIABLE):
        with _client_of(address) as client:
            yield client
        return
    with _local_cluster(workers or os.cpu_count() or 1) as cluster, Client(cluster) as client:
        yield client


def _client_of(address: str) -> Any:
    from distributed import Client

    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # of addresses and networks
        raise ClusterError(
            f"no scheduler at {address!r} ({error}); a Dask scheduler's address is due, as "
            "tcp://127.0.0.1:8786"
        ) from error


def worker_count(text: str) -> int:
    """The number after ``--workers``; less than one is wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; 1 or more are possible")
    return int(text)


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """``--workers`` and ``--scheduler``: where a command's tasks run."""
    add_workers(parser)
    parser.add_argument("--scheduler", metavar="tcp://...", help="a Dask scheduler instead")


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", type=worker_count, metavar="N", help="local processes, one a core"
    )


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
    """Keep Ctrl-C back while workers start, for them for good: it's this process that stops them.

    A terminal sends it to every process at once. Threads and processes inherit what their creator
    holds back, so workers that are started again later do too.
    """
    resource_tracker.ensure_running()  # where it starts, it lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_tasks(
    client: Any,
    function: Callable[..., Any],
    arguments: Sequence[tuple],
    *,
    is_needed: Callable[[int], bool] = lambda index: True,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Any]]:
    """Results as they come: (index of the arguments, result). Ends early when cancelled.

    ``is_needed`` is asked just before a task is sent off: one whose result somebody else has found
    in the meantime is left out.
    A few tasks a worker are in flight at a time, so that stopping is quick and a million tasks
    don't sit in the scheduler. A task that raises ends the run with its exception, one that kills
    its worker again and again with ``ClusterError``.
    """
    from distributed import KilledWorker, wait

    waiting = list(enumerate(arguments))[::-1]
    running: dict[Any, int] = {}
    ahead, asked_at = 0, -math.inf
    try:
        while (waiting or running) and not is_cancelled():
            if time.monotonic() - asked_at > ASKED_EVERY:  # workers come and go
                ahead = TASKS_AHEAD * max(1, len(client.nthreads()))
                asked_at = time.monotonic()
            while waiting and len(running) < ahead:
                index, task = waiting.pop()
                if is_needed(index):
                    running[client.submit(function, *task, pure=False)] = index
            if not running:
                continue
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


@contextmanager
def stoppable(say: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks the run inside to end in good order; a second one ends it at once."""
    asked = threading.Event()

    def ask(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        say("stopping ...")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
