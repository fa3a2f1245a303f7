"""Matches before their end: estimates, standings, rules that stop them."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.intervals import BETS, sequential_interval, share_interval
from analysis.matches import match as matches
from analysis.matches import running
from analysis.matches.league import match_table
from analysis.matches.match import MATCH, PART, MatchPlan, expected_seconds, play_part
from analysis.matches.result import BySide
from analysis.runs.store import Result, ResultStore
from tests.analysis.match_results import made_up
from tests.analysis.workers import InProcess

PLAN = MatchPlan("human", "random", 40, seed=3, target=150, floor=-150)


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 4)
    InProcess(monkeypatch)


def test_the_bound_is_where_the_bets_on_more_have_won_forty_times_their_stake():
    low, high = sequential_interval([1.0, 1.0, 0.5, 1.0])
    capital = [(1 + b * (1 / low - 1)) ** 3 * (1 + b * (0.5 / low - 1)) for b in BETS]
    assert np.mean(capital) == pytest.approx(40, rel=1e-3)
    assert high > 0.99
    assert sequential_interval([0.0, 0.0]) == (
        0,
        pytest.approx(1 - sequential_interval([1] * 2)[0]),
    )
    assert sequential_interval([]) is None


@pytest.mark.slow
def test_looking_often_between_equals_errs_in_at_most_5_percent():
    scores = np.random.default_rng(4).choice([0.0, 0.5, 1.0], p=[0.25, 0.5, 0.25], size=(150, 200))
    looks = range(10, 201, 10)
    wrong, naive = 0, 0
    for row in scores:
        intervals = [sequential_interval(row[:n]) for n in looks]
        wrong += any(not low <= 0.5 <= high for low, high in intervals)
        ordinary = [share_interval(int(2 * row[:n].sum()), 2 * n) for n in looks]
        naive += any(not low <= 0.5 <= high for low, high in ordinary)
    assert wrong <= 0.05 * len(scores)
    assert naive > 0.1 * len(scores)


@pytest.mark.parametrize(
    ("until", "interval", "met"),
    [("all", (0.9, 1.0), False), ("clear", (0.51, 0.9), True), ("clear", (0.2, 0.49), True),
     ("clear", (0.4, 0.6), False), ("5", (0.5, 0.6), True), ("5", (0.5, 0.61), False),
     ("2", (0.481, 0.52), True), ("clear", None, False)],
)  # fmt: skip
def test_when_a_rule_is_met(until, interval, met):
    assert running.is_met(until, interval) == met


def test_pairs_score_the_share_of_games_won():
    winners = np.array([[0, 0], [0, 1], [1, 1], [0, -1], [-1, -1]])
    assert running.pair_scores(winners).tolist() == [1, 0.5, 0, 0.75, 0.5]


def put_parts(plan, *numbers):
    for number in numbers:
        part = plan.ranges[number]
        ResultStore().put(PART, plan.parts()[part], play_part(plan.ordered, *part))


def test_a_match_stands_by_its_first_parts_whatever_else_is_stored():
    standings = running.Standings(PLAN)
    put_parts(PLAN, 1)
    assert standings.update() is None
    put_parts(PLAN, 0)
    standing = standings.update()
    assert (standing.games, len(standings.all)) == (16, 2)
    other = running.Standings(MatchPlan("random", "human", 40, 3, 150, -150)).update()
    assert other.share == pytest.approx(1 - standing.share)
    assert other.interval[0] == pytest.approx(1 - standing.interval[1], abs=1e-5)


def test_a_rule_ends_a_match_early_and_keeps_it_out_of_the_league():
    ended = running.play_until(PLAN, running.CLEAR)
    assert ended.is_over
    assert ended.games < PLAN.games
    assert ended.interval[0] > 0.5
    assert "human wins more often" in running.sequential_verdict(PLAN, ended)
    assert running.play_until(PLAN, running.CLEAR) == ended
    assert matches.stored_games(PLAN) == ended.games, "nothing more was played"
    assert not list(ResultStore().results(MATCH))
    never = running.play_until(PLAN, "2")
    assert (never.games, never.is_over) == (40, False)
    assert not list(ResultStore().results(MATCH))


def test_an_estimate_says_the_time_and_the_width():
    assert running.half_width(400) == pytest.approx(0.05, abs=0.001)
    assert 380 < running.games_for(0.05) < 400
    slow = MatchPlan("ismcts:iterations=100", "uct", 10)
    empty = match_table([])
    seconds, source = running.expected_time(slow, empty)
    assert source == running.MEASURED
    assert seconds > 0
    slowest = replace(slow, ns="ismcts:iterations=100000")
    usual = running.expected_time(slowest, empty)
    assert usual == (pytest.approx(expected_seconds(slowest)), running.USUAL)
    known = made_up("ismcts:iterations=100", slow.ew, ms_per_move=BySide(1.0, 3.0))
    table = match_table([Result("key", MATCH, {"rules": {}}, known.document(), 1.0)])
    assert running.expected_time(slow, table) == (
        pytest.approx(10 * 10 * 26 * 0.004),
        running.STORED,
    )
    compiled, _ = running.expected_time(MatchPlan("srp", "wrp", 400), table)
    assert compiled < 2
