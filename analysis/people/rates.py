"""Rates of one player against a cohort: points, contracts set, nils, bags.

A trial is one round of one seat, or one nil that it bid. The percentile says where the player
stands among as many trials drawn from the cohort's: by chance alone a member of it is anywhere.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from spades.core.derived import derive
from spades.core.logs import Log
from spades.core.rules import NO_BID

N_SAMPLES = 2000
MEASURES = {
    "points": "Points a round, own side less the other",
    "set": "Contracts set",
    "nils": "Rounds with a nil bid",
    "made": "Nils made",
    "bags": "Bags a round, own side",
}
SHARES = ("set", "nils", "made")
_PARTNERS = [2, 3, 0, 1]
Trials = Mapping[str, NDArray[np.float64]]


def trials_of(log: Log, seats: NDArray[np.bool_]) -> Trials:
    """The value of every trial by measure, of the seats that are marked, (rounds, 4); whole rounds
    alone count, and a side's contract of 0 is no trial of *set*."""
    found, sides = derive(log), np.array([0, 1, 0, 1])
    wanted = seats & found.has_score[:, None]
    counts = np.array([rules.failed_nil_tricks != "bags" for rules in log.rules])[log.rules_code]
    contract = np.where(log.bids == NO_BID, 0, log.bids)
    taken = np.where(found.bid_nil & ~counts[:, None], 0, found.tricks_taken)
    contract, taken = (one + one[:, _PARTNERS] for one in (contract, taken))
    points = found.points - found.points[:, ::-1]
    values = {
        "points": (points[:, sides], wanted),
        "set": (taken < contract, wanted & (contract > 0)),
        "nils": (found.bid_nil, wanted),
        "made": (found.made_nil, wanted & found.bid_nil),
        "bags": (found.bags[:, sides], wanted),
    }
    return {name: value[mask].astype(float) for name, (value, mask) in values.items()}


def compare_rates(own: Trials, cohort: Trials, seed: int = 0) -> pd.DataFrame:
    """A row a measure: the player's mean and the cohort's, each with n and a 95% interval (shares
    by Clopper and Pearson), and ``percentile``, the share of samples of the cohort that lie below,
    half of those that are level. What nobody has a trial of is missing."""
    rows, rng = [], np.random.default_rng(seed)
    for name in MEASURES:
        row: dict[str, float | str] = {"measure": name}
        for who, values in (("own", own[name]), ("cohort", cohort[name])):
            low, high = _interval(name, values) or (np.nan, np.nan)
            mean = values.mean() if len(values) else np.nan
            row |= {who: mean, f"{who}_low": low, f"{who}_high": high, f"{who}_n": len(values)}
        row["percentile"] = _percentile(own[name], cohort[name], rng)
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(name: str, values: NDArray[np.float64]) -> tuple[float, float] | None:
    if name in SHARES:
        return share_interval(int(values.sum()), len(values))
    return ratio_interval(values, np.ones(len(values)))


def _percentile(
    own: NDArray[np.float64], cohort: NDArray[np.float64], rng: np.random.Generator
) -> float:
    if not len(own) or not len(cohort):
        return np.nan
    n, total = len(own), float(own.sum())
    sums = np.array([cohort[rng.integers(len(cohort), size=n)].sum() for _ in range(N_SAMPLES)])
    return float(((sums < total) + 0.5 * (sums == total)).mean())
