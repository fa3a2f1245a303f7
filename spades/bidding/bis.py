"""The BIS bidder: nil if its expected points exceed a threshold, else a regular bid.

Source: Cohensius et al. 2020, algorithm 1, sections 4 and 4.4, appendices E and G. Every rule of
the end of the game, the conventions and blind nil are options. A partnership's outlook is its game
score if its bids are made, without bags; a seat that hasn't bid is expected to bid three. Where the
paper leaves a choice:

- Opponents are *winning* when their outlook reaches the target and is at least ours.
- Of the four risk-seeking cases the cheapest that can still win comes first: the raise by up to
  two tricks (gap below 20), the risky nil (gap above 20), then the bid that completes to 14.
- "-0.5 for an opponent's nil" is listed among the risk-seeking cases (G.1) and applies in those.
- G.1 takes one trick off in the last position, appendix E in any; both require that the smaller
  contract still wins by the outlook and that two more bags stay below the limit.
- How far Big 5 lowers the partner's threshold isn't given: ``cover_discount``.
- Blind nil in a desperate situation is for the last bidder, who alone knows both opponents' bids.
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
FULL_SUM = 11  # least sum of bids that the bid to 14 completes
COMPLETE_SUM = 14
SAFE_BAGS = 2  # bags that must still fit below the limit for a bid of one less
BIG_5 = 5
BIG_6 = 6
FAR_BEHIND = 100  # points behind from which Big 6 replaces Big 5
MIN_COVER = 4  # tricks of a hand that covers
MAX_COVER = 6
EASY_SUM = 11  # contracts are easy in a round whose bids sum to less
JACK = 3  # places below the ace
TEN = 4


class BisChoice(NamedTuple):
    """The bid before end of game and conventions: ``bid`` is ``NIL_BID`` or ``regular``; its chance
    of making a nil, and whether it may bid one."""

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
def choose(hand: Int, auction: Auction, options: BidderOptions, context: BidContext) -> BisChoice:
    """The bid by algorithm 1."""
    rules = context.rules
    tricks = tricks_before(hand, auction, context) + previous_term(auction, context)
    regular = contract_bid(tricks, auction, rules)
    has_nil = n_opponent_nils(auction, rules) > 0
    if options.opponent_nil and has_nil and are_winning(regular, auction, rules):
        regular = contract_bid(tricks - 0.5, auction, rules)
    if not may_nil(auction, rules):
        return BisChoice(regular, regular, 0.0, False)
    value = nil_value(hand, context.tables.p_cnil[options.third_card])
    p_nil = success_chance(value, auction, options, context)
    points = rules.nil * (2.0 * p_nil - 1.0)
    is_nil = points > nil_threshold(regular, auction, options, context)
    return BisChoice(NIL_BID if is_nil else regular, regular, p_nil, True)


@lean_kernel
def tricks_before(hand: Int, auction: Auction, context: BidContext) -> float:
    """Tricks of a hand without the term in the previous bids; an opponent's nil won't cut."""
    n_dangerous = 2 - n_opponent_nils(auction, context.rules)
    return regular_tricks(hand, context.rules.deck, context.tables.p_hold[n_dangerous])


@lean_kernel
def previous_term(auction: Auction, context: BidContext) -> float:
    """Tricks that the sum of the previous bids adds: a linear function for each number of them."""
    constant, slope = context.tables.previous[n_previous(auction)]
    return constant + slope * sum_previous(auction)


@lean_kernel
def success_chance(
    value: float, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Probability that a nil of this value succeeds after the bids made so far; 0 for a value of 0,
    as of a hand with the ace of spades or a fourth spade."""
    if value <= 0.0:
        return 0.0
    index = N_SEQUENCES if options.single_curve else previous_index(auction)
    intercept, slope = context.tables.curves[options.third_card, index]
    return 1.0 / (1.0 + math.exp(-(intercept + slope * nil_logit(value))))


@lean_kernel
def regular_points(regular: Int, auction: Auction, context: BidContext) -> float:
    """Expected points of both our bids, less those of the partner's contract beside a nil.

    A contract scores or costs 10 a trick; the shares of contracts made without and with a nil of
    the partnership are measured on simulated rounds. Section 5.3.3 has the idea, not the
    formula."""
    bid = partner_bid(auction)
    partners = MEAN_BID if bid == NO_BID else float(bid)
    p_made, p_made_beside_nil = context.tables.made
    both = (regular + partners) * (2.0 * p_made - 1.0)
    return POINTS_PER_TRICK * (both - partners * (2.0 * p_made_beside_nil - 1.0))


