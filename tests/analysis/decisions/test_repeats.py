"""Do conclusions repeat, and do they hold? Judged twice, and against rounds played out."""

import pytest

from analysis.decisions import truth
from analysis.decisions.conclusion import CLEAR, THRESHOLD, TOSS_UP
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings
from analysis.intervals import share_interval

EVERY, BUDGET = 17, 2.0  # every so manyth decision, of all strata; seconds of a core
AGREED, OVERTURNED = 0.9, 0.02
"""The least share judged alike twice, the largest of clear ones overturned. The test fails where
the 95% interval of what it counts lies beyond."""


def is_same(one, other):
    """The same best class, or both toss-ups."""
    return one.best.cards == other.best.cards or one.kind == other.kind == TOSS_UP


def is_overturned(decision, conclusion):
    """Whether another class is better by over a point and two standard errors."""
    if conclusion.best.cards not in decision.classes:
        return False
    best = decision.classes.index(conclusion.best.cards)
    leads = [decision.lead(i, best) for i in range(len(decision.classes)) if i != best]
    return any(lead > THRESHOLD and lead > 2 * error for lead, error in leads)


@pytest.mark.exhaustive
def test_conclusions_repeat_and_rounds_played_out_overturn_few_clear_ones(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    reported = [one for one in truth.truth_set() if one.half == truth.REPORT]
    n_agreed = n_judged = n_clear = n_overturned = 0
    for decision in reported[::EVERY]:
        one, other = (
            decide(
                decision.record,
                decision.ply,
                judge_settings(AnalysisSettings(seed=seed)),
                budget=BUDGET,
            )
            for seed in (0, 1_000_000)
        )
        if one is None or other is None:
            continue
        n_judged += 1
        n_agreed += is_same(one, other)
        n_clear += one.kind == CLEAR
        n_overturned += one.kind == CLEAR and is_overturned(decision, one)
    assert n_judged > 0.8 * len(reported[::EVERY])
    assert n_clear >= 4
    assert share_interval(n_agreed, n_judged)[1] >= AGREED
    assert share_interval(n_overturned, n_clear)[0] <= OVERTURNED
