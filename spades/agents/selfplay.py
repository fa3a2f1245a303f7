"""Rounds and games of compiled agents: deal, bid, play and score without leaving compiled code.

A round is the same, card by card, as ``spades.agents.play.play_round`` plays it from the same
seed and score; only quicker, by about a hundred times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.compiled import Tools, bid_by, card_by
from spades.agents.rule_based.public import (
    BAG_LIMIT,
    BAG_PENALTY,
    BID,
    BLIND,
    BLIND_WORTH,
    FAILED,
    FLOOR,
    HAS_NIL,
    NIL_WORTH,
    PLY,
    TARGET,
    TEN,
    TO_BAGS,
    TRICKS,
    Public,
    open_round,
    record_play,
    turn_of,
)  # fmt: skip
from spades.agents.seating import MAX_DEALS
from spades.bidding.auction import BLIND_NIL
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import DEAL_STREAM, deal_cards, seed_at, state_of
from spades.core.kernel import Int, kernel, lowest
from spades.core.rules import NIL_BID
from spades.core.scoring import partnership_score

DEALS, BIDS, PLAYS, REDEALS = range(4)  # what a round's seed is derived for, as in play, pairs
UNDECIDED = NO_NIL = -1
FREE, GIVEN, GAME, NIL_GAME = range(4)


class Rounds(NamedTuple):
    """Rounds as the kernels read and fill them, a row a round.

    Read: ``seeds`` uint64 (n,), ``dealers`` int8 (n,), ``score_before`` and ``bags_before`` int64
    (n, 2). Filled: ``hands`` int64 (n, 4) as dealt, ``bids`` int8 (n, 4) and ``blind`` bool (n, 4),
    ``plays`` int8 (n, 52), ``tricks`` int8 (n, 4) by seat, ``points`` and ``bags`` int64 (n, 2) by
    partnership before any penalty.
    """

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
            seeds=np.zeros(n, dtype=np.uint64),
            dealers=np.zeros(n, dtype=np.int8),
            score_before=np.zeros((n, 2), dtype=np.int64),
            bags_before=np.zeros((n, 2), dtype=np.int64),
            hands=np.zeros((n, N_SEATS), dtype=np.int64),
            bids=np.zeros((n, N_SEATS), dtype=np.int8),
            blind=np.zeros((n, N_SEATS), dtype=np.bool_),
            plays=np.zeros((n, N_CARDS), dtype=np.int8),
            tricks=np.zeros((n, N_SEATS), dtype=np.int8),
            points=np.zeros((n, 2), dtype=np.int64),
            bags=np.zeros((n, 2), dtype=np.int64),
        )

    def head(self, n: int) -> Rounds:
        """A copy of the first n rounds."""
        return Rounds._make(column[:n].copy() for column in self)

    @classmethod
    def joined(cls, parts: Sequence[Rounds]) -> Rounds:
        """Several batches as one, in order."""
        if not parts:
            return cls.empty(0)
        return cls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


class Crew(NamedTuple):
    """Who plays, by code: ``players`` and ``bidders`` int64 (4,) by seat; and what they need.

    ``rules`` int64 (13,) as ``rule_numbers`` lists them; ``public`` and
    ``held`` int64 (4,), ``codes`` int64 (52,) are scratch memory.
    """

    players: NDArray[np.int64]
    bidders: NDArray[np.int64]
    rules: NDArray[np.int64]
    tools: Tools
    public: Public
    held: NDArray[np.int64]
    codes: NDArray[np.int64]


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
        bid = bid_by(
            crew.bidders[seat], hands[seat], seat, crew.public, seed_at(path, seat), crew.tools
        )
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
        seat = turn_of(crew.public)
        hand, player = crew.held[seat], crew.players[seat]
        plays[ply] = card_by(player, hand, crew.public, seed_at(path, ply), crew.tools)
        play_card(crew, np.int64(plays[ply]))


@kernel
def play_card(crew: Crew, card: Int) -> None:
    """Play a card of the seat to play."""
    crew.held[turn_of(crew.public)] ^= np.int64(1) << card
    record_play(crew.public, card)


@kernel
def score_all(public: Public, points: NDArray, bags: NDArray) -> None:
    """Points and bags of a finished round by partnership, before any penalty."""
    table, seats = public
    options = (
        table[HAS_NIL], table[NIL_WORTH], table[BLIND_WORTH],
        table[TO_BAGS], table[FAILED], table[TEN],
    )  # fmt: skip
    for side in range(2):
        points[side], bags[side] = partnership_score(
            side, seats[BID], seats[BLIND], seats[TRICKS], options
        )


@kernel
def add_points(i: Int, rules: NDArray, rounds: Rounds, score: NDArray, bags: NDArray) -> None:
    """The game's score and bags after round ``i``, penalties taken, into two arrays (2,)."""
    for side in range(2):
        count = rounds.bags_before[i, side] + rounds.bags[i, side]
        times = count // rules[BAG_LIMIT] if rules[BAG_LIMIT] else 0
        points = rounds.points[i, side] - times * rules[BAG_PENALTY]
        score[side] = rounds.score_before[i, side] + points
        bags[side] = count - times * rules[BAG_LIMIT]


