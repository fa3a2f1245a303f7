"""The bids of rounds in the background: one answer a round.

Bidders need compiled kernels, tables and pandas. None of them is loaded before the first request
for a round's bids, and then in a thread of its own: a first compilation keeps no search waiting."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.decisions.decision import record_key
from analysis.runs.jobs import Desk, Job, Turns
from spades.core.records import RoundRecord

if TYPE_CHECKING:
    from analysis.bidding.decisions import BidDecision

MAX_ROUNDS = 64


class RoundBids:
    """The bids of a round as decisions; ``decisions`` is None until all four are answered."""

    def __init__(self, record: RoundRecord) -> None:
        self.record = record
        self.decisions: tuple[BidDecision, ...] | None = None

    def steps(self) -> Iterator[None]:
        from analysis.bidding.decisions import each_bid_decision  # slow to load

        found = []
        for decision in each_bid_decision(self.record):
            found.append(decision)
            yield
        self.decisions = tuple(found)


class BidDesk:
    """Hands out bids by round; shared by every session of a server."""

    def __init__(self) -> None:
        self._desk: Desk[RoundBids] = Desk(Turns(), MAX_ROUNDS)

    def find(self, record: RoundRecord) -> tuple[RoundBids, Job] | None:
        return self.ask(record) if self._desk.find(record_key(record)) else None

    def ask(self, record: RoundRecord) -> tuple[RoundBids, Job]:
        return self._desk.start(record_key(record), lambda: RoundBids(record), again=False)
