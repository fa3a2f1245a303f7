"""The auction, the options and the tables of a bidder, for kernels.

Every bidder's kernel is ``x_bid(hand, auction, options, context, state) -> (bid, state)``: hand is
a mask, state the random state (uint64); the bid is legal, 1 to 13, ``NIL_BID`` or ``BLIND_NIL``.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding.hands import THIRD_CARD, holding_table, nil_tables
from spades.core.cards import N_SEATS
from spades.core.kernel import FloatArray, Int, lean_kernel
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers, Rules
from spades.core.scoring import POINTS_PER_TRICK

BLIND_NIL = MAX_BID + 1  # what a bidder's kernel returns for a nil bid before looking
EXPECTED_BID = 3  # of a seat that hasn't bid, tricks
N_BIDS = MAX_BID + 1
MAX_PREVIOUS = N_SEATS - 1
FIRST_INDEX = np.array([0, 1, 1 + N_BIDS, 1 + N_BIDS + N_BIDS**2])  # by number of bids
SEQUENCES = tuple(bids for n in range(N_SEATS) for bids in product(range(N_BIDS), repeat=n))
"""All 2,955 sequences of 0 to 3 previous bids, in the order made; 0 is nil."""
INDEX_OF = {bids: index for index, bids in enumerate(SEQUENCES)}
N_SEQUENCES = len(SEQUENCES)
BIS, RB, MS, IO, KB = range(5)
BIDDER_CODES = {
    "bis": BIS,
    "rb": RB,
    "ms": MS,
    "io": IO,
    "kb": KB,
}


class BidderOptions(NamedTuple):
    """Which bidder, and how it bids; a bidder reads its own options only. Switches are 0 or 1.

    ``code``: one of ``BIDDER_CODES``. Noise, for any bidder: ``noise``, standard deviation of the
    tricks added to its bid; ``nil_rate``, probability of a nil whatever the hand.

    BIS (Cohensius 2020): ``threshold``: expected points that a nil must exceed; ``bid_sensitive``:
    the threshold is what the regular bid is worth instead (5.3.3); ``single_curve``: one success
    curve for all previous bids (5.3.1); ``third_card``: the reading of a nil's third card, its
    place in ``THIRD_CARD``. End of game (4.4, G.1, E):
    ``complete_to_14``, ``raise_to_win``, ``risky_nil`` with the least chance ``risky_chance``,
    ``opponent_nil``, ``safe_regular``, ``one_less``, ``ahead``. ``big5``, ``big6``: the conventions
    (G.2); ``cover_discount``: points that the partner's Big 5 takes off the threshold.
    ``blind_nil``: blind nil (G.3).

    RB and MS: ``nil_ranks``: ranks added to the naive limits of nil (5, 8, T).

    KB (Whitehouse 2013): ``personality`` from -1, timid, to 1, aggressive; ``randomness``:
    standard deviation of its random factor, tricks; ``their_bags``: the other side's bags count as
    well ("whether either partnership is at risk of exceeding the 10 bag limit")."""

    code: int = BIS
    noise: float = 0.0
    nil_rate: float = 0.0
    threshold: float = 25.0
    bid_sensitive: int = 0
    single_curve: int = 0
    third_card: int = 0
    complete_to_14: int = 1
    raise_to_win: int = 1
    risky_nil: int = 1
    risky_chance: float = 0.35
    opponent_nil: int = 1
    safe_regular: int = 1
    one_less: int = 1
    ahead: int = 1
    big5: int = 0
    big6: int = 0
    cover_discount: float = 50.0
    blind_nil: int = 0
    nil_ranks: int = 0
    personality: float = 0.0
    randomness: float = 0.2
    their_bags: int = 1


_TYPES = {name: type(value) for name, value in BidderOptions._field_defaults.items()}


def bidder_options(**values: float | bool) -> BidderOptions:
    """Options, each converted to the type of its default, so that kernels compile only once."""
    converted = {name: _TYPES[name](value) for name, value in values.items()}
    return BidderOptions(**converted)


class Auction(NamedTuple):
    """An auction as one seat sees it; scores and bags are those before the round, by partnership.
    ``bids`` int8 (4,) by seat, ``NO_BID`` where none yet."""

    seat: Int
    bids: NDArray[np.int8]
    score: Int
    their_score: Int
    bags: Int
    their_bags: Int


class BidTables(NamedTuple):
    """The tables that bidders look up; all read-only, so that kernels compile once.

    Exact (``spades.bidding.hands``): ``p_hold`` (4, 17, 3); ``p_cnil`` (2, 4, 2**n), by reading of
    ``THIRD_CARD``. Fitted (``spades.bidding.curves``): ``curves`` (2, 2956, 2), by reading,
    intercept and slope of the success curve of every sequence of previous bids, the single curve
    last; ``previous`` and ``made`` as in ``RegularFit``."""

    p_hold: FloatArray
    p_cnil: FloatArray
    curves: FloatArray
    previous: FloatArray
    made: FloatArray


class BidContext(NamedTuple):
    """Rules and tables: what all bidders of a table share."""

    rules: RuleNumbers
    tables: BidTables


def context_with(
    rules: Rules,
    curves: FloatArray,
    previous: FloatArray,
    made: FloatArray,
) -> BidContext:
    """Rules with the exact tables of their deck and these fitted ones. ``curves`` (2956, 2) of one
    reading serve for both."""
    p_cnil = np.stack([nil_tables(rules.cards, reading) for reading in THIRD_CARD])
    by_reading = np.broadcast_to(curves, (len(THIRD_CARD), *curves.shape[-2:])).copy()
    for table in (p_cnil, by_reading, previous, made):
        table.setflags(write=False)
    tables = BidTables(
        p_hold=holding_table(),
        p_cnil=p_cnil,
        curves=by_reading,
        previous=previous,
        made=made,
    )
    return BidContext(rules.numbers, tables)


@lean_kernel
def bid_at(auction: Auction, steps: Int) -> Int:
    """The bid of the seat ``steps`` clockwise, ``NO_BID`` if it hasn't bid yet."""
    return int(auction.bids[(auction.seat + steps) % N_SEATS])


