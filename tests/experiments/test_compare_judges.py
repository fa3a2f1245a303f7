"""Judges compared: leads against what was realised, on made-up pairs and on a real decision."""

import math

import numpy as np
import pytest

from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP
from analysis.decisions.truth import TruthDecision
from experiments import compare_judges
from experiments.compare_judges import (
    JUDGE,
    Pair,
    judged,
    measured,
    merged,
    pairs_of,
    repeats,
    slope_and_explained,
    strata_of,
)
from experiments.truth_set import Stratum, find_decision
from spades.core.equivalence import equivalent_cards
from spades.notation.schema import row_of


def noisy_pairs(slope, spread, noise, n=4000):
    """Claimed leads, and realised ones of which ``spread`` is not in the claim."""
    rng = np.random.default_rng(1)
    claimed = rng.normal(0, 10, n)
    true = slope * claimed + rng.normal(0, spread, n)
    realised = true + rng.normal(0, noise, n)
    return [Pair(*pair, noise) for pair in zip(claimed, realised, strict=True)]


def test_leads_that_are_right_have_slope_1_and_explain_all_but_noise():
    slope, explained = slope_and_explained(noisy_pairs(1.0, 0.0, 5.0))
    assert slope == pytest.approx(1, abs=0.03)
    assert explained == pytest.approx(1, abs=0.05)


def test_leads_that_are_too_large_are_told_from_leads_that_are_unreliable():
    slope, explained = slope_and_explained(noisy_pairs(0.3, 0.0, 2.0))
    assert slope == pytest.approx(0.3, abs=0.02)
    assert explained == pytest.approx(1, abs=0.1)
    slope, explained = slope_and_explained(noisy_pairs(1.0, 10.0, 2.0))
    assert slope == pytest.approx(1, abs=0.05)
    assert explained == pytest.approx(0.5, abs=0.05)
    assert all(map(math.isnan, slope_and_explained([Pair(0.0, 1.0, 1.0)])))


def test_what_overturns_a_lead_is_over_a_point_and_two_errors():
    assert Pair(3.0, -5.0, 2.0).is_overturned
    assert not Pair(3.0, -5.0, 2.6).is_overturned
    assert not Pair(3.0, -0.9, 0.1).is_overturned
    assert not Pair(3.0, 5.0, 1.0).is_overturned


@pytest.fixture(scope="module")
def decision():
    """A late decision whose values are made up."""
    record, ply = find_decision(Stratum("human", False, "late"), 5)
    deck = record.rules.cards
    classes = tuple(
        tuple(map(deck.format_card, codes)) for codes in equivalent_cards(record.observation(ply))
    )
    n = len(classes)
    values = np.arange(n, 0.0, -1.0) * 10
    return TruthDecision(
        "human", False, "late", "report", record, ply, classes, 100, values, np.eye(n), np.zeros(0)
    )


@pytest.mark.parametrize("name", ["ismcts", "srp plays on", "solved", JUDGE])
def test_a_judge_values_every_class_of_a_decision(decision, name, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    monkeypatch.setattr(compare_judges, "MOST", 20)
    if name == JUDGE:  # the others end at MOST, and may have to be compiled first
        monkeypatch.setattr(compare_judges, "SECONDS", 1.0)
    found = judged(name, row_of(decision.record), decision.ply)
    assert set(map(tuple, found["classes"])) == set(decision.classes)
    assert len(found["values"]) == len(decision.classes)
    assert np.isfinite(found["values"]).all()
    assert tuple(found["best"]) in decision.classes
    pairs = pairs_of(decision, found)
    assert len(pairs) == len(decision.classes) - 1
    assert all(pair.claimed >= 0 for pair in pairs)


def test_what_a_judge_is_worth_is_counted(decision):
    """Clear for the last class, which the first beats by 10 points a class."""
    n = len(decision.classes)
    assert n > 1

    def claim(best, kind):
        values = [5.0 if i == best else 0.0 for i in range(n)]
        names = [list(cards) for cards in decision.classes]
        return {"classes": names, "values": values, "best": names[best], "kind": kind, "seconds": 2}

    right, wrong = claim(0, CLEAR), claim(n - 1, CLEAR)
    row = measured([(decision, right), (decision, wrong), (decision, claim(0, LEANS))])
    assert (row["decisions"], row["pairs"]) == (3, 3 * (n - 1))
    assert (row["clear"], row["overturned"], row["open"]) == (2, 1, 1)
    assert row["overturned_interval"][0] < 0.5 < row["overturned_interval"][1]
    assert measured([(decision, right)])["slope"] > 1
    toss_ups = [claim(0, TOSS_UP), claim(n - 1, TOSS_UP)]
    assert repeats([right, *toss_ups], [wrong, *reversed(toss_ups)])["same"] == 2


def test_strata_hold_every_decision_of_theirs(decision):
    strata = strata_of([decision, decision])
    assert strata["all"] == [0, 1]
    assert set(strata) == {"all", "no nil", "late", "human", "human, no nil, late"}


def test_judges_that_are_not_asked_keep_their_rows(decision):
    values = list(decision.values)
    row = {"best": decision.classes[0], "kind": CLEAR, "seconds": 1.0}
    found = {"best": [{**row, "classes": decision.classes, "values": values}]}
    whole = merged([decision], found, {"rows": [], "repeats": None})
    strata = [row["stratum"] for row in whole["rows"]]
    assert strata == ["all", "no nil", "late", "human", "human, no nil, late"]
    others = [{"judge": "srp plays on", "stratum": name, "slope": 0.5} for name in strata]
    before = {"rows": [{**whole["rows"][0], "slope": 9.0}, *others], "repeats": {"same": 3}}
    after = merged([decision], found, before)
    assert after["rows"] == [
        row for pair in zip(whole["rows"], others, strict=True) for row in pair
    ]
    assert after["repeats"] == {"same": 3}
