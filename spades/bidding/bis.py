"""The BIS bidder: nil where its expected points pass a threshold, else a regular bid.

Source: Cohensius et al. 2020, algorithm 1 and section 4; ``spades.bidding.hands`` counts the
hand, ``spades.bidding.endgame`` has the end of the game, the conventions and blind nil.
"""

from __future__ import annotations

import math

import numpy as np

from spades.bidding.auction import (
    BLIND_NIL,
    N_SEQUENCES,
    Auction,
    BidContext,
    contract_bid,
    may_nil,
    n_opponent_nils,
    n_previous,
    partner_bid,
    previous_index,
    sum_previous,
)
from spades.bidding.curves import nil_logit
from spades.bidding.endgame import (
    Choice,
    bid_of_convention,
    bid_of_endgame,
    bids_blind,
    is_offered_cover,
    tricks_off,
)
from spades.bidding.hands import nil_value, regular_tricks
from spades.bidding.options import BidderOptions
from spades.core.kernel import Int, kernel
from spades.core.rules import NIL_BID, NO_BID
from spades.core.scoring import POINTS_PER_TRICK

MEAN_BID = 10.55 / 4  # Cohensius 2020, figure 5


@kernel
def tricks_before(hand: Int, auction: Auction, context: BidContext) -> float:
    """Tricks of a hand before the term in the previous bids; a nil bidder won't cut."""
    dangerous = 2 - n_opponent_nils(auction, context.rules)
    return regular_tricks(hand, context.rules.deck, context.tables.p_hold[dangerous])


@kernel
def previous_term(auction: Auction, context: BidContext) -> float:
    """Tricks that the sum of the previous bids adds, a line for each number of them."""
    line = context.tables.previous[n_previous(auction)]
    return line[0] + line[1] * sum_previous(auction)


@kernel
def success_chance(
    value: float, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Probability that a nil of this value succeeds after the bids made so far.

    0 for a nil value of 0: the ace of spades or a fourth spade denies nil, whatever was bid.
    """
    if value <= 0.0:
        return 0.0
    index = N_SEQUENCES if options.single_curve else previous_index(auction)
    intercept, slope = context.tables.curves[index]
    return 1.0 / (1.0 + math.exp(-(intercept + slope * nil_logit(value))))


@kernel
def regular_points(regular: Int, auction: Auction, context: BidContext) -> float:
    """Points that a regular bid is expected to be worth more than the partner's contract alone.

    Each contract scores or costs 10 a trick; the shares of contracts made without and with a nil
    beside them are measured on simulated rounds. Section 5.3.3 names the idea, not the formula.
    """
    bid = partner_bid(auction)
    partners = MEAN_BID if bid == NO_BID else float(bid)
    alone, beside_nil = context.tables.made
    both = (regular + partners) * (2.0 * alone - 1.0)
    return POINTS_PER_TRICK * (both - partners * (2.0 * beside_nil - 1.0))


@kernel
def nil_threshold(
    regular: Int, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Points that a nil has to be worth more than."""
    threshold = options.threshold
    if options.bid_sensitive:
        threshold = regular_points(regular, auction, context)
    if is_offered_cover(auction, options, context.rules):
        threshold -= options.cover_discount
    return threshold


@kernel
def choose(hand: Int, auction: Auction, options: BidderOptions, context: BidContext) -> Choice:
    """What BIS bids by algorithm 1, with what the end of the game needs to know."""
    rules, tables = context.rules, context.tables
    tricks = tricks_before(hand, auction, context) + previous_term(auction, context)
    regular = contract_bid(tricks, auction, rules)
    tricks -= tricks_off(regular, auction, options, rules)
    regular = contract_bid(tricks, auction, rules)
    if not may_nil(auction, rules):
        return Choice(regular, regular, 0.0, False)
    p_nil = success_chance(nil_value(hand, tables.p_cnil), auction, options, context)
    points = rules.nil * (2.0 * p_nil - 1.0)
    is_nil = points > nil_threshold(regular, auction, options, context)
    return Choice(NIL_BID if is_nil else regular, regular, p_nil, True)


@kernel
def bis_bid(
    hand: Int, auction: Auction, options: BidderOptions, context: BidContext, state: np.uint64
) -> tuple[Int, np.uint64]:
    """The bid of BIS; it draws no random number."""
    rules = context.rules
    if bids_blind(auction, options, rules):
        return BLIND_NIL, state
    choice = choose(hand, auction, options, context)
    bid = bid_of_endgame(choice, auction, options, rules)
    if bid == choice.bid:
        bid = bid_of_convention(hand, bid, auction, options, rules)
    return bid, state
