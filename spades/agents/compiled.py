"""Rounds and games of compiled agents: deal, bid, play and score without leaving compiled code.

A round is the same, card by card, as ``spades.agents.play`` plays it by Python agents from the same
seed and score, about a hundred times faster. A bidder or player is compiled when it has a ``code``
(``spades.agents.component``) and a branch in ``bid_by`` or ``card_by``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.agent import Agent
from spades.agents.bidders import USUAL_BIDS
from spades.agents.component import (
    HUMAN_BIDS,
    HUMAN_PLAYS,
    RULED_BIDS,
    STRONG_PLAYS,
    WEAK_PLAYS,
)
from spades.bidding.auction import BLIND_NIL, Auction, BidContext, BidderOptions
from spades.bidding.curves import bid_context
from spades.bidding.rivals import make_bid
from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.deal import DEAL_STREAM, deal_cards, seed_at, state_of
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lowest, nth_bit, popcount
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers, Rules
from spades.core.scoring import UNDECIDED, bag_penalty, partnership_score, winner_of
from spades.core.step import legal_cards
from spades.human.bidder import BidderParameters, sample_bid
from spades.human.features.view import decision_in
from spades.human.simulated import load_simulated_human, sample_card
from spades.rule_based import Public, strong_card, weak_card
from spades.rule_based.sight import (
    BAGS,
    BID,
    BLIND,
    PLAYED,
    PLY,
    SCORE,
    TRICKS,
    open_round,
    progress_in,
    record_play,
    turn_of,
)  # fmt: skip

DEALS, BIDS, PLAYS, REDEALS = range(4)  # what a round's seed is derived for
MAX_DEALS = 1000  # of one nil-only round; simulated humans need 2 or 3
NO_NIL = -1
FREE, GIVEN, GAME, NIL_GAME = range(4)


@dataclass(frozen=True)
class Seating:
    """Four agents by seat N E S W, and the rules they play by."""

    agents: tuple[Agent, Agent, Agent, Agent]
    rules: Rules

    @property
    def is_compiled(self) -> bool:
        """Whether all four bid and play in compiled code, whole rounds at a time."""
        return all(agent.player.is_compiled and agent.bidder.is_compiled for agent in self.agents)


class Rounds(NamedTuple):
    """Rounds as the kernels read and fill them, a row a round.

    Read: ``seeds`` uint64 (n,), ``dealers`` int8 (n,), ``score_before`` and ``bags_before`` int64
    (n, 2). Filled: ``hands`` int64 (n, 4) as dealt, ``bids`` int8 (n, 4) and ``blind`` bool (n, 4),
    ``plays`` int8 (n, 52), ``tricks`` int8 (n, 4) by seat, ``points`` and ``bags`` int64 (n, 2) by
    partnership before any penalty."""

    seeds: NDArray[np.uint64]
    dealers: NDArray[np.int8]
    score_before: NDArray[np.int64]
    bags_before: NDArray[np.int64]
    hands: NDArray[np.int64]
    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    plays: NDArray[np.int8]
    tricks: NDArray[np.int8]
    points: NDArray[np.int64]
    bags: NDArray[np.int64]

    @classmethod
    def empty(cls, n: int) -> Rounds:
        """Room for n rounds at 0 to 0."""
        return cls(
            seeds=np.zeros(n, np.uint64),
            dealers=np.zeros(n, np.int8),
            score_before=np.zeros((n, 2), np.int64),
            bags_before=np.zeros((n, 2), np.int64),
            hands=np.zeros((n, N_SEATS), np.int64),
            bids=np.zeros((n, N_SEATS), np.int8),
            blind=np.zeros((n, N_SEATS), np.bool_),
            plays=np.zeros((n, N_CARDS), np.int8),
            tricks=np.zeros((n, N_SEATS), np.int8),
            points=np.zeros((n, 2), np.int64),
            bags=np.zeros((n, 2), np.int64),
        )

    @classmethod
    def of(cls, rows: Sequence[tuple]) -> Rounds:
        """Rounds from rows of the columns' values."""
        rounds = cls.empty(len(rows))
        if rows:
            for name, values in zip(cls._fields, zip(*rows, strict=True), strict=True):
                getattr(rounds, name)[:] = values
        return rounds

    def head(self, n: int) -> Rounds:
        return Rounds._make(column[:n].copy() for column in self)

    @classmethod
    def joined(cls, parts: Sequence[Rounds]) -> Rounds:
        return cls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


