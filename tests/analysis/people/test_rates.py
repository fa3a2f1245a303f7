"""Rates of a player against a cohort: what counts, intervals, and percentiles that are level."""

import numpy as np
import pytest

from analysis.people.rates import MEASURES, compare_rates, rates_in_parts, trials_of
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
        table = compare_rates(own, cohort, seed=i).set_index("measure")
        found.append(table.loc["points", "percentile"])
    assert 0.38 < np.mean(found) < 0.62
    assert np.mean(np.array(found) < 0.1) < 0.25


def test_what_nobody_has_a_trial_of_is_missing(log):
    nothing = {name: np.empty(0) for name in MEASURES}
    table = compare_rates(nothing, trials_of(log, seats(log, 1)))
    assert table[["own", "own_low", "percentile"]].isna().all(axis=None)
    assert (table["own_n"] == 0).all()


def test_the_largest_and_surest_difference_comes_first():
    rng = np.random.default_rng(1)
    cohort = {name: rng.normal(0, 1, 4_000) for name in ("points", "bags")}
    cohort |= {name: rng.random(4_000) < 0.5 for name in ("set", "nils", "made")}
    cohort = {name: values.astype(float) for name, values in cohort.items()}
    own = {
        "points": np.full(400, 0.5),  # half a deviation in many rounds
        "bags": np.array([0.6]),  # more, in one
        "set": cohort["set"][:400],
        "nils": np.ones(400),  # one deviation
        "made": np.empty(0),
    }
    table = compare_rates(own, cohort).set_index("measure")
    assert list(table.index[:3]) == ["nils", "points", "bags"]
    assert table.index[-1] == "made"
    assert table.loc["nils", "distance"] == pytest.approx(1, abs=0.05)
    assert table.loc["points", "distance"] == pytest.approx(0.5, abs=0.05)
    assert table.loc["bags", "distance"] > table.loc["points", "distance"]


def test_parts_are_the_players_rounds_in_order(log):
    own = seats(log, 2)
    own[::3] = False  # not in every round
    parts = rates_in_parts(log, own, "points")
    n_rounds = int(own.any(axis=1).sum())
    assert len(parts) == 10
    assert parts["first"].tolist() == [1, *(parts["last"][:-1] + 1)]
    assert parts["last"].iloc[-1] == n_rounds
    points = trials_of(log, own)["points"]
    for part in parts.to_dict("records"):
        values = points[part["first"] - 1 : part["last"]]
        assert part["own"] == pytest.approx(values.mean())
        assert part["own_n"] == len(values)
        assert part["own_low"] < part["own"] < part["own_high"]


def test_few_rounds_have_fewer_parts(log):
    own = seats(log, 1)
    own[25:] = False
    assert rates_in_parts(log, own, "nils")["last"].tolist() == [13, 25]
