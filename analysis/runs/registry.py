"""The registry of a server's jobs: each is found by what it makes, and nothing is made twice."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from math import inf
from typing import Generic

from analysis.runs.jobs import NEW, AnyWork, Job, LongCall
from analysis.runs.scheduler import RoundRobin
from spades.core.errors import SpadesError


class RegistryFullError(SpadesError):
    """There is no room for a job until others have ended."""


MAX_FINISHED = 20  # long jobs that have ended and are still listed


def _nothing(work: object) -> None:
    """No preparation."""


class JobRegistry(Generic[AnyWork]):
    """Jobs by key, shared by every session of a server.

    Their total size is at most ``capacity``; a job has size 1 unless another is given. The oldest
    jobs that aren't active make room; where all are active a new one is refused. At most
    ``max_finished`` finished jobs are kept. A job without a heartbeat (``Job.heartbeat``) is
    cancelled after ``idle_timeout`` seconds.
    """

    def __init__(
        self,
        scheduler: RoundRobin,
        *,
        capacity: float = inf,
        max_finished: float = inf,
        idle_timeout: float = inf,
    ) -> None:
        self._scheduler = scheduler
        self._capacity = capacity
        self._max_finished = max_finished
        self._idle_timeout = idle_timeout
        self._lock = threading.RLock()
        self._jobs: OrderedDict[str, Job[AnyWork]] = OrderedDict()  # the last used at the end
        self._sizes: dict[str, float] = {}

    def find(self, key: str) -> Job[AnyWork] | None:
        with self._lock:
            return self._jobs.get(key)

    def active(self, key: str) -> Job[AnyWork] | None:
        """The job with this key if it waits or runs."""
        job = self.find(key)
        return job if job is not None and job.is_active else None

    def jobs(self) -> list[Job[AnyWork]]:
        """Newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]

    def open(self, key: str, make: Callable[[], AnyWork], *, size: float = 1) -> Job[AnyWork]:
        """The job with this key, or a new one that works on ``make()``; it isn't started.

        Raises ``RegistryFullError``.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = Job(make(), key, idle_timeout=self._idle_timeout)
            size = max(size, self._sizes.get(key, 0))
            self._make_room(key, size)
            self._sizes[key] = size
            self._jobs[key] = job
            self._jobs.move_to_end(key)
            return job

    def start(
        self,
        key: str,
        make: Callable[[], AnyWork],
        prepare: Callable[[AnyWork], None] = _nothing,
        *,
        restart: bool = True,
        size: float = 1,
    ) -> Job[AnyWork]:
        """Start the job with this key, after ``prepare(work)``, unless it is active.

        ``restart``: continue the work of a job that has finished. A job that has timed out is
        always restarted. Raises ``RegistryFullError``.
        """
        with self._lock:
            job = self.open(key, make, size=size)
            if job.is_active or (job.is_finished and not restart and not job.has_timed_out):
                return job
            prepare(job.work)
            if job.state != NEW:
                job = Job(job.work, key, idle_timeout=self._idle_timeout)
                self._jobs[key] = job
            return self._scheduler.submit(job)

    def discard(self, key: str) -> None:
        """Forget a job that isn't active, and its work."""
        with self._lock:
            if not self.active(key):
                self._jobs.pop(key, None)
                self._sizes.pop(key, None)

    def _make_room(self, key: str, size: float) -> None:
        """Forget jobs, oldest first, until one of this size fits."""
        others = [name for name in self._jobs if name != key]
        idle = [name for name in others if not self._jobs[name].is_active]
        free = self._capacity - size - sum(self._sizes[name] for name in others)
        if free + sum(self._sizes[name] for name in idle) < 0:
            raise _full(len(others) - len(idle))
        n_too_many = len(idle) - self._max_finished
        for i, name in enumerate(idle):
            if free >= 0 and i >= n_too_many:
                break
            free += self._sizes[name]
            self.discard(name)


class LongJobs(JobRegistry[LongCall]):
    """Long calls, one after the other in a thread of their own."""

    def __init__(self) -> None:
        super().__init__(RoundRobin(), max_finished=MAX_FINISHED)

    def call(
        self, title: str, function: Callable[[Job], object], *, key: str, origin: str = ""
    ) -> Job[LongCall]:
        """Queue ``function(job)`` (see ``LongCall``); an active job with the same key is returned
        instead."""
        with self._lock:
            job = self.active(key)
            if job is not None:
                return job
            self.discard(key)  # of an earlier call, maybe of another function
            work = LongCall(function)
            job = self.open(key, lambda: work)
            job.title = title
            job.origin = origin
            work.job = job
            return self.start(key, lambda: work)


def _full(n_active: int) -> RegistryFullError:
    active = "1 search is" if n_active == 1 else f"{n_active} searches are"
    return RegistryFullError(
        f"{active} running on this server, and there is no room for another: wait until there is, "
        "or cancel one"
    )
