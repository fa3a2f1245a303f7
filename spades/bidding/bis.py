"""The BIS bidder: nil where its expected points pass a threshold, else a regular bid.

Source: Cohensius et al. 2020, algorithm 1, sections 4 and 4.4, appendices E and G; every rule of
the end of the game, the conventions and blind nil is an option. Outlooks count what bids are worth
if they are made, without bags; a seat that hasn't bid is expected to bid three. Readings, where the
paper leaves a choice:

- Opponents are *winning* when their outlook reaches the target and is no less than ours.
- Of the four risk-seeking cases the cheapest that can still win comes first: the raise by up to
  two tricks (gap below 20), the risky nil (gap above 20), then the bid that completes to 14.
- "-0.5 for an opponent's nil" is listed among the risk-seeking cases (G.1) and applies in those.
- G.1 takes one trick off in the last position, appendix E in any; both ask that the smaller
  contract still wins by the outlook and that two more bags stay below the limit.
- The paper doesn't say how far Big 5 lowers the partner's threshold: ``cover_discount``.
- Blind nil in a desperate situation is for the last bidder: only he knows both opponents' bids.
"""

import math
from typing import NamedTuple

import numpy as np

from spades.bidding.auction import (
    BLIND_NIL,
    MAX_PREVIOUS,
    N_SEQUENCES,
    Auction,
    BidContext,
    BidderOptions,
    contract_bid,
    least_bid,
    may_nil,
    n_opponent_nils,
    n_previous,
    our_outlook,
    partner_bid,
    previous_index,
    sum_previous,
    their_outlook,
)
from spades.bidding.curves import nil_logit
from spades.bidding.hands import nil_value, regular_tricks, suit_bits, top_spades
from spades.core.cards import N_SEATS
from spades.core.kernel import Int, highest, lean_kernel
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers
from spades.core.scoring import POINTS_PER_TRICK

MEAN_BID = 10.55 / 4  # Cohensius 2020, figure 5
SMALL_GAP = 20  # points
MAX_RAISE = 2
FULL_SUM, COMPLETE_SUM = 11, 14
SAFE_BAGS = 2  # bags that one less must leave room for
BIG_5, BIG_6 = 5, 6
FAR_BEHIND = 100  # points behind from which Big 6 replaces Big 5
COVER_LEAST, COVER_MOST = 4, 6  # tricks of a hand that covers
EASY_SUM = 11  # bids of a round in which contracts are easy sum to less
JACK, TEN = 3, 4  # places below the ace


class Choice(NamedTuple):
    """What BIS would bid in any other round: ``bid``, ``NIL_BID`` or ``regular``; its chance of a
    nil, and whether it may bid one."""

    bid: Int
    regular: Int
    p_nil: float
    may_nil: bool


@lean_kernel
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


@lean_kernel
def choose(hand: Int, auction: Auction, options: BidderOptions, context: BidContext) -> Choice:
    """What BIS bids by algorithm 1, with what the end of the game needs to know."""
    rules = context.rules
    tricks = tricks_before(hand, auction, context) + previous_term(auction, context)
    regular = contract_bid(tricks, auction, rules)
    has_nil = n_opponent_nils(auction, rules) > 0
    if options.opponent_nil and has_nil and are_winning(regular, auction, rules):
        regular = contract_bid(tricks - 0.5, auction, rules)
    if not may_nil(auction, rules):
        return Choice(regular, regular, 0.0, False)
    value = nil_value(hand, context.tables.p_cnil[options.third_card])
    p_nil = success_chance(value, auction, options, context)
    points = rules.nil * (2.0 * p_nil - 1.0)
    is_nil = points > nil_threshold(regular, auction, options, context)
    return Choice(NIL_BID if is_nil else regular, regular, p_nil, True)


