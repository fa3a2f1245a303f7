"""The pooled test of "no significant effect", on games made up by hand."""

import itertools

import numpy as np
import pytest

from experiments.papers.claims import Sheet
from experiments.papers.whitehouse import (
    DEFAULT,
    HARDEST,
    ITERATIONS,
    LEVELS,
    Setting,
    _add_gain_by_heuristics,
)

N_PAIRS = 400


def rows_of(nil_only, gain_of):
    """Rows where the heuristics win ``gain_of(level, iterations)`` more of the games."""
    rng = np.random.default_rng(1)
    luck = rng.integers(0, 2, N_PAIRS).astype(float)  # of the deals, which all settings play
    wins = {}
    for level, n in itertools.product(LEVELS, ITERATIONS):
        more = (rng.random(N_PAIRS) < 2 * gain_of(level, n)).astype(float)
        wins[Setting(nil_only, level, False, n)] = luck
        wins[Setting(nil_only, level, True, n)] = luck + more
    sheet = Sheet("id", "", "")
    _add_gain_by_heuristics(sheet, nil_only, wins)
    return {row["claim"]: row for row in sheet.document["rows"]}


def test_the_main_row_pools_all_settings_deal_by_deal():
    rows = rows_of(False, lambda level, n: 0.1 if level == HARDEST else 0.0)
    pooled = rows["all settings: gain by heuristics"]
    of_hardest = rows["hardest level: gain by heuristics"]
    singles = [rows[f"hardest level, {n:,} iterations: gain by heuristics"] for n in ITERATIONS]
    assert pooled["n"] == N_PAIRS
    assert of_hardest["ours"] == pytest.approx(np.mean([one["ours"] for one in singles]))
    assert pooled["ours"] == pytest.approx(of_hardest["ours"] / 2)
    widths = [np.diff(one["interval"])[0] for one in (of_hardest, *singles)]
    assert widths[0] < 0.7 * min(widths[1:]), "four settings tell more than one"
    assert {pooled["verdict"], of_hardest["verdict"]} == {"differs"}, "the effect is significant"


@pytest.mark.parametrize(("nil_only", "claim", "verdict"), [
    (False, "hardest level, few iterations: trend of the heuristics", "agrees"),
    (True, "hardest level: trend of the heuristics", "differs"),
])  # fmt: skip
def test_trends_are_of_the_hardest_level(nil_only, claim, verdict):
    rows = rows_of(nil_only, lambda level, n: 0.1 if level == HARDEST else 0.0)
    assert rows[claim]["verdict"] == verdict, "the text: slightly beneficial, slightly detrimental"
    level = rows[f"{DEFAULT} level: gain by heuristics"]
    assert level["verdict"] == "agrees"
    assert level["ours"] == 0
