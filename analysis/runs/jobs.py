"""Work outside the pages: watched, stopped; it outlives the page that started it.

A ``JobQueue`` runs long work, one job after the other. ``Turns`` runs work in small steps, several
jobs in turns. Either has one thread: compiled code releases the interpreter lock, so a second core
is left to the pages. What a job makes is stored by its work, so that a stopped one can go on.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from analysis.runs.parts import Progress
from spades.core.errors import SpadesError

MAX_FINISHED = 20  # finished jobs that a queue still lists
SLICE_SECONDS = 0.03
ENDED = ("done", "stopped", "failed")


class Steps(Protocol):
    """Work in small steps; any thread may read its results from the work itself."""

    def steps(self) -> Iterator[None]:
        """Do the work, yielding every few milliseconds."""
        ...


Work = TypeVar("Work", bound=Steps)


@dataclass(eq=False)
class Job:
    """One piece of work. ``state``: waiting, running, done, stopped or failed, with its ``error``.

    ``subject`` names what it makes, so that nobody starts the same thing twice; ``origin`` the page
    that started it.
    """

    title: str = ""
    subject: str = ""
    origin: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    state: str = "waiting"
    progress: Progress = field(default_factory=lambda: Progress(0))
    error: Exception | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_finished(self) -> bool:
        """Done, stopped or failed: nothing will change any more."""
        return self.state in ENDED

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def reason(self) -> str:
        """Why it failed, for people; empty if it didn't."""
        if self.error is None or isinstance(self.error, SpadesError):
            return str(self.error or "")
        return f"{type(self.error).__name__}: {self.error}"

    def stop(self) -> None:
        """Ask the job to end soon, its results so far stay; a waiting one never starts."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; whether it came."""
        return self._ended.wait(seconds)

    def tell(self, progress: Progress) -> None:
        self.progress = progress

    def end(self, error: Exception | None = None) -> None:
        self.error = error
        self.state = "failed" if error else "stopped" if self.is_stopping else "done"
        self._ended.set()


class Turns:
    """Runs jobs round robin in one daemon thread, a slice of a few dozen milliseconds each.

    A long job never keeps a short one waiting, and stopping one takes effect within a slice.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[Job, Iterator[None]]] = deque()
        self._has_work = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, work: Steps) -> Job:
        return self.submit_steps(Job(), work.steps())

    def submit_steps(self, job: Job, steps: Iterator[None]) -> Job:
        with self._has_work:
            self._queue.append((job, steps))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
                self._thread.start()
            self._has_work.notify()
        return job

    def _run(self) -> None:
        while True:
            with self._has_work:
                while not self._queue:
                    self._has_work.wait()
                job, steps = self._queue.popleft()
            if self._take_turn(job, steps):
                with self._has_work:
                    self._queue.append((job, steps))

    @staticmethod
    def _take_turn(job: Job, steps: Iterator[None]) -> bool:
        """One slice; whether more is left."""
        until = time.perf_counter() + SLICE_SECONDS
        try:
            while not job.is_stopping:
                job.state = "running"
                next(steps)
                if time.perf_counter() > until:
                    return True
        except StopIteration:
            job.end()
        except Exception as error:  # a page can only show it; the thread must live on
            job.end(error)
        else:
            job.end()
        return False


class JobQueue:
    """Runs jobs one after the other in a thread; shared by every session of a server."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(
        self, title: str, work: Callable[[Job], object], *, subject: str = "", origin: str = ""
    ) -> Job:
        """Queue ``work``, which checks ``job.is_stopping`` and calls ``job.tell`` now and then.

        While a job with the same ``subject`` goes on, that one is returned and nothing is queued.
        """
        job = Job(title, subject, origin)
        with self._lock:
            if subject and (other := self._unfinished(subject)):
                return other
            finished = [old.id for old in self._jobs.values() if old.is_finished]
            for old in finished[:-MAX_FINISHED]:
                del self._jobs[old]
            self._jobs[job.id] = job

        def whole() -> Iterator[None]:
            work(job)
            yield from ()

        return self._turns.submit_steps(job, whole())

    def under_way(self, subject: str) -> Job | None:
        """The job with this subject that waits or runs, None if there is none."""
        with self._lock:
            return self._unfinished(subject)

    def _unfinished(self, subject: str) -> Job | None:
        jobs = (job for job in self._jobs.values() if job.subject == subject)
        return next((job for job in jobs if not job.is_finished), None)

    def jobs(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]


class Desk(Generic[Work]):
    """Work by key, with its job once it was started; shared by every session of a server.

    Nothing is computed twice: who has the same key reads the same work. Of more than ``limit`` the
    oldest that isn't under way is forgotten, or else the oldest is stopped.
    """

    def __init__(self, turns: Turns, limit: int) -> None:
        self._turns, self._limit = turns, limit
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[Work, Job | None]] = OrderedDict()

    def find(self, key: str) -> tuple[Work, Job | None] | None:
        with self._lock:
            return self._held.get(key)

    def open(self, key: str, make: Callable[[], Work]) -> tuple[Work, Job | None]:
        """The work of a key, made if it is new; nothing is started."""
        with self._lock:
            return self._open(key, make)

    def start(
        self,
        key: str,
        make: Callable[[], Work],
        prepare: Callable[[Work], None] = lambda work: None,
        *,
        again: bool = True,
    ) -> tuple[Work, Job]:
        """Start the work of a key, after ``prepare``, unless it is under way.

        ``again``: also where it has ended before, to go on with it.
        """
        with self._lock:
            work, job = self._open(key, make)
            if job is None or (again and job.is_finished):
                prepare(work)
                job = self._turns.submit(work)
                self._held[key] = (work, job)
            return work, job

    def _open(self, key: str, make: Callable[[], Work]) -> tuple[Work, Job | None]:
        if key not in self._held:
            self._held[key] = (make(), None)
            self._drop_oldest()
        self._held.move_to_end(key)
        return self._held[key]

    def _drop_oldest(self) -> None:
        while len(self._held) > self._limit:
            others = list(self._held.items())[:-1]
            idle = [key for key, (_, job) in others if job is None or job.is_finished]
            _, job = self._held.pop(idle[0] if idle else others[0][0])
            if job is not None:
                job.stop()
