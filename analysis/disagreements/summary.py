"""How often search and humans disagree, by class, lens and divergence, with intervals.

Decisions of one round are dependent: shares of decisions have intervals by Poisson bootstrap over
rounds, shares of rounds those of Clopper and Pearson, which also bound a count of 0.
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
MILLION = 1e6


def summarise(judged: pd.DataFrame, role: str) -> pd.DataFrame:
    """A row for each class and each lens; lenses look at the card of ``role``.

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
    is_in_round = by_round.counts[:, :-1] > 0
    n_rounds = is_in_round.sum(axis=0)
    of_rounds = len(by_round.counts)
    rates = rate_columns(np.full(len(n), of_rounds), n_rounds)
    table = pd.DataFrame(names, columns=["kind", "name", "label"])
    return table.assign(
        n=n,
        of=by_round.total[-1],
        share=_shares(by_round.total),
        low=np.where(n, low, np.nan),
        high=np.where(n, high, np.nan),
        rounds=n_rounds,
        of_rounds=of_rounds,
        round_share=rates["rate"],
        round_low=rates["low"],
        round_high=rates["high"],
    )


def share_of_decisions(
    judged: pd.DataFrame, is_member: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """The share of the decisions that are members, and the ends of its interval (bootstrap over
    rounds); all nan without a decision, the ends for fewer than two rounds and a count of 0."""
    if not len(judged):
        return np.nan, np.nan, np.nan
    by_round = _by_round(judged, [is_member])
    share = _shares(by_round.total).item()
    low, high = by_round.interval(_shares)
    if not is_member.any():
        return share, np.nan, np.nan
    return share, low.item(), high.item()


def divergence_histogram(judged: pd.DataFrame) -> pd.DataFrame:
    """Decisions by divergence, a row for each of 20 bins.

    ``from``, ``to`` (bits), ``n``, ``share``, ``low``, ``high`` (bootstrap over rounds), and
    ``n_*`` by class, each decision in the first class that applies.
    """
    places = judged["divergence"].to_numpy() / BIN + 1e-9
    bins = np.minimum(places.astype(int), N_BINS - 1)
    is_in_bin = [bins == i for i in range(N_BINS)]
    low, high = _by_round(judged, is_in_bin).interval(_shares)
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
        bins_of_class = bins[kinds == name]
        columns[f"n_{name}"] = np.bincount(bins_of_class, minlength=N_BINS)
    return pd.DataFrame(columns)


def mean_divergence(judged: pd.DataFrame) -> tuple[float, float, float]:
    """Mean divergence of the decisions, bits, with its interval (bootstrap over rounds)."""
    divergence = judged["divergence"]
    millionths = np.round(divergence.to_numpy() * MILLION)  # counts are whole numbers
    low, high = _by_round(judged, [millionths]).interval(_shares)
    return float(divergence.mean()), low.item() / MILLION, high.item() / MILLION


def _by_round(judged: pd.DataFrame, amounts: Sequence[NDArray]) -> ByGame:
    """Sums of amounts over the decisions of each round; the last column counts the decisions."""
    _, index = np.unique(judged["round"], return_inverse=True)
    sums = [np.bincount(index, amount) for amount in amounts]
    counts = np.stack([*sums, np.bincount(index)], axis=1)
    return ByGame(counts.astype(np.int32))


def _shares(totals: NDArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return totals[..., :-1] / totals[..., -1:]
