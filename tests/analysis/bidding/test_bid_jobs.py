"""Bids asked beside the pages: once a round, kept, nothing loaded before."""

import dataclasses
import subprocess
import sys

from analysis.bidding import decisions as module
from analysis.bidding.bid_jobs import MAX_ROUNDS, BidJobs
from analysis.bidding.decisions import each_bid_decision
from spades.core.errors import SpadesError
from tests.pages.texts import shipped

SECONDS = 120  # for a first compilation


def test_a_round_is_asked_once_and_kept(monkeypatch):
    asked = []

    def few(record):
        asked.append(record)
        yield from each_bid_decision(record, ("bis", "human"), n=5)

    monkeypatch.setattr(module, "each_bid_decision", few)
    jobs = BidJobs()
    record = shipped("south-nil")
    assert jobs.find(record) is None
    job = jobs.start(record)
    assert job.wait(SECONDS)
    assert job.work.decisions == tuple(each_bid_decision(record, ("bis", "human"), n=5))
    renamed = dataclasses.replace(record, players=("a", "b", "c", "d"))
    assert jobs.start(renamed) is job
    assert jobs.find(record) is job
    assert asked == [record]


def test_an_error_is_kept_and_the_next_round_is_answered(monkeypatch):
    def refuse(record):
        if record.dealer == shipped("south-nil").dealer:
            raise SpadesError("no")
        yield from each_bid_decision(record, ("bis",))

    monkeypatch.setattr(module, "each_bid_decision", refuse)
    jobs = BidJobs()
    first = jobs.start(shipped("south-nil"))
    second = jobs.start(shipped("four-bots"))
    assert first.wait(SECONDS)
    assert second.wait(SECONDS)
    assert isinstance(first.error, SpadesError)
    assert first.work.decisions is None
    assert len(second.work.decisions) == 4


def test_the_oldest_rounds_go(monkeypatch):
    monkeypatch.setattr(module, "each_bid_decision", lambda record: iter(()))
    jobs = BidJobs()
    record = shipped("south-nil")
    rounds = [
        dataclasses.replace(record, score_before=(i, 0), bags_before=(0, 0))
        for i in range(MAX_ROUNDS + 1)
    ]
    for each in rounds:
        assert jobs.start(each).wait(SECONDS)  # an active job makes no room
    assert jobs.find(rounds[0]) is None
    assert jobs.find(rounds[1]) is not None


def test_a_registry_alone_loads_no_bidder():
    code = (
        "import sys; from analysis.bidding.bid_jobs import BidJobs; BidJobs(); "
        "others = ('pandas', 'scipy.stats', 'spades.agents', 'analysis.bidding.decisions'); "
        "print([name for name in others if name in sys.modules])"
    )
    alone = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert alone.stdout.strip() == "[]"
