"""A bounded thread pool in which agents think, with fair scheduling.

Agents never run in the thread of a request. Their decisions are jobs that run in steps
(``spades.core.steps``). First come tables whose last ``QUICK_PIECES`` jobs were quick (bids are
quick at any table), if their client has used less than ``QUICK_SECONDS`` recently; then the least
recent CPU time decides, first of the client, then of the table. So a table with quick agents is
answered at once beside any number of slow ones.

A job starts with a trial: if it ends within ``TRIAL_SECONDS``, it holds memory only while it runs.
Otherwise it is slow. The number of slow jobs in progress is limited (``Limits.slow``), because
each may hold a search tree of some 100 MB; the others wait without having started. Slow jobs run
in slices of ``SLICE_SECONDS`` and wait in between.

A job is cancelled when ``Limits.idle_timeout`` seconds pass without a heartbeat of a reader.
"""

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Condition, Thread
from typing import Any, NamedTuple

from spades.core.errors import BusyError, SpadesError
from spades.core.steps import Steps

SLICE_SECONDS = 0.03
TRIAL_SECONDS = 0.25
QUICK_SECONDS = 10.0
QUICK_PIECES = 3
MOST_CHARGED = 1.0  # seconds of one step: more is compilation, from which all tables profit
HALF_LIFE = 30.0  # seconds in which the recorded CPU time decays by half
IDLE_SECONDS = 1.0  # between two checks for idle jobs
FULL_SECONDS = 5.0  # after which a refused client may try again
ANYBODY = ""
"""The client of this process's own jobs; it has no limit of its own."""
_log = logging.getLogger(__name__)


