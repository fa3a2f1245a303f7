"""Tasks: pure functions that make one stored result each, run on Dask where it isn't stored yet.

A task's result depends on its arguments alone (a seed among them), so a job of many tasks that is
cancelled or killed is resumable, and its results are the same with any number of workers. A task
may run twice (a killed worker's tasks run again); its result is stored once.
"""

import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, Self, TypedDict, Unpack

from analysis.runs.cluster import dask_client, map_unordered
from analysis.runs.progress import Progress
from analysis.runs.store import Question, ResultStore, programs_of, version_of
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.programs import Program, ProgramError

TASK_SECONDS = 1.5  # a task should take about this long


@dataclass(frozen=True)
class Task:
    """A function whose result is stored.

    ``compute`` runs on a worker with ``arguments()``, which are made when it is sent there; its
    result depends on them and on the behaviour of ``agents`` (texts). ``is_stored``: whether a
    sound result is stored; ``store`` stores one. ``size``: its share of the job's progress.
    """

    compute: Callable[..., Any]
    arguments: Callable[[], tuple]
    agents: tuple[str, ...]
    is_stored: Callable[[], bool]
    store: Callable[[Any], object]
    size: int = 1

    @classmethod
    def of_store(
        cls,
        place: tuple[ResultStore, str, Question],
        compute: Callable[..., Any],
        arguments: Callable[[], tuple],
        agents: tuple[str, ...],
        size: int = 1,
    ) -> Self:
        """A task whose result goes into the result store; ``place``: (store, kind, question)."""
        store, kind, question = place
        return cls(
            compute,
            arguments,
            agents,
            is_stored=partial(store.has, kind, question),
            store=partial(store.put, kind, question),
            size=size,
        )


class RunOptions(TypedDict, total=False):
    """How tasks are run. ``client``: a Dask client to use; otherwise ``dask_client`` opens one for
    ``workers`` and ``scheduler``. ``begins_here``: while those workers start, which takes seconds,
    compute tasks in this process. ``tell`` gets the progress, ``is_cancelled`` ends the run.
    """

    client: Any
    workers: int | None
    scheduler: str | None
    begins_here: bool
    tell: Callable[[Progress], None]
    is_cancelled: Callable[[], bool]