@lean_kernel
def nil_threshold(
    regular: Int, auction: Auction, options: BidderOptions, context: BidContext
) -> float:
    """Expected points that a nil must exceed; fewer after the partner's Big 5."""
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
    """Whether we win the game if I bid ``bid`` and all bids are made."""
    ours = our_outlook(bid, auction, rules)
    return ours >= rules.target and ours > their_outlook(auction, rules)


@lean_kernel
def bid_of_endgame(
    choice: BisChoice, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> Int:
    """The bid once the end of the game is considered; in most rounds the bid chosen."""
    if are_winning(choice.bid, auction, rules):
        return bid_behind(choice, auction, options, rules)
    return bid_ahead(choice, auction, options, rules)


@lean_kernel
def bid_behind(
    choice: BisChoice, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> Int:
    """Risk seeking: the opponents win unless they are set or we score more than expected."""
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
    """The last bid that makes the sum 14, if no one bid nil and the sum would be 11 or more."""
    others = sum_previous(auction)
    is_last = n_previous(auction) == MAX_PREVIOUS
    has_nil = n_opponent_nils(auction, rules) or partner_bid(auction) == NIL_BID
    if not is_last or has_nil or others + regular < FULL_SUM:
        return regular
    bid = COMPLETE_SUM - others
    is_legal = max(1, least_bid(auction, rules)) <= bid <= MAX_BID
    return bid if is_legal else regular


@lean_kernel
def bid_ahead(
    choice: BisChoice, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> Int:
    """Risk averse: no nil and one trick less if that wins the game too."""
    bid = choice.bid
    is_last = n_previous(auction) == MAX_PREVIOUS
    wants_regular = options.safe_regular and is_last and bid == NIL_BID
    if wants_regular and we_win(choice.regular, auction, rules):
        bid = choice.regular
    wants_less = options.ahead or (options.one_less and is_last)
    has_room = rules.bag_limit == 0 or auction.bags + SAFE_BAGS < rules.bag_limit
    is_legal = bid - 1 >= max(1, least_bid(auction, rules))
    if wants_less and has_room and is_legal and we_win(bid - 1, auction, rules):
        return bid - 1
    return bid


@lean_kernel
def signal_of(auction: Auction, options: BidderOptions, rules: RuleNumbers) -> Int:
    """The bid that signals a covering hand: 6 far behind, else 5; 0 without the conventions."""
    is_far_behind = auction.their_score - auction.score > FAR_BEHIND
    if options.big6 and is_far_behind and rules.has_blind_nil:
        return BIG_6
    return BIG_5 if options.big5 and rules.has_nil else 0


@lean_kernel
def covers_nil(hand: Int, regular: Int, signal: Int, deck: Int) -> bool:
    """Whether a hand is good enough to cover a nil by Big 5 or Big 6. Big 5: the ace or king of
    spades, four to six tricks, in every side suit a jack or better or a void. Big 6: the ace of
    spades, at least four tricks, in every side suit a ten or better or a void."""
    is_big_5 = signal == BIG_5
    if regular < MIN_COVER or (is_big_5 and regular > MAX_COVER):
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
    """The bid by Big 5 and Big 6: the partnership's first bidder makes the signal with a covering
    hand, and bids one less than it where another hand would make it."""
    signal = signal_of(auction, options, rules)
    if signal == 0 or bid == NIL_BID or partner_bid(auction) != NO_BID:
        return bid
    if covers_nil(hand, bid, signal, rules.deck):
        return signal
    return bid - 1 if bid == signal else bid


@lean_kernel
def bids_blind(auction: Auction, options: BidderOptions, rules: RuleNumbers) -> bool:
    """Whether to bid nil without looking at a hand: after the partner's Big 6; or in desperation,
    last to bid, with no nil so far, bids that sum to less than 11, and the opponents winning the
    game by their outlook against an expected bid of ours."""
    if not (options.blind_nil and rules.has_blind_nil) or least_bid(auction, rules) > 0:
        return False
    partners = partner_bid(auction)
    if signal_of(auction, options, rules) == BIG_6 and partners == BIG_6:
        return True
    is_last = n_previous(auction) == MAX_PREVIOUS
    if not is_last or partners == NIL_BID:
        return False
    is_easy = sum_previous(auction) < EASY_SUM and n_opponent_nils(auction, rules) == 0
    return is_easy and are_winning(NO_BID, auction, rules)
