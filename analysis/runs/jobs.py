"""Long work outside the pages: queued, watched, stopped; it outlives the page that started it.

What a job makes is kept on disk by the job itself, so that a stopped or killed one can go on.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from analysis.runs.parts import Progress
from spades.core.errors import SpadesError

MAX_FINISHED_KEPT = 20


@dataclass
class Job:
    """One piece of long work. ``state``: waiting, running, done, stopped or failed.

    ``subject`` names what it makes, so that nobody asks for the same thing twice; ``origin``
    where it was asked for.
    """

    title: str
    subject: str = ""
    origin: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    state: str = "waiting"
    progress: Progress = field(default_factory=lambda: Progress(0))
    error: str = ""
    started: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_finished(self) -> bool:
        return self.state in ("done", "stopped", "failed")

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the job to end soon; a waiting one never starts."""
        self._stop.set()

    def tell(self, progress: Progress) -> None:
        self.progress = progress


class JobBook:
    """Runs jobs one after the other in a thread; shared by every session of a server."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="jobs")
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(
        self, title: str, work: Callable[[Job], object], *, subject: str = "", origin: str = ""
    ) -> Job:
        """Queue ``work``, which asks ``job.is_stopping`` now and then and calls ``job.tell``.

        While a job with the same ``subject`` goes on, that one is returned and nothing is queued.
        """
        job = Job(title, subject, origin)
        with self._lock:
            for other in self._jobs.values():
                if subject and other.subject == subject and not other.is_finished:
                    return other
            finished = [old.id for old in self._jobs.values() if old.is_finished]
            for old in finished[:-MAX_FINISHED_KEPT]:
                del self._jobs[old]
            self._jobs[job.id] = job
        self._pool.submit(self._run, job, work)
        return job

    def under_way(self, subject: str) -> Job | None:
        """The job with this subject that waits or runs, None if there is none."""
        for job in self.jobs():
            if job.subject == subject and not job.is_finished:
                return job
        return None

    def jobs(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]

    @staticmethod
    def _run(job: Job, work: Callable[[Job], object]) -> None:
        if job.is_stopping:
            job.state = "stopped"
            return
        job.state, job.started = "running", time.time()
        try:
            work(job)
        except SpadesError as error:
            job.state, job.error = "failed", str(error)
        except Exception as error:  # a page can only show it; the thread must live on
            job.state, job.error = "failed", f"{type(error).__name__}: {error}"
        else:
            job.state = "stopped" if job.is_stopping else "done"
