"""A bounded thread pool in which agents think, with fair scheduling.

Agents never run in the thread of a request. Their decisions are tasks that run in steps
(``spades.core.steps``). First come tables whose last ``QUICK_PIECES`` tasks were quick (bids are
quick at any table), if their client has used less than ``QUICK_SECONDS`` recently; then the least
recent CPU time decides, first of the client, then of the table. So a table with quick agents is
answered at once beside any number of slow ones.

A task starts with a trial: if it ends within ``TRIAL_SECONDS``, it holds memory only while it runs.
Otherwise it is slow. The number of slow tasks in progress is limited (``Limits.slow``), because
each may hold a search tree of some 100 MB; the others wait without having started. Slow tasks run
in slices of ``SLICE_SECONDS`` and wait in between.

A task that nobody has looked at for ``Limits.unseen`` seconds is dropped.
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
IDLE_SECONDS = 1.0  # between two checks for dropped tasks
FULL_SECONDS = 5.0  # after which a refused client may try again
ANYBODY = ""
"""The client of this process's own tasks; it has no limit of its own."""
_log = logging.getLogger(__name__)


class PoolFullError(BusyError):
    """More tasks than the pool accepts, of one client or of all."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, FULL_SECONDS)


@dataclass(frozen=True)
class Limits:
    """``of_client``: most tasks of one client; ``waiting``: most tasks of all clients; ``slow``:
    most slow tasks in progress, None for two more than workers; ``unseen``: seconds after which a
    task that nobody looks at is dropped."""

    of_client: int = 24
    waiting: int = 400
    slow: int | None = None
    unseen: float = 30.0


class Order(NamedTuple):
    """A task to run. ``key``: its name, unique in the pool; ``begin``: makes its steps, again if it
    is restarted; ``unseen``: overrides that of ``Limits``."""

    key: str
    table: str
    client: str
    begin: Callable[[], Steps[Any]]
    unseen: float | None = None


class Place(NamedTuple):
    """``place`` of a task in the queue from 1 on, 0 once it has started; ``waiting``: number of all
    tasks."""

    place: int
    waiting: int


@dataclass
class _Account:
    """Recent CPU seconds of a client or table, which decay by half every ``HALF_LIFE``."""

    used: float = 0.0
    updated: float = 0.0
    is_slow: bool = False  # of a table: whether its last task was slow
    n_quick: int = 0  # of a table: number of quick tasks since the last slow one

    def used_by(self, now: float) -> float:
        return self.used * 0.5 ** ((now - self.updated) / HALF_LIFE)

    def charge(self, seconds: float, now: float) -> None:
        self.used = self.used_by(now) + seconds
        self.updated = now


@dataclass(eq=False)
class _Task:
    order: Order
    number: int  # in the order of requests
    seen: float
    future: Future[Any] = field(default_factory=Future)
    steps: Steps[Any] | None = None
    spent: float = 0.0
    is_running: bool = False
    is_slow: bool = False  # counts towards ``Limits.slow``
    is_asked_again: bool = False  # since it last started to run

    def drop_steps(self) -> None:
        """Discard the progress and free its memory."""
        if self.steps is not None:
            self.steps.close()
        self.steps = None
        self.is_slow = False


class Pool:
    """The threads and their tasks. ``workers``: number of threads, by default all cores but one; 0
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
        self._tasks: dict[str, _Task] = {}
        self._clients: dict[str, _Account] = {}
        self._tables: dict[str, _Account] = {}
        self._threads: list[Thread] = []
        self._changed = Condition()
        self._n_asked = 0

    def ask(self, order: Order) -> Future[Any]:
        """Submit a task, or look at it if it is in the pool. The future is cancelled if the task is
        dropped; ``PoolFullError`` if the pool is full."""
        with self._changed:
            task = self._tasks.get(order.key)
            if task is not None:
                task.seen = self._clock()
                task.is_asked_again = True
                return task.future
            self._check_room(order.client)
            self._n_asked += 1
            task = _Task(order, self._n_asked, self._clock())
            self._tasks[order.key] = task
            self._start_threads()
            self._changed.notify()
            return task.future

    def check(self, client: str, key: str) -> None:
        """``PoolFullError`` if a task would be refused."""
        with self._changed:
            if key not in self._tasks:
                self._check_room(client)

    def look(self, key: str) -> Future[Any] | None:
        """Note that somebody waits for a task; returns its future, None if there is none."""
        with self._changed:
            task = self._tasks.get(key)
            if task is None:
                return None
            task.seen = self._clock()
            return task.future

    def place(self, key: str) -> Place | None:
        """The place of a task in the queue; None if there is none."""
        with self._changed:
            task = self._tasks.get(key)
            if task is None:
                return None
            if task.steps is not None or task.is_running:
                return Place(0, len(self._tasks))
            now = self._clock()
            own = self._rank(task, now)
            waiting = [
                other
                for other in self._tasks.values()
                if other.steps is None and not other.is_running
            ]
            n_ahead = sum(self._rank(other, now) < own for other in waiting)
            return Place(n_ahead + 1, len(self._tasks))

    @property
    def n_begun(self) -> int:
        """Number of tasks that hold memory now."""
        with self._changed:
            return sum(task.is_running or task.steps is not None for task in self._tasks.values())

    def drop(self, key: str) -> None:
        """Drop a task that nobody needs any more."""
        with self._changed:
            task = self._tasks.get(key)
            if task is not None:
                task.seen = -float("inf")
            dropped = self._drop_unseen()
        _cancel(dropped)

    def turn(self) -> bool:
        """Run one slice of the next task; returns False if there was none."""
        task = self._take()
        if task is None:
            return False
        value: object = None
        error: Exception | None = None
        is_over = True
        try:
            self._run_slice(task)
            is_over = False
        except StopIteration as end:
            value = end.value
        except Exception as failed:  # any error: the pool must survive it
            error = failed
        if self._put_back(task, is_over=is_over):
            _settle(task.future, value, error)
        return True

    def _check_room(self, client: str) -> None:
        limits = self.limits
        n_own = sum(task.order.client == client for task in self._tasks.values())
        if client != ANYBODY and n_own >= limits.of_client:
            raise PoolFullError(
                f"{n_own} tables of yours wait for their agents, and {limits.of_client} may: go on "
                "once one of them has been answered"
            )
        if len(self._tasks) >= limits.waiting:
            raise PoolFullError(
                f"{len(self._tasks)} tables of this server wait for their agents, and "
                f"{limits.waiting} may: try again in a minute"
            )

    def _rank(self, task: _Task, now: float) -> tuple[bool, float, float, int]:
        """Priority of a task; the lowest runs next."""
        client = self._clients.get(task.order.client)
        table = self._tables.get(task.order.table)
        used_by_client = client.used_by(now) if client else 0.0
        used_by_table = table.used_by(now) if table else 0.0
        is_known_quick = table is not None and table.n_quick >= QUICK_PIECES
        goes_first = is_known_quick and used_by_client < QUICK_SECONDS
        return not goes_first, used_by_client, used_by_table, task.number

    def _take(self) -> _Task | None:
        """The next task, marked as running."""
        with self._changed:
            dropped = self._drop_unseen()
            now = self._clock()
            task = min(self._ready(), key=lambda ready: self._rank(ready, now), default=None)
            if task is not None:
                task.is_running = True
                task.is_asked_again = False
                task.is_slow = task.is_slow or self._has_slow_table(task)
        _cancel(dropped)
        return task

    def _ready(self) -> list[_Task]:
        """The tasks that may run now."""
        return [task for task in self._tasks.values() if self._is_ready(task)]

    def _is_ready(self, task: _Task) -> bool:
        if task.is_running:
            return False
        if task.steps is not None or not self._has_slow_table(task):
            return True
        return self._may_begin_slow(task.order.client)

    def _has_slow_table(self, task: _Task) -> bool:
        account = self._tables.get(task.order.table)
        return account is not None and account.is_slow

    def _may_begin_slow(self, client: str) -> bool:
        """Whether there is room for one more slow task of a client, who leaves the last place to
        others."""
        clients = [task.order.client for task in self._tasks.values() if task.is_slow]
        most_of_client = max(1, self._max_slow - 1)
        return len(clients) < self._max_slow and clients.count(client) < most_of_client

    def _run_slice(self, task: _Task) -> None:
        """Run steps of a task until its slice is used up; ``StopIteration`` at its end."""
        budget = SLICE_SECONDS if task.is_slow else TRIAL_SECONDS
        until = task.spent + budget
        while task.spent < until and not self._is_unseen(task):
            started = self.cpu()
            try:
                if task.steps is None:
                    task.steps = task.order.begin()
                next(task.steps)
            finally:
                self._charge(task, self.cpu() - started)

    def _charge(self, task: _Task, seconds: float) -> None:
        now = self._clock()
        charged = min(seconds, MOST_CHARGED)
        task.spent += seconds
        with self._changed:
            client = self._clients.setdefault(task.order.client, _Account(updated=now))
            table = self._tables.setdefault(task.order.table, _Account(updated=now))
            client.charge(charged, now)
            table.charge(charged, now)

    def _put_back(self, task: _Task, *, is_over: bool) -> bool:
        """Return a task to the pool after its slice; returns whether it is over for good."""
        with self._changed:
            task.is_running = False
            table = self._tables.setdefault(task.order.table, _Account(updated=self._clock()))
            if is_over:
                table.is_slow = task.spent > TRIAL_SECONDS
                table.n_quick = 0 if table.is_slow else table.n_quick + 1
                task.drop_steps()
                task.spent = 0.0
                is_over = not task.is_asked_again
                if is_over:
                    del self._tasks[task.order.key]
            else:
                self._pause(task, table)
            self._forget_accounts()
            dropped = self._drop_unseen()
            self._changed.notify_all()
        _cancel(dropped)
        return is_over

    def _pause(self, task: _Task, table: _Account) -> None:
        """Pause a task that is slow: it keeps its progress if there is room, else it restarts
        later."""
        table.n_quick = 0
        if not task.is_slow:
            table.is_slow = True
            task.is_slow = self._may_begin_slow(task.order.client)
        if not task.is_slow:
            task.drop_steps()
            task.spent = 0.0

    def _is_unseen(self, task: _Task) -> bool:
        own = task.order.unseen
        unseen = self.limits.unseen if own is None else own
        return self._clock() - task.seen > unseen

    def _drop_unseen(self) -> list[_Task]:
        """Remove the tasks that nobody waits for, and return them."""
        unseen = [
            task for task in self._tasks.values() if not task.is_running and self._is_unseen(task)
        ]
        for task in unseen:
            del self._tasks[task.order.key]
            task.drop_steps()
        return unseen

    def _forget_accounts(self) -> None:
        """Delete the accounts of those who have no task and have used little recently."""
        orders = [task.order for task in self._tasks.values()]
        self._forget(self._clients, {order.client for order in orders})
        self._forget(self._tables, {order.table for order in orders})

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
                timeout = IDLE_SECONDS if self._tasks else None
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


def _cancel(tasks: list[_Task]) -> None:
    """Cancel the futures of dropped tasks; not under the pool's lock, as callbacks run."""
    for task in tasks:
        task.future.cancel()


def _n_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@lru_cache(maxsize=1)
def shared_pool() -> Pool:
    """The pool of this process."""
    return Pool()
