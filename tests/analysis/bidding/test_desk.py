"""Bids asked beside the pages: once a round, kept, nothing loaded before."""

import dataclasses
import subprocess
import sys

from analysis.bidding import decisions as module
from analysis.bidding.decisions import each_bid_decision
from analysis.bidding.desk import MAX_ROUNDS, BidDesk
from spades.core.errors import SpadesError
from tests.pages.texts import shipped

PATIENCE = 120


def test_a_round_is_asked_once_and_kept(monkeypatch):
    asked = []

    def few(record):
        asked.append(record)
        yield from each_bid_decision(record, ("bis", "human"), n=5)

    monkeypatch.setattr(module, "each_bid_decision", few)
    desk, record = BidDesk(), shipped("south-nil")
    assert desk.find(record) is None
    job, ticket = desk.ask(record)
    assert ticket.wait(PATIENCE)
    assert job.decisions == tuple(each_bid_decision(record, ("bis", "human"), n=5))
    renamed = dataclasses.replace(record, players=("a", "b", "c", "d"))
    assert desk.ask(renamed) == desk.find(record) == (job, ticket)
    assert asked == [record]


def test_an_error_is_kept_and_the_next_round_is_answered(monkeypatch):
    def refuse(record):
        if record.dealer == shipped("south-nil").dealer:
            raise SpadesError("no")
        yield from each_bid_decision(record, ("bis",))

    monkeypatch.setattr(module, "each_bid_decision", refuse)
    desk = BidDesk()
    first, second = desk.ask(shipped("south-nil")), desk.ask(shipped("four-bots"))
    assert first[1].wait(PATIENCE)
    assert second[1].wait(PATIENCE)
    assert isinstance(first[1].error, SpadesError)
    assert first[0].decisions is None
    assert len(second[0].decisions) == 4


def test_the_oldest_rounds_go(monkeypatch):
    monkeypatch.setattr(module, "each_bid_decision", lambda record: iter(()))
    desk, record = BidDesk(), shipped("south-nil")
    rounds = [
        dataclasses.replace(record, score_before=(i, 0), bags_before=(0, 0))
        for i in range(MAX_ROUNDS + 1)
    ]
    for each in rounds:
        assert desk.ask(each)[1].wait(PATIENCE)  # a round under way can't make room
    assert desk.find(rounds[0]) is None
    assert desk.find(rounds[1]) is not None


def test_a_desk_alone_loads_no_bidder():
    code = (
        "import sys; from analysis.bidding.desk import BidDesk; BidDesk(); "
        "others = ('pandas', 'scipy.stats', 'spades.agents', 'analysis.bidding.decisions'); "
        "print([name for name in others if name in sys.modules])"
    )
    alone = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert alone.stdout.strip() == "[]"
