"""Work outside the pages: watched, stopped, resumed; it outlives the page that started it.

A ``JobQueue`` runs one long job after the other, ``Turns`` several jobs in small steps. Either has
one thread: compiled code releases the interpreter lock, so a second core is left to the pages.
Both serve the reader first who has been served least of late: a long job never holds up the page
of another reader. Python itself runs one thread at a time, so jobs make way for pages.
"""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic, Protocol, TypeVar

from analysis.runs.parts import Progress
from analysis.runs.store import Question, ResultStore, ResultStoreError, version_of
from spades.core.errors import SpadesError

MAX_FINISHED = 20  # finished jobs that a queue still lists
LOOK_SECONDS = 90.0  # a hidden tab is asked to draw once a minute
SLICE_SECONDS = 0.03
MAKES_WAY_SECONDS = 4 * SLICE_SECONDS  # that a job waits at most, after a slice, for pages
MAKES_WAY_STEP = 0.01  # seconds between two looks at whether pages are drawn
SERVICE_HALF_LIFE = 20.0  # seconds after which half of what a reader was served is forgotten
MakeItem = Callable[[int], Generator[None, None, Any]]
"""Makes an item, which JSON can hold, in steps."""


class DeskFullError(SpadesError):
    """Work that has to wait until other work has ended."""


class Foreground:
    """The threads that somebody waits for, such as those that draw a page, until they end."""

    def __init__(self) -> None:
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Count the calling thread."""
        with self._lock:
            self._threads.add(threading.current_thread())

    @contextmanager
    def left(self) -> Iterator[None]:
        """While the calling thread only waits, it isn't counted."""
        thread = threading.current_thread()
        with self._lock:
            was_counted = thread in self._threads
            self._threads.discard(thread)
        try:
            yield
        finally:
            if was_counted:
                self.enter()

    @property
    def is_busy(self) -> bool:
        with self._lock:
            self._threads = {thread for thread in self._threads if thread.is_alive()}
            return bool(self._threads)

    def make_way(self, seconds: float) -> None:
        """Wait until no thread is counted, so long at most."""
        until = time.monotonic() + seconds
        while self.is_busy and time.monotonic() < until:
            time.sleep(MAKES_WAY_STEP)


foreground = Foreground()


class Steps(Protocol):
    """Work in small steps; any thread may read its results from the work itself."""

    def steps(self) -> Iterator[None]:
        """Do the work, yielding every few milliseconds."""
        ...


Work = TypeVar("Work", bound=Steps)


