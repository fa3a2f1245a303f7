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

Work that nobody has looked at for ``Limits.unseen`` seconds is dropped.
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
    ``slow``: slow ones that are begun, None for two more than there are workers; ``unseen``:
    seconds after which work that nobody looks at is dropped."""

    of_client: int = 24
    waiting: int = 400
    slow: int | None = None
    unseen: float = 30.0


class Order(NamedTuple):
    """A piece of work. ``key``: its name, once in the pool at a time; ``begin`` makes its steps,
    again where it was dropped or asked for once more; ``unseen``: as in ``Limits``, where it isn't
    that."""

    key: str
    table: str
    client: str
    begin: Callable[[], Steps[Any]]
    unseen: float | None = None


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
class _Task:
    order: Order
    number: int  # in the order asked for
    seen: float
    future: Future[Any] = field(default_factory=Future)
    steps: Steps[Any] | None = None
    spent: float = 0.0
    is_running: bool = False
    is_slow: bool = False  # one of ``Limits.slow``
    is_asked_again: bool = False

    def drop_steps(self) -> None:
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
        self._tasks: dict[str, _Task] = {}
        self._clients: dict[str, _Account] = {}
        self._tables: dict[str, _Account] = {}
        self._threads: list[Thread] = []
        self._changed = Condition()
        self._n_asked = 0

    def ask(self, order: Order) -> Future[Any]:
        """Ask for a piece of work, or look at it where it is asked for already. Cancelled where it
        is dropped; ``PoolFullError`` where there is no room."""
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
        """``PoolFullError`` where a piece of work would be refused."""
        with self._changed:
            if key not in self._tasks:
                self._check_room(client)

    def look(self, key: str) -> Future[Any] | None:
        """Somebody waits for a piece of work: its future, None where there is none."""
        with self._changed:
            task = self._tasks.get(key)
            if task is None:
                return None
            task.seen = self._clock()
            return task.future

    def place(self, key: str) -> Place | None:
        """Where a piece of work is; None where there is none."""
        with self._changed:
            task = self._tasks.get(key)
            if task is None:
                return None
            if task.steps is not None or task.is_running:
                return Place(0, len(self._tasks))
            now = self._clock()
            own = self._rank(task, now)
            waiting = [one for one in self._tasks.values() if one.steps is None]
            ahead = sum(not one.is_running and self._rank(one, now) < own for one in waiting)
            return Place(ahead + 1, len(self._tasks))

    @property
    def n_begun(self) -> int:
        """Pieces of work that hold memory now."""
        with self._changed:
            return sum(one.is_running or one.steps is not None for one in self._tasks.values())

    def drop(self, key: str) -> None:
        """Nobody needs a piece of work any more."""
        with self._changed:
            task = self._tasks.get(key)
            if task is not None:
                task.seen = -float("inf")
            dropped = self._drop_unseen()
        _cancel(dropped)

    def turn(self) -> bool:
        """Do one slice of the work whose turn it is; whether there was any."""
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
        except Exception as failed:  # whatever it is, the pool goes on
            error = failed
        if self._put_back(task, is_over=is_over):
            _settle(task.future, value, error)
        return True

    def _check_room(self, client: str) -> None:
        limits = self.limits
        own = sum(one.order.client == client for one in self._tasks.values())
        if client != ANYBODY and own >= limits.of_client:
            raise PoolFullError(
                f"{own} tables of yours wait for their agents, and {limits.of_client} may: go on "
                "once one of them has been answered"
            )
        if len(self._tasks) >= limits.waiting:
            raise PoolFullError(
                f"{len(self._tasks)} tables of this server wait for their agents, and "
                f"{limits.waiting} may: try again in a minute"
            )

    def _rank(self, task: _Task, now: float) -> tuple[bool, float, float, int]:
        """The least has the next turn."""
        client = self._clients.get(task.order.client)
        table = self._tables.get(task.order.table)
        used_by_client = client.used_by(now) if client else 0.0
        used_by_table = table.used_by(now) if table else 0.0
        is_known_quick = table is not None and table.n_quick >= QUICK_PIECES
        goes_first = is_known_quick and used_by_client < QUICK_SECONDS
        return not goes_first, used_by_client, used_by_table, task.number

    def _take(self) -> _Task | None:
        """The task whose turn it is, marked as running."""
        with self._changed:
            dropped = self._drop_unseen()
            now = self._clock()
            task = min(self._ready(), key=lambda one: self._rank(one, now), default=None)
            if task is not None:
                task.is_running = True
                task.is_asked_again = False
                task.is_slow = task.is_slow or self._has_slow_table(task)
        _cancel(dropped)
        return task

    def _ready(self) -> list[_Task]:
        """The tasks that can have a turn now."""
        waiting = [one for one in self._tasks.values() if not one.is_running]
        return [
            one
            for one in waiting
            if one.steps is not None
            or not self._has_slow_table(one)
            or self._may_begin_slow(one.order.client)
        ]

    def _has_slow_table(self, task: _Task) -> bool:
        account = self._tables.get(task.order.table)
        return account is not None and account.is_slow

    def _may_begin_slow(self, client: str) -> bool:
        """Whether there is room for one more slow task of a client; the last place is for
        others."""
        slow = [one.order.client for one in self._tasks.values() if one.is_slow]
        most_of_client = max(1, self._max_slow - 1)
        return len(slow) < self._max_slow and slow.count(client) < most_of_client

    def _run_slice(self, task: _Task) -> None:
        """Steps of a task until its slice is used up; ``StopIteration`` at its end."""
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
        task.spent += seconds
        with self._changed:
            for accounts, name in (
                (self._clients, task.order.client),
                (self._tables, task.order.table),
            ):
                charged = min(seconds, MOST_CHARGED)
                accounts.setdefault(name, _Account(at=now)).charge(charged, now)

    def _put_back(self, task: _Task, *, is_over: bool) -> bool:
        """A task after its slice: whether it is over."""
        with self._changed:
            task.is_running = False
            table = self._tables.setdefault(task.order.table, _Account(at=self._clock()))
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
        """It is slow: it keeps what it has done if there is room, else it begins again later."""
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
        """Take out what nobody waits for."""
        unseen = [
            one for one in self._tasks.values() if not one.is_running and self._is_unseen(one)
        ]
        for task in unseen:
            del self._tasks[task.order.key]
            task.drop_steps()
        return unseen

    def _forget_accounts(self) -> None:
        """Keep the accounts of those who have used something lately, or wait."""
        now = self._clock()
        waiting = [one.order for one in self._tasks.values()]
        for accounts, kept in (
            (self._clients, {order.client for order in waiting}),
            (self._tables, {order.table for order in waiting}),
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
                patience = IDLE_SECONDS if self._tasks else None
                self._changed.wait_for(self._ready, patience)


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
    """Tell who waits for them, without the pool's lock."""
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
