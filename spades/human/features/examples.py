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
from spades.core.logs import Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN
from spades.human.features.view import LEGAL, N_VIEW, round_views, rounds_of, rules_table

HUMANS, ALL_SEATS = "humans", "all"
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
def _fill_log(
    rounds: tuple[NDArray, NDArray, NDArray, NDArray],
    rules: tuple[NDArray, NDArray],
    wanted: NDArray,
    out: tuple[NDArray, NDArray, NDArray, NDArray],
) -> Int:
    """View, card, row of the round and seat of every play by a seat that is wanted, (rounds, 4);
    how many."""
    hands, plays, leaders, bids = rounds
    rules_code, table = rules
    views, cards, rows, movers = out
    scratch, seats = np.empty((3, N_SEATS), np.int64), np.empty(N_CARDS, np.int64)
    of_round = np.empty((N_CARDS, N_VIEW), np.int64)
    n = 0
    for i in range(len(hands)):
        dealt = hands[i], plays[i], leaders[i], bids[i]
        at = round_views(dealt, table[rules_code[i]], scratch, of_round, seats)
        for ply in range(at.ply):
            if wanted[i, seats[ply]]:
                views[n] = of_round[ply]
                cards[n], rows[n], movers[n] = plays[i, ply], i, seats[ply]
                n += 1
    return n


def examples_of_log(log: Log, seats: str = HUMANS) -> Examples:
    """Every decision of a log whose rounds passed the replay check, in order, forced ones too.

    ``seats``: ``humans`` (and simulated humans) or ``all``. Raises
    ``InvalidRecordError`` where no such seat plays.
    """
    if seats not in (HUMANS, ALL_SEATS):
        raise SpadesError(f"seats {seats!r}; {HUMANS} and {ALL_SEATS} are legal")
    wanted = log.kind != KINDS.index(BOT) if seats == HUMANS else np.ones_like(log.kind, bool)
    room = int((wanted.sum(axis=1) * -(-log.n_plays // N_SEATS)).sum())
    views, cards = np.empty((room, N_VIEW), dtype=np.int64), np.empty(room, dtype=np.int8)
    rows, movers = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int8)
    n = _fill_log(
        rounds_of(log),
        (np.ascontiguousarray(log.rules_code), rules_table(log)),
        np.ascontiguousarray(wanted),
        (views, cards, rows, movers),
    )
    if n == 0:
        raise InvalidRecordError(
            "no human or simulated human plays a card here; bots' plays can be asked for"
            if seats == HUMANS
            else "no card is played here"
        )
    rows = rows[:n]
    kinds = log.kind[rows, movers[:n]]
    return Examples(views[:n], cards[:n], log.game_code[rows], kinds == _SIMULATED)


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