class StoredRun:
    """Items 0, 1, 2 ... of a question, made by ``make(i)``, which yields every few milliseconds.

    Item i depends on the question and i alone. Items are stored in blocks of ``block`` under
    question and code version; what is stored is read at once. ``items`` grows while the run is
    worked on, up to ``target``; ``complaint`` says why they are not stored."""

    def __init__(
        self, kind: str, question: Question, make: MakeItem, *, block: int, unit: str
    ) -> None:
        self.kind, self.block, self.unit = kind, block, unit
        self.question = {**question, **version_of(), "block_size": block}
        self.items: list[Any] = []
        self.target = 0
        self.complaint = ""
        self._make = make
        self._store = ResultStore()
        self._started, self._done_before = 0.0, 0
        self._load()

    @property
    def done(self) -> int:
        return len(self.items)

    @property
    def progress(self) -> Progress:
        """How far it is, with the time left by the pace since it was last started."""
        return Progress(self.target, self.done, self.unit, self._started, self._done_before)

    def extend(self, target: int) -> None:
        self.target = target

    def steps(self) -> Generator[None, None, None]:
        self._started, self._done_before = time.monotonic(), self.done
        while self.done < self.target:
            item = yield from self._make(self.done)
            self.items.append(item)
            if self.done % self.block == 0:
                question = self._question_of(self.done // self.block - 1)
                try:
                    self._store.put(self.kind, question, self.items[-self.block :])
                except ResultStoreError as error:
                    self.complaint = str(error)
            yield

    def _question_of(self, block: int) -> dict[str, Any]:
        return {**self.question, "block": block}

    def _load(self) -> None:
        try:
            while found := self._store.get(self.kind, self._question_of(self.done // self.block)):
                self.items += found
        except ResultStoreError as error:
            self.complaint = str(error)


@dataclass(eq=False)
class Job:
    """One piece of work. ``state``: waiting, running, done, stopped or failed, with its ``error``.
    ``subject`` names what it makes: nothing is started twice; ``origin`` the page that started
    it, at the address ``query``. It ends once no reader has looked at it for ``patience`` seconds.
    """

    title: str = ""
    subject: str = ""
    origin: str = ""
    query: dict[str, str] = field(default_factory=dict)
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    state: str = "waiting"
    progress: Progress = field(default_factory=lambda: Progress(0))
    error: Exception | None = None
    patience: float = inf
    served: float = 0.0  # seconds of the thread that runs it
    _stop: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _looked: float = field(default_factory=time.monotonic)
    _looks: dict[str, float] = field(default_factory=dict)  # by reader who hasn't stopped it
    _left: set[str] = field(default_factory=set)

    @property
    def is_finished(self) -> bool:
        return self.state in ("done", "stopped", "failed")

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set() or time.monotonic() - self._looked > self.patience

    @property
    def is_abandoned(self) -> bool:
        """Whether it has ended because nobody looked at it any more."""
        return self.state == "stopped" and not self._stop.is_set()

    def look(self, reader: str) -> None:
        """A reader looks at it, and waits for it unless they have stopped it."""
        if reader not in self._left:
            self._looked = self._looks[reader] = time.monotonic()

    def forget_readers(self, is_here: Callable[[str], bool]) -> None:
        """Count those no longer who have closed the page; who stopped it waits for no other."""
        for reader in list(self._looks):
            if not is_here(reader):
                self._looks.pop(reader, None)
        if self._left and not self.n_readers:
            self._stop.set()

    def has_left(self, reader: str) -> bool:
        """Whether a reader has stopped it, for whom it doesn't go on."""
        return reader in self._left

    def may_be_stopped_by(self, reader: str) -> bool:
        """Whether the reader started it, or all who did have closed their page."""
        return reader in self._looks or not self._looks

    @property
    def n_readers(self) -> int:
        now = time.monotonic()
        return sum(now - looked <= self.patience for looked in list(self._looks.values()))

    @property
    def served_for(self) -> list[str]:
        """Whose share of the thread the job uses: its readers', or its own before anybody looks."""
        return list(self._looks) or [self.id]

    @property
    def reason(self) -> str:
        """Why it failed, empty if it didn't."""
        if self.error is None or isinstance(self.error, SpadesError):
            return str(self.error or "")
        return f"{type(self.error).__name__}: {self.error}"

    def stop(self, reader: str = "") -> None:
        """Ask the job to end soon, its results so far stay; a waiting one never starts. As long as
        others wait for it, a ``reader``'s word only counts for that reader."""
        self._left.add(reader)
        self._looks.pop(reader, None)
        if not reader or not self.n_readers:
            self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it came in this time."""
        with foreground.left():
            return self._ended.wait(seconds)

    def tell(self, progress: Progress) -> None:
        self.progress = progress

    def end(self, error: Exception | None = None) -> None:
        self.error = error
        self.state = "failed" if error else "stopped" if self.is_stopping else "done"
        self._ended.set()


class _Service:
    """Seconds that each reader has been served, those of long ago counting less and less."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._updated = time.monotonic()

    def charge(self, readers: list[str], seconds: float) -> None:
        """Divide a slice between the readers whose job it went to."""
        self._forget()
        for reader in readers:
            self._seconds[reader] = self._seconds.get(reader, 0.0) + seconds / len(readers)

    def least(self, readers: list[str]) -> float:
        """The seconds of the reader who was served least."""
        return min(self._seconds.get(reader, 0.0) for reader in readers)

    def _forget(self) -> None:
        now = time.monotonic()
        kept = 0.5 ** ((now - self._updated) / SERVICE_HALF_LIFE)
        self._updated = now
        decayed = {reader: seconds * kept for reader, seconds in self._seconds.items()}
        # Readers who were served next to nothing are as good as new ones.
        self._seconds = {reader: left for reader, left in decayed.items() if left > 1e-4}


class Turns:
    """Runs jobs in one daemon thread, in slices of a few dozen milliseconds.

    Each slice goes to the reader who has been served least of late, and among that reader's jobs to
    the one that has run least: a long job holds up neither another reader nor a short job of the
    same reader. Stopping a job takes effect within a slice. After each the thread makes way for the
    pages that are drawn: with many readers it gets a fifth of the time or more."""

    def __init__(self) -> None:
        self._queue: list[tuple[Job, Iterator[None]]] = []
        self._service = _Service()
        self._has_work = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job, steps: Iterator[None]) -> Job:
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
                chosen = min(self._queue, key=self._priority)  # the first of equals
                self._queue.remove(chosen)
            job, steps = chosen
            started = time.monotonic()
            is_unfinished = self._take_turn(job, steps)
            seconds = time.monotonic() - started
            job.served += seconds
            self._service.charge(job.served_for, seconds)
            foreground.make_way(MAKES_WAY_SECONDS)
            if is_unfinished:
                with self._has_work:
                    self._queue.append((job, steps))

    def _priority(self, waiting: tuple[Job, Iterator[None]]) -> tuple[bool, float, float]:
        """Stopped jobs first: they end at once, and make room."""
        job, _ = waiting
        return not job.is_stopping, self._service.least(job.served_for), job.served

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
        self._lock = threading.RLock()

    def start(
        self, title: str, work: Callable[[Job], object], *, subject: str = "", origin: str = ""
    ) -> Job:
        """Queue ``work``, which checks ``job.is_stopping`` and calls ``job.tell`` now and then. An
        unfinished job with the same ``subject`` is returned instead."""
        job = Job(title, subject, origin)
        with self._lock:
            if subject and (other := self.under_way(subject)):
                return other
            finished = [old.id for old in self._jobs.values() if old.is_finished]
            for old in finished[:-MAX_FINISHED]:
                del self._jobs[old]
            self._jobs[job.id] = job

        def whole() -> Iterator[None]:
            work(job)
            yield from ()

        return self._turns.submit(job, whole())

    def under_way(self, subject: str) -> Job | None:
        """The job with this subject that waits or runs."""
        mine = (job for job in self.jobs() if job.subject == subject)
        return next((job for job in mine if not job.is_finished), None)

    def jobs(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]


@dataclass
class _Held(Generic[Work]):
    """Work on a desk, its job once it was started, and how much room it takes."""

    work: Work
    job: Job | None = None
    size: float = 1

    @property
    def is_idle(self) -> bool:
        return self.job is None or self.job.is_finished


class Desk(Generic[Work]):
    """Work by key, with its job once it was started; shared by every session of a server. Nothing
    is computed twice. It has room for ``limit``, each work taking 1 if its ``size`` isn't given:
    the oldest that isn't under way makes room; where all are, more is refused. A job whose readers
    look at it (``Job.look``) ends ``patience`` seconds after the last look."""

    def __init__(self, turns: Turns, limit: float, *, patience: float = inf) -> None:
        self._turns, self._limit, self._patience = turns, limit, patience
        self._lock = threading.RLock()
        self._held: OrderedDict[str, _Held[Work]] = OrderedDict()

    def find(self, key: str) -> tuple[Work, Job | None] | None:
        with self._lock:
            held = self._held.get(key)
            return (held.work, held.job) if held else None

    def open(
        self, key: str, make: Callable[[], Work], *, size: float = 1
    ) -> tuple[Work, Job | None]:
        """The work of a key, made if it is new; nothing is started. Raises ``DeskFullError``."""
        with self._lock:
            held = self._held.get(key) or _Held(make())
            self._make_room(key, max(size, held.size))
            held.size = max(size, held.size)
            self._held[key] = held
            self._held.move_to_end(key)
            return held.work, held.job

    def start(
        self,
        key: str,
        make: Callable[[], Work],
        prepare: Callable[[Work], None] = lambda work: None,
        *,
        again: bool = True,
        size: float = 1,
    ) -> tuple[Work, Job]:
        """Start the work of a key, after ``prepare``, unless it is under way. ``again``: also where
        it has ended before, to go on with it; what nobody looked at goes on in any case. Raises
        ``DeskFullError``."""
        with self._lock:
            work, job = self.open(key, make, size=size)
            if job is None or (job.is_finished and (again or job.is_abandoned)):
                prepare(work)
                job = self._turns.submit(Job(patience=self._patience), work.steps())
                self._held[key].job = job
            return work, job

    def _make_room(self, key: str, size: float) -> None:
        others = {name: held for name, held in self._held.items() if name != key}
        free = self._limit - size - sum(held.size for held in others.values())
        idle = [name for name, held in others.items() if held.is_idle]
        if free + sum(others[name].size for name in idle) < 0:
            n_busy = len(others) - len(idle)
            busy = "1 search is" if n_busy == 1 else f"{n_busy} searches are"
            raise DeskFullError(
                f"{busy} under way on this server, and there is no room for this one beside: wait "
                "until there is, or stop one"
            )
        for name in idle:
            if free >= 0:
                break
            free += self._held.pop(name).size
