"""The nils of a log: after which bids, of what nil value, made or set, and in which round.

Counted are nils of rounds that were played out, whose bidder had looked at its hand and of which
the bids before are known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.sequences import bid_word
from spades.bidding.auction import FIRST_INDEX, N_BIDS, N_SEQUENCES, SEQUENCES
from spades.bidding.curves import N_VALUE_BINS
from spades.bidding.hands import nil_tables, nil_value
from spades.core.cards import N_CARDS, N_SEATS, SEATS
from spades.core.derived import derive
from spades.core.kernel import Int, kernel
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.core.rules import NIL_BID, NO_BID
from spades.notation.hands import format_hand

ANY_KIND = "any"
_NOT_KNOWN = -1
ROUND_COLUMNS = ["round", "seat", "kind", "player", "bids", "hand", "value", "tricks", "made"]


@dataclass(frozen=True)
class Nils:
    """The n nils of a log, in its order; ``n_blind`` and ``n_unknown`` were left out.

    ``round`` int64 (n,), row of the log; ``seat`` int8 (n,); ``sequence`` int64 (n,), index of the
    bids before; ``value`` float64 (n,), the nil value of the hand; ``made`` bool (n,); ``kind``
    int8 (n,) into ``KINDS``. Left out of the nils played out: ``n_blind`` bid before the hand was
    looked at, ``n_unknown`` after a bid that isn't known.
    """

    round: NDArray[np.int64]
    seat: NDArray[np.int8]
    sequence: NDArray[np.int64]
    value: NDArray[np.float64]
    made: NDArray[np.bool_]
    kind: NDArray[np.int8]
    n_blind: int
    n_unknown: int

    @property
    def bins(self) -> NDArray[np.int64]:
        """Bin of each nil value, 0 to 19; the last holds 1 too."""
        return bin_of(self.value)

    def of_kind(self, kind: str) -> NDArray[np.bool_]:
        """Which nils were bid by that kind of player, shape (n,)."""
        if kind == ANY_KIND:
            return np.ones(len(self.kind), dtype=np.bool_)
        return self.kind == KINDS.index(kind)


@kernel
def sequence_before(bids: NDArray, seat: Int, dealer: Int) -> Int:
    """Index of the bids before a seat's, -1 if one isn't known."""
    n = (seat - dealer - 1) % N_SEATS
    code = np.int64(0)
    for i in range(n):
        bid = np.int64(bids[(dealer + 1 + i) % N_SEATS])
        if bid == NO_BID:
            return _NOT_KNOWN
        code = code * N_BIDS + bid
    return FIRST_INDEX[n] + code


@kernel
def weigh_nils(
    rounds: NDArray,
    seats: NDArray,
    columns: tuple[NDArray, NDArray, NDArray],
    p_cnils: NDArray,
    sequence: NDArray,
    value: NDArray,
) -> None:
    """Bids before, and nil value, of each nil given by round and seat. Fills the last two.

    ``columns``: hands, bids, dealers of the log; ``p_cnils``: of the deck.
    """
    hands, bids, dealers = columns
    for i in range(len(rounds)):
        row, seat = rounds[i], seats[i]
        sequence[i] = sequence_before(bids[row], np.int64(seat), np.int64(dealers[row]))
        value[i] = nil_value(np.int64(hands[row, seat]), p_cnils)


def find_nils(log: Log) -> Nils:
    """Every nil of a log, whatever its decks."""
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    is_whole = (log.n_plays == N_CARDS) & has_nil[log.rules_code]
    played = (log.bids == NIL_BID) & is_whole[:, None]
    rounds, seats = np.nonzero(played & ~log.blind)
    sequence, value = _weighed(log, rounds, seats)
    known = sequence != _NOT_KNOWN
    rounds, seats = rounds[known], seats[known]
    return Nils(
        round=rounds,
        seat=seats.astype(np.int8),
        sequence=sequence[known],
        value=value[known],
        made=derive(log).tricks_taken[rounds, seats] == 0,
        kind=log.kind[rounds, seats],
        n_blind=int((played & log.blind).sum()),
        n_unknown=int((~known).sum()),
    )


def _weighed(log: Log, rounds: NDArray, seats: NDArray) -> tuple[NDArray, NDArray]:
    """Index of the bids before and nil value of each nil, deck by deck."""
    sequence, value = np.zeros(len(rounds), dtype=np.int64), np.zeros(len(rounds))
    columns = tuple(np.ascontiguousarray(array) for array in (log.hands, log.bids, log.dealer))
    for code in np.unique(log.rules_code[rounds]):
        mine = np.flatnonzero(log.rules_code[rounds] == code)
        found, worth = np.zeros(len(mine), dtype=np.int64), np.zeros(len(mine))
        tables = nil_tables(log.rules[code].cards)
        weigh_nils(rounds[mine], seats[mine], columns, tables, found, worth)
        sequence[mine], value[mine] = found, worth
    return sequence, value


def value_counts(
    sequence: NDArray[np.int64], value: NDArray[np.float64], made: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Nils and nils made by sequence and bin of the nil value, int32 (2955, 20, 2)."""
    key, size = sequence * N_VALUE_BINS + bin_of(value), N_SEQUENCES * N_VALUE_BINS
    both = [np.bincount(which, minlength=size) for which in (key, key[made])]
    return np.stack(both, axis=1).reshape(N_SEQUENCES, N_VALUE_BINS, 2).astype(np.int32)


