"""Examples of human play: what the seat to play saw, and the card it played, from whole logs.

A view (``spades.human.features.view``) is the compact form: its masks are the binary vectors that
networks read, one bit a card, unpacked batch by batch. 1.22 million examples take 240 MB.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.kernel import Int, kernel
from spades.core.logs import NOT_PLAYED, Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN
from spades.core.rules import beats
from spades.human.features.view import (
    CARDS_PLAYED,
    N_VIEW,
    OTHER_BIDS,
    OTHER_TRICKS,
    TABLE,
    VOIDS,
    Decision,
    nil_rule_of,
    round_decisions,
)

HUMANS, ALL_SEATS = "humans", "all"
LEGAL = Decision._fields.index("legal")
_SIMULATED = KINDS.index(SIMULATED_HUMAN)


@dataclass(frozen=True)
class Examples:
    """n decisions and what was played.

    ``views`` int64 (n, 24); ``cards`` int8 (n,) codes of the cards played; ``games`` int32 (n,)
    tells games apart; ``is_simulated`` bool (n,): played by a simulated human, whose true
    probabilities are known.
    """

    views: NDArray[np.int64]
    cards: NDArray[np.int8]
    games: NDArray[np.int32]
    is_simulated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cards)

    def take(self, rows: NDArray | slice) -> Examples:
        return Examples(*(getattr(self, f.name)[rows] for f in dataclasses.fields(self)))

    @property
    def unforced(self) -> Examples:
        """Those with more than one legal card."""
        legal = self.views[:, LEGAL]
        return self.take(np.flatnonzero(legal & (legal - 1)))


@kernel
def fill_views(
    decisions: NDArray, plays: NDArray, leader: Int, bids: NDArray, n: Int, seats: NDArray
) -> None:
    """The columns of ``n`` views (52, 24) that a decision lacks; who plays, into ``seats`` (52,).

    ``plays`` and ``bids`` of one round, ``leader`` of its first trick; the first twelve columns
    are filled.
    """
    for ply in range(n):
        trick = ply - ply % N_SEATS
        if ply == trick:
            turn = np.int64(leader)
            if ply:
                turn = _winner(plays, seats, trick - N_SEATS)
        else:
            turn = (seats[ply - 1] + 1) % N_SEATS
        seats[ply] = turn
        row = decisions[ply]
        for column in range(TABLE, VOIDS + 1):
            row[column] = 0
        row[OTHER_BIDS] = bids[(turn + 1) % N_SEATS]
        row[OTHER_BIDS + 1] = bids[(turn + 3) % N_SEATS]
        for before in range(ply):
            card, relative = np.int64(plays[before]), (seats[before] - turn) % N_SEATS
            row[CARDS_PLAYED + relative] |= np.int64(1) << card
            led = np.int64(plays[before - before % N_SEATS]) >> 4
            if card >> 4 != led:
                row[VOIDS] |= np.int64(1) << (4 * relative + led)
            if before >= trick:
                row[TABLE - 1 + relative] = np.int64(1) << card
            elif before % N_SEATS == 0:
                side = (_winner(plays, seats, before) - turn) % N_SEATS
                if side == 1 or side == 3:
                    row[OTHER_TRICKS + side // 2] += 1


@kernel
def _winner(plays: NDArray, seats: NDArray, start: Int) -> Int:
    """Who took the trick whose four cards begin at ply ``start``."""
    best = start
    for ply in range(start + 1, start + N_SEATS):
        if beats(np.int64(plays[ply]), np.int64(plays[best])):
            best = ply
    return np.int64(seats[best])


@kernel
def _fill_log(
    rounds: tuple[NDArray, NDArray, NDArray, NDArray],
    rules: tuple[NDArray, NDArray],
    starts: NDArray,
    scratch: tuple[NDArray, NDArray],
    wanted: NDArray,
    out: tuple[NDArray, NDArray, NDArray],
) -> None:
    """Views, cards and row of the round of every play by a seat that is wanted, (rounds, 4)."""
    hands, plays, leaders, bids = rounds
    rules_code, options = rules
    views, cards, rows = out
    held, seats = scratch
    decisions = np.empty((N_CARDS, N_VIEW), dtype=np.int64)
    for i in range(len(hands)):
        option = options[rules_code[i]]
        options_of_round = (option[0], option[1], option[2])
        n = round_decisions(
            hands[i], plays[i], leaders[i], bids[i], options_of_round, held, decisions
        )
        fill_views(decisions, plays[i], leaders[i], bids[i], n, seats)
        at = starts[i]
        for ply in range(n):
            if wanted[i, seats[ply]]:
                views[at] = decisions[ply]
                cards[at], rows[at] = plays[i, ply], i
                at += 1


@kernel
def _count_wanted(
    plays: NDArray, leaders: NDArray, wanted: NDArray, seats: NDArray, counts: NDArray
) -> None:
    """How many plays of each round are by a seat that is wanted."""
    for i in range(len(plays)):
        turn = np.int64(leaders[i])
        for ply in range(N_CARDS):
            if plays[i, ply] == NOT_PLAYED:
                break
            if ply and ply % N_SEATS == 0:
                turn = _winner(plays[i], seats, ply - N_SEATS)
            seats[ply] = turn
            counts[i] += wanted[i, turn]
            turn = (turn + 1) % N_SEATS


def examples_of_log(log: Log, seats: str = HUMANS) -> Examples:
    """Every decision of a log whose rounds passed the replay check, in order, forced ones too.

    ``seats``: ``humans`` (and simulated humans) or ``all``. Raises
    ``InvalidRecordError`` where no such seat plays.
    """
    if seats not in (HUMANS, ALL_SEATS):
        raise SpadesError(f"seats {seats!r}; {HUMANS} and {ALL_SEATS} are legal")
    wanted = log.kind != KINDS.index(BOT) if seats == HUMANS else np.ones_like(log.kind, bool)
    plays, leaders = np.ascontiguousarray(log.plays), np.ascontiguousarray(log.leaders)
    counts, scratch = np.zeros(len(log), dtype=np.int64), np.empty(N_CARDS, dtype=np.int64)
    wanted = np.ascontiguousarray(wanted)
    _count_wanted(plays, leaders, wanted, scratch, counts)
    n = int(counts.sum())
    if n == 0:
        raise InvalidRecordError(
            "no human or simulated human plays a card here; bots' plays can be asked for"
            if seats == HUMANS
            else "no card is played here"
        )
    views = np.empty((n, N_VIEW), dtype=np.int64)
    cards, rows = np.empty(n, dtype=np.int8), np.empty(n, dtype=np.int32)
    _fill_log(
        (np.ascontiguousarray(log.hands), plays, leaders, np.ascontiguousarray(log.bids)),
        (np.ascontiguousarray(log.rules_code), _options_of(log)),
        np.concatenate([[0], np.cumsum(counts)]),
        (np.empty((2, N_SEATS), dtype=np.int64), scratch),
        wanted,
        (views, cards, rows),
    )
    kinds = log.kind[rows, movers_of(log, rows, views)]
    return Examples(views, cards, log.game_code[rows], kinds == _SIMULATED)


def _options_of(log: Log) -> NDArray[np.int64]:
    options = [(nil_rule_of(r), int(r.spades_lead == "any"), r.cards.mask) for r in log.rules]
    return np.array(options, dtype=np.int64).reshape(-1, 3)


def movers_of(log: Log, rows: NDArray[np.int32], views: NDArray[np.int64]) -> NDArray[np.int64]:
    """The seat that played each example: the one that was dealt the hand."""
    dealt = log.hands[rows] & views[:, :1]
    return (dealt == views[:, :1]).argmax(axis=1)


def data_hash(examples: Examples) -> str:
    """SHA-256 of the examples (views, cards, games), the first 16 hex digits."""
    digest = hashlib.sha256()
    for array in (examples.views, examples.cards, examples.games):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def split_by_game(
    games: NDArray[np.int32], shares: Sequence[float], seed: int
) -> list[NDArray[np.int64]]:
    """Rows of each part: whole games, drawn with a seed, in about these shares (they sum to 1).

    A part whose share is above 0 has at least one game; refused for fewer games than parts.
    """
    known = np.unique(games)
    if len(known) < len(shares):
        raise SpadesError(f"{len(known)} games can't be split in {len(shares)}; log more games")
    order = np.random.default_rng(seed).permutation(len(known))
    cuts = np.round(np.cumsum(shares)[:-1] * len(known)).astype(int)
    for i in range(len(cuts)):  # no part is empty
        cuts[i] = min(max(cuts[i], (cuts[i - 1] if i else 0) + 1), len(known) - len(cuts) + i)
    part_of = np.empty(len(known), dtype=np.int64)
    for part, members in enumerate(np.split(order, cuts)):
        part_of[members] = part
    parts = part_of[np.searchsorted(known, games)]
    return [np.flatnonzero(parts == part) for part in range(len(shares))]