class PoolFullError(BusyError):
    """More jobs than the pool accepts, of one client or of all."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, FULL_SECONDS)


@dataclass(frozen=True)
class Limits:
    """``of_client``: most jobs of one client; ``waiting``: most jobs of all clients; ``slow``:
    most slow jobs in progress, None for two more than workers; ``idle_timeout``:
    seconds without a heartbeat after which a job is cancelled."""

    of_client: int = 24
    waiting: int = 400
    slow: int | None = None
    idle_timeout: float = 30.0


class Request(NamedTuple):
    """A job to run. ``key``: its name, unique in the pool; ``begin``: makes its steps, again if it
    is restarted; ``idle_timeout``: overrides that of ``Limits``."""

    key: str
    table: str
    client: str
    begin: Callable[[], Steps[Any]]
    idle_timeout: float | None = None


class Place(NamedTuple):
    """``place`` of a job in the queue from 1 on, 0 once it has started; ``waiting``: number of all
    jobs."""

    place: int
    waiting: int


@dataclass
class _Account:
    """Recent CPU seconds of a client or table, which decay by half every ``HALF_LIFE``."""

    used: float = 0.0
    updated: float = 0.0
    is_slow: bool = False  # of a table: whether its last job was slow
    n_quick: int = 0  # of a table: number of quick jobs since the last slow one

    def used_by(self, now: float) -> float:
        return self.used * 0.5 ** ((now - self.updated) / HALF_LIFE)

    def charge(self, seconds: float, now: float) -> None:
        self.used = self.used_by(now) + seconds
        self.updated = now


@dataclass(eq=False)
class _Job:
    request: Request
    number: int  # in the order of requests
    last_heartbeat: float
    future: Future[Any] = field(default_factory=Future)
    steps: Steps[Any] | None = None
    spent: float = 0.0
    is_running: bool = False
    is_slow: bool = False  # counts towards ``Limits.slow``
    is_asked_again: bool = False  # since it last started to run

    @property
    def has_started(self) -> bool:
        return self.is_running or self.steps is not None

    def forget_steps(self) -> None:
        """Discard the progress and free its memory."""
        if self.steps is not None:
            self.steps.close()
        self.steps = None
        self.is_slow = False


class Pool:
    """The threads and their jobs. ``workers``: number of threads, by default all cores but one; 0
    for a pool whose owner calls ``turn``. ``clock`` and ``cpu``: wall time and the thread's CPU
    time, seconds."""

    def __init__(
        self,
        *,
        workers: int | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self.workers = max(1, _n_cores() - 1) if workers is None else workers
        self.limits = limits or Limits()
        self.cpu = cpu
        self._clock = clock
        self._max_slow = self.workers + 2 if self.limits.slow is None else self.limits.slow
        self._jobs: dict[str, _Job] = {}
        self._clients: dict[str, _Account] = {}
        self._tables: dict[str, _Account] = {}
        self._threads: list[Thread] = []
        self._changed = Condition()
        self._n_asked = 0

    def submit(self, request: Request) -> Future[Any]:
        """Submit a job, or send a heartbeat if it is in the pool. The future is cancelled with the
        job; ``PoolFullError`` if the pool is full."""
        with self._changed:
            job = self._jobs.get(request.key)
            if job is not None:
                job.last_heartbeat = self._clock()
                job.is_asked_again = True
                return job.future
            self._check_room(request.client)
            self._n_asked += 1
            job = _Job(request, self._n_asked, self._clock())
            self._jobs[request.key] = job
            self._start_threads()
            self._changed.notify()
            return job.future

    def check(self, client: str, key: str) -> None:
        """``PoolFullError`` if a job would be refused."""
        with self._changed:
            if key not in self._jobs:
                self._check_room(client)

    def place(self, key: str) -> Place | None:
        """The place of a job in the queue; None if there is none."""
        with self._changed:
            job = self._jobs.get(key)
            if job is None:
                return None
            if job.has_started:
                return Place(0, len(self._jobs))
            now = self._clock()
            own = self._rank(job, now)
            n_ahead = sum(
                not other.has_started and self._rank(other, now) < own
                for other in self._jobs.values()
            )
            return Place(n_ahead + 1, len(self._jobs))

    def cancel(self, key: str) -> None:
        """Drop a job that nobody needs any more."""
        with self._changed:
            job = self._jobs.get(key)
            if job is not None:
                job.last_heartbeat = -float("inf")
            cancelled = self._cancel_idle()
        _cancel_futures(cancelled)

    def turn(self) -> bool:
        """Run one slice of the next job; returns False if there was none."""
        job = self._take()
        if job is None:
            return False
        value: object = None
        error: Exception | None = None
        is_over = True
        try:
            self._run_slice(job)
            is_over = False
        except StopIteration as end:
            value = end.value
        except Exception as failed:  # any error: the pool must survive it
            error = failed
        if self._put_back(job, is_over=is_over):
            _settle(job.future, value, error)
        return True

    def _check_room(self, client: str) -> None:
        limits = self.limits
        n_own = sum(job.request.client == client for job in self._jobs.values())
        if client != ANYBODY and n_own >= limits.of_client:
            raise PoolFullError(
                f"{n_own} tables of yours wait for their agents, and {limits.of_client} may: go on "
                "once one of them has been answered"
            )
        if len(self._jobs) >= limits.waiting:
            raise PoolFullError(
                f"{len(self._jobs)} tables of this server wait for their agents, and "
                f"{limits.waiting} may: try again in a minute"
            )

    def _rank(self, job: _Job, now: float) -> tuple[bool, float, float, int]:
        """Priority of a job; the lowest runs next."""
        client = self._clients.get(job.request.client)
        table = self._tables.get(job.request.table)
        used_by_client = client.used_by(now) if client else 0.0
        used_by_table = table.used_by(now) if table else 0.0
        is_known_quick = table is not None and table.n_quick >= QUICK_PIECES
        goes_first = is_known_quick and used_by_client < QUICK_SECONDS
        return not goes_first, used_by_client, used_by_table, job.number

    def _take(self) -> _Job | None:
        """The next job, marked as running."""
        with self._changed:
            cancelled = self._cancel_idle()
            now = self._clock()
            job = min(self._ready(), key=lambda ready: self._rank(ready, now), default=None)
            if job is not None:
                job.is_running = True
                job.is_asked_again = False
                job.is_slow = job.is_slow or self._has_slow_table(job)
        _cancel_futures(cancelled)
        return job

    def _ready(self) -> list[_Job]:
        """The jobs that may run now."""
        return [job for job in self._jobs.values() if self._is_ready(job)]

    def _is_ready(self, job: _Job) -> bool:
        if job.is_running:
            return False
        if job.steps is not None or not self._has_slow_table(job):
            return True
        return self._may_begin_slow(job.request.client)

    def _has_slow_table(self, job: _Job) -> bool:
        account = self._tables.get(job.request.table)
        return account is not None and account.is_slow

    def _may_begin_slow(self, client: str) -> bool:
        """Whether there is room for one more slow job of a client, who leaves the last place to
        others."""
        slow_clients = [job.request.client for job in self._jobs.values() if job.is_slow]
        has_room = len(slow_clients) < self._max_slow
        return has_room and slow_clients.count(client) < max(1, self._max_slow - 1)

    def _run_slice(self, job: _Job) -> None:
        """Run steps of a job until its slice is used up; ``StopIteration`` at its end."""
        budget = SLICE_SECONDS if job.is_slow else TRIAL_SECONDS
        until = job.spent + budget
        while job.spent < until and not self._is_idle(job):
            started = self.cpu()
            try:
                if job.steps is None:
                    job.steps = job.request.begin()
                next(job.steps)
            finally:
                self._charge(job, self.cpu() - started)

    def _charge(self, job: _Job, seconds: float) -> None:
        now = self._clock()
        charged = min(seconds, MOST_CHARGED)
        job.spent += seconds
        with self._changed:
            client = self._clients.setdefault(job.request.client, _Account(updated=now))
            table = self._tables.setdefault(job.request.table, _Account(updated=now))
            client.charge(charged, now)
            table.charge(charged, now)

    def _put_back(self, job: _Job, *, is_over: bool) -> bool:
        """Return a job to the pool after its slice; returns whether it is over for good."""
        with self._changed:
            job.is_running = False
            table = self._tables.setdefault(job.request.table, _Account(updated=self._clock()))
            if is_over:
                table.is_slow = job.spent > TRIAL_SECONDS
                table.n_quick = 0 if table.is_slow else table.n_quick + 1
                job.forget_steps()
                job.spent = 0.0
                is_over = not job.is_asked_again
                if is_over:
                    del self._jobs[job.request.key]
            else:
                self._pause(job, table)
            self._forget_accounts()
            cancelled = self._cancel_idle()
            self._changed.notify_all()
        _cancel_futures(cancelled)
        return is_over

    def _pause(self, job: _Job, table: _Account) -> None:
        """Pause a job that is slow: it keeps its progress if there is room, else it restarts
        later."""
        table.n_quick = 0
        if not job.is_slow:
            table.is_slow = True
            job.is_slow = self._may_begin_slow(job.request.client)
        if not job.is_slow:
            job.forget_steps()
            job.spent = 0.0

    def _is_idle(self, job: _Job) -> bool:
        own = job.request.idle_timeout
        idle_timeout = self.limits.idle_timeout if own is None else own
        return self._clock() - job.last_heartbeat > idle_timeout

    def _cancel_idle(self) -> list[_Job]:
        """Remove the jobs that nobody waits for, and return them."""
        waiting = [job for job in self._jobs.values() if not job.is_running]
        idle = [job for job in waiting if self._is_idle(job)]
        for job in idle:
            del self._jobs[job.request.key]
            job.forget_steps()
        return idle

    def _forget_accounts(self) -> None:
        """Delete the accounts of those who have no job and have used little recently."""
        requests = [job.request for job in self._jobs.values()]
        self._forget(self._clients, {request.client for request in requests})
        self._forget(self._tables, {request.table for request in requests})

    def _forget(self, accounts: dict[str, _Account], active: set[str]) -> None:
        if len(accounts) <= 2 * self.limits.waiting:
            return
        now = self._clock()
        for name in list(accounts):
            if name not in active and accounts[name].used_by(now) < SLICE_SECONDS:
                del accounts[name]

    def _start_threads(self) -> None:
        while len(self._threads) < self.workers:
            thread = Thread(target=self._work, name="agents of tables", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        """The endless loop of each thread."""
        while True:
            if self.turn():
                continue
            with self._changed:
                timeout = IDLE_SECONDS if self._jobs else None
                self._changed.wait_for(self._ready, timeout)


def _settle(future: Future[Any], value: object, error: Exception | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(value)
        return
    if not isinstance(error, SpadesError):
        _log.error("an agent at a table failed", exc_info=error)
    future.set_exception(error)


def _cancel_futures(jobs: list[_Job]) -> None:
    """Cancel the futures of jobs; not under the pool's lock, as callbacks run."""
    for job in jobs:
        job.future.cancel()


def _n_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@lru_cache(maxsize=1)
def shared_pool() -> Pool:
    """The pool of this process."""
    return Pool()
