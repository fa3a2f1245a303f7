"""A series of results that is extended on request: stored in blocks, resumable."""

import time
from collections.abc import Callable, Generator
from typing import Any

from analysis.runs.progress import Progress
from analysis.runs.store import Question, ResultStore, ResultStoreError, version_of
from spades.core.documents import Document

MakeItem = Callable[[int], Generator[None, None, Any]]
"""Makes an item, which JSON can hold, in steps."""


class StoredSeries:
    """Items 0, 1, 2 ... of a question, made by ``make(i)``, which yields every few milliseconds.

    Item i depends on the question and i alone. Items are stored in blocks of ``block`` under the
    question and code version; stored items are read at once. ``items`` grows up to ``target`` in
    ``steps``; ``complaint`` says why items can't be stored. ``keep``: nothing is stored or read
    where it is False.
    """

    def __init__(
        self,
        kind: str,
        question: Question,
        make: MakeItem,
        *,
        block: int,
        unit: str,
        keep: bool = True,
    ) -> None:
        self.kind = kind
        self.block = block
        self.unit = unit
        self.question = {**question, **version_of(), "block_size": block}
        self.items: list[Any] = []
        self.target = 0
        self.complaint = ""
        self._make = make
        self._store = ResultStore() if keep else None
        self._started = 0.0
        self._done_before = 0
        self._load()

    @property
    def done(self) -> int:
        return len(self.items)

    @property
    def progress(self) -> Progress:
        """How far it is; the time left follows from the pace since the last start."""
        return Progress(self.target, self.done, self.unit, self._started, self._done_before)

    def extend(self, target: int) -> None:
        """Request this many items in all."""
        self.target = target

    def steps(self) -> Generator[None, None, None]:
        self._started = time.monotonic()
        self._done_before = self.done
        while self.done < self.target:
            item = yield from self._make(self.done)
            self.items.append(item)
            if self.done % self.block == 0:
                self._store_last_block()
            yield

    def _store_last_block(self) -> None:
        if self._store is None:
            return
        question = self._question_of(self.done // self.block - 1)
        try:
            self._store.put(self.kind, question, self.items[-self.block :])
        except ResultStoreError as error:
            self.complaint = str(error)

    def _question_of(self, block: int) -> Document:
        return {**self.question, "block": block}

    def _load(self) -> None:
        if self._store is None:
            return
        try:
            while True:
                question = self._question_of(self.done // self.block)
                items = self._store.get(self.kind, question)
                if not items:
                    return
                self.items += items
        except ResultStoreError as error:
            self.complaint = str(error)
