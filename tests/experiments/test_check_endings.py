"""Conclusions of the last tricks held against the proof: what counts as a fault."""

import pytest

from analysis.decisions.conclusion import CLEAR, TOSS_UP, Conclusion, Gain, Proof
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.proof import is_provable, prove
from analysis.decisions.settings import AnalysisSettings
from experiments.check_endings import (
    AGAINST_PROOF,
    BUDGET,
    CLEAR_OF_EQUALS,
    LAST_PLIES,
    fault_of,
    random_records,
)
from tests.analysis.decisions.made_up import class_value

FIRST, SECOND = ("A♠",), ("K♠",)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


@pytest.mark.slow
def test_hands_of_the_logs_are_without_fault():
    n = 0
    for record in random_records(4):
        for ply in LAST_PLIES:
            if is_provable(record.observation(ply)):
                found = decide(record, ply, judge_settings(AnalysisSettings()), budget=BUDGET)
                assert fault_of(found, prove(record.observation(ply))) == ""
                n += 1
    assert n > 10


def concluded(kind, *behind, **proof):
    """The first class, and the second behind it by an interval."""
    rows = (class_value(FIRST), class_value(SECOND, *behind))
    return Conclusion(kind, rows, 1.0, proof=Proof(deals=6, best_in=6, **proof))


def test_another_card_than_the_proven_one_is_a_fault():
    proven = concluded(CLEAR, 5.0, (5.0, 5.0))
    other = Conclusion(CLEAR, (class_value(SECOND), class_value(FIRST, 3.0, (2.0, 4.0))), 1.0)
    assert fault_of(proven, proven) == ""
    assert fault_of(other, proven) == AGAINST_PROOF


def test_behind_a_card_that_is_proven_as_good_is_a_fault():
    proven = concluded(TOSS_UP)
    assert fault_of(concluded(CLEAR, 3.0, (2.0, 4.0)), proven) == AGAINST_PROOF


def test_clear_of_an_equal_needs_a_gain():
    proven = Conclusion(CLEAR, (class_value(FIRST),), 1.0, proof=Proof(deals=6, best_in=4))
    equals = ((FIRST, SECOND),)
    behind = 3.0, (2.0, 4.0)
    assert fault_of(concluded(CLEAR, *behind, equals=equals), proven) == CLEAR_OF_EQUALS
    gain = Gain(FIRST, SECOND, 3.0, (2.0, 4.0), 200)
    assert fault_of(concluded(CLEAR, *behind, equals=equals, gain=gain), proven) == ""
