"""How often search and humans part, and how far: counts by class and lens, with intervals.

Decisions of one round hang together, so a round counts once: shares of decisions have the Poisson
bootstrap of ``analysis.style.bootstrap`` over rounds, shares of rounds Clopper and Pearson's
exact interval, which also says what may hide behind a count of 0. All at 95 %.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.decisions.lenses import LENSES
from analysis.disagreements.found import AGREED, CLASS_LABELS, CLASSES, OTHER, has_lens, of_class
from analysis.intervals import share_interval
from analysis.style.bootstrap import ByGame

BIN = 0.05
N_BINS = 20
CLASS, LENS = "class", "lens"


def summarise(judged: pd.DataFrame, role: str) -> pd.DataFrame:
    """A row a class and a lens: ``kind``, ``name``, ``label``; ``n`` decisions of the ``of`` there
    are, their ``share``, ``low`` and ``high`` (bootstrap over rounds, nan for
    fewer than two and for a count of 0, of which it knows nothing);
    ``rounds`` with at least one of the ``of_rounds``, ``round_share``, ``round_low``,
    ``round_high``. Lenses look at the card of ``role``."""
    groups = [(CLASS, name, CLASS_LABELS[name], of_class(judged, name)) for name in CLASSES]
    groups += [(LENS, one.name, one.label, has_lens(judged, one.name, role)) for one in LENSES]
    by_round = _by_round(judged, [np.asarray(is_in) for *_, is_in in groups])
    low, high = by_round.interval(_shares)
    counts = by_round.counts
    rows = []
    for i, (kind, name, label, _) in enumerate(groups):
        n, of = int(by_round.total[i]), int(by_round.total[-1])
        with_it, rounds = int((counts[:, i] > 0).sum()), len(counts)
        exact = share_interval(with_it, rounds) or (np.nan, np.nan)
        rows.append(
            {
                "kind": kind,
                "name": name,
                "label": label,
                "n": n,
                "of": of,
                "share": n / of if of else np.nan,
                "low": low[i] if n else np.nan,
                "high": high[i] if n else np.nan,
                "rounds": with_it,
                "of_rounds": rounds,
                "round_share": with_it / rounds if rounds else np.nan,
                "round_low": exact[0],
                "round_high": exact[1],
            }
        )
    return pd.DataFrame(rows)


def divergence_histogram(judged: pd.DataFrame) -> pd.DataFrame:
    """Decisions by divergence, a row for each of 20 bins: ``from``, ``to`` (bits), ``n``,
    ``share``, ``low``, ``high`` (bootstrap over rounds), and ``n_*`` by class, each decision in
    the first class that applies."""
    bins = np.minimum((judged["divergence"].to_numpy() / BIN + 1e-9).astype(int), N_BINS - 1)
    by_round = _by_round(judged, [bins == i for i in range(N_BINS)])
    low, high = by_round.interval(_shares)
    kinds = judged["class"].to_numpy()
    columns = {
        f"n_{name}": np.bincount(bins[kinds == name], minlength=N_BINS)
        for name in (*CLASSES, OTHER, AGREED)
    }
    n = np.bincount(bins, minlength=N_BINS)
    return pd.DataFrame(
        {
            "from": np.arange(N_BINS) * BIN,
            "to": np.arange(1, N_BINS + 1) * BIN,
            "n": n,
            "share": n / max(1, len(judged)),
            "low": np.where(n > 0, low, np.nan),
            "high": np.where(n > 0, high, np.nan),
            **columns,
        }
    )


def mean_divergence(judged: pd.DataFrame) -> tuple[float, float, float]:
    """Mean divergence of the decisions, bits, with its interval (bootstrap over rounds)."""
    rounds, index = np.unique(judged["round"], return_inverse=True)
    # In millionths of a bit: counts are whole numbers.
    millionths = np.round(judged["divergence"].to_numpy() * 1e6)
    sums = np.bincount(index, millionths, minlength=len(rounds))
    counts = np.stack([sums, np.bincount(index, minlength=len(rounds))], axis=1)
    low, high = ByGame(counts.astype(np.int32)).interval(_shares)
    mean = float(judged["divergence"].mean()) if len(judged) else float("nan")
    return mean, float(low[0]) / 1e6, float(high[0]) / 1e6


def _by_round(judged: pd.DataFrame, groups: list[NDArray]) -> ByGame:
    """Counts by round of each group, and of all decisions in the last column."""
    rounds, index = np.unique(judged["round"], return_inverse=True)
    columns = [np.bincount(index[is_in], minlength=len(rounds)) for is_in in groups]
    everything = np.bincount(index, minlength=len(rounds))
    return ByGame(np.stack([*columns, everything], axis=1).astype(np.int32))


def _shares(totals: NDArray) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return totals[..., :-1] / totals[..., -1:]
