"""How often search and humans part, by class, lens and divergence, with intervals.

Decisions of one round hang together: shares of decisions have the Poisson bootstrap over rounds,
shares of rounds Clopper and Pearson's interval, which also says what a count of 0 may hide.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.decisions.lenses import LENSES
from analysis.disagreements.judged import (
    AGREED,
    CLASS_LABELS,
    CLASSES,
    OTHER,
    has_lens,
    of_class,
)
from analysis.intervals import rate_columns
from analysis.style.compare import ByGame
from spades.core.kernel import FloatArray

CLASS = "class"
LENS = "lens"
N_BINS = 20
BIN = 1 / N_BINS  # bits
MILLIONTHS = 1e6


def summarise(judged: pd.DataFrame, role: str) -> pd.DataFrame:
    """A row a class and a lens; lenses look at the card of ``role``.

    ``kind``, ``name``, ``label``; ``n`` decisions of the ``of`` there are, their ``share``, ``low``
    and ``high`` (bootstrap over rounds, nan for fewer than two and for a count of 0, of which it
    knows nothing); ``rounds`` with at least one of the ``of_rounds``, ``round_share``,
    ``round_low``, ``round_high``.
    """
    names = []
    members = []
    for name in CLASSES:
        names.append((CLASS, name, CLASS_LABELS[name]))
        members.append(of_class(judged, name))
    for lens in LENSES:
        names.append((LENS, lens.name, lens.label))
        members.append(has_lens(judged, lens.name, role))
    by_round = _by_round(judged, members)
    low, high = by_round.interval(_shares)
    n = by_round.total[:-1]
    n_rounds = (by_round.counts[:, :-1] > 0).sum(axis=0)
    of_rounds = rate_columns(np.full(len(n), len(by_round.counts)), n_rounds)
    return pd.DataFrame(names, columns=["kind", "name", "label"]).assign(
        n=n,
        of=by_round.total[-1],
        share=_shares(by_round.total),
        low=np.where(n, low, np.nan),
        high=np.where(n, high, np.nan),
        rounds=n_rounds,
        of_rounds=of_rounds["n"],
        round_share=of_rounds["rate"],
        round_low=of_rounds["low"],
        round_high=of_rounds["high"],
    )


def divergence_histogram(judged: pd.DataFrame) -> pd.DataFrame:
    """Decisions by divergence, a row for each of 20 bins.

    ``from``, ``to`` (bits), ``n``, ``share``, ``low``, ``high`` (bootstrap over rounds), and
    ``n_*`` by class, each decision in the first class that applies.
    """
    places = judged["divergence"].to_numpy() / BIN + 1e-9
    bins = np.minimum(places.astype(int), N_BINS - 1)
    low, high = _by_round(judged, [bins == i for i in range(N_BINS)]).interval(_shares)
    n = np.bincount(bins, minlength=N_BINS)
    columns = {
        "from": np.arange(N_BINS) * BIN,
        "to": np.arange(1, N_BINS + 1) * BIN,
        "n": n,
        "share": n / max(1, len(judged)),
        "low": np.where(n > 0, low, np.nan),
        "high": np.where(n > 0, high, np.nan),
    }
    kinds = judged["class"].to_numpy()
    for name in (*CLASSES, OTHER, AGREED):
        columns[f"n_{name}"] = np.bincount(bins[kinds == name], minlength=N_BINS)
    return pd.DataFrame(columns)


def mean_divergence(judged: pd.DataFrame) -> tuple[float, float, float]:
    """Mean divergence of the decisions, bits, with its interval (bootstrap over rounds)."""
    amounts = np.round(judged["divergence"].to_numpy() * MILLIONTHS)  # counts are whole numbers
    low, high = _by_round(judged, [amounts]).interval(_shares)
    mean = float(judged["divergence"].mean()) if len(judged) else float("nan")
    return mean, float(low[0]) / MILLIONTHS, float(high[0]) / MILLIONTHS


def _by_round(judged: pd.DataFrame, amounts: Sequence[NDArray]) -> ByGame:
    """Sums by round of an amount a decision each, and the count of all in the last column."""
    rounds, index = np.unique(judged["round"], return_inverse=True)
    columns = [np.bincount(index, amount, minlength=len(rounds)) for amount in amounts]
    columns.append(np.bincount(index, minlength=len(rounds)))
    return ByGame(np.stack(columns, axis=1).astype(np.int32))


def _shares(totals: NDArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return totals[..., :-1] / totals[..., -1:]
