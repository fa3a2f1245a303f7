"""Bids as decisions: what each bidder bids where one was to be made, next to the bid made.

A bidder gets what the seat could see: its hand, the bids before, the score and the bags. One that
draws at random is asked often, from seeds of its own, and told by its likeliest bid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.bidding.questions import bid_name, format_bids, format_rules
from analysis.intervals import share_interval
from spades.agents import parse_bidder
from spades.agents.spec import BisBidder, HumanBidder, KbBidder, NoisyBidder, RandomBidder
from spades.bidding import BisAnswer, explain_bis
from spades.core.cards import N_SEATS, partnership_of
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID, Rules, Table
from spades.notation.hands import format_hand

BIDDERS_COMPARED = ("bis", "rb", "ms", "io", "kb", "human")
N_ASKED = 200


@dataclass(frozen=True)
class BidderBid:
    """What one bidder bids: its likeliest bid, and how often it made which of ``n`` bids.

    ``counts``: (bid, count), commonest first; one entry for a bidder that draws nothing at random
    (``n`` is 1 then). ``is_blind``: the nil is bid before looking.
    """

    bidder: str
    bid: int
    is_blind: bool
    counts: tuple[tuple[int, int], ...]
    n: int

    @property
    def is_random(self) -> bool:
        return self.n > 1

    def share_of(self, bid: int) -> float:
        """Share of the n bids that were this one."""
        return dict(self.counts).get(bid, 0) / self.n

    def interval_of(self, bid: int) -> tuple[float, float] | None:
        """95 % interval of that share by Clopper and Pearson; None without random draws."""
        return share_interval(dict(self.counts).get(bid, 0), self.n) if self.is_random else None


@dataclass(frozen=True)
class BidDecision:
    """One bid of a round: who made which, what could be seen, and what bidders make of it."""

    seat: int
    made: int
    is_blind: bool
    observation: Observation
    bids: tuple[BidderBid, ...]
    bis: BisAnswer

    def answer_of(self, bidder: str) -> BidderBid | None:
        """What one of the bidders bids; None if it wasn't asked."""
        return next((answer for answer in self.bids if answer.bidder == bidder), None)

    def is_made(self, answer: BidderBid) -> bool:
        """Whether a bidder's bid is the one that was made."""
        return (answer.bid, answer.is_blind) == (self.made, self.is_blind)

    @property
    def previous(self) -> list[int]:
        """The bids made before, in order."""
        return [self.observation.table.bids[seat] for seat in self._bidders_before]

    @property
    def _bidders_before(self) -> list[int]:
        table = self.observation.table
        order = ((table.dealer + i) % N_SEATS for i in range(1, N_SEATS + 1))
        return [seat for seat in order if table.bids[seat] != NO_BID]

    def question(self) -> dict[str, str]:
        """Hand, bids before, score and bags (ours, theirs) and other rules, as texts for a link."""
        seen, us = self.observation, partnership_of(self.seat)
        blind = [seen.table.blind[seat] for seat in self._bidders_before]
        pairs = {"score": seen.score_before, "bags": seen.bags_before}
        texts = {
            "hand": format_hand(seen.hand, seen.rules.cards),
            "previous": format_bids(self.previous, blind),
            **{name: f"{two[us]},{two[1 - us]}" for name, two in pairs.items() if two is not None},
            "rules": format_rules(seen.rules),
        }
        return {name: text for name, text in texts.items() if text}


def ask_bidder(
    observation: Observation, text: str, *, n: int = N_ASKED, seed: int = 0
) -> BidderBid:
    """A bidder's bid; one that draws at random is asked ``n`` times.

    Raises ``SpadesError`` for an unknown bidder or a seat that isn't to bid.
    """
    _, bidder = parse_bidder(text)
    is_random = isinstance(bidder, HumanBidder | NoisyBidder | RandomBidder)
    if is_random or (isinstance(bidder, KbBidder) and bidder.randomness > 0):
        seeds = [derive_seed(seed, i) for i in range(n)]
    else:
        seeds = [seed]
    counts = Counter(bidder.bid(observation, one) for one in seeds)
    ordered = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return BidderBid(text, ordered[0][0], bidder.bids_blind(observation), ordered, len(seeds))


def ask_bidders(
    observation: Observation,
    bidders: Sequence[str] = BIDDERS_COMPARED,
    *,
    n: int = N_ASKED,
    seed: int = 0,
) -> tuple[BidderBid, ...]:
    return tuple(ask_bidder(observation, text, n=n, seed=seed) for text in bidders)


def bids_table(bids: Sequence[BidderBid], rules: Rules) -> pd.DataFrame:
    """One row a bidder and bid that it made: bid, name, count of n, share with 95 % interval."""
    columns = ["bidder", "bid", "name", "count", "n", "share", "low", "high"]
    rows = []
    for answer in bids:
        for bid, count in answer.counts:
            name = bid_name(bid, rules, is_blind=answer.is_blind)
            shares = (answer.share_of(bid), *(answer.interval_of(bid) or (1, 1)))
            rows.append((answer.bidder, bid, name, count, answer.n, *shares))
    return pd.DataFrame(rows, columns=columns)


def bid_decisions(
    record: RoundRecord, bidders: Sequence[str] = BIDDERS_COMPARED, **options: int
) -> tuple[BidDecision, ...]:
    """``each_bid_decision`` of a round."""
    return tuple(each_bid_decision(record, bidders, **options))


def each_bid_decision(
    record: RoundRecord,
    bidders: Sequence[str] = BIDDERS_COMPARED,
    *,
    n: int = N_ASKED,
    seed: int = 0,
) -> Iterator[BidDecision]:
    """The bids of a round in the order made, each with what every bidder bids there.

    None where the bids aren't known. Nothing hidden reaches a bidder: it gets the seat's
    observation from before its bid.
    """
    if not record.has_bids:
        return
    table, before = Table(record.rules, record.dealer), (record.score_before, record.bags_before)
    for i in range(1, N_SEATS + 1):
        seat = (record.dealer + i) % N_SEATS
        made, is_blind = record.bids[seat], record.blind[seat]
        seen = Observation(seat, record.hands[seat], table.copy(), *before)
        bids = ask_bidders(seen, bidders, n=n, seed=seed)
        bis = explain_bis(seen, BisBidder().options)
        yield BidDecision(seat, made, is_blind, seen, bids, bis)
        table.bid(seat, made, blind=is_blind)
