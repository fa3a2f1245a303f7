"""Round robin: one thread that runs jobs in slices, fairly between readers.

One thread, because compiled code releases the interpreter lock and would take a second core from
the pages. Each slice goes to the reader who was served least recently, and to the job of that
reader that has run least: a long job delays neither another reader nor a short job of the same
reader. After each slice the thread makes way for pages that are being drawn.
"""

import threading
import time
from collections.abc import Iterator

from analysis.runs.foreground import foreground
from analysis.runs.jobs import RUNNING, WAITING, AnyWork, Job

SLICE_SECONDS = 0.03
MAKES_WAY_SECONDS = 4 * SLICE_SECONDS  # the longest that a job waits, after a slice, for pages
SERVICE_HALF_LIFE = 20.0  # seconds after which half of what a reader was served is forgotten
NEGLIGIBLE_SECONDS = 1e-4  # of service: who was served less is as good as a new reader
_Queued = tuple[Job, Iterator[None]]  # a job and what is left of its steps


class RoundRobin:
    """Runs jobs in one daemon thread. Cancelling a job takes effect within a slice.

    With many pages being drawn the jobs still get a fifth of the time or more.
    """

    def __init__(self) -> None:
        self._queue: list[_Queued] = []
        self._service = _Service()
        self._has_work = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job[AnyWork]) -> Job[AnyWork]:
        """Queue a job; it is returned."""
        job.state = WAITING
        with self._has_work:
            self._queue.append((job, job.work.steps()))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
                self._thread.start()
            self._has_work.notify()
        return job

    def _run(self) -> None:
        while True:
            job, steps = self._next()
            started = time.monotonic()
            is_unfinished = _run_slice(job, steps)
            seconds = time.monotonic() - started
            job.seconds_used += seconds
            self._service.charge(job.charged_to, seconds)
            foreground.make_way(MAKES_WAY_SECONDS)
            if is_unfinished:
                with self._has_work:
                    self._queue.append((job, steps))

    def _next(self) -> _Queued:
        """Wait for a job, and take the one whose turn it is."""
        with self._has_work:
            while not self._queue:
                self._has_work.wait()
            chosen = min(self._queue, key=self._priority)  # the first of equals
            self._queue.remove(chosen)
        return chosen

    def _priority(self, queued: _Queued) -> tuple[bool, float, float]:
        """The least comes first. Cancelled jobs do: they end at once, and make room."""
        job, _ = queued
        return not job.is_cancelled, self._service.least(job.charged_to), job.seconds_used


def _run_slice(job: Job, steps: Iterator[None]) -> bool:
    """Run a job for one slice; whether more of it is left."""
    until = time.perf_counter() + SLICE_SECONDS
    try:
        while not job.is_cancelled:
            job.state = RUNNING
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


class _Service:
    """Seconds that each reader was served, those of long ago counting less and less."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._updated = time.monotonic()

    def charge(self, readers: list[str], seconds: float) -> None:
        """Divide a slice between the readers whose job it went to."""
        self._decay()
        for reader in readers:
            self._seconds[reader] = self._seconds.get(reader, 0.0) + seconds / len(readers)

    def least(self, readers: list[str]) -> float:
        """The seconds of the reader who was served least."""
        return min(self._seconds.get(reader, 0.0) for reader in readers)

    def _decay(self) -> None:
        now = time.monotonic()
        kept = 0.5 ** ((now - self._updated) / SERVICE_HALF_LIFE)
        self._updated = now
        decayed = {reader: seconds * kept for reader, seconds in self._seconds.items()}
        self._seconds = {
            reader: seconds for reader, seconds in decayed.items() if seconds > NEGLIGIBLE_SECONDS
        }