def bin_of(value: NDArray[np.float64], n_bins: int = N_VALUE_BINS) -> NDArray[np.int64]:
    """Bins of equal width over 0 to 1; the last holds 1 too."""
    return np.minimum((np.asarray(value) * n_bins).astype(np.int64), n_bins - 1)


def count_nils(nils: Nils, kind: str = ANY_KIND) -> NDArray[np.int32]:
    """``value_counts`` of the nils of a kind of player."""
    mine = nils.of_kind(kind)
    return value_counts(nils.sequence[mine], nils.value[mine], nils.made[mine])


def find_rounds(
    log: Log,
    nils: Nils,
    sequences: NDArray[np.int64],
    bin_index: int | None,
    *,
    kind: str,
    limit: int,
) -> tuple[pd.DataFrame, int, int]:
    """The rounds behind a point: a row a nil; how many there are, and how many were made.

    Nils after one of the ``sequences`` (indices) in one bin of nil value, None for any. At most
    ``limit`` rows, the log's first. ``round`` counts from 0; ``tricks`` are the nil bidder's own.
    """
    is_here = np.isin(nils.sequence, sequences)
    if bin_index is not None:
        is_here &= nils.bins == bin_index
    here = np.flatnonzero(is_here & nils.of_kind(kind))
    shown = here[:limit]
    tricks = derive(log.take(nils.round[shown])).tricks_taken
    rows = [_round_row(log, nils, int(i), tricks[at]) for at, i in enumerate(shown)]
    return pd.DataFrame(rows, columns=ROUND_COLUMNS), len(here), int(nils.made[here].sum())


def _round_row(log: Log, nils: Nils, i: int, tricks: NDArray) -> dict[str, object]:
    row, seat = int(nils.round[i]), int(nils.seat[i])
    deck = log.rules[log.rules_code[row]].cards
    bids = SEQUENCES[nils.sequence[i]]
    return {
        "round": row,
        "seat": SEATS[seat],
        "kind": KINDS[nils.kind[i]],
        "player": log.players[log.player_code[row, seat]] or log.agents[log.agent_code[row, seat]],
        "bids": ", ".join(map(bid_word, bids)) or "–",
        "hand": format_hand(int(log.hands[row, seat]), deck),
        "value": float(nils.value[i]),
        "tricks": int(tricks[seat]),
        "made": bool(nils.made[i]),
    }
