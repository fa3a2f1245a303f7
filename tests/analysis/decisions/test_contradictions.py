"""100 decisions at which searches contradict the proof; the judge doesn't.

Found by ``python -m experiments.find_contradictions``."""

import json
from pathlib import Path

import pytest

from analysis.decisions.conclusion import CLEAR
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings
from spades.notation.schema import record_of

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("contradictions.jsonl").read_text().splitlines()
]
FEW = 10
BUDGET = 0.3


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def check(case):
    record = record_of(case["record"])
    found = decide(record, case["ply"], judge_settings(AnalysisSettings()), budget=BUDGET)
    best = {tuple(cards) for cards in case["best"]}
    assert found.is_proven
    assert found.kind == case["kind"]
    assert {one.cards for one in found.within} == best
    assert not (found.kind == CLEAR and tuple(case["searched"]) in best)
    gain = found.proof.gain
    if gain is not None:  # of one proven as good over another
        assert {gain.cards, gain.over} <= best


def test_there_are_a_hundred():
    assert len(CASES) == 100
    assert len({json.dumps(case["record"]) for case in CASES}) == 100


@pytest.mark.parametrize("case", CASES[:: len(CASES) // FEW])
def test_the_judge_says_what_is_proven(case):
    check(case)


@pytest.mark.exhaustive
def test_the_judge_says_what_is_proven_of_all():
    for case in CASES:
        check(case)
