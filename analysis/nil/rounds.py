"""The nils of a log: the bids before, the nil value, made or set; and who holds the ace of spades.

A nil counts if its round was played out, its bidder had seen the hand, and the bids before it are
known. The ace of spades (in joker decks the high joker) is counted by the bids heard (Cohensius
2020, figure 7): the more the others bid, the likelier it is that one of them holds it."""

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
from spades.core.kernel import BoolArray, FloatArray, IntArray, highest
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
    """The n nils of a log, in its order; each array is (n,).

    ``round``: row of the log; ``sequence``: index of the bids before; ``value``: the nil value of
    the hand; ``kind``: index into ``KINDS``."""

    round: IntArray
    seat: NDArray[np.int8]
    sequence: IntArray
    value: FloatArray
    made: BoolArray
    kind: NDArray[np.int8]

    def of_kind(self, kind: str) -> BoolArray:
        if kind == ANY_KIND:
            return np.ones(len(self.kind), dtype=np.bool_)
        return self.kind == KINDS.index(kind)


def sequences_before(
    log: Log,
    rounds: IntArray,
    seats: IntArray,
) -> tuple[IntArray, BoolArray]:
    """Index of the bids before that of each seat in each round, both (n,); and whether all of them
    are known, bool (n,)."""
    leaders = log.leaders[rounds].astype(np.int64)
    n_before = (seats - leaders) % N_SEATS
    code = np.zeros(len(rounds), dtype=np.int64)
    is_known = np.ones(len(rounds), dtype=np.bool_)
    for i in range(MAX_PREVIOUS):
        is_before = i < n_before
        bidders = (leaders + i) % N_SEATS
        bids = log.bids[rounds, bidders].astype(np.int64)
        code = np.where(is_before, code * N_BIDS + bids, code)
        is_known &= ~is_before | (bids != NO_BID)
    return FIRST_INDEX[n_before] + code, is_known


def find_nils(log: Log) -> Nils:
    """Every nil of a log, whatever its decks; those of a round that was stored twice count once."""
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    (repeated,) = repeated_rounds([log])
    is_counted = (log.n_plays == N_CARDS) & has_nil[log.rules_code] & ~repeated
    is_nil = (log.bids == NIL_BID) & ~log.blind
    rounds, seats = np.nonzero(is_nil & is_counted[:, None])
    sequence, is_known = sequences_before(log, rounds, seats)
    rounds = rounds[is_known]
    seats = seats[is_known]
    hands = log.hands[rounds, seats]
    rules_codes = log.rules_code[rounds]
    value = np.zeros(len(rounds))
    for code in np.unique(rules_codes):
        has_rules = rules_codes == code
        p_cnils = nil_tables(log.rules[code].cards)
        value[has_rules] = values_of(hands[has_rules], p_cnils)
    return Nils(
        round=rounds,
        seat=seats.astype(np.int8),
        sequence=sequence[is_known],
        value=value,
        made=derive(log).tricks_taken[rounds, seats] == 0,
        kind=log.kind[rounds, seats],
    )


def value_counts(
    sequence: IntArray,
    value: FloatArray,
    made: BoolArray,
) -> NDArray[np.int32]:
    """Nils and nils made by sequence and bin of the nil value, int32 (2955, 20, 2)."""
    cells = sequence * N_VALUE_BINS + bin_of(value)
    n_cells = N_SEQUENCES * N_VALUE_BINS
    n = np.bincount(cells, minlength=n_cells)
    n_made = np.bincount(cells[made], minlength=n_cells)
    counts = np.stack([n, n_made], axis=1)
    return counts.reshape(N_SEQUENCES, N_VALUE_BINS, 2).astype(np.int32)


def count_nils(nils: Nils, kind: str = ANY_KIND) -> NDArray[np.int32]:
    """``value_counts`` of the nils of a kind of player."""
    is_kind = nils.of_kind(kind)
    sequence = nils.sequence[is_kind]
    value = nils.value[is_kind]
    return value_counts(sequence, value, nils.made[is_kind])


def find_rounds(
    log: Log,
    nils: Nils,
    sequences: IntArray,
    bin_index: int | None,
    *,
    kind: str,
    limit: int,
) -> tuple[pd.DataFrame, int, int]:
    """The nils after one of the ``sequences`` (indices) in one bin of nil value (None: any).

    A row for each of the first ``limit``; how many there are; how many were made. ``round`` counts
    from 0; ``tricks`` are the nil bidder's own."""
    is_at_point = np.isin(nils.sequence, sequences) & nils.of_kind(kind)
    if bin_index is not None:
        is_at_point &= bin_of(nils.value) == bin_index
    at_point = np.flatnonzero(is_at_point)
    shown = at_point[:limit]
    tricks = derive(log.take(nils.round[shown])).tricks_taken
    rows = []
    for row, nil in enumerate(shown):
        seat = int(nils.seat[nil])
        bids = [bid_word(bid) for bid in SEQUENCES[nils.sequence[nil]]]
        rows.append(
            {
                **seats_row(log, int(nils.round[nil]), [seat]),
                "bids": ", ".join(bids) or "–",
                "value": float(nils.value[nil]),
                "tricks": int(tricks[row, seat]),
                "made": bool(nils.made[nil]),
            }
        )
    table = pd.DataFrame(rows, columns=ROUND_COLUMNS)
    n_made = int(nils.made[at_point].sum())
    return table, len(at_point), n_made


class AceCounts(NamedTuple):
    """Seats and those that hold the highest spade, by the sum of the bids before theirs, int64
    (40,) each; ``n_rounds``: rounds whose bids are known and were made by that kind."""

    n: IntArray
    held: IntArray
    n_rounds: int


def count_aces(log: Log, n_previous: int, kind: str = ANY_KIND) -> AceCounts:
    """The seats of a log that bid after ``n_previous`` bids, all of them made by that kind."""
    log = log.distinct()
    rounds = np.arange(len(log))
    seats = (log.leaders + n_previous) % N_SEATS
    bidders = (log.leaders[:, None] + np.arange(n_previous)) % N_SEATS
    bids = log.bids[rounds[:, None], bidders].astype(np.int64)
    is_counted = (bids != NO_BID).all(axis=1)
    if kind != ANY_KIND:
        kinds = log.kind[rounds[:, None], bidders]
        is_counted &= (kinds == KINDS.index(kind)).all(axis=1)
    spades_of_decks = [rules.cards.mask & SPADES_MASK for rules in log.rules]
    highest_spades = np.array([1 << highest(spades) for spades in spades_of_decks])
    is_held = log.hands[rounds, seats] & highest_spades[log.rules_code] != 0
    totals = bids.sum(axis=1)
    return AceCounts(
        n=np.bincount(totals[is_counted], minlength=MAX_SUM + 1),
        held=np.bincount(totals[is_counted & is_held], minlength=MAX_SUM + 1),
        n_rounds=int(is_counted.sum()),
    )


def compute_aces(counts: Sequence[tuple[str, AceCounts]]) -> pd.DataFrame:
    """A row for each source and sum that was heard: ``n`` seats, ``held`` the highest spade,
    ``rate`` with its exact 95% interval. ``counts``: by label of the source."""
    if not counts:
        return pd.DataFrame(columns=ACE_COLUMNS)
    tables = []
    for label, aces in counts:
        totals = np.flatnonzero(aces.n)
        rates = rate_columns(aces.n[totals], aces.held[totals])
        table = pd.DataFrame({"source": label, "total": totals, **rates})
        tables.append(table.rename(columns={"made": "held"}))
    return pd.concat(tables, ignore_index=True)[ACE_COLUMNS]