class Crew(NamedTuple):
    """Who plays, by code, and what compiled agents need beside the table.

    ``players`` and ``bidders`` int64 (4,) by seat. ``human_weights`` float64 (4, 45) by seat and
    ``human_bidder`` of simulated humans; ``context``: rules and tables of the bidders of
    ``spades.bidding``; ``ruled``: their options by seat. ``public`` and scratch memory, ``held``
    int64 (4,), ``codes`` int64 (52,), ``bids`` int8 (4,) and ``scratch`` float64 (13,): not to be
    shared between threads."""

    players: NDArray[np.int64]
    bidders: NDArray[np.int64]
    human_weights: NDArray[np.float64]
    human_bidder: BidderParameters
    context: BidContext
    ruled: tuple[BidderOptions, BidderOptions, BidderOptions, BidderOptions]
    public: Public
    held: NDArray[np.int64]
    codes: NDArray[np.int64]
    bids: NDArray[np.int8]
    scratch: NDArray[np.float64]


def crew_of(seating: Seating, context: BidContext | None = None) -> Crew:
    """The seating as the kernels take it; ``SpadesError`` where an agent isn't compiled.
    ``context``: what its bidders by rule look up, by default the stored tables."""
    if not seating.is_compiled:
        names = ", ".join(str(agent) for agent in seating.agents)
        raise SpadesError(f"not every agent plays in compiled code: {names}")
    agents = seating.agents
    north, east, south, west = (agent.bidder.options for agent in agents)
    return Crew(
        players=np.array([agent.player.code for agent in agents]),
        bidders=np.array([agent.bidder.code for agent in agents]),
        human_weights=_human_weights(seating),
        human_bidder=load_simulated_human().bidder,
        context=context or bid_context(seating.rules),
        ruled=(north, east, south, west),
        public=Public.empty(seating.rules),
        held=np.zeros(N_SEATS, dtype=np.int64),
        codes=np.zeros(N_CARDS, dtype=np.int64),
        bids=np.empty(N_SEATS, dtype=np.int8),
        scratch=np.empty(HAND_SIZE),
    )


def _human_weights(seating: Seating) -> NDArray[np.float64]:
    """Weights by seat, (4, 45); zeros for who has none, and for nil features that a model lacks."""
    weights = np.zeros((N_SEATS, load_simulated_human().weights.size))
    for row, agent in zip(weights, seating.agents, strict=True):
        own = getattr(agent.player, "weights", row)
        row[: own.size] = own
    return weights


# One bid and one card, from the seed that the Python agent would get


@kernel
def bid_by(hand: Int, seat: Int, seed: np.uint64, crew: Crew) -> Int:
    """The bid of the crew's bidder for ``seat``: 0 to 13, or ``BLIND_NIL``."""
    code = crew.bidders[seat]
    state = state_of(seed, 0)
    if code == RULED_BIDS:
        auction = auction_at(seat, crew)
        bid, _ = make_bid(hand, auction, crew.ruled[seat], crew.context, state)
        return np.int64(bid)
    if code == HUMAN_BIDS:
        crew.bids[:] = crew.public.seats[BID]
        bid, _ = sample_bid(hand, seat, crew.bids, crew.public.rules, crew.human_bidder, state)
        return np.int64(bid)
    return random_bid(seat, crew.public, seed)


@kernel
def auction_at(seat: Int, crew: Crew) -> Auction:
    crew.bids[:] = crew.public.seats[BID]
    score = crew.public.seats[SCORE]
    bags = crew.public.seats[BAGS]
    opponent = (seat + 1) & 3
    return Auction(
        seat=seat,
        bids=crew.bids,
        score=score[seat],
        their_score=score[opponent],
        bags=bags[seat],
        their_bags=bags[opponent],
    )


