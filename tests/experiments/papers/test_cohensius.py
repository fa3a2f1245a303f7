"""Figure 2 by hand, figure 3 by both readings of a nil's third card."""

import numpy as np
import pytest

from analysis.matches.match import MatchPlan
from analysis.papers.verdicts import CANT_TELL
from experiments.nil_readings import load_readings
from experiments.papers.claims import Sheet
from experiments.papers.cohensius import (
    MATCHES,
    N_BINS,
    N_SUMS,
    _add_length_of_games,
    _by_sum,
    _nil_or_not,
    success_curves,
)
from experiments.papers.lab import Lab
from spades.bidding.curves import PATTERN_TABLE, TABLE, load_curves
from tests.results import own_results  # noqa: F401 - a fixture of every test here


def histogram(points):
    """Rounds by points, two equal parts."""
    counts = np.zeros((2, N_BINS), np.int64)
    for value, n in points.items():
        counts[:, (value + 405) // 10] = n
    return counts


def test_a_partners_nil_is_among_the_rounds_without_an_own_one():
    counts = {
        "other": histogram({60: 50, 90: 9, -60: 4, -80: 5}),
        "nil": histogram({140: 6, 130: 5, 50: 2, -60: 3}),
    }
    rows = {row["claim"]: row for row in _nil_or_not(counts).document["rows"]}
    assert {claim: (row["ours"], row["n"]) for claim, row in rows.items()} == {
        "non-nil histogram: main peak": (60, 2 * 84),
        "non-nil histogram: left peak": (-60, 2 * 12),
        "non-nil histogram: right peak": (140, 2 * 11),
        "nil histogram: left peak": (-60, 2 * 3),
        "nil histogram: right peak": (140, 2 * 13),
    }


def test_points_by_the_sum_of_the_bids():
    rounds, own, other = np.zeros((3, 20, N_SUMS))
    for total, n, points, their_points in (
        (10, 40, 2000, 2200),
        (14, 5, 300, 200),
        (15, 2, -100, 60),
    ):
        rounds[:, total] = n
        own[:, total] = points
        other[:, total] = their_points
    spread = np.where(np.arange(20) % 2, 0.9, 1.1)[:, None]  # parts differ, or no interval
    by_sum = np.stack([rounds, spread * own, spread * other], axis=1)
    document = _by_sum({"by_sum": by_sum}).document
    assert {row["claim"]: row["ours"] for row in document["rows"]} == pytest.approx(
        {
            "two bots ahead of bot and human": (200 - 100 + 160) / 47,
            "further ahead where the bids exceed 14": 80 - 100 / 45,
            "two bots ahead where the bids sum to 14": -20,
        }
    )


def test_the_starred_point_by_both_readings():
    document = success_curves().document
    ours, pattern = document["rows"][0], document["readings"][0]
    assert pattern["claim"] == f"third card by the pattern: {ours['claim']}"
    for one, table in ((ours, TABLE), (pattern, PATTERN_TABLE)):
        assert one["ours"] == load_curves(table).probability((1, 3), 0.8)
        assert (one["published"], one["of"]) == ("65%", "nils")


def test_scores_of_both_readings_are_the_stored_ones():
    stored, rows = (
        load_readings(),
        {one["claim"]: one for one in success_curves().document["readings"]},
    )
    made = rows["third card by the pattern: nils valued 0.8 to 0.9 made"]
    tenths = stored["tenths"]["pattern"]
    assert made["n"] == tenths["n"][8]
    assert made["ours"] == pytest.approx(tenths["made"][8] / tenths["n"][8])
    less = rows[
        "as printed less by the pattern: log-loss of the raw nil value, hands not denied a nil"
    ]
    assert less["ours"] == stored["scores"]["all"]["value"]["printed_less"]["log_loss"]["value"]
    assert less["verdict"] == CANT_TELL  # the paper prints none
    for one in rows.values():
        assert one["interval"][0] < one["ours"] < one["interval"][1]


def test_a_quarter_is_the_part_of_the_mean_gain_over_rb_as_printed():
    gains = [
        ours / theirs - 1
        for duel in MATCHES["cohensius-table2"]
        for ours, theirs in [duel.points]
        if duel.second.endswith("+rb")
    ]
    assert len(gains) == 4
    assert 0.025 / np.mean(gains) == pytest.approx(0.25, abs=0.005)


def test_rounds_of_all_games_of_a_table_are_counted():
    lab = Lab(0.0)
    of_table = MATCHES["cohensius-table2"]
    plans = {duel: MatchPlan("srp+bis", "wrp+io", 20, i) for i, duel in enumerate(of_table)}
    sheet = Sheet("cohensius-table2", "", "")
    _add_length_of_games(lab, sheet, plans)
    (row,) = sheet.document["rows"]
    lengths = np.array([lab.results(plan).rounds for plan in plans.values()])
    assert row["n"] == lengths.size == 20 * len(of_table)
    assert row["ours"] == lengths.mean()
