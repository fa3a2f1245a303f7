"""Rounds in which one seat's bid is tried out, for the fits that bidders need.

Three of four agents bid as usual; one seat, in turn the first to the fourth bidder, makes the bid
to be tried; then all play. So a bid's effect is that of a bid made at random, not of the hands that
usually go with it. Good nil hands are dealt more often than by chance, by dealing again until the
nil value passes a bound drawn beforehand; that changes how often a nil value is seen, not what a
nil of that value is worth after the same bids. The other seats bid without noise, as in a game."""

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
from spades.core.kernel import (
    BoolArray,
    FloatArray,
    Int,
    IntArray,
    kernel,
    lowest,
    mixed,
    next_state,
    unit,
)
from spades.core.rules import NIL_BID, Rules
from spades.human.simulated import round_seeds
from spades.rule_based.sight import BID, BLIND, TRICKS, open_round

HUMANS = "human"
STRONG = "srp+bis"
MAX_SHIFT = 1.5  # tricks by which a regular bid is tried above or below its count
MAX_VALUE = 0.7  # least nil value that a hand to try a nil on may be asked for
CHUNK = 20_000  # rounds that one thread plays at a time; a multiple of 4 keeps the dealers
# Streams of a round's seed; its plays have their own.
_DEALS = 1
_BIDS = 2


class Trials(NamedTuple):
    """n rounds with one bid tried in each.

    ``bids``, ``tricks`` int8 (n, 4) by seat; ``seat`` int64 (n,) whose bid was tried. Of that seat,
    float64 (n,): ``before``, its tricks before the term of the previous bids; ``shift``, what was
    added to them; ``value``, its nil value; int64 (n,): ``hand``, its cards; ``position`` 0 to 3 in
    the auction; ``sequence``, the index of the previous bids, and ``total``, their sum."""

    bids: NDArray[np.int8]
    tricks: NDArray[np.int8]
    seat: IntArray
    hand: IntArray
    position: IntArray
    sequence: IntArray
    total: IntArray
    before: FloatArray
    shift: FloatArray
    value: FloatArray

    @classmethod
    def empty(cls, n: int) -> "Trials":
        """Room for n rounds, with every position for every dealer."""
        return cls(
            bids=np.zeros((n, N_SEATS), dtype=np.int8),
            tricks=np.zeros((n, N_SEATS), dtype=np.int8),
            seat=np.zeros(n, dtype=np.int64),
            hand=np.zeros(n, dtype=np.int64),
            position=np.arange(n) // N_SEATS % N_SEATS,
            sequence=np.zeros(n, dtype=np.int64),
            total=np.zeros(n, dtype=np.int64),
            before=np.zeros(n),
            shift=np.zeros(n),
            value=np.zeros(n),
        )

    def rows(self, which: slice | NDArray) -> "Trials":
        """Some of the rounds; a view for a slice."""
        return Trials._make(column[which] for column in self)

    @property
    def made(self) -> BoolArray:
        """Whether the seat whose bid was tried took no trick, (n,)."""
        return self.tricks[np.arange(len(self.seat)), self.seat] == 0


def context_before_fits(
    rules: Rules,
    *,
    curves: NDArray | None = None,
    previous: NDArray | None = None,
    made: NDArray | None = None,
) -> BidContext:
    """A context with the exact tables and those fitted so far (``BidTables``), by default none.
    Without curves BIS takes the nil value for the nil's chance, like the "earlier version of BIS
    that does not use the learning component" whose games the paper's curves were fitted to
    (4.3)."""
    if curves is None:
        curves = np.tile([0.0, 1.0], (N_SEQUENCES + 1, 1))
    if previous is None:
        previous = np.zeros((N_SEATS, 2))
    if made is None:
        made = np.ones(2)
    return context_with(rules, curves, previous, made)


@kernel
def deal_worth(
    deck: Int,
    seat: Int,
    least: float,
    p_cnil: NDArray,
    scratch: tuple,
    state: np.uint64,
) -> None:
    """Deal into the hands of ``scratch`` (codes, hands) until the seat's nil value is at least
    ``least``."""
    codes, hands = scratch
    while True:
        undealt = deck
        for i in range(N_CARDS):
            codes[i] = lowest(undealt)
            undealt &= undealt - 1
        state = deal_cards(codes, hands, state)
        if nil_value(hands[seat], p_cnil) >= least:
            return


