"""Rounds in which one seat's bid is tried out, for the fits that bidders need.

Three of four agents bid as they do; one seat, in turn the first to the fourth bidder, bids what is
to be tried; then all play. So a bid's effect is that of a bid made at random, not of the hands that
usually go with it. Good nil hands are dealt oftener than they come, by dealing again until the nil
value passes a bound drawn beforehand; that changes how often a nil value is seen, not what a nil of
that value is worth after the same bids. The others bid without noise, as at a table."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents import Seating, parse_agent
from spades.agents.compiled import Crew, auction_at, bid_by, crew_of, play_all
from spades.bidding.auction import (
    BLIND_NIL,
    N_SEQUENCES,
    BidContext,
    context_with,
    contract_bid,
    previous_index,
    sum_previous,
)
from spades.bidding.bis import tricks_before
from spades.bidding.hands import nil_value
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import deal_cards, seed_at, state_of
from spades.core.kernel import Int, kernel, lowest, mixed, next_state, unit
from spades.core.rules import NIL_BID, Rules
from spades.human.simulated import round_seeds
from spades.rule_based.sight import BID, BLIND, TRICKS, open_round

HUMANS = "human"
STRONG = "srp+bis"
MAX_SHIFT = 1.5  # tricks by which a regular bid is tried above or below its count
MAX_VALUE = 0.7  # least nil value that a hand to try a nil on may be asked for
CHUNK = 20_000  # rounds that one thread plays at a time; a multiple of 4 keeps the dealers
_DEALS, _BIDS = 1, 2  # streams of a round's seed; its plays have their own


class Trials(NamedTuple):
    """n rounds with one bid tried in each.

    ``bids``, ``tricks`` int8 (n, 4) by seat; ``seat`` int64 (n,) that tried. Float64 (n,):
    ``before``, its tricks before the term in the previous bids; ``shift``, what was added to them;
    ``value``, its nil value. Int64 (n,): ``hand``, its cards; ``position`` 0 to 3 in the auction;
    of the previous bids ``sequence``, their index, and ``total``, their sum."""

    bids: NDArray[np.int8]
    tricks: NDArray[np.int8]
    seat: NDArray[np.int64]
    hand: NDArray[np.int64]
    position: NDArray[np.int64]
    sequence: NDArray[np.int64]
    total: NDArray[np.int64]
    before: NDArray[np.float64]
    shift: NDArray[np.float64]
    value: NDArray[np.float64]

    @classmethod
    def empty(cls, n: int) -> "Trials":
        """Room for n rounds: every position with every dealer."""
        whole = [np.zeros(n, dtype=np.int64) for _ in range(5)]
        whole[2][:] = np.arange(n) // N_SEATS % N_SEATS
        seats = [np.zeros((n, N_SEATS), dtype=np.int8) for _ in range(2)]
        return cls._make([*seats, *whole, *(np.zeros(n) for _ in range(3))])

    def rows(self, which: slice | NDArray) -> "Trials":
        """Some of the rounds; of a slice a view."""
        return Trials._make(column[which] for column in self)

    @property
    def made(self) -> NDArray[np.bool_]:
        """Whether the seat that tried took no trick, (n,)."""
        return self.tricks[np.arange(len(self.seat)), self.seat] == 0


def context_before_fits(
    rules: Rules,
    *,
    curves: NDArray | None = None,
    previous: NDArray | None = None,
    made: NDArray | None = None,
) -> BidContext:
    """A context with the exact tables and those fitted so far (``BidTables``), by default none.
    Without curves BIS takes the nil value for the nil's chance, as the "earlier version of BIS that
    does not use the learning component" did, of whose games the paper's curves were made (4.3)."""
    return context_with(
        rules,
        np.tile([0.0, 1.0], (N_SEQUENCES + 1, 1)) if curves is None else curves,
        np.zeros((N_SEATS, 2)) if previous is None else previous,
        np.ones(2) if made is None else made,
    )


