"""Long runs of items that are alike, stored on disk: stopped, resumed, extended.

Item i depends on the run's question and on i alone, so that the first n items are the same whoever
started it and however often it was stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

from analysis.runs.parts import Progress
from analysis.runs.store import Question, ResultStore, ResultStoreError
from analysis.runs.versions import version_of

Item = Any  # what JSON can hold
MakeItem = Callable[[int], Generator[None, None, Item]]


class StoredRun:
    """Items 0, 1, 2 ... of a question, made by ``make(i)``, which yields every few milliseconds.

    They are stored in blocks of ``block`` items under question and code version, and what is stored
    is read at once. ``items`` grows while the run is worked on, up to ``target``; ``complaint``
    says why they are not stored, where the store can't be used.
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
        self.question = {**question, **version_of(), "block_size": block}
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
                self._store_block()
            yield

    def _question_of(self, block: int) -> dict[str, Any]:
        return {**self.question, "block": block}

    def _store_block(self) -> None:
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
