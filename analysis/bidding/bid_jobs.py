"""Background jobs that ask every bidder for the bids of a round.

Bidders need compiled kernels, tables and pandas. These are loaded at the first request, in a thread
of their own, so that a first compilation delays no search.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.decisions.settings import record_key
from analysis.runs.jobs import Job
from analysis.runs.registry import JobRegistry
from analysis.runs.scheduler import RoundRobin
from spades.core.records import Record

if TYPE_CHECKING:
    from analysis.bidding.decisions import BidDecision

MAX_ROUNDS = 64


class RoundBids:
    """The bids of a round as decisions; ``decisions`` is None until all four are answered."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.decisions: tuple[BidDecision, ...] | None = None

    def steps(self) -> Iterator[None]:
        from analysis.bidding.decisions import each_bid_decision  # slow to load

        decisions = []
        for decision in each_bid_decision(self.record):
            decisions.append(decision)
            yield
        self.decisions = tuple(decisions)


class BidJobs:
    """The jobs that answer bids, by round; shared by every session of a server."""

    def __init__(self) -> None:
        self._jobs: JobRegistry[RoundBids] = JobRegistry(RoundRobin(), capacity=MAX_ROUNDS)

    def find(self, record: Record) -> Job[RoundBids] | None:
        """The job of an earlier request for a round, restarted if it has timed out."""
        return self.start(record) if self._jobs.find(record_key(record)) else None

    def start(self, record: Record) -> Job[RoundBids]:
        return self._jobs.start(record_key(record), lambda: RoundBids(record), restart=False)
