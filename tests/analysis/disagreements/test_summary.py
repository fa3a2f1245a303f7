"""Counts of decisions and rounds, the histogram and the mean of divergence, with intervals."""

import numpy as np
import pandas as pd
import pytest

from analysis.decisions.lenses import LENS_NAMES
from analysis.disagreements.judged import FINDS, STYLE, TRAP, judge
from analysis.disagreements.summary import (
    divergence_histogram,
    mean_divergence,
    share_of_decisions,
    summarise,
)
from tests.analysis.disagreements.made_up import SAME, UNCLEAR, made_up, several


def test_summary_counts_decisions_and_rounds():
    bag = 1 << LENS_NAMES.index("bag")
    judged = several(
        {"round": 0, "search_lenses": bag},
        {"round": 0, "search_lenses": bag, "search_p": 0.4},
        {"round": 1, **UNCLEAR},
        {"round": 2, **SAME},
    )
    rows = summarise(judged, "search").set_index("name")
    assert rows.loc[[FINDS, TRAP, STYLE, "bag", "score"], "n"].tolist() == [1, 2, 1, 2, 0]
    assert (rows["of"] == 4).all()
    assert rows.loc["bag", "share"] == 0.5
    assert rows.loc["bag", ["rounds", "of_rounds"]].tolist() == [1, 3]
    # Clopper and Pearson for 0 of 3: 1 - 0.025^(1/3)
    assert rows.loc["score", "round_high"] == pytest.approx(1 - 0.025 ** (1 / 3))
    assert np.isnan(rows.loc["score", "high"])
    assert 0 <= rows.loc["bag", "low"] <= 0.5 <= rows.loc["bag", "high"] <= 1


def test_histogram_and_mean():
    judged = several(
        {"round": 0, "divergence": 0.05},
        {"round": 0, "divergence": 0.049, **SAME},
        {"round": 1, "divergence": 1.0},
    )
    bars = divergence_histogram(judged)
    assert bars["n"].tolist() == [1, 1, *[0] * 17, 1]
    assert bars["n_agreed"].tolist()[0] == 1
    assert bars["n_finds"].sum() == 2
    mean, low, high = mean_divergence(judged)
    assert mean == pytest.approx(1.099 / 3)
    assert low <= mean <= high


@pytest.mark.slow
def test_intervals_cover_where_rounds_are_drawn():
    """Shares in fresh samples of rounds: about 95% of the intervals hold the true one."""
    rng, hits, n = np.random.default_rng(4), 0, 80
    many = pd.concat([made_up()] * (10 * n), ignore_index=True)
    for _ in range(60):
        rate = rng.beta(2, 8, n)  # rounds differ
        bags = rng.random((n, 10)) < rate[:, None]
        judged = judge(
            many.assign(
                round=np.repeat(np.arange(n), 10),
                search_lenses=bags.ravel() * (1 << LENS_NAMES.index("bag")),
            )
        )
        row = summarise(judged, "search").set_index("name").loc["bag"]
        hits += row["low"] <= 0.2 <= row["high"]
    assert 51 <= hits <= 60


def test_a_share_of_decisions_has_the_interval_of_its_rounds():
    judged = several(*({"round": i // 4, "ply": i % 4} for i in range(40)))
    share, low, high = share_of_decisions(judged, judged["ply"].to_numpy() == 0)
    assert (share, low, high) == (0.25, 0.25, 0.25)  # one of four in every round
    share, low, high = share_of_decisions(judged, judged["round"].to_numpy() < 5)
    assert share == 0.5
    assert low < 0.3 < 0.7 < high  # rounds of all or none
    nothing = share_of_decisions(judged, judged["ply"].to_numpy() > 9)
    assert nothing[0] == 0
    assert np.isnan(nothing[1:]).all()
    assert np.isnan(share_of_decisions(judged[:0], np.zeros(0, dtype=bool))).all()
