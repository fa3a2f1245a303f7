"""Agents that play whole rounds in compiled code, by integer code: who bids, who plays.

A bidder or player is compiled in when it has a code here and a line in ``bid_by`` or
``card_by``; the plain call there gives what the Python agent gives from the same seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.bidders import USUAL_BIDS, HumanBidder, RandomBidder
from spades.agents.players import HumanPlayer, RandomPlayer, StrongPlayer, WeakPlayer
from spades.agents.rule_based import Public, strong_card, weak_card
from spades.agents.rule_based.public import (
    BAGS,
    BID,
    DECK,
    MIN_BID,
    PLAYED,
    SCORE,
    TRICKS,
    progress_in,
)  # fmt: skip
from spades.bidding.auction import Auction, BidContext, BidderOptions, bidder_options
from spades.bidding.curves import bid_context
from spades.bidding.rivals import make_bid
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.core.deal import state_of
from spades.core.kernel import Int, kernel, lowest, nth_bit, popcount
from spades.core.rules import MAX_BID, NO_BID, Rules
from spades.core.step import legal_cards
from spades.human.bidder import Bidder, TableOptions, options_of, sample_bid
from spades.human.features.view import Decision
from spades.human.simulated import load_simulated_human, sample_card

NOT_COMPILED = -1
RANDOM_PLAYS, HUMAN_PLAYS, WEAK_PLAYS, STRONG_PLAYS = range(4)
RANDOM_BIDS, HUMAN_BIDS, RULED_BIDS = range(3)
_PLAYERS: dict[Any, int] = {
    RandomPlayer(): RANDOM_PLAYS,
    HumanPlayer(): HUMAN_PLAYS,
    WeakPlayer(): WEAK_PLAYS,
    StrongPlayer(): STRONG_PLAYS,
}
_BIDDERS: dict[Any, int] = {RandomBidder(): RANDOM_BIDS, HumanBidder(): HUMAN_BIDS}


class Tools(NamedTuple):
    """What compiled agents need beside the table: tables, parameters and scratch memory.

    ``human_weights`` float64 (45,), ``human_bidder`` and ``options`` of the simulated human;
    ``context``: rules and tables of the bidders of ``spades.bidding``; ``ruled``: their options
    by seat. ``scratch`` float64 (13,), ``bids`` int8 (4,): not to be shared between threads.
    """

    human_weights: NDArray[np.float64]
    human_bidder: Bidder
    options: TableOptions
    context: BidContext
    ruled: tuple[BidderOptions, BidderOptions, BidderOptions, BidderOptions]
    scratch: NDArray[np.float64]
    bids: NDArray[np.int8]


def tools_for(rules: Rules, bidders: Sequence[Any], context: BidContext | None = None) -> Tools:
    """Tools for rounds under these rules, bid by four bidders; scratch memory of their own.

    ``context``: what the bidders by rule look up, by default the stored tables.
    """
    human = load_simulated_human()
    north, east, south, west = (getattr(bidder, "options", bidder_options()) for bidder in bidders)
    return Tools(
        human_weights=human.weights,
        human_bidder=human.bidder,
        options=options_of(rules),
        context=context or bid_context(rules),
        ruled=(north, east, south, west),
        scratch=np.empty(HAND_SIZE),
        bids=np.empty(N_SEATS, dtype=np.int8),
    )


def player_code(player: Any) -> int:
    """The code of a player as ``card_by`` takes it, ``NOT_COMPILED`` if it has none."""
    return _PLAYERS.get(player, NOT_COMPILED)


def bidder_code(bidder: Any) -> int:
    """The code of a bidder as ``bid_by`` takes it, ``NOT_COMPILED`` if it has none."""
    if isinstance(getattr(bidder, "options", None), BidderOptions):
        return RULED_BIDS
    return _BIDDERS.get(bidder, NOT_COMPILED)


@kernel
def bid_by(code: Int, hand: Int, seat: Int, public: Public, seed: np.uint64, tools: Tools) -> Int:
    """The bid of a compiled bidder for ``seat``, from the seed its Python twin would get.

    0 to 13, or ``BLIND_NIL``.
    """
    tools.bids[:] = public.seats[BID]
    state = state_of(seed, 0)
    if code == RULED_BIDS:
        auction = auction_at(seat, public, tools.bids)
        bid, _ = make_bid(hand, auction, tools.ruled[seat], tools.context, state)
        return np.int64(bid)
    if code == HUMAN_BIDS:
        bid, _ = sample_bid(hand, seat, tools.bids, tools.options, tools.human_bidder, state)
        return np.int64(bid)
    return random_bid(seat, public, seed)


@kernel
def auction_at(seat: Int, public: Public, bids: NDArray) -> Auction:
    """The auction as ``seat``, to bid, sees it; ``bids`` int8 (4,)."""
    seats, other = public.seats, (seat + 1) & 3
    return Auction(
        seat, bids, seats[SCORE, seat], seats[SCORE, other], seats[BAGS, seat], seats[BAGS, other]
    )


@kernel
def random_bid(seat: Int, public: Public, seed: np.uint64) -> Int:
    """Twin of ``RandomBidder``."""
    partner_bid, least = public.seats[BID, seat ^ 2], 0
    if partner_bid != NO_BID:
        least = max(0, public.table[MIN_BID] - partner_bid)
    n = min(USUAL_BIDS, MAX_BID + 1 - least)
    return least + np.int64(state_of(seed, 0) >> np.uint64(2)) % n


@kernel
def card_by(code: Int, hand: Int, public: Public, seed: np.uint64, tools: Tools) -> Int:
    """The card of a compiled player to play, from the seed its Python twin would get."""
    if code == STRONG_PLAYS:
        return strong_card(hand, public)
    if code == WEAK_PLAYS:
        return weak_card(hand, public)
    if code == HUMAN_PLAYS:
        return human_card(hand, public, seed, tools)
    return random_card(hand, public, seed)


@kernel
def random_card(hand: Int, public: Public, seed: np.uint64) -> Int:
    """Twin of ``RandomPlayer``."""
    legal = legal_cards(hand, progress_in(public))
    return lowest(nth_bit(legal, np.int64(state_of(seed, 0) >> np.uint64(2)) % popcount(legal)))


@kernel
def human_card(hand: Int, public: Public, seed: np.uint64, tools: Tools) -> Int:
    """Twin of ``HumanPlayer``."""
    table, seats = public
    at = progress_in(public)
    seat = at.turn
    decision = Decision(
        hand, legal_cards(hand, at), at.led, at.best, table[PLAYED],
        table[DECK], at.ply & 3, seats[BID, seat], seats[BID, seat ^ 2],
        seats[TRICKS, seat], seats[TRICKS, seat ^ 2], tools.options.nil_rule,
    )  # fmt: skip
    card, _ = sample_card(decision, tools.human_weights, tools.scratch, state_of(seed, 0))
    return card
