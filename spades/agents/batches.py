"""Batches of rounds and games between compiled agents, as arrays and as logs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.agents.compiled import bidder_code, player_code, tools_for
from spades.agents.rule_based.public import empty_public, rule_numbers
from spades.agents.seating import MAX_ROUNDS, Seating
from spades.agents.selfplay import (
    FREE,
    GAME,
    GIVEN,
    NIL_GAME,
    NO_NIL,
    Crew,
    Rounds,
    play_rows,
    winner_of,
)  # fmt: skip
from spades.bidding.auction import BidContext
from spades.core.cards import N_CARDS, N_SEATS, check_deal
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.core.rules import MAX_BID
from spades.core.scoring import GameScore

_NO_PATH, _NO_STANDING = np.uint64(0), np.zeros((2, 2), dtype=np.int64)
_LEVEL = GameScore((0, 0), (0, 0))


@dataclass(frozen=True)
class GameResults:
    """Games ``first`` to ``end`` - 1 of a seed, played by one seating.

    ``score`` int64 (n, 2): final points of N/S and E/W; ``winner`` int8 (n,): 0, 1, or
    ``UNDECIDED`` after ``MAX_ROUNDS`` rounds; ``n_rounds`` int64 (n,).
    ``rounds``: all rounds, game after game, where they were kept.
    """

    seating: Seating
    seed: int
    first: int
    score: NDArray[np.int64]
    winner: NDArray[np.int8]
    n_rounds: NDArray[np.int64]
    points: NDArray[np.int64]
    rounds: Rounds | None

    def log(self) -> Log:
        """The rounds as a log; ``SpadesError`` if they were not kept."""
        if self.rounds is None:
            raise SpadesError("the rounds were not kept; play with keep_rounds=True")
        games = np.repeat(np.arange(len(self.score)), self.n_rounds)
        starts = np.repeat(np.cumsum(self.n_rounds) - self.n_rounds, self.n_rounds)
        names = tuple(f"{self.seed}-{self.first + i}" for i in range(len(self.score)))
        return _log(self.seating, self.rounds, games, np.arange(len(games)) - starts, names)


def play_games(
    seating: Seating,
    seed: int,
    first: int,
    end: int,
    *,
    keep_rounds: bool = False,
    nil_only: bool = False,
) -> GameResults:
    """Whole games of compiled agents, ``first`` to ``end`` - 1 of a seed.

    The same games as ``play_game`` plays; two seatings with the same seed
    play on the same deals. ``nil_only``: every round is dealt anew until somebody bids nil. Raises
    ``SpadesError`` where an agent isn't compiled
    (``Seating.is_compiled``), ``NoNilError`` where nobody bids nil.
    """
    crew, n = crew_of(seating), max(0, end - first)
    kind = NIL_GAME if nil_only else GAME
    score, winner = np.zeros((n, 2), dtype=np.int64), np.zeros(n, dtype=np.int8)
    n_rounds, points = np.zeros(n, dtype=np.int64), np.zeros((n, 2), dtype=np.int64)
    path, rows = seed_state(seed), Rounds.empty(MAX_ROUNDS)
    kept: list[Rounds] = []
    for i in range(n):
        standing = np.zeros((2, 2), dtype=np.int64)
        n_rounds[i] = play_rows(kind, first + i, path, crew, rows, standing)
        if n_rounds[i] == NO_NIL:
            raise seating.no_nil()
        score[i] = standing[0]
        winner[i] = winner_of(crew.rules, score[i])
        points[i] = rows.points[: n_rounds[i]].sum(axis=0)
        if keep_rounds:
            kept.append(rows.head(n_rounds[i]))
    rounds = Rounds.joined(kept) if keep_rounds else None
    return GameResults(seating, seed, first, score, winner, n_rounds, points, rounds)


def compiled_rounds(seating: Seating, seed: int, first: int, end: int) -> Log:
    """Rounds on their own, as ``play_single`` plays them, as a log."""
    rounds = play_rounds(seating, seed, first, end)
    n = len(rounds.seeds)
    names = tuple(f"{seed}-{i}" for i in range(first, first + n))
    return _log(seating, rounds, np.arange(n), np.zeros(n), names)


def play_rounds(seating: Seating, seed: int, first: int, end: int) -> Rounds:
    """Rounds on their own at 0 to 0, ``first`` to ``end`` - 1 of a seed, as arrays."""
    n = max(0, end - first)
    rounds = Rounds.empty(n)
    rounds.seeds[:] = [derive_seed(seed, i, 0) for i in range(first, first + n)]
    rounds.dealers[:] = np.arange(first, first + n) % N_SEATS
    play_rows(FREE, 0, _NO_PATH, crew_of(seating), rounds, _NO_STANDING)
    return rounds


def play_bid_rounds(
    seating: Seating,
    hands: NDArray[np.int64],
    bids: NDArray[np.int8],
    dealers: NDArray[np.int8],
    *,
    blind: NDArray[np.bool_] | None = None,
    before: GameScore = _LEVEL,
) -> Rounds:
    """Play rounds that are dealt and bid; the seating's bidders are not asked.

    ``hands`` int64 (n, 4) masks, ``bids`` int8 (n, 4) by seat, ``dealers`` int8 (n,); ``blind``
    bool (n, 4), which nils were bid blind, none by default. ``before``: the game's score and bags
    in all of them. Random players take row i's number as their seed. Raises
    ``InvalidDealError`` for the first row that is no deal and
    ``SpadesError`` where shapes or bids are wrong.
    """
    n = len(hands)
    if not (np.shape(hands) == np.shape(bids) == (n, N_SEATS) and np.shape(dealers) == (n,)):
        raise SpadesError(f"hands and bids should be ({n}, {N_SEATS}) and dealers ({n},)")
    if n and not (np.min(bids) >= 0 and np.max(bids) <= MAX_BID):
        raise SpadesError(f"bids run from {np.min(bids)} to {np.max(bids)}; 0 to 13 are legal")
    for row in hands:
        check_deal(row.tolist(), seating.rules.cards)
    rounds = Rounds.empty(n)
    rounds.seeds[:], rounds.dealers[:] = np.arange(n), dealers
    rounds.hands[:], rounds.bids[:] = hands, bids
    rounds.score_before[:], rounds.bags_before[:] = before.score, before.bags
    if blind is not None:
        rounds.blind[:] = blind
    play_rows(GIVEN, 0, _NO_PATH, crew_of(seating), rounds, _NO_STANDING)
    return rounds


def crew_of(seating: Seating, context: BidContext | None = None) -> Crew:
    """The seating as the kernels take it; ``SpadesError`` if it isn't so.

    ``context``: what its bidders by rule look up, by default the stored tables.
    """
    if not seating.is_compiled:
        names = ", ".join(str(agent) for agent in seating.agents)
        raise SpadesError(f"not every agent plays in compiled code: {names}")
    return Crew(
        players=np.array([player_code(agent.player) for agent in seating.agents]),
        bidders=np.array([bidder_code(agent.bidder) for agent in seating.agents]),
        rules=rule_numbers(seating.rules),
        tools=tools_for(seating.rules, [agent.bidder for agent in seating.agents], context),
        public=empty_public(),
        held=np.zeros(N_SEATS, dtype=np.int64),
        codes=np.zeros(N_CARDS, dtype=np.int64),
    )


def _log(
    seating: Seating,
    rounds: Rounds,
    games: NDArray[np.integer],
    round_index: NDArray,
    names: tuple[str, ...],
) -> Log:
    """Rounds as a log, with what a record of the same round says."""
    n = len(rounds.seeds)
    texts = [str(agent) for agent in seating.agents]
    agents = tuple(dict.fromkeys(texts))
    codes = np.tile(np.array([agents.index(text) for text in texts], dtype=np.int32), (n, 1))
    kinds = [KINDS.index(agent.player.kind) for agent in seating.agents]
    return Log(
        hands=rounds.hands,
        plays=rounds.plays,
        bids=rounds.bids,
        blind=rounds.blind,
        dealer=rounds.dealers,
        round_index=round_index.astype(np.int32),
        score_before=rounds.score_before.astype(np.int32),
        bags_before=rounds.bags_before.astype(np.int32),
        kind=np.tile(np.array(kinds, dtype=np.int8), (n, 1)),
        seed=rounds.seeds.astype(np.int64),
        rules_code=np.zeros(n, dtype=np.int32),
        game_code=games.astype(np.int32),
        player_code=codes,
        agent_code=codes,
        source_code=np.zeros(n, dtype=np.int32),
        rules=(seating.rules,),
        games=names,
        players=agents,
        agents=agents,
        sources=("",),
    )
