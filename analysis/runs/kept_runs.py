"""Long runs of items that are alike, each kept on disk: stopped, gone on with, extended.

Item i depends on the run's question and on i alone, so that the first n items are the same whoever
asked for them and however often the run was stopped. A run is a job of the
``analysis.runs.desk``: it takes turns with the searches.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from typing import Any

from analysis.runs.desk import Ticket, Workshop
from analysis.runs.parts import Progress
from analysis.runs.store import Question, ResultStore, ResultStoreError, code_version

MAX_RUNS_KEPT = 24
Item = Any  # what JSON can hold
MakeItem = Callable[[int], Generator[None, None, Item]]


class KeptRun:
    """Items 0, 1, 2 ... of a question, made by ``make(i)``, which yields every few milliseconds.

    They are stored in blocks of ``block`` items under question and code version, and what is stored
    is read at once. ``items`` grows while the run is worked on, up to ``target``; ``complaint``
    says why they are not kept, where the store can't be used.
    """

    def __init__(
        self,
        kind: str,
        question: Question,
        make: MakeItem,
        *,
        block: int,
        unit: str,
        store: ResultStore | None = None,
    ) -> None:
        self.kind, self.block, self.unit = kind, block, unit
        self.question = {**question, **code_version(), "block_size": block}
        self.items: list[Item] = []
        self.target = 0
        self.complaint = ""
        self._make = make
        self._store = store or ResultStore()
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
        """Ask for ``target`` items in all."""
        self.target = target

    def steps(self) -> Generator[None, None, None]:
        self._started, self._done_before = time.monotonic(), self.done
        while self.done < self.target:
            item = yield from self._make(self.done)
            self.items.append(item)
            if self.done % self.block == 0:
                self._keep()
            yield

    def _question_of(self, block: int) -> dict[str, Any]:
        return {**self.question, "block": block}

    def _keep(self) -> None:
        block = self.done // self.block - 1
        try:
            self._store.put(self.kind, self._question_of(block), self.items[-self.block :])
        except ResultStoreError as error:
            self.complaint = str(error)

    def _load(self) -> None:
        try:
            while found := self._store.get(self.kind, self._question_of(self.done // self.block)):
                self.items += found
        except ResultStoreError as error:
            self.complaint = str(error)


class RunDesk:
    """Hands out the runs under way and done, by key; shared by every session of a server."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, tuple[KeptRun, Ticket | None]] = OrderedDict()

    def find(self, key: str, make: Callable[[], KeptRun]) -> tuple[KeptRun, Ticket | None]:
        """The run of a key, made if it is new; nothing is started."""
        with self._lock:
            if key not in self._runs:
                self._runs[key] = (make(), None)
                self._drop_oldest()
            self._runs.move_to_end(key)
            return self._runs[key]

    def start(self, key: str, make: Callable[[], KeptRun], target: int) -> None:
        """Bring the run of a key to ``target`` items, unless it is being worked on."""
        run, ticket = self.find(key, make)
        with self._lock:
            if ticket is not None and not ticket.is_finished:
                return
            run.extend(target)
            self._runs[key] = (run, self._workshop.submit(run))

    def _drop_oldest(self) -> None:
        """Forget idle runs beyond the limit; their items are on disk."""
        for key, (_, ticket) in list(self._runs.items()):
            if len(self._runs) <= MAX_RUNS_KEPT:
                return
            if ticket is None or ticket.is_finished:
                del self._runs[key]
