"""Made-up success curves and counts for the tests of nils."""

import numpy as np

from analysis.nil_rates import Source
from spades.bidding import SuccessCurves
from spades.bidding.auction import N_SEQUENCES, index_of_sequence
from spades.bidding.curves import N_VALUE_BINS


def made_up_counts(cells):
    """Counts from ``{(bids before, bin): (nils, made)}``."""
    counts = np.zeros((N_SEQUENCES, N_VALUE_BINS, 2), dtype=np.int32)
    for (previous, at), numbers in cells.items():
        counts[index_of_sequence(previous), at] = numbers
    return counts


def made_up_source(cells, label="bots", **lines):
    """A source whose curves are ``lines`` by the text of the bids, elsewhere level at one half."""
    counts = made_up_counts(cells)
    table = np.zeros((N_SEQUENCES, 2))
    for text, line in lines.items():
        table[index_of_sequence(tuple(map(int, text.strip("_").split("_"))))] = line
    n, made = counts.sum(axis=1, dtype=np.int64).T
    curves = SuccessCurves(
        lines=table,
        covariance=np.tile([0.01, -0.001, 0.02], (N_SEQUENCES, 1)),
        n=n,
        made=made,
        single=np.zeros(2),
        counts=counts,
        metadata={},
    )
    return Source(label, counts, curves)
