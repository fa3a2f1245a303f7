"""One thread that works on several jobs in turns, a slice each.

A search releases the interpreter lock, so one such thread leaves the second core to the pages.
Jobs take turns of a few dozen milliseconds: a long one never keeps a short one waiting, and
stopping one takes effect within a slice.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Protocol

SLICE_SECONDS = 0.03


class Job(Protocol):
    """Work in small steps. Results are read from the job itself, by any thread."""

    def steps(self) -> Iterator[None]:
        """Do the work, yielding every few milliseconds."""
        ...


class Ticket:
    """A job under way: whether it is finished, and how it ended."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.error: Exception | None = None
        self._steps = job.steps()
        self._stopped = threading.Event()
        self._finished = threading.Event()

    @property
    def is_finished(self) -> bool:
        """Done, stopped or failed: nothing will change any more."""
        return self._finished.is_set()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ask the job to end after its slice; what it has found stays readable."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; whether it came."""
        return self._finished.wait(seconds)

    def work(self) -> bool:
        """One slice; whether more is left."""
        until = time.perf_counter() + SLICE_SECONDS
        try:
            while not self._stopped.is_set():
                next(self._steps)
                if time.perf_counter() > until:
                    return True
        except StopIteration:
            pass
        except Exception as error:
            self.error = error
        self._finished.set()
        return False


class Workshop:
    """Runs jobs round robin in one daemon thread, started with the first job."""

    def __init__(self) -> None:
        self._queue: deque[Ticket] = deque()
        self._has_work = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job) -> Ticket:
        ticket = Ticket(job)
        with self._has_work:
            self._queue.append(ticket)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="workshop", daemon=True)
                self._thread.start()
            self._has_work.notify()
        return ticket

    def _run(self) -> None:
        while True:
            with self._has_work:
                while not self._queue:
                    self._has_work.wait()
                ticket = self._queue.popleft()
            if ticket.work():
                with self._has_work:
                    self._queue.append(ticket)