@kernel
def random_bid(seat: Int, public: Public, seed: np.uint64) -> Int:
    """Twin of ``RandomBidder``."""
    partner_bid = public.seats[BID, seat ^ 2]
    least = 0 if partner_bid == NO_BID else max(0, public.rules.min_bid - partner_bid)
    n = min(USUAL_BIDS, MAX_BID + 1 - least)
    return least + np.int64(state_of(seed, 0) >> np.uint64(2)) % n


@kernel
def card_by(seed: np.uint64, crew: Crew) -> Int:
    """The card of the crew's player to play."""
    public = crew.public
    seat = turn_of(public)
    hand = crew.held[seat]
    code = crew.players[seat]
    if code == STRONG_PLAYS:
        return strong_card(hand, public)
    if code == WEAK_PLAYS:
        return weak_card(hand, public)
    progress = progress_in(public)
    state = state_of(seed, 0)
    if code == HUMAN_PLAYS:
        bids = public.seats[BID]
        decision = decision_in(progress, hand, public.table[PLAYED], bids, public.rules)
        return sample_card(decision, crew.human_weights[seat], crew.scratch, state)[0]
    legal = legal_cards(hand, progress)
    drawn = np.int64(state >> np.uint64(2)) % popcount(legal)
    return lowest(nth_bit(legal, drawn))


# One round


@kernel
def deal_from(seed: np.uint64, deck: Int, codes: NDArray, hands: NDArray) -> None:
    """``spades.core.deal.random_deal`` of a round's seed, into ``hands`` (4,)."""
    for i in range(N_CARDS):
        codes[i] = lowest(deck)
        deck &= deck - 1
    deal_seed = seed_at(state_of(seed, 0), DEALS)
    deal_cards(codes, hands, state_of(deal_seed, DEAL_STREAM))


@kernel
def bid_all(seed: np.uint64, dealer: Int, crew: Crew, hands: NDArray) -> None:
    """The auction, the dealer's left first, into the crew's public record."""
    path = state_of(state_of(seed, 0), BIDS + 1)
    for turn in range(1, N_SEATS + 1):
        seat = (dealer + turn) & 3
        bid = bid_by(hands[seat], seat, seed_at(path, seat), crew)
        is_blind = bid == BLIND_NIL
        crew.public.seats[BID, seat] = NIL_BID if is_blind else bid
        crew.public.seats[BLIND, seat] = int(is_blind)


@kernel
def play_all(seed: np.uint64, crew: Crew, hands: NDArray, plays: NDArray) -> None:
    """The 52 cards of a round dealt and bid, into ``plays`` int8 (52,)."""
    crew.held[:] = hands
    play_rest(seed, crew, plays)


@kernel
def play_rest(seed: np.uint64, crew: Crew, plays: NDArray) -> None:
    """The rest of the crew's round into ``plays`` int8 (52,)."""
    path = state_of(state_of(seed, 0), PLAYS + 1)
    for ply in range(crew.public.table[PLY], N_CARDS):
        plays[ply] = card_by(seed_at(path, ply), crew)
        play_card(crew, np.int64(plays[ply]))


@kernel
def play_card(crew: Crew, card: Int) -> None:
    crew.held[turn_of(crew.public)] ^= np.int64(1) << card
    record_play(crew.public, card)


@kernel
def play_on(card: Int, seed: np.uint64, start: Public, crew: Crew, plays: NDArray) -> None:
    """Play ``card`` from a start and the crew's hands, then the rest of the round."""
    crew.public.table[:] = start.table
    crew.public.seats[:] = start.seats
    play_card(crew, card)
    play_rest(seed, crew, plays)


# Many rounds


@kernel
def add_points(i: Int, rules: RuleNumbers, rounds: Rounds, score: NDArray, bags: NDArray) -> None:
    """The game's score and bags after round ``i``, penalties taken, into two arrays (2,)."""
    for side in range(2):
        cost, left = bag_penalty(rounds.bags_before[i, side] + rounds.bags[i, side], rules)
        score[side] = rounds.score_before[i, side] + rounds.points[i, side] - cost
        bags[side] = left