@kernel
def deal_worth(
    deck: Int, seat: Int, least: float, p_cnil: NDArray, scratch: tuple, state: np.uint64
) -> None:
    """Deal into the hands of ``scratch`` (codes, hands) until the seat's nil value is ``least``."""
    codes, hands = scratch
    while True:
        left = deck
        for i in range(N_CARDS):
            codes[i] = lowest(left)
            left &= left - 1
        state = deal_cards(codes, hands, state)
        if nil_value(hands[seat], p_cnil) >= least:
            return


@kernel
def auction_with_trial(
    seed: np.uint64, i: Int, draw: float, crew: Crew, trials: Trials, tries_nil: bool
) -> None:
    """The auction of the hands in ``crew.held``, with the bid of row ``i``'s seat tried."""
    path, seats, context = state_of(seed, _BIDS), crew.public.seats, crew.context
    for turn in range(1, N_SEATS + 1):
        seat = (i + turn) & 3  # row i's dealer is seat i & 3
        hand = crew.held[seat]
        if seat != trials.seat[i]:
            own = seed_at(path, seat)
            bid = bid_by(hand, seat, own, crew)
            seats[BID, seat] = NIL_BID if bid == BLIND_NIL else bid
            seats[BLIND, seat] = int(bid == BLIND_NIL)
            continue
        auction = auction_at(seat, crew)
        trials.sequence[i], trials.total[i] = previous_index(auction), sum_previous(auction)
        trials.before[i] = tricks_before(hand, auction, context)
        trials.hand[i] = hand
        trials.value[i] = nil_value(hand, context.tables.p_cnil[crew.ruled[seat].third_card])
        trials.shift[i] = MAX_SHIFT * (2.0 * draw - 1.0)
        bid = contract_bid(trials.before[i] + trials.shift[i], auction, context.rules)
        seats[BID, seat] = NIL_BID if tries_nil else bid


@kernel
def play_trials(seeds: NDArray, crew: Crew, trials: Trials, tries_nil: bool, asked: float) -> None:
    """Deal, bid and play rounds from their seeds (n,); the caller has set the positions."""
    standing, plays = np.zeros(2, dtype=np.int64), np.empty(N_CARDS, dtype=np.int8)
    deck, p_cnils = crew.public.rules.deck, crew.context.tables.p_cnil
    hands = np.empty(N_SEATS, dtype=np.int64)
    for i in range(len(seeds)):
        seed = np.uint64(seeds[i])
        trials.seat[i] = (i + 1 + trials.position[i]) & 3
        state = next_state(state_of(seed, _DEALS))
        draw = unit(mixed(state))
        least = asked * draw if tries_nil else 0.0
        p_cnil = p_cnils[crew.ruled[trials.seat[i]].third_card]
        deal_worth(deck, trials.seat[i], least, p_cnil, (crew.codes, hands), state)
        crew.held[:] = hands
        open_round(crew.public, np.int64(i & 3), standing, standing)
        auction_with_trial(seed, i, draw, crew, trials, tries_nil)
        play_all(seed, crew, hands, plays)
        for seat in range(N_SEATS):
            trials.bids[i, seat] = crew.public.seats[BID, seat]
            trials.tricks[i, seat] = crew.public.seats[TRICKS, seat]


def try_bids(
    n: int,
    seed: int,
    *,
    tries_nil: bool,
    agent: str = HUMANS,
    context: BidContext | None = None,
    asked: float = MAX_VALUE,
) -> Trials:
    """n rounds of four agents at 0 to 0 with one bid tried in each.

    A nil, on hands with nil values up to the highest; or a regular bid: the hand's tricks plus a
    shift drawn from -1.5 to 1.5, rounded. ``agent``: who sits in all four seats, compiled;
    ``context``: the tables that its bidder uses (default: the exact ones only, nothing fitted);
    ``asked``: the highest nil value that hands are dealt again for, 0: nils on hands as dealt. The
    same seed gives the same rounds, whatever the number of threads."""
    rules, one = Rules(), parse_agent(agent)
    seating, context = Seating((one, one, one, one), rules), context or context_before_fits(rules)
    seeds, trials = round_seeds(n, seed), Trials.empty(n)

    def play(first: int) -> None:
        crew, rows = crew_of(seating, context), slice(first, min(first + CHUNK, n))
        play_trials(seeds[rows], crew, trials.rows(rows), tries_nil, asked)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(play, range(0, n, CHUNK)))
    return trials
