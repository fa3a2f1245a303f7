"""The pooled tests of figure 1, on games made up by hand."""

import itertools

import numpy as np
import pytest

from analysis.papers.notes import MAIN, reading_of, reason_not_main
from experiments.papers.claims import Estimate, Sheet
from experiments.papers.whitehouse import (
    DEFAULT,
    HARDEST,
    ITERATIONS,
    LEVELS,
    NAMED,
    Setting,
    _add_gain_by_heuristics,
    _add_games_won_of_levels,
    _add_margin_over_standard_game,
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


def test_the_margin_over_the_standard_game_is_one_row_over_its_settings():
    wins = {}
    rates = {}
    for nil_only, skew, n in itertools.product((False, True), (False, True), ITERATIONS):
        setting = Setting(nil_only, DEFAULT, skew, n)
        of_pairs = np.zeros(N_PAIRS)
        of_pairs[: N_PAIRS // 4] = 2  # a quarter of the games
        if nil_only and not skew:
            of_pairs[-N_PAIRS // 8 :] = 2 if n == NAMED[0] else 1
        wins[setting] = of_pairs
        rates[setting] = Estimate.share(int(of_pairs.sum()), 2 * N_PAIRS, "games")
    sheet = Sheet("whitehouse-fig1b", "", "")
    _add_margin_over_standard_game(sheet, rates, wins)
    pooled, with_heuristics, *singles = sheet.document["rows"]
    assert pooled["claim"] == "default level: more than in the standard game by"
    assert [one["ours"] for one in singles] == pytest.approx([1 / 8, 1 / 16, 1 / 16])
    assert pooled["ours"] == pytest.approx(np.mean([one["ours"] for one in singles]))
    assert pooled["verdict"] == "agrees"
    assert with_heuristics["ours"] == 0
    assert with_heuristics["verdict"] == "can't tell"
    readings = [reading_of(one) for one in sheet.document["rows"]]
    assert [one.name for one in readings] == [
        MAIN,
        "with heuristics",
        *(f"{n:,} iterations" for n in NAMED),
    ]
    assert {one.claim for one in readings} == {pooled["claim"]}


def test_the_margin_over_a_level_is_one_row_over_its_settings():
    n_won = dict.fromkeys(ITERATIONS, N_PAIRS) | {ITERATIONS[0]: N_PAIRS // 2}
    wins = {}
    for level, skew, n in itertools.product(LEVELS, (False, True), ITERATIONS):
        of_pairs = np.zeros(N_PAIRS)
        of_pairs[: n_won[n] // (1 + skew)] = 2
        wins[Setting(True, level, skew, n)] = of_pairs
    sheet = Sheet("whitehouse-fig1b", "", "")
    _add_games_won_of_levels(sheet, wins)
    for level in LEVELS:
        main, other = [row for row in sheet.document["rows"] if row["claim"].startswith(level)]
        assert (main["ours"], other["ours"]) == pytest.approx((7 / 8, 7 / 16))
        assert (main["verdict"], other["verdict"]) == ("agrees", "differs")
        assert [reading_of(row).name for row in (main, other)] == [
            MAIN,
            "all iterations, with heuristics",
        ]
        assert not reason_not_main(main)
        assert reason_not_main(other)
        single = {**main, "claim": f"{level} level, 1,200 iterations, with heuristics"}
        assert reading_of(single).claim == main["claim"]
