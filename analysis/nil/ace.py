"""P(highest spade) by the bids heard: Cohensius 2020, figure 7.

The more the others bid, the likelier it is that one of them holds the ace of spades; the paper
looks at the fourth bidder after three bids, to time a blind nil. In joker decks it is the high
joker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.nil.rates import MAX_SUM, rate_columns
from analysis.nil.rounds import ANY_KIND
from spades.core.cards import N_SEATS, SPADES_MASK
from spades.core.kernel import highest
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.core.rules import NO_BID

BY_CHANCE = 1 / N_SEATS
"""How often a seat holds a given card, whatever was bid."""
ACE_COLUMNS = ["source", "total", "n", "held", "rate", "low", "high"]


class AceCounts(NamedTuple):
    """Seats and those that hold the highest spade, by the sum of the bids before theirs, int64
    (40,) each; ``n_rounds``: rounds whose bids are known and were made by that kind."""

    n: NDArray[np.int64]
    held: NDArray[np.int64]
    n_rounds: int


def count_aces(log: Log, n_previous: int, kind: str = ANY_KIND) -> AceCounts:
    """The seats of a log that bid after ``n_previous`` bids, all of them made by that kind."""
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
    return AceCounts(
        np.bincount(total[counted], minlength=MAX_SUM + 1),
        np.bincount(total[counted & held], minlength=MAX_SUM + 1),
        int(counted.sum()),
    )


def compute_aces(counts: Sequence[tuple[str, AceCounts]]) -> pd.DataFrame:
    """A row a source and sum that was heard: ``n`` seats, ``held`` the highest spade, ``rate`` with
    its exact 95 % interval."""
    parts = []
    for label, found in counts:
        total = np.flatnonzero(found.n)
        columns = rate_columns(found.n[total], found.held[total])
        columns = {"held" if name == "made" else name: column for name, column in columns.items()}
        parts.append(pd.DataFrame({"source": label, "total": total, **columns}))
    parts = parts or [pd.DataFrame(columns=ACE_COLUMNS)]
    return pd.concat(parts, ignore_index=True)[ACE_COLUMNS]
