"""Rates of one player against a cohort: points, contracts set, nils, bags.

A trial is one round of one seat, or one nil that it bid. The percentile places the player among
samples of as many trials drawn from the cohort; that of a player no different from the cohort is
uniform from 0 to 100. The *distance* is that of the two means, in standard deviations of the
cohort's trials. Rates are ranked by the distance times how sure it is, the share of those samples
that lie nearer to their own middle than the player does: the largest and surest first.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.intervals import ratio_interval, share_interval, with_ends
from spades.core.derived import derive
from spades.core.kernel import BoolArray, FloatArray
from spades.core.logs import Log
from spades.core.rules import NO_BID

N_SAMPLES = 2000
N_PARTS = 10  # of a player's rounds, in order
LEAST_ROUNDS = 10  # of each part
MEASURES = {
    "points": "Points a round, own side less the other",
    "set": "Contracts set",
    "nils": "Rounds with a nil bid",
    "made": "Nils made",
    "bags": "Bags a round, own side",
}
SHARES = ("set", "nils", "made")
_PARTNERS = [2, 3, 0, 1]
Trials = Mapping[str, FloatArray]


def trials_of(log: Log, seats: BoolArray) -> Trials:
    """The value of every trial by measure, of the ``seats`` that are marked, (rounds, 4). Only
    whole rounds count, and a side's contract of 0 is no trial of *set*."""
    derived = derive(log)
    is_trial = seats & derived.has_score[:, None]
    side_of_seat = np.array([0, 1, 0, 1])
    counts_as_bags = np.array([rules.failed_nil_tricks == "bags" for rules in log.rules])
    is_left_out = derived.bid_nil & counts_as_bags[log.rules_code][:, None]
    bids = np.where(log.bids == NO_BID, 0, log.bids)
    tricks = np.where(is_left_out, 0, derived.tricks_taken)
    contract = bids + bids[:, _PARTNERS]
    taken = tricks + tricks[:, _PARTNERS]
    difference = derived.points - derived.points[:, ::-1]
    trials = {
        "points": difference[:, side_of_seat][is_trial],
        "set": (taken < contract)[is_trial & (contract > 0)],
        "nils": derived.bid_nil[is_trial],
        "made": derived.made_nil[is_trial & derived.bid_nil],
        "bags": derived.bags[:, side_of_seat][is_trial],
    }
    return {name: values.astype(float) for name, values in trials.items()}


def compare_rates(own: Trials, cohort: Trials, seed: int = 0) -> pd.DataFrame:
    """A row for each measure, the largest and surest difference first: the player's mean and the
    cohort's, each with n and a 95% interval (shares by Clopper and Pearson); ``distance`` of the
    two, and ``percentile``, the share of samples of the cohort that lie below, ties counting half.
    NaN where there is no trial."""
    rng = np.random.default_rng(seed)
    rows = []
    for name in MEASURES:
        row = {
            "measure": name,
            **_mean_columns("own", name, own[name]),
            **_mean_columns("cohort", name, cohort[name]),
            "distance": _distance(own[name], cohort[name]),
            "percentile": _percentile(own[name], cohort[name], rng),
        }
        rows.append(row)
    table = pd.DataFrame(rows)
    sureness = (2 * table["percentile"] - 1).abs()
    order = (table["distance"].abs() * sureness).sort_values(ascending=False, kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def rates_in_parts(log: Log, seats: BoolArray, measure: str) -> pd.DataFrame:
    """A measure over the rounds in which a player has ``seats`` (rounds, 4), in the log's order: a
    row for each of ``N_PARTS`` parts, or fewer of at least ``LEAST_ROUNDS``. ``first`` and ``last``
    of the player's rounds, from 1; ``own`` with ``n`` trials and interval."""
    own_rounds = np.flatnonzero(seats.any(axis=1))
    n_parts = max(1, min(N_PARTS, len(own_rounds) // LEAST_ROUNDS))
    rows = []
    for places in np.array_split(np.arange(len(own_rounds)), n_parts):
        part = own_rounds[places]
        values = trials_of(log.take(part), seats[part])[measure]
        ends = {"first": int(places[0]) + 1, "last": int(places[-1]) + 1}
        rows.append({**ends, **_mean_columns("own", measure, values)})
    return pd.DataFrame(rows)


def _mean_columns(prefix: str, measure: str, values: FloatArray) -> dict[str, float]:
    mean = float(values.mean()) if len(values) else np.nan
    return {
        **with_ends(prefix, mean, _interval(measure, values)),
        f"{prefix}_n": len(values),
    }


def _interval(name: str, values: FloatArray) -> tuple[float, float] | None:
    if name in SHARES:
        return share_interval(int(values.sum()), len(values))
    return ratio_interval(values, np.ones(len(values)))


def _distance(own: FloatArray, cohort: FloatArray) -> float:
    """In standard deviations of the cohort's trials."""
    if not len(own) or not len(cohort):
        return np.nan
    spread = cohort.std()
    return float((own.mean() - cohort.mean()) / spread) if spread else np.nan


def _percentile(
    own: FloatArray,
    cohort: FloatArray,
    rng: np.random.Generator,
) -> float:
    if not len(own) or not len(cohort):
        return np.nan
    total = own.sum()
    sums = np.empty(N_SAMPLES)
    for i in range(N_SAMPLES):
        sample = rng.integers(len(cohort), size=len(own))
        sums[i] = cohort[sample].sum()
    is_below = sums < total
    is_tie = sums == total
    return float((is_below + 0.5 * is_tie).mean())