@lean_kernel
def partner_bid(auction: Auction) -> Int:
    """The partner's bid, ``NO_BID`` if it hasn't bid yet."""
    return bid_at(auction, 2)


@lean_kernel
def least_bid(auction: Auction, rules: RuleNumbers) -> Int:
    bid = partner_bid(auction)
    return 0 if bid == NO_BID else max(0, rules.min_bid - bid)


@lean_kernel
def contract_bid(tricks: float, auction: Auction, rules: RuleNumbers) -> Int:
    """The legal bid other than nil that is nearest to a number of tricks; halves round up."""
    least = max(least_bid(auction, rules), rules.has_nil)
    return max(least, min(MAX_BID, math.floor(tricks + 0.5)))


@lean_kernel
def may_nil(auction: Auction, rules: RuleNumbers) -> bool:
    """Whether nil is legal and the partner hasn't bid it."""
    is_legal = rules.has_nil != 0 and least_bid(auction, rules) == 0
    return is_legal and partner_bid(auction) != NIL_BID


@lean_kernel
def n_previous(auction: Auction) -> Int:
    """How many of the other seats have bid."""
    n = 0
    for i in range(1, N_SEATS):
        n += bid_at(auction, i) != NO_BID
    return n


@lean_kernel
def sum_previous(auction: Auction) -> Int:
    """Sum of the other seats' bids, a nil counting 0."""
    total = 0
    for i in range(1, N_SEATS):
        total += max(0, bid_at(auction, i))
    return total


@lean_kernel
def previous_index(auction: Auction) -> Int:
    """Index of the sequence of previous bids, as in ``INDEX_OF``."""
    n = 0
    code = 0
    for i in range(1, N_SEATS):
        bid = bid_at(auction, i)
        if bid != NO_BID:
            n += 1
            code = code * N_BIDS + bid
    return FIRST_INDEX[n] + code


@lean_kernel
def n_opponent_nils(auction: Auction, rules: RuleNumbers) -> Int:
    n = 0
    for i in (1, 3):
        n += bid_at(auction, i) == NIL_BID
    return n if rules.has_nil else 0


@lean_kernel
def bid_points(bid: Int, rules: RuleNumbers) -> Int:
    """Points of one seat's bid if it is made; of an expected bid of 3 if it hasn't bid."""
    if bid == NO_BID:
        return POINTS_PER_TRICK * EXPECTED_BID
    if bid == NIL_BID and rules.has_nil:
        return rules.nil
    return POINTS_PER_TRICK * bid


@lean_kernel
def our_outlook(bid: Int, auction: Auction, rules: RuleNumbers) -> Int:
    """Our game score after the round if I bid ``bid`` and both our bids are made, without bags."""
    return auction.score + bid_points(bid, rules) + bid_points(partner_bid(auction), rules)


@lean_kernel
def their_outlook(auction: Auction, rules: RuleNumbers) -> Int:
    """The opponents' game score after the round if both their bids are made, without bags."""
    left = bid_points(bid_at(auction, 1), rules)
    right = bid_points(bid_at(auction, 3), rules)
    return auction.their_score + left + right