@kernel
def winner_of(rules: NDArray, score: NDArray) -> Int:
    """The partnership that has won the game at a score, ``UNDECIDED`` while it goes on."""
    is_over = max(score[0], score[1]) >= rules[TARGET] or min(score[0], score[1]) <= rules[FLOOR]
    if not is_over or score[0] == score[1]:
        return UNDECIDED
    return 0 if score[0] > score[1] else 1


@kernel
def deal_and_bid(i: Int, crew: Crew, rounds: Rounds) -> bool:
    """Deal round ``i`` from its seed and bid it; whether anybody bid nil."""
    seats, has_nil = crew.public.seats, False
    open_row(i, crew, rounds)
    deal_from(rounds.seeds[i], crew.tools.options.deck, crew.codes, rounds.hands[i])
    bid_all(rounds.seeds[i], np.int64(rounds.dealers[i]), crew, rounds.hands[i])
    for seat in range(N_SEATS):
        rounds.bids[i, seat] = seats[BID, seat]
        rounds.blind[i, seat] = seats[BLIND, seat] != 0
        has_nil |= seats[BID, seat] == NIL_BID
    return has_nil


@kernel
def deal_until_nil(i: Int, crew: Crew, rounds: Rounds) -> bool:
    """Deal round ``i`` until somebody bids nil; its seed is then that of the deal kept.

    False if nobody did in ``MAX_DEALS`` deals.
    """
    path = state_of(state_of(rounds.seeds[i], 0), REDEALS + 1)
    for attempt in range(MAX_DEALS):
        rounds.seeds[i] = seed_at(path, attempt)
        if deal_and_bid(i, crew, rounds):
            return True
    return False


@kernel
def open_row(i: Int, crew: Crew, rounds: Rounds) -> None:
    """The crew's public record of round ``i`` before the first bid."""
    score, bags = rounds.score_before[i], rounds.bags_before[i]
    open_round(crew.public, crew.rules, np.int64(rounds.dealers[i]), score, bags)


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
def next_of_game(
    i: Int, path: np.uint64, dealer: Int, rounds: Rounds, score: NDArray, bags: NDArray
) -> None:
    """Seed, dealer and score of round ``i`` of a game, from its path and its first dealer."""
    rounds.seeds[i] = seed_at(path, i)
    rounds.dealers[i] = (dealer + i) & 3
    rounds.score_before[i, :] = score
    rounds.bags_before[i, :] = bags


@kernel
def play_rows(
    kind: Int, game: Int, path: np.uint64, crew: Crew, rounds: Rounds, standing: NDArray
) -> Int:
    """Play the rounds of one ``kind`` into their rows; how many were played.

    ``FREE``: each by itself, from its seed, dealer and score. ``GIVEN``: ``hands``, ``bids`` and
    ``blind`` stand already; the bidders are not asked. ``GAME``: the game with index ``game`` until
    it is won or the rows are full; ``path`` is the state of the seed that the game's is derived
    from, and ``standing`` int64 (2, 2), score and bags, ends as the game's. ``NIL_GAME``: the same,
    each round dealt anew until somebody bids nil; ``NO_NIL`` if nobody does. One kernel for the
    four: each more would compile the players once more.
    """
    score, bags = standing
    path, is_game = state_of(path, game + 1), kind in (GAME, NIL_GAME)
    for i in range(len(rounds.seeds)):
        if is_game:
            next_of_game(i, path, game, rounds, score, bags)
        if not set_up(kind, i, crew, rounds):
            return NO_NIL
        play_all(rounds.seeds[i], crew, rounds.hands[i], rounds.plays[i])
        score_all(crew.public, rounds.points[i], rounds.bags[i])
        for seat in range(N_SEATS):
            rounds.tricks[i, seat] = crew.public.seats[TRICKS, seat]
        if is_game:
            add_points(i, crew.rules, rounds, score, bags)
            if winner_of(crew.rules, score) != UNDECIDED:
                return i + 1
    return len(rounds.seeds)