@lean_kernel
def tricks_before(hand: Int, auction: Auction, context: BidContext) -> float:
    """Tricks of a hand before the term in the previous bids; a nil bidder won't cut."""
    dangerous = 2 - n_opponent_nils(auction, context.rules)
    return regular_tricks(hand, context.rules.deck, context.tables.p_hold[dangerous])


@lean_kernel
def previous_term(auction: Auction, context: BidContext) -> float:
    """Tricks that the sum of the previous bids adds, a line for each number of them."""
    line = context.tables.previous[n_previous(auction)]
    return line[0] + line[1] * sum_previous(auction)


@lean_kernel
def success_chance(
    value: float, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Probability that a nil of this value succeeds after the bids made so far. 0 for a nil value
    of 0: the ace of spades or a fourth spade denies nil, whatever was bid."""
    if value <= 0.0:
        return 0.0
    index = N_SEQUENCES if options.single_curve else previous_index(auction)
    intercept, slope = context.tables.curves[options.third_card, index]
    return 1.0 / (1.0 + math.exp(-(intercept + slope * nil_logit(value))))


@lean_kernel
def regular_points(regular: Int, auction: Auction, context: BidContext) -> float:
    """Points that a regular bid is expected to be worth more than the partner's contract alone.

    Each contract scores or costs 10 a trick; the shares of contracts made without and with a nil
    of the partnership are measured on simulated rounds. Section 5.3.3 names the idea, not the
    formula."""
    bid = partner_bid(auction)
    partners = MEAN_BID if bid == NO_BID else float(bid)
    alone, beside_nil = context.tables.made
    both = (regular + partners) * (2.0 * alone - 1.0)
    return POINTS_PER_TRICK * (both - partners * (2.0 * beside_nil - 1.0))


@lean_kernel
def nil_threshold(
    regular: Int, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Points that a nil has to be worth more than; less after the partner's Big 5."""
    threshold = options.threshold
    if options.bid_sensitive:
        threshold = regular_points(regular, auction, context)
    signal = signal_of(auction, options, context.rules)
    if signal == BIG_5 and partner_bid(auction) == BIG_5:
        threshold -= options.cover_discount
    return threshold


@lean_kernel
def are_winning(regular: Int, auction: Auction, rules: RuleNumbers) -> bool:
    """Whether the opponents win the game if all bids are made."""
    theirs = their_outlook(auction, rules)
    return theirs >= rules.target and theirs >= our_outlook(regular, auction, rules)


@lean_kernel
def we_win(bid: Int, auction: Auction, rules: RuleNumbers) -> bool:
    """Whether we win the game if I bid so and all bids are made."""
    ours = our_outlook(bid, auction, rules)
    return ours >= rules.target and ours > their_outlook(auction, rules)


@lean_kernel
def bid_of_endgame(
    choice: Choice, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> Int:
    """The bid that the end of the game makes of a choice; the same bid in most rounds."""
    if are_winning(choice.bid, auction, rules):
        return bid_behind(choice, auction, options, rules)
    return bid_ahead(choice, auction, options, rules)


@lean_kernel
def bid_behind(choice: Choice, auction: Auction, options: BidderOptions, rules: RuleNumbers) -> Int:
    """Risk seeking: the opponents win unless this round goes wrong for them or well for us."""
    if choice.bid == NIL_BID or n_opponent_nils(auction, rules):
        return choice.bid
    gap = their_outlook(auction, rules) - our_outlook(choice.regular, auction, rules)
    extra = gap // POINTS_PER_TRICK + 1
    can_raise = gap < SMALL_GAP and choice.regular + extra <= MAX_BID
    if options.raise_to_win and can_raise and extra <= MAX_RAISE:
        return choice.regular + extra
    is_risky = choice.may_nil and choice.p_nil >= options.risky_chance
    if options.risky_nil and gap > SMALL_GAP and is_risky:
        return NIL_BID
    if options.complete_to_14:
        return completing_bid(choice.regular, auction, rules)
    return choice.regular


@lean_kernel
def completing_bid(regular: Int, auction: Auction, rules: RuleNumbers) -> Int:
    """The last bid that makes the sum 14, where no one bid nil and the sum would be 11 or more."""
    others = sum_previous(auction)
    has_nil = n_opponent_nils(auction, rules) or partner_bid(auction) == NIL_BID
    if n_previous(auction) < MAX_PREVIOUS or has_nil or others + regular < FULL_SUM:
        return regular
    bid = COMPLETE_SUM - others
    is_legal = max(1, least_bid(auction, rules)) <= bid <= MAX_BID
    return bid if is_legal else regular


@lean_kernel
def bid_ahead(choice: Choice, auction: Auction, options: BidderOptions, rules: RuleNumbers) -> Int:
    """Risk averse: no nil and one trick less where that wins the game as well."""
    bid = choice.bid
    is_last = n_previous(auction) == MAX_PREVIOUS
    if options.safe_regular and is_last and bid == NIL_BID:
        bid = choice.regular if we_win(choice.regular, auction, rules) else bid
    wants_less = options.ahead or (options.one_less and is_last)
    has_room = rules.bag_limit == 0 or auction.bags + SAFE_BAGS < rules.bag_limit
    is_legal = bid - 1 >= max(1, least_bid(auction, rules))
    if wants_less and has_room and is_legal and we_win(bid - 1, auction, rules):
        return bid - 1
    return bid


@lean_kernel
def signal_of(auction: Auction, options: BidderOptions, rules: RuleNumbers) -> Int:
    """The bid reserved to the partnership's first bidder: 6 far behind, else 5; 0 for none."""
    is_behind = auction.their_score - auction.score > FAR_BEHIND
    if options.big6 and is_behind and rules.has_blind_nil:
        return BIG_6
    return BIG_5 if options.big5 and rules.has_nil else 0


@lean_kernel
def covers_nil(hand: Int, regular: Int, signal: Int, deck: Int) -> bool:
    """Whether a hand is good enough to cover a nil for Big 5 or Big 6. Big 5: the ace or king of
    spades, four to six tricks, a jack or better in every side suit or none of it. Big 6: the ace of
    spades, four tricks or more, a ten or better."""
    is_big_5 = signal == BIG_5
    if regular < COVER_LEAST or (is_big_5 and regular > COVER_MOST):
        return False
    lowest_place = JACK if is_big_5 else TEN
    for suit in range(1, N_SEATS):
        cards = suit_bits(hand, suit)
        if cards and highest(cards) < highest(suit_bits(deck, suit)) - lowest_place:
            return False
    return top_spades(hand, deck, 2 if is_big_5 else 1) > 0


@lean_kernel
def bid_of_convention(
    hand: Int, bid: Int, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> Int:
    """The bid after Big 5 and Big 6: the reserved bid for a covering hand, one less for others."""
    signal = signal_of(auction, options, rules)
    if signal == 0 or bid == NIL_BID or partner_bid(auction) != NO_BID:
        return bid
    if covers_nil(hand, bid, signal, rules.deck):
        return signal
    return bid - 1 if bid == signal else bid


@lean_kernel
def bids_blind(auction: Auction, options: BidderOptions, rules: RuleNumbers) -> bool:
    """Whether to bid nil without looking at a hand. On the partner's Big 6; or desperate: last to
    bid, no nil so far, the opponents winning the game (by their outlook, against a usual bid of
    ours) with bids so far of less than 11."""
    if not (options.blind_nil and rules.has_blind_nil) or least_bid(auction, rules) > 0:
        return False
    partners = partner_bid(auction)
    if signal_of(auction, options, rules) == BIG_6 and partners == BIG_6:
        return True
    if n_previous(auction) < MAX_PREVIOUS or partners == NIL_BID:
        return False
    is_easy = sum_previous(auction) < EASY_SUM and n_opponent_nils(auction, rules) == 0
    return is_easy and are_winning(NO_BID, auction, rules)
