"""A bounded pool of threads in which agents think, in fair turns.

Agents never run in the thread of a request. What they have to decide is a piece of work in steps
(``spades.core.steps``). Tables whose last ``QUICK_PIECES`` were quick go first (bids alone are
quick at any table), of clients that haven't used ``QUICK_SECONDS`` lately; then whoever has been
served least lately has the next turn: first by client, then by table. So a table with quick agents
is answered at once beside any number of slow ones.

A piece of work begins with a trial: if it ends within ``TRIAL_SECONDS`` it holds memory only while
it runs. What takes longer is slow. Only so many slow pieces are begun at a time (``Limits.slow``),
because each may hold a search tree of some 100 MB; the others wait unbegun. Slow pieces run in
slices of ``SLICE_SECONDS`` and wait between them.

Work whose idle timeout has passed without a heartbeat of somebody who waits for it is cancelled.
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
QUICK_SECONDS, QUICK_PIECES = 10.0, 3
MOST_CHARGED = 1.0  # seconds of one step: what is compiled in it is for all
HALF_LIFE = 30.0  # seconds after which half of the time that was used is forgotten
IDLE_SECONDS = 1.0  # between two looks for work that nobody waits for
FULL_SECONDS = 5.0  # after which who was refused may ask again
ANYBODY = ""
"""The client of work that this process asks for itself; it has no limit of its own."""
_log = logging.getLogger(__name__)


class PoolFullError(BusyError):
    """More work than the pool takes, of one client or of all."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, FULL_SECONDS)


@dataclass(frozen=True)
class Limits:
    """``of_client``: pieces of work of one client that are waited for; ``waiting``: of all clients;
    ``slow``: slow ones that are begun, None for two more than there are workers; ``idle_timeout``:
    seconds without a heartbeat after which work is cancelled."""

    of_client: int = 24
    waiting: int = 400
    slow: int | None = None
    idle_timeout: float = 30.0


class Request(NamedTuple):
    """A piece of work that is asked for. ``key``: its name, once in the pool at a time; ``begin``
    makes its steps, again where they were forgotten or it is asked for once more;
    ``idle_timeout``: as in ``Limits``, where it isn't that."""

    key: str
    table: str
    client: str
    begin: Callable[[], Steps[Any]]
    idle_timeout: float | None = None


class Place(NamedTuple):
    """Where a piece of work is: ``place`` 0 while it runs or pauses between slices, else its place
    among those that wait, from 1 on; ``waiting``: how many pieces are waited for in all."""

    place: int
    waiting: int


@dataclass
class _Account:
    """CPU seconds used lately; half of them are forgotten every ``HALF_LIFE``."""

    used: float = 0.0
    at: float = 0.0
    is_slow: bool = False  # of a table: its last piece of work was
    n_quick: int = 0  # of a table: how many of its last pieces ended within their trial

    def used_by(self, now: float) -> float:
        return self.used * 0.5 ** ((now - self.at) / HALF_LIFE)

    def charge(self, seconds: float, now: float) -> None:
        self.used = self.used_by(now) + seconds
        self.at = now


@dataclass(eq=False)
class _Job:
    request: Request
    number: int  # in the sequence asked for
    last_heartbeat: float
    future: Future[Any] = field(default_factory=Future)
    steps: Steps[Any] | None = None
    spent: float = 0.0
    is_running: bool = False
    is_slow: bool = False  # one of ``Limits.slow``
    is_asked_again: bool = False

    def forget_steps(self) -> None:
        """Forget what has been done, and the memory that it holds."""
        if self.steps is not None:
            self.steps.close()
        self.steps = None
        self.is_slow = False


