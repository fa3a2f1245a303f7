"""Rates of a player against a cohort: what counts, intervals, and percentiles that are level."""

import numpy as np
import pytest

from analysis.people.rates import MEASURES, compare_rates, trials_of
from spades.core.rules import Rules
from spades.human import simulate_humans


def seats(log, *marked):
    mask = np.zeros((len(log), 4), bool)
    mask[:, list(marked)] = True
    return mask


@pytest.fixture(scope="module", params=["contract", "bags"])
def log(request):
    return simulate_humans(300, 8, rules=Rules(failed_nil_tricks=request.param))


def test_trials_are_those_of_the_rounds_one_by_one(log):
    found = {name: [] for name in MEASURES}
    for record in log.records():
        score, table = record.score(), record.final().table
        own, bids = 0, record.bids
        found["points"].append(score.points[own] - score.points[1 - own])
        found["bags"].append(score.bags[own])
        found["nils"].append(bids[2] == 0)
        if bids[2] == 0:
            found["made"].append(table.tricks_taken[2] == 0)
        counted = [
            0 if bids[s] == 0 and record.rules.failed_nil_tricks == "bags" else n
            for s, n in enumerate(table.tricks_taken)
        ]
        if bids[0] + bids[2]:
            found["set"].append(counted[0] + counted[2] < bids[0] + bids[2])
    trials = trials_of(log, seats(log, 2))
    assert {name: values.tolist() for name, values in trials.items()} == found


def test_a_member_of_the_cohort_is_within_it_and_another_is_not(log):
    cohort = trials_of(log, seats(log, 0, 1, 2, 3))
    table = compare_rates(trials_of(log, seats(log, 1)), cohort).set_index("measure")
    assert (table["own_low"] < table["own"]).all()
    assert (table["own"] < table["own_high"]).all()
    assert table["percentile"].between(0.01, 0.99).all()
    assert table.loc["points", "cohort"] == 0  # what one side wins the other loses
    worse = {name: values - (name == "points") * 40 for name, values in cohort.items()}
    below = compare_rates(worse, cohort).set_index("measure")["percentile"]
    assert below["points"] == 0
    assert below["bags"] == pytest.approx(0.5, abs=0.1)


def test_percentiles_are_level_by_chance(log):
    trials = trials_of(log, seats(log, 0, 1, 2, 3))
    cohort = {name: np.empty(0) for name in MEASURES} | {"points": trials["points"]}
    rng, found = np.random.default_rng(3), []
    for i in range(60):
        own = cohort | {"points": rng.choice(cohort["points"], 40)}
        found.append(compare_rates(own, cohort, seed=i)["percentile"][0])
    assert 0.38 < np.mean(found) < 0.62
    assert np.mean(np.array(found) < 0.1) < 0.25


def test_what_nobody_has_a_trial_of_is_missing(log):
    nothing = {name: np.empty(0) for name in MEASURES}
    table = compare_rates(nothing, trials_of(log, seats(log, 1)))
    assert table[["own", "own_low", "percentile"]].isna().all(axis=None)
    assert (table["own_n"] == 0).all()
