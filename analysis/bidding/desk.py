"""The bids of rounds, asked of the bidders beside the pages: one answer a round, kept.

Bidders need compiled kernels, tables and pandas. Nothing of them is loaded before a round's bids
are asked, and then in a thread of its own: a first compilation keeps no search waiting.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.decisions.searching import record_key
from analysis.runs.desk import Ticket, Workshop
from spades.core.records import RoundRecord

if TYPE_CHECKING:
    from analysis.bidding.decisions import BidDecision

MAX_ROUNDS_KEPT = 64


class BidJob:
    """The bids of a round as decisions; ``decisions`` is None until all four are answered."""

    def __init__(self, record: RoundRecord) -> None:
        self.record = record
        self.decisions: tuple[BidDecision, ...] | None = None

    def steps(self) -> Iterator[None]:
        from analysis.bidding.decisions import each_bid_decision  # not before it is asked for

        found = []
        for decision in each_bid_decision(self.record):
            found.append(decision)
            yield
        self.decisions = tuple(found)


class BidDesk:
    """Hands out the bids asked and being asked, by round; shared by every session of a server."""

    def __init__(self) -> None:
        self._workshop = Workshop()
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, tuple[BidJob, Ticket]] = OrderedDict()

    def find(self, record: RoundRecord) -> tuple[BidJob, Ticket] | None:
        """The round's bids if they were asked, answered or not."""
        with self._lock:
            return self._jobs.get(record_key(record))

    def ask(self, record: RoundRecord) -> tuple[BidJob, Ticket]:
        """The round's bids, asked now if they weren't."""
        key = record_key(record)
        with self._lock:
            if key not in self._jobs:
                job = BidJob(record)
                self._jobs[key] = (job, self._workshop.submit(job))
            self._jobs.move_to_end(key)
            while len(self._jobs) > MAX_ROUNDS_KEPT:
                _, (_, ticket) = self._jobs.popitem(last=False)
                ticket.stop()
            return self._jobs[key]