class Pool:
    """The threads and what waits for them. ``workers``: 0 for a pool whose owner calls ``turn``,
    by default all cores but one. ``clock`` and ``cpu``: seconds, of the wall and of a thread."""

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
        """Ask for a piece of work, or send a heartbeat where it is asked for already: its future,
        which is cancelled with the work. ``PoolFullError`` where there is no room."""
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
        """``PoolFullError`` where a piece of work would be refused."""
        with self._changed:
            if key not in self._jobs:
                self._check_room(client)

    def heartbeat(self, key: str) -> Future[Any] | None:
        """Somebody still waits for a piece of work: its future, None where there is none."""
        with self._changed:
            job = self._jobs.get(key)
            if job is None:
                return None
            job.last_heartbeat = self._clock()
            return job.future

    def place(self, key: str) -> Place | None:
        """Where a piece of work is; None where there is none."""
        with self._changed:
            job = self._jobs.get(key)
            if job is None:
                return None
            if job.steps is not None or job.is_running:
                return Place(0, len(self._jobs))
            now = self._clock()
            own = self._rank(job, now)
            waiting = [one for one in self._jobs.values() if one.steps is None]
            ahead = sum(not one.is_running and self._rank(one, now) < own for one in waiting)
            return Place(ahead + 1, len(self._jobs))

    @property
    def n_begun(self) -> int:
        """Pieces of work that hold memory now."""
        with self._changed:
            return sum(one.is_running or one.steps is not None for one in self._jobs.values())

    def cancel(self, key: str) -> None:
        """Nobody needs a piece of work any more."""
        with self._changed:
            job = self._jobs.get(key)
            if job is not None:
                job.last_heartbeat = -float("inf")
            cancelled = self._cancel_idle()
        _cancel_futures(cancelled)

    def turn(self) -> bool:
        """Do one slice of the work whose turn it is; whether there was any."""
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
        except Exception as failed:  # whatever it is, the pool goes on
            error = failed
        if self._put_back(job, is_over=is_over):
            _settle(job.future, value, error)
        return True

    def _check_room(self, client: str) -> None:
        limits = self.limits
        own = sum(one.request.client == client for one in self._jobs.values())
        if client != ANYBODY and own >= limits.of_client:
            raise PoolFullError(
                f"{own} tables of yours wait for their agents, and {limits.of_client} may: go on "
                "once one of them has been answered"
            )
        if len(self._jobs) >= limits.waiting:
            raise PoolFullError(
                f"{len(self._jobs)} tables of this server wait for their agents, and "
                f"{limits.waiting} may: try again in a minute"
            )

    def _rank(self, job: _Job, now: float) -> tuple[bool, float, float, int]:
        """The least has the next turn."""
        client = self._clients.get(job.request.client)
        table = self._tables.get(job.request.table)
        used_by_client = client.used_by(now) if client else 0.0
        used_by_table = table.used_by(now) if table else 0.0
        is_known_quick = table is not None and table.n_quick >= QUICK_PIECES
        goes_first = is_known_quick and used_by_client < QUICK_SECONDS
        return not goes_first, used_by_client, used_by_table, job.number

    def _take(self) -> _Job | None:
        """The job whose turn it is, marked as running."""
        with self._changed:
            cancelled = self._cancel_idle()
            now = self._clock()
            job = min(self._ready(), key=lambda one: self._rank(one, now), default=None)
            if job is not None:
                job.is_running = True
                job.is_asked_again = False
                job.is_slow = job.is_slow or self._has_slow_table(job)
        _cancel_futures(cancelled)
        return job

    def _ready(self) -> list[_Job]:
        """The jobs that can have a turn now."""
        waiting = [one for one in self._jobs.values() if not one.is_running]
        return [
            one
            for one in waiting
            if one.steps is not None
            or not self._has_slow_table(one)
            or self._may_begin_slow(one.request.client)
        ]

    def _has_slow_table(self, job: _Job) -> bool:
        account = self._tables.get(job.request.table)
        return account is not None and account.is_slow

    def _may_begin_slow(self, client: str) -> bool:
        """Whether there is room for one more slow job of a client; the last place is for
        others."""
        slow = [one.request.client for one in self._jobs.values() if one.is_slow]
        most_of_client = max(1, self._max_slow - 1)
        return len(slow) < self._max_slow and slow.count(client) < most_of_client

    def _run_slice(self, job: _Job) -> None:
        """Steps of a job until its slice is used up; ``StopIteration`` at its end."""
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
        job.spent += seconds
        with self._changed:
            for accounts, name in (
                (self._clients, job.request.client),
                (self._tables, job.request.table),
            ):
                charged = min(seconds, MOST_CHARGED)
                accounts.setdefault(name, _Account(at=now)).charge(charged, now)

    def _put_back(self, job: _Job, *, is_over: bool) -> bool:
        """A job after its slice: whether it is over."""
        with self._changed:
            job.is_running = False
            table = self._tables.setdefault(job.request.table, _Account(at=self._clock()))
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
        """It is slow: it keeps what it has done if there is room, else it begins again later."""
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
        """Take out what nobody waits for any more."""
        idle = [one for one in self._jobs.values() if not one.is_running and self._is_idle(one)]
        for job in idle:
            del self._jobs[job.request.key]
            job.forget_steps()
        return idle

    def _forget_accounts(self) -> None:
        """Keep the accounts of those who have used something lately, or wait."""
        now = self._clock()
        waiting = [one.request for one in self._jobs.values()]
        for accounts, kept in (
            (self._clients, {request.client for request in waiting}),
            (self._tables, {request.table for request in waiting}),
        ):
            if len(accounts) <= 2 * self.limits.waiting:
                continue
            for name in [name for name in accounts if name not in kept]:
                if accounts[name].used_by(now) < SLICE_SECONDS:
                    del accounts[name]

    def _start_threads(self) -> None:
        while len(self._threads) < self.workers:
            thread = Thread(target=self._work, name="agents of tables", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        """What each thread does, for good."""
        while True:
            if self.turn():
                continue
            with self._changed:
                seconds = IDLE_SECONDS if self._jobs else None
                self._changed.wait_for(self._ready, seconds)


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
    """Tell who waits for them, without the pool's lock."""
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
