"""A job: work in the background that readers watch and cancel, and that outlives their page.

A reader whose page shows a job sends it heartbeats. A job whose readers all fall silent is
cancelled after its idle timeout, and restarted when it is asked for again.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from math import inf
from typing import Generic, Protocol, TypeVar

from analysis.runs.foreground import foreground
from analysis.runs.progress import Progress
from spades.core.errors import SpadesError

NEW = "new"  # not started
WAITING = "waiting"
RUNNING = "running"
DONE = "done"
CANCELLED = "cancelled"
FAILED = "failed"
IDLE_TIMEOUT = 90.0  # seconds; a hidden browser tab is asked to draw once a minute


class Work(Protocol):
    """What a job does, in small steps; any thread may read its results from the work itself."""

    def steps(self) -> Iterator[None]:
        """Do the work, yielding every few milliseconds."""
        ...


AnyWork = TypeVar("AnyWork", bound=Work)


class Job(Generic[AnyWork]):
    """One run of some work.

    ``key`` identifies its result, so that nothing is made twice. ``title``, ``origin`` (the page
    where it was started) and ``query`` (that page's address) are for lists of jobs. ``state``:
    ``NEW`` to ``FAILED``; ``error``: why it failed. ``seconds_used``: of the thread that runs it.
    """

    def __init__(self, work: AnyWork, key: str = "", *, idle_timeout: float = inf) -> None:
        self.work = work
        self.key = key
        self.title = ""
        self.origin = ""
        self.query: dict[str, str] = {}
        self.id = uuid.uuid4().hex[:8]
        self.state = NEW
        self.progress = Progress(0)
        self.error: Exception | None = None
        self.seconds_used = 0.0
        self._idle_timeout = idle_timeout
        self._is_cancelled = threading.Event()
        self._has_ended = threading.Event()
        self._last_heartbeat = time.monotonic()
        self._heartbeats: dict[str, float] = {}  # by reader who hasn't cancelled
        self._cancelled_by: set[str] = set()

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WAITING, RUNNING)

    @property
    def is_finished(self) -> bool:
        return self.state in (DONE, CANCELLED, FAILED)

    @property
    def is_cancelled(self) -> bool:
        """Whether it is to end before its work is done, or has."""
        return self._is_cancelled.is_set() or self._is_idle()

    @property
    def has_timed_out(self) -> bool:
        """Whether it was cancelled because no reader sent a heartbeat."""
        return self.state == CANCELLED and not self._is_cancelled.is_set()

    def _is_idle(self) -> bool:
        return time.monotonic() - self._last_heartbeat > self._idle_timeout

    def heartbeat(self, reader: str) -> None:
        """Note that a reader's page shows the job; ignored if this reader cancelled it."""
        if reader not in self._cancelled_by:
            now = time.monotonic()
            self._last_heartbeat = now
            self._heartbeats[reader] = now

    def drop_absent_readers(self, is_present: Callable[[str], bool]) -> None:
        """Drop readers whose session has closed; cancel when somebody cancelled and none is
        left."""
        for reader in list(self._heartbeats):
            if not is_present(reader):
                self._heartbeats.pop(reader, None)
        if self._cancelled_by and not self.n_readers:
            self._is_cancelled.set()

    def is_cancelled_by(self, reader: str) -> bool:
        """Whether this reader cancelled."""
        return reader in self._cancelled_by

    def may_be_cancelled_by(self, reader: str) -> bool:
        """Whether the reader started it, or all who did have closed their page."""
        return reader in self._heartbeats or not self._heartbeats

    @property
    def n_readers(self) -> int:
        """Readers who wait for it now."""
        now = time.monotonic()
        heartbeats = list(self._heartbeats.values())
        return sum(now - heartbeat <= self._idle_timeout for heartbeat in heartbeats)

    @property
    def charged_to(self) -> list[str]:
        """Whose share of the thread it uses: its readers', or its own where it has none."""
        return list(self._heartbeats) or [self.id]

    @property
    def reason(self) -> str:
        """Why it failed, empty if it didn't."""
        if self.error is None:
            return ""
        if isinstance(self.error, SpadesError):
            return str(self.error)
        return f"{type(self.error).__name__}: {self.error}"

    def cancel(self, reader: str = "") -> None:
        """Ask the job to end soon, keeping its results so far; a waiting job never starts.

        If a ``reader`` cancels while others wait for it, it goes on for the others.
        """
        self._cancelled_by.add(reader)
        self._heartbeats.pop(reader, None)
        if not reader or not self.n_readers:
            self._is_cancelled.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; returns whether it came within this time."""
        with foreground.left():
            return self._has_ended.wait(seconds)

    def report(self, progress: Progress) -> None:
        self.progress = progress

    def end(self, error: Exception | None = None) -> None:
        self.error = error
        if error is not None:
            self.state = FAILED
        elif self.is_cancelled:
            self.state = CANCELLED
        else:
            self.state = DONE
        self._has_ended.set()


class LongCall:
    """Work that is one call: ``function(job)``.

    The function checks ``job.is_cancelled`` and calls ``job.report`` now and then.
    """

    def __init__(self, function: Callable[[Job], object]) -> None:
        self._function = function
        self.job: Job | None = None

    def steps(self) -> Iterator[None]:
        assert self.job is not None
        self._function(self.job)
        yield from ()