@kernel
def auction_with_trial(
    seed: np.uint64,
    i: Int,
    draw: float,
    crew: Crew,
    trials: Trials,
    tries_nil: bool,
) -> None:
    """The auction of the hands in ``crew.held``; the seat of row ``i`` makes the bid that is
    tried."""
    path = state_of(seed, _BIDS)
    seats = crew.public.seats
    context = crew.context
    for turn in range(1, N_SEATS + 1):
        seat = (i + turn) & 3  # row i's dealer is seat i & 3
        hand = crew.held[seat]
        if seat != trials.seat[i]:
            bid = bid_by(hand, seat, seed_at(path, seat), crew)
            seats[BID, seat] = NIL_BID if bid == BLIND_NIL else bid
            seats[BLIND, seat] = int(bid == BLIND_NIL)
            continue
        auction = auction_at(seat, crew)
        trials.sequence[i] = previous_index(auction)
        trials.total[i] = sum_previous(auction)
        trials.before[i] = tricks_before(hand, auction, context)
        trials.hand[i] = hand
        p_cnil = context.tables.p_cnil[crew.ruled[seat].third_card]
        trials.value[i] = nil_value(hand, p_cnil)
        trials.shift[i] = MAX_SHIFT * (2.0 * draw - 1.0)
        bid = contract_bid(trials.before[i] + trials.shift[i], auction, context.rules)
        seats[BID, seat] = NIL_BID if tries_nil else bid


@kernel
def play_trials(seeds: NDArray, crew: Crew, trials: Trials, tries_nil: bool, asked: float) -> None:
    """Deal, bid and play rounds from their seeds (n,); the caller has set the positions."""
    zeros = np.zeros(2, dtype=np.int64)
    plays = np.empty(N_CARDS, dtype=np.int8)
    hands = np.empty(N_SEATS, dtype=np.int64)
    deck = crew.public.rules.deck
    p_cnils = crew.context.tables.p_cnil
    for i in range(len(seeds)):
        seed = np.uint64(seeds[i])
        trials.seat[i] = (i + 1 + trials.position[i]) & 3
        state = next_state(state_of(seed, _DEALS))
        draw = unit(mixed(state))
        least = asked * draw if tries_nil else 0.0
        p_cnil = p_cnils[crew.ruled[trials.seat[i]].third_card]
        deal_worth(deck, trials.seat[i], least, p_cnil, (crew.codes, hands), state)
        crew.held[:] = hands
        open_round(crew.public, np.int64(i & 3), zeros, zeros)
        auction_with_trial(seed, i, draw, crew, trials, tries_nil)
        play_all(seed, crew, hands, plays)
        for seat in range(N_SEATS):
            trials.bids[i, seat] = crew.public.seats[BID, seat]
            trials.tricks[i, seat] = crew.public.seats[TRICKS, seat]


def simulate_trials(
    n: int,
    seed: int,
    *,
    tries_nil: bool,
    agent: str = HUMANS,
    context: BidContext | None = None,
    asked: float = MAX_VALUE,
) -> Trials:
    """n rounds of four agents at 0 to 0 with one bid tried in each.

    Tried is a nil, or a regular bid: the hand's tricks plus a shift drawn from -1.5 to 1.5,
    rounded. ``agent``: the compiled agent in all four seats; ``context``: the tables that its
    bidder uses (default: the exact ones only, nothing fitted); ``asked``: the highest nil value
    that hands are dealt again for; 0: nils on hands as dealt. The same seed gives the same rounds,
    whatever the number of threads."""
    rules = Rules()
    player = parse_agent(agent)
    seating = Seating((player, player, player, player), rules)
    context = context or context_before_fits(rules)
    seeds = round_seeds(n, seed)
    trials = Trials.empty(n)

    def play(first: int) -> None:
        crew = crew_of(seating, context)
        rows = slice(first, min(first + CHUNK, n))
        play_trials(seeds[rows], crew, trials.rows(rows), tries_nil, asked)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(play, range(0, n, CHUNK)))
    return trials