@kernel
def deal_and_bid(i: Int, crew: Crew, rounds: Rounds) -> bool:
    """Deal round ``i`` from its seed and bid it; whether anybody bid nil."""
    seats = crew.public.seats
    has_nil = False
    open_row(i, crew, rounds)
    deal_from(rounds.seeds[i], crew.public.rules.deck, crew.codes, rounds.hands[i])
    bid_all(rounds.seeds[i], np.int64(rounds.dealers[i]), crew, rounds.hands[i])
    for seat in range(N_SEATS):
        rounds.bids[i, seat] = seats[BID, seat]
        rounds.blind[i, seat] = seats[BLIND, seat] != 0
        has_nil |= seats[BID, seat] == NIL_BID
    return has_nil


@kernel
def deal_until_nil(i: Int, crew: Crew, rounds: Rounds) -> bool:
    """Deal round ``i`` until somebody bids nil; its seed is then that of the deal kept. False if
    nobody did in ``MAX_DEALS`` deals."""
    path = state_of(state_of(rounds.seeds[i], 0), REDEALS + 1)
    for attempt in range(MAX_DEALS):
        rounds.seeds[i] = seed_at(path, attempt)
        if deal_and_bid(i, crew, rounds):
            return True
    return False


@kernel
def open_row(i: Int, crew: Crew, rounds: Rounds) -> None:
    """The crew's public record of round ``i`` before the first bid."""
    dealer = np.int64(rounds.dealers[i])
    open_round(crew.public, dealer, rounds.score_before[i], rounds.bags_before[i])


@kernel
def set_up(kind: Int, i: Int, crew: Crew, rounds: Rounds) -> bool:
    """Everything before the first lead of round ``i``; False if it is to have a nil and hasn't."""
    if kind == NIL_GAME:
        return deal_until_nil(i, crew, rounds)
    if kind != GIVEN:
        deal_and_bid(i, crew, rounds)
        return True
    open_row(i, crew, rounds)
    for seat in range(N_SEATS):
        crew.public.seats[BID, seat] = rounds.bids[i, seat]
        crew.public.seats[BLIND, seat] = int(rounds.blind[i, seat])
    return True


@kernel
def count_tricks_and_points(i: Int, crew: Crew, rounds: Rounds) -> None:
    """Write what the round just played came to into row ``i``."""
    seats = crew.public.seats
    for side in range(2):
        points, bags = partnership_score(
            side, seats[BID], seats[BLIND], seats[TRICKS], crew.public.rules
        )
        rounds.points[i, side] = points
        rounds.bags[i, side] = bags
    for seat in range(N_SEATS):
        rounds.tricks[i, seat] = seats[TRICKS, seat]


@kernel
def play_rows(
    kind: Int, game: Int, path: np.uint64, crew: Crew, rounds: Rounds, standing: NDArray
) -> Int:
    """Play the rounds of one ``kind`` into their rows; how many were played.

    ``FREE``: each by itself, from its seed, dealer and score. ``GIVEN``: ``hands``, ``bids`` and
    ``blind`` are given; the bidders are not queried. ``GAME``: the game with index ``game`` until
    it is won or the rows are full; ``path`` is the state of the seed that the game's is derived
    from, and ``standing`` int64 (2, 2), score and bags, ends as the game's. ``NIL_GAME``: the same,
    each round dealt anew until somebody bids nil; ``NO_NIL`` if nobody does. One kernel for the
    four: each more would compile the players once more."""
    score, bags = standing
    rules = crew.public.rules
    is_game = kind in (GAME, NIL_GAME)
    game_path = state_of(path, game + 1)
    for i in range(len(rounds.seeds)):
        if is_game:
            rounds.seeds[i] = seed_at(game_path, i)
            rounds.dealers[i] = (game + i) & 3
            rounds.score_before[i, :] = score
            rounds.bags_before[i, :] = bags
        if not set_up(kind, i, crew, rounds):
            return NO_NIL
        play_all(rounds.seeds[i], crew, rounds.hands[i], rounds.plays[i])
        count_tricks_and_points(i, crew, rounds)
        if is_game:
            add_points(i, rules, rounds, score, bags)
            if winner_of(score, rules) != UNDECIDED:
                return i + 1
    return len(rounds.seeds)
