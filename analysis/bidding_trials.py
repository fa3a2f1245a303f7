"""Rounds in which one seat's bid is tried out, for the fits that bidders need.

Four simulated humans are dealt a hand; three bid as they do, and one seat, in turn the first to the
fourth bidder, bids what is to be tried; then all play. So a bid's effect is that of a bid made at
random, not of the hands that usually go with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding.auction import (
    N_SEQUENCES,
    Auction,
    BidContext,
    bid_rules_of,
    bid_tables,
    contract_bid,
    previous_index,
    sum_previous,
)
from spades.bidding.bis import tricks_before
from spades.bidding.hands import nil_value
from spades.cards import N_CARDS, N_SEATS
from spades.deal import deal_cards
from spades.human.bidder import options_of, sample_bid
from spades.human.simulate import Rounds, play_rounds, round_seeds, start_states
from spades.human.simulated import load_simulated_human
from spades.kernel import Int, kernel, lowest, mixed, next_state, unit
from spades.rules import NIL_BID, Rules

MAX_SHIFT = 1.5  # tricks by which a regular bid is tried above or below its count
MAX_VALUE = 0.7  # least nil value that a hand to try a nil on may be asked for


class Trials(NamedTuple):
    """n rounds with one bid tried in each.

    ``bids``, ``tricks`` int8 (n, 4) by seat; ``seat`` int64 (n,) that tried. Float64 (n,):
    ``before``, its tricks before the term in the previous bids; ``shift``, what was added to them;
    ``value``, its nil value. Int64 (n,): ``position`` 0 to 3 in the auction; of the previous bids
    ``sequence``, their index, and ``total``, their sum.
    """

    bids: NDArray[np.int8]
    tricks: NDArray[np.int8]
    seat: NDArray[np.int64]
    position: NDArray[np.int64]
    sequence: NDArray[np.int64]
    total: NDArray[np.int64]
    before: NDArray[np.float64]
    shift: NDArray[np.float64]
    value: NDArray[np.float64]


def context_before_fits(rules: Rules) -> BidContext:
    """A context with the exact tables only, no fitted one."""
    curves, previous = np.zeros((N_SEQUENCES + 1, 2)), np.zeros((N_SEATS, 2))
    tables = bid_tables(rules.cards, curves, previous, np.ones(2))
    return BidContext(bid_rules_of(rules), tables)


@kernel
def deal_worth(
    deck: Int, seat: Int, least: float, p_cnil: NDArray, scratch: tuple, state: np.uint64
) -> np.uint64:
    """Deal into the hands of ``scratch`` (codes, hands) until the seat's nil value is ``least``."""
    codes, hands = scratch
    while True:
        left = deck
        for i in range(N_CARDS):
            codes[i] = lowest(left)
            left &= left - 1
        state = deal_cards(codes, hands, state)
        if nil_value(hands[seat], p_cnil) >= least:
            return state


@kernel
def bid_trials(
    rounds: tuple, trials: tuple, humans: tuple, context: BidContext, tries_nil: bool
) -> None:
    """Deal and bid. ``rounds``: states, dealers, hands, bids; ``humans``: options and bidder.

    ``trials``: the arrays of :class:`Trials` from ``seat`` on; positions are set by the caller.
    """
    states, dealers, hands, bids = rounds
    seats, positions, sequences, totals, befores, shifts, values = trials
    options, human = humans
    codes = np.empty(N_CARDS, dtype=np.int64)
    for i in range(len(states)):
        state = next_state(states[i])
        draw = unit(mixed(state))
        tried = (dealers[i] + 1 + positions[i]) & 3
        least = MAX_VALUE * draw if tries_nil else 0.0
        scratch = (codes, hands[i])
        state = deal_worth(options.deck, tried, least, context.tables.p_cnil, scratch, state)
        for turn in range(1, N_SEATS + 1):
            seat = (dealers[i] + turn) & 3
            if seat != tried:
                bids[i, seat], state = sample_bid(
                    hands[i, seat], seat, bids[i], options, human, state
                )
                continue
            auction = Auction(seat, bids[i], 0, 0, 0, 0)
            seats[i], sequences[i] = seat, previous_index(auction)
            totals[i] = sum_previous(auction)
            befores[i] = tricks_before(hands[i, seat], auction, context)
            values[i] = nil_value(hands[i, seat], context.tables.p_cnil)
            shifts[i] = MAX_SHIFT * (2.0 * draw - 1.0)
            bid = contract_bid(befores[i] + shifts[i], auction, context.rules)
            bids[i, seat] = NIL_BID if tries_nil else bid
        states[i] = state


def try_bids(n: int, seed: int, *, tries_nil: bool, rules: Rules | None = None) -> Trials:
    """n rounds of simulated humans with one bid tried in each.

    A nil, on hands with nil values up to the highest; or a regular bid: the hand's tricks plus a
    shift drawn from -1.5 to 1.5, rounded. The same seed gives the same rounds.
    """
    rules = rules or Rules()
    human, options = load_simulated_human(), options_of(rules)
    rounds = Rounds.empty(round_seeds(n, seed), 0)
    states = start_states(rounds.seeds)
    whole, real = np.zeros((4, n), dtype=np.int64), np.zeros((3, n))
    whole[1] = np.arange(n) // N_SEATS % N_SEATS  # every position with every dealer
    arrays = (states, rounds.dealers, rounds.hands, rounds.bids)
    bid_trials(
        arrays, (*whole, *real), (options, human.bidder), context_before_fits(rules), tries_nil
    )
    play_rounds(arrays, options, human.weights, (rounds.plays, rounds.tricks))
    return Trials(rounds.bids, rounds.tricks, *whole, *real)
