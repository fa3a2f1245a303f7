"""Judges compared: leads against what was realised, on made-up pairs and on a real decision."""

import math

import numpy as np
import pytest

from analysis.decisions.truth import TruthDecision
from experiments import compare_judges
from experiments.compare_judges import (
    JUDGES,
    Pair,
    judged,
    pairs_of,
    report,
    slope_and_explained,
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


@pytest.mark.parametrize("name", ["ismcts", "srp plays on", "solved"])
def test_a_judge_values_every_class_of_a_decision(decision, name, monkeypatch):
    monkeypatch.setattr(compare_judges, "MOST", 20)
    found = judged(name, row_of(decision.record), decision.ply, 60.0)
    assert tuple(map(tuple, found["classes"])) == decision.classes
    assert len(found["values"]) == len(decision.classes)
    assert np.isfinite(found["values"]).all()
    assert 2 <= found["n"] <= 20
    pairs = pairs_of(decision, found)
    assert len(pairs) == len(decision.classes) - 1
    assert all(pair.claimed >= 0 for pair in pairs)
    assert [pair.error for pair in pairs] == pytest.approx([math.sqrt(2)] * len(pairs))
    line = report(name, [decision], [found])
    assert line.startswith(name)
    assert "   1 decisions" in line


def test_a_judge_that_has_nothing_to_say_is_left_out(decision):
    early = judged("solved", row_of(decision.record), 4, 0.1)
    assert early == {}
    assert report("solved", [decision], [early]).endswith("none")
    assert "solved" in JUDGES
