"""A match's numbers, worked by hand."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from analysis.intervals import clopper_pearson, ratio_interval, share_interval
from analysis.matches.result import MatchNumbers
from spades.agents import PairResults
from spades.core.rules import Rules


def results(scores, rounds, **others):
    """Results of pairs: scores by pair, seating and agent; everything else 0 unless given."""
    scores = np.array(scores, dtype=np.int64)
    columns = {
        name: np.zeros_like(scores)
        for name in (
            "penalties", "bags", "nils", "nils_made", "contracts", "contracts_made", "nanoseconds",
        )
    }  # fmt: skip
    columns |= {name: np.array(values, dtype=np.int64) for name, values in others.items()}
    columns["faults"] = np.zeros(scores.shape, dtype=np.str_)
    return PairResults(rounds=np.array(rounds, dtype=np.int64), scores=scores, **columns)


# Three pairs. Wins of the first agent: both; one of two; one, and one game left open.
SCORES = [[[510, 300], [505, -20]], [[520, 100], [480, 530]], [[500, 0], [120, 450]]]
ROUNDS = [[9, 8], [10, 10], [8, 100]]


def test_clopper_pearson_of_none_one_and_five_of_ten():
    assert share_interval(0, 0) is None
    assert share_interval(0, 10) == pytest.approx((0, 1 - 0.025**0.1))
    low, high = share_interval(5, 10)
    assert (low, high) == pytest.approx((0.1871, 0.8129), abs=5e-5)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 10), (632, 1000)])
def test_clopper_pearson_equals_scipy(k, n):
    expected = binomtest(k, n).proportion_ci(method="exact")
    assert clopper_pearson(k, n) == pytest.approx((expected.low, expected.high))


def test_no_trials_know_nothing():
    assert clopper_pearson(0, 0) == (0, 1)


def test_a_ratio_over_pairs_by_hand():
    # 2 + 1 + 1 wins of 2 + 2 + 2: r = 2/3, residuals 2/3, -1/3, -1/3, their squares 6/9;
    # error = sqrt(3/2 * 6/9) / 6 = 1/6; t with 2 degrees of freedom is 4.3027.
    low, high = ratio_interval(np.array([2, 1, 1]), np.array([2, 2, 2]))
    assert (low, high) == pytest.approx((2 / 3 - 4.3027 / 6, 2 / 3 + 4.3027 / 6), abs=1e-5)


def test_pairs_that_agree_or_are_too_few_tell_no_interval():
    assert ratio_interval(np.array([1, 1, 1]), np.array([2, 2, 2])) is None
    assert ratio_interval(np.array([2]), np.array([2])) is None
    assert ratio_interval(np.array([0, 0]), np.array([0, 0])) is None


def test_wins_points_and_open_games():
    found = MatchNumbers.of(results(SCORES, ROUNDS), Rules())
    assert found.wins == (4, 1)
    assert found.undecided == 1
    assert found.win_rate == 4 / 5
    assert found.interval == share_interval(4, 5)
    low, high = found.interval_pairs
    assert (low, high) == (
        pytest.approx(max(0, ratio_interval(np.array([2, 1, 1]), np.array([2, 2, 1]))[0])),
        1.0,
    )
    assert found.rounds == 145
    ours, theirs = 510 + 505 + 520 + 480 + 500 + 120, 300 - 20 + 100 + 530 + 0 + 450
    assert found.points_per_round == (ours / 145, theirs / 145)
    assert found.points_difference.value == pytest.approx((ours - theirs) / 145)
    low, high = found.points_interval.ns
    assert (low + high) / 2 == pytest.approx(ours / 145)


def test_a_floor_decides_and_equal_scores_do_not():
    scores = [[[-200, 10], [500, 500]]]
    found = MatchNumbers.of(results(scores, [[4, 100]]), Rules(losing_floor=-200))
    assert (found.wins, found.undecided) == ((0, 1), 1)


def test_nothing_decided_has_no_win_rate():
    found = MatchNumbers.of(results([[[0, 0], [10, 20]]], [[100, 100]]), Rules())
    assert found.win_rate is None
    assert found.interval is None
    assert found.interval_pairs is None
    assert found.undecided == 2


def test_nils_contracts_bags_and_time_by_side():
    found = MatchNumbers.of(
        results(
            [[[500, 0], [0, 500]]],
            [[5, 5]],
            penalties=[[[100, 0], [0, 0]]],
            bags=[[[12, 1], [0, 3]]],
            nils=[[[2, 0], [1, 0]]],
            nils_made=[[[1, 0], [1, 0]]],
            contracts=[[[5, 4], [5, 4]]],
            contracts_made=[[[5, 4], [3, 0]]],
            nanoseconds=[[[26_000_000, 0], [26_000_000, 52_000]]],
        ),
        Rules(),
    )
    assert found.nil.ns == (3, 2, 2 / 3, share_interval(2, 3))
    assert found.nil.ew == (0, 0, None, None)
    assert [made.share for made in found.contract] == [0.8, 0.5]
    assert found.bags_per_round == (1.2, 0.4)
    assert found.penalty_per_round == (10, 0)
    assert found.ms_per_move == (52 / 260, pytest.approx(0.052 / 260))


def test_swapping_the_agents_mirrors_the_summary():
    one = MatchNumbers.of(results(SCORES, ROUNDS), Rules())
    other = MatchNumbers.of(results(SCORES, ROUNDS).swapped(), Rules())
    assert other.wins == one.wins.turned()
    assert other.win_rate == pytest.approx(1 - one.win_rate)
    low, high = one.points_difference.interval
    assert other.points_difference.interval == pytest.approx((-high, -low))


def test_the_paired_interval_covers_the_truth_about_95_times_in_100():
    """Pairs whose games are decided by the deal (negative correlation), many matches of 40."""
    rng = np.random.default_rng(5)
    covered, narrower, n_matches = 0, 0, 400
    for _ in range(n_matches):
        kinds = rng.choice(3, size=40, p=(0.7, 0.2, 0.1))  # one each, both won, both lost
        wins = np.array([1, 2, 0])[kinds]
        low, high = ratio_interval(wins, np.full(40, 2))
        covered += low <= 0.55 <= high
        narrower += high - low < np.diff(share_interval(int(wins.sum()), 80))[0]
    spread = 3 * math.sqrt(0.95 * 0.05 / n_matches)
    assert abs(covered / n_matches - 0.95) < spread + 0.015
    assert narrower > 0.95 * n_matches
