"""The nils of a log, after which bids, of what nil value, made or set; and who holds the ace.

Counted are nils of rounds that were played out, whose bidder had looked at its hand and of which
the bids before are known. The ace of spades (in joker decks the high joker) is counted by the bids
heard (Cohensius 2020, figure 7): the more the others bid, the likelier one of them holds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.questions import bid_word
from analysis.bidding.style import seats_row
from analysis.intervals import rate_columns
from analysis.nil.rates import MAX_SUM, bin_of, values_of
from spades.bidding.auction import FIRST_INDEX, MAX_PREVIOUS, N_BIDS, N_SEQUENCES, SEQUENCES
from spades.bidding.curves import N_VALUE_BINS
from spades.bidding.hands import nil_tables
from spades.core.cards import N_CARDS, N_SEATS, SPADES_MASK
from spades.core.derived import derive
from spades.core.kernel import highest
from spades.core.logs import Log, repeated_rounds
from spades.core.records import KINDS
from spades.core.rules import NIL_BID, NO_BID

ANY_KIND = "any"
BY_CHANCE = 1 / N_SEATS
"""How often a seat holds a given card, whatever was bid."""
ROUND_COLUMNS = ["round", "seat", "kind", "player", "bids", "hand", "value", "tricks", "made"]
ACE_COLUMNS = ["source", "total", "n", "held", "rate", "low", "high"]


@dataclass(frozen=True)
class Nils:
    """The n nils of a log, in its order. ``round`` int64 (n,), row of the log; ``seat`` int8 (n,);
    ``sequence`` int64 (n,), index of the bids before; ``value`` float64 (n,), the nil value of the
    hand; ``made`` bool (n,); ``kind`` int8 (n,) into ``KINDS``."""

    round: NDArray[np.int64]
    seat: NDArray[np.int8]
    sequence: NDArray[np.int64]
    value: NDArray[np.float64]
    made: NDArray[np.bool_]
    kind: NDArray[np.int8]

    def of_kind(self, kind: str) -> NDArray[np.bool_]:
        return np.isin(self.kind, range(len(KINDS)) if kind == ANY_KIND else [KINDS.index(kind)])


def sequences_before(
    log: Log, rounds: NDArray[np.int64], seats: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Index of the bids before each seat's, given by round and seat; whether all are known."""
    leaders, code = log.leaders[rounds].astype(np.int64), np.zeros(len(rounds), dtype=np.int64)
    n, known = (seats - leaders) % N_SEATS, np.ones(len(rounds), dtype=np.bool_)
    for i in range(MAX_PREVIOUS):
        is_before, bids = i < n, log.bids[rounds, (leaders + i) % N_SEATS].astype(np.int64)
        code = np.where(is_before, code * N_BIDS + bids, code)
        known &= ~is_before | (bids != NO_BID)
    return FIRST_INDEX[n] + code, known


def find_nils(log: Log) -> Nils:
    """Every nil of a log, whatever its decks; of a round that was stored twice, once."""
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    (repeated,) = repeated_rounds([log])
    is_whole = (log.n_plays == N_CARDS) & has_nil[log.rules_code] & ~repeated
    rounds, seats = np.nonzero((log.bids == NIL_BID) & is_whole[:, None] & ~log.blind)
    sequence, known = sequences_before(log, rounds, seats)
    rounds, seats = rounds[known], seats[known]
    hands, codes, value = log.hands[rounds, seats], log.rules_code[rounds], np.zeros(len(rounds))
    for code in np.unique(codes):
        mine = codes == code
        value[mine] = values_of(hands[mine], nil_tables(log.rules[code].cards))
    return Nils(
        round=rounds,
        seat=seats.astype(np.int8),
        sequence=sequence[known],
        value=value,
        made=derive(log).tricks_taken[rounds, seats] == 0,
        kind=log.kind[rounds, seats],
    )


def value_counts(
    sequence: NDArray[np.int64], value: NDArray[np.float64], made: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Nils and nils made by sequence and bin of the nil value, int32 (2955, 20, 2)."""
    key, size = sequence * N_VALUE_BINS + bin_of(value), N_SEQUENCES * N_VALUE_BINS
    both = [np.bincount(which, minlength=size) for which in (key, key[made])]
    return np.stack(both, axis=1).reshape(N_SEQUENCES, N_VALUE_BINS, 2).astype(np.int32)


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
    """The rounds of a point: a row a nil; how many there are, and how many were made. Nils after
    one of the ``sequences`` (indices) in one bin of nil value, None for any. At most ``limit``
    rows, the log's first. ``round`` counts from 0; ``tricks`` are the nil bidder's own."""
    is_here = np.isin(nils.sequence, sequences) & nils.of_kind(kind)
    if bin_index is not None:
        is_here &= bin_of(nils.value) == bin_index
    here = np.flatnonzero(is_here)
    shown = here[:limit]
    tricks = derive(log.take(nils.round[shown])).tricks_taken
    rows = [
        {
            **seats_row(log, int(nils.round[i]), [int(nils.seat[i])]),
            "bids": ", ".join(map(bid_word, SEQUENCES[nils.sequence[i]])) or "–",
            "value": float(nils.value[i]),
            "tricks": int(tricks[at, nils.seat[i]]),
            "made": bool(nils.made[i]),
        }
        for at, i in enumerate(shown)
    ]
    return pd.DataFrame(rows, columns=ROUND_COLUMNS), len(here), int(nils.made[here].sum())


class AceCounts(NamedTuple):
    """Seats and those that hold the highest spade, by the sum of the bids before theirs, int64
    (40,) each; ``n_rounds``: rounds whose bids are known and were made by that kind."""

    n: NDArray[np.int64]
    held: NDArray[np.int64]
    n_rounds: int


def count_aces(log: Log, n_previous: int, kind: str = ANY_KIND) -> AceCounts:
    """The seats of a log that bid after ``n_previous`` bids, all of them made by that kind."""
    log = log.distinct()
    rows = np.arange(len(log))[:, None]
    before = (log.leaders[:, None] + np.arange(n_previous)) % N_SEATS
    bids = log.bids[rows, before].astype(np.int64)
    counted = (bids != NO_BID).all(axis=1)
    if kind != ANY_KIND:
        counted &= (log.kind[rows, before] == KINDS.index(kind)).all(axis=1)
    seat = (log.leaders + n_previous) % N_SEATS
    tops = np.array([1 << highest(rules.cards.mask & SPADES_MASK) for rules in log.rules])
    held = log.hands[rows[:, 0], seat] & tops[log.rules_code] != 0
    total = bids.sum(axis=1)
    n, n_held = (
        np.bincount(total[which], minlength=MAX_SUM + 1) for which in (counted, counted & held)
    )
    return AceCounts(n, n_held, int(counted.sum()))


def compute_aces(counts: Sequence[tuple[str, AceCounts]]) -> pd.DataFrame:
    """A row a source and sum that was heard: ``n`` seats, ``held`` the highest spade, ``rate`` with
    its exact 95% interval."""
    parts = []
    for label, found in counts:
        total = np.flatnonzero(found.n)
        columns = rate_columns(found.n[total], found.held[total])
        part = pd.DataFrame({"source": label, "total": total, **columns})
        parts.append(part.rename(columns={"made": "held"}))
    parts = parts or [pd.DataFrame(columns=ACE_COLUMNS)]
    return pd.concat(parts, ignore_index=True)[ACE_COLUMNS]