class TaskRunner(ExitStack):
    """Runs tasks that aren't stored, list by list, with one set of workers and one progress.

    A context; workers are started when a result is missing.
    """

    def __init__(self, total: int, unit: str, done: int = 0, **options: Unpack[RunOptions]) -> None:
        super().__init__()
        self._client = options.get("client")
        self._workers = options.get("workers")
        self._scheduler = options.get("scheduler")
        self._begins_here = options.get("begins_here", False)
        self._tell = options.get("tell", lambda progress: None)
        self._is_cancelled = options.get("is_cancelled", lambda: False)
        self._unit = unit
        self.expect(total, done)

    def expect(self, total: int, done: int = 0) -> None:
        """Restart the count at ``done`` of ``total``; a total of 0 reports no progress."""
        self._progress = Progress(total, done, self._unit, time.monotonic(), done)

    def complete(self, tasks: Sequence[Task], *, begin: Callable[[], None] = lambda: None) -> bool:
        """Compute and store what is missing of these; False if it was cancelled before the end.

        ``begin`` is called if any is missing, once there are workers.
        """
        missing = [task for task in tasks if not task.is_stored()]
        size_left = sum(task.size for task in missing)
        size_stored = sum(task.size for task in tasks) - size_left
        self._progress.done_before += size_stored
        self._count(size_stored)
        if missing and not self._is_cancelled():
            left, bound = _by_place(missing)
            if self._client is None and left:
                left = self._start_workers(left, size_left)
            begin()
            if left:
                self._run(left)
            self._run_here(bound)
        return all(task.is_stored() for task in missing)

    def _run_here(self, bound: Sequence[Task]) -> None:
        """Run tasks of programs that only this process has, one by one."""
        sent: list[Task] = []
        for call in self._calls(bound, sent):
            if self._is_cancelled():
                return
            sent[-1].store(_compute(*call))
            self._count(sent[-1].size)

    def _start_workers(self, missing: Sequence[Task], size_left: int) -> Sequence[Task]:
        """Open a client; returns the tasks that weren't computed here meanwhile."""
        if not self._begins_here:
            self._client = self._open_client(missing, size_left)
            return missing
        waiting = deque(missing)
        has_workers = Event()
        with ThreadPoolExecutor(1, "first-tasks") as thread:
            computed_here = thread.submit(self._compute_here, waiting, has_workers)
            try:
                self._client = self._open_client(missing, size_left)
            finally:
                has_workers.set()
        computed_here.result()
        return waiting

    def _compute_here(self, waiting: deque[Task], has_workers: Event) -> None:
        """Compute the first of the waiting tasks, one by one, until there are workers."""
        while waiting and not has_workers.is_set() and not self._is_cancelled():
            task = waiting.popleft()
            if not task.is_stored():
                task.store(task.compute(*task.arguments()))
            self._count(task.size)

    def _open_client(self, missing: Sequence[Task], size_left: int) -> Any:
        # Other lists of tasks may follow, of unknown length, unless these are all that is expected.
        is_all = 0 < self._progress.total <= self._progress.done + size_left
        n_tasks = len(missing) if is_all else None
        return self.enter_context(dask_client(self._workers, self._scheduler, n_tasks))

    def _run(self, missing: Sequence[Task]) -> None:
        sent: list[Task] = []
        calls = self._calls(missing, sent)
        results = map_unordered(self._client, _compute, calls, is_cancelled=self._is_cancelled)
        # Closed before its client is, also where a result can't be stored.
        with closing(results):
            for index, result in results:
                task = sent[index]
                task.store(result)
                self._count(task.size)

    def _calls(self, missing: Sequence[Task], sent: list[Task]) -> Iterator[tuple]:
        """Arguments of ``_compute``, made as they are needed; ``sent`` gets their tasks."""
        known: dict[tuple[str, ...], tuple[Document, list[Program]]] = {}
        for task in missing:
            if task.is_stored():  # by another process, in the meantime
                self._count(task.size)
                continue
            if task.agents not in known:
                known[task.agents] = (version_of(*task.agents), programs_of(*task.agents))
            sent.append(task)
            yield task.compute, task.arguments(), task.agents, *known[task.agents]

    def _count(self, size: int) -> None:
        self._progress.done += size
        if self._progress.total:
            self._tell(self._progress)


def _by_place(tasks: Sequence[Task]) -> tuple[Sequence[Task], Sequence[Task]]:
    """The tasks that any worker can run, and those of programs that only this process has."""
    runs_anywhere = {
        agents: all(program.runs_anywhere for program in programs_of(*agents))
        for agents in {task.agents for task in tasks}
    }
    anywhere = [task for task in tasks if runs_anywhere[task.agents]]
    bound = [task for task in tasks if not runs_anywhere[task.agents]]
    return anywhere, bound


def _compute(
    compute: Callable[..., Any],
    arguments: tuple,
    agents: Sequence[str],
    version: Document,
    programs: Sequence[Program],
) -> Any:
    """Run a task on a worker, whose code and models must be those of the process that asks."""
    for program in programs:
        try:
            program.admit()
        except ProgramError as error:
            raise ProgramError(f"on {_worker()}: {error}") from None
    result = compute(*arguments)
    own_version = version_of(*agents)
    if own_version != version:
        raise SpadesError(
            f"a worker's agents or models ({own_version}) are not those of this process "
            f"({version}): give both the same code and data"
        )
    return result


def _worker() -> str:
    """The worker that runs this, by its address and machine."""
    try:
        from distributed import get_worker

        return f"the worker {get_worker().address} ({socket.gethostname()})"
    except (ImportError, ValueError):  # no Dask here, or no worker of it
        return "a worker"


def task_size(seconds: float, most: int) -> int:
    """How many things of ``seconds`` each make a task; it depends on the arguments alone."""
    return min(max(1, round(TASK_SECONDS / seconds)), most)


def ranges(n: int, size: int) -> list[tuple[int, int]]:
    """``n`` things in ranges of ``size``: (first, end) of each."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]
