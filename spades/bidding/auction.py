"""What a bidder knows beside its own hand, as kernels take it; and what bids mean to each other.

Every bidder's kernel has one signature, ``x_bid(hand, auction, options, context, state)`` to
``(bid, state)``: hand a mask, state the random state (uint64); a bid 1 to 13, ``NIL_BID`` or
``BLIND_NIL``. A bid is always legal in the auction it is made in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding.tables import holding_table, nil_tables
from spades.core.cards import N_SEATS, Deck
from spades.core.kernel import Int, kernel
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, Rules
from spades.core.scoring import POINTS_PER_TRICK

BLIND_NIL = MAX_BID + 1  # what a bidder's kernel returns for a nil bid before looking
USUAL_BID = 3  # what a seat that hasn't bid is expected to bid, tricks
N_BIDS = MAX_BID + 1
MAX_PREVIOUS = N_SEATS - 1
FIRST_INDEX = np.array([0, 1, 1 + N_BIDS, 1 + N_BIDS + N_BIDS**2])
N_SEQUENCES = 1 + N_BIDS + N_BIDS**2 + N_BIDS**3


class Auction(NamedTuple):
    """An auction as one seat sees it; scores and bags are those before the round, by partnership.

    ``bids`` int8 (4,) by seat, ``NO_BID`` where none yet.
    """

    seat: Int
    bids: NDArray[np.int8]
    score: Int
    their_score: Int
    bags: Int
    their_bags: Int


class BidRules(NamedTuple):
    """What the rules mean for bids, as ints: ``deck`` a mask, ``nil`` and ``blind_nil`` points."""

    deck: int
    has_nil: int
    nil: int
    has_blind_nil: int
    min_bid: int
    target: int
    bag_limit: int


class BidTables(NamedTuple):
    """The tables that bidders look up.

    ``p_hold`` (4, 17, 3) and ``p_cnil`` (4, 2**n): ``spades.bidding.tables``. ``curves``
    (2956, 2): intercept and slope of the success curve of every sequence of previous bids, and
    last the single curve. ``previous`` (4, 2): constant and slope, in the sum of the previous
    bids, of the tricks added to a regular bid after 0 to 3 of them. ``made`` (2,): share of
    contracts made without and with a nil of the partnership.
    """

    p_hold: NDArray[np.float64]
    p_cnil: NDArray[np.float64]
    curves: NDArray[np.float64]
    previous: NDArray[np.float64]
    made: NDArray[np.float64]


def bid_tables(
    deck: Deck,
    curves: NDArray[np.float64],
    previous: NDArray[np.float64],
    made: NDArray[np.float64],
) -> BidTables:
    """The exact tables of a deck and the fitted ones, all read-only: kernels compile once."""
    for table in (curves, previous, made):
        table.setflags(write=False)
    return BidTables(holding_table(), nil_tables(deck), curves, previous, made)


class BidContext(NamedTuple):
    """Rules and tables: what all bidders of a table share."""

    rules: BidRules
    tables: BidTables


def bid_rules_of(rules: Rules) -> BidRules:
    return BidRules(
        deck=rules.cards.mask,
        has_nil=int(rules.nil is not None),
        nil=rules.nil or 0,
        has_blind_nil=int(rules.has_blind_nil),
        min_bid=rules.min_bid,
        target=rules.target,
        bag_limit=rules.bag_limit,
    )


@kernel
def rounded(tricks: float) -> Int:
    """The nearest whole bid, halves up."""
    return math.floor(tricks + 0.5)


@kernel
def partner_bid(auction: Auction) -> Int:
    """The partner's bid, ``NO_BID`` before it."""
    return int(auction.bids[(auction.seat + 2) % N_SEATS])


@kernel
def least_bid(auction: Auction, rules: BidRules) -> Int:
    """The smallest legal bid."""
    bid = partner_bid(auction)
    return 0 if bid == NO_BID else max(0, rules.min_bid - bid)


@kernel
def contract_bid(tricks: float, auction: Auction, rules: BidRules) -> Int:
    """The legal bid, no nil, that is nearest to a number of tricks."""
    least = max(least_bid(auction, rules), rules.has_nil)
    return max(least, min(MAX_BID, rounded(tricks)))


@kernel
def may_nil(auction: Auction, rules: BidRules) -> bool:
    """Whether nil is legal and the partner hasn't bid it."""
    return (
        rules.has_nil != 0
        and least_bid(auction, rules) == 0
        and partner_bid(auction) != NIL_BID
    )  # fmt: skip


@kernel
def n_previous(auction: Auction) -> Int:
    """How many of the other seats have bid."""
    n = 0
    for i in range(1, N_SEATS):
        n += auction.bids[(auction.seat + i) % N_SEATS] != NO_BID
    return n


@kernel
def sum_previous(auction: Auction) -> Int:
    """Sum of the other seats' bids, a nil counting 0."""
    total = 0
    for i in range(1, N_SEATS):
        total += max(0, int(auction.bids[(auction.seat + i) % N_SEATS]))
    return total


@kernel
def previous_index(auction: Auction) -> Int:
    """Index of the sequence of previous bids, ``index_of_sequence``."""
    n, code = 0, 0
    for i in range(1, N_SEATS):
        bid = int(auction.bids[(auction.seat + i) % N_SEATS])
        if bid != NO_BID:
            n += 1
            code = code * N_BIDS + bid
    return FIRST_INDEX[n] + code


@kernel
def n_opponent_nils(auction: Auction, rules: BidRules) -> Int:
    """How many opponents have bid nil."""
    n = 0
    for i in (1, 3):
        n += auction.bids[(auction.seat + i) % N_SEATS] == NIL_BID
    return n if rules.has_nil else 0


@kernel
def bid_points(bid: Int, rules: BidRules) -> Int:
    """Points of one seat's bid if it comes off; a seat that hasn't bid is expected to bid 3."""
    if bid == NO_BID:
        return POINTS_PER_TRICK * USUAL_BID
    if bid == NIL_BID and rules.has_nil:
        return rules.nil
    return POINTS_PER_TRICK * bid


@kernel
def our_outlook(bid: Int, auction: Auction, rules: BidRules) -> Int:
    """Our game score after the round if I bid so and both our bids come off, bags left out."""
    return auction.score + bid_points(bid, rules) + bid_points(partner_bid(auction), rules)


@kernel
def their_outlook(auction: Auction, rules: BidRules) -> Int:
    """The opponents' game score after the round if both their bids come off, bags left out."""
    left = bid_points(int(auction.bids[(auction.seat + 1) % N_SEATS]), rules)
    right = bid_points(int(auction.bids[(auction.seat + 3) % N_SEATS]), rules)
    return auction.their_score + left + right


def index_of_sequence(previous: tuple[int, ...]) -> int:
    """Index 0 to 2954 of a sequence of 0 to 3 previous bids, in the order made.

    Shorter sequences first, then as base-14 numbers. The caller has checked the bids.
    """
    code = 0
    for bid in previous:
        code = code * N_BIDS + bid
    return int(FIRST_INDEX[len(previous)]) + code


def sequence_at(index: int) -> tuple[int, ...]:
    """The sequence of previous bids with this index; the inverse of ``index_of_sequence``."""
    n = int(np.searchsorted(FIRST_INDEX, index, side="right")) - 1
    code, bids = index - int(FIRST_INDEX[n]), []
    for _ in range(n):
        code, bid = divmod(code, N_BIDS)
        bids.append(bid)
    return tuple(reversed(bids))
