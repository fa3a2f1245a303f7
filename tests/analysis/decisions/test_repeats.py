"""Do conclusions repeat, and do they hold? Judged twice, and against long searches."""

import pytest

from analysis.decisions.candidates import stability_series
from analysis.decisions.conclusion import CLEAR, TOSS_UP, judge
from analysis.decisions.evidence import decide
from analysis.decisions.settings import AnalysisSettings
from analysis.intervals import share_interval
from tests.positions import draw_decisions

N_DECISIONS, SEED, ITERATIONS, BUDGET = 30, 5, 500, 0.7  # budget in seconds of a core
LONG_ITERATIONS, N_LONG = 25_000, 60
AGREED, OVERTURNED = 0.95, 0.032
"""The least share judged alike twice, the largest of clear ones overturned. The test fails where
the 95% interval of what it counts lies beyond: it takes 5 of 30, or 4 of some 22 clear ones.

By four seeds of 40 decisions 156 of 160 were judged alike, 0 of 148 overturned. Judged by two
searches alone 21 of 40 are alike; where the second class is named best, 30 of 33 are overturned.
"""


def is_same(one, other):
    """The same best class, or both toss-ups."""
    return one.best.cards == other.best.cards or one.kind == other.kind == TOSS_UP


def by_long_searches(record, ply):
    run = stability_series(record, ply, AnalysisSettings(LONG_ITERATIONS, seed=7))
    run.extend(N_LONG)
    for _ in run.steps():
        pass
    return judge(run.items, record.observation(ply))


@pytest.mark.slow
def test_conclusions_repeat_and_long_searches_overturn_few_clear_ones(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    n_agreed = n_judged = n_clear = n_overturned = 0
    for record, ply in draw_decisions(N_DECISIONS, SEED):
        twice = [
            decide(record, ply, AnalysisSettings(ITERATIONS, seed), budget=BUDGET)
            for seed in (0, 1_000_000)
        ]
        if None in twice:
            continue
        n_judged += 1
        n_agreed += is_same(*twice)
        if clear := [one for one in twice if one.kind == CLEAR]:
            left_open = [one.cards for one in by_long_searches(record, ply).open]
            n_clear += len(clear)
            n_overturned += sum(one.best.cards not in left_open for one in clear)
    assert n_judged > 0.9 * N_DECISIONS
    assert n_clear >= 10
    assert share_interval(n_agreed, n_judged)[1] >= AGREED
    assert share_interval(n_overturned, n_clear)[0] <= OVERTURNED
