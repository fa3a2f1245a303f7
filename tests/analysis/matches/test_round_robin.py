"""Round robins: every pair once, resumed where they stopped."""

import pytest

from analysis.matches import match as matches
from analysis.matches.league import Variant, league_of, match_table, variants
from analysis.matches.match import (
    MATCH,
    MatchError,
    MatchPlan,
    play_round_robin,
    round_robin,
    round_robin_key,
)
from analysis.runs.store import ResultStore
from spades.agents import UnknownAgentError
from tests.analysis.workers import InProcess

AGENTS = ("human", "random", "wrp")
QUICK = round_robin(AGENTS, 8, target=100, floor=-100)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A store of its own, and tasks that run here."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    return InProcess(monkeypatch)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"agents": ("human", " human+human")}, MatchError, "1 different agents; 2 to 20"),
        ({"agents": ("human", "ghost")}, UnknownAgentError, "ghost"),
        ({"games": 7}, MatchError, "an even number"),
        ({"target": 0}, MatchError, "target above 0"),
    ],
)
def test_impossible_round_robins_are_refused(change, error, message):
    options = {"agents": AGENTS, "games": 8} | change
    with pytest.raises(error, match=message):
        round_robin(**options)


def test_every_two_agents_meet_once_and_the_key_is_that_of_their_matches():
    pairs = [{plan.ns, plan.ew} for plan in QUICK]
    assert pairs == [{"human", "random"}, {"human", "wrp"}, {"random", "wrp"}]
    turned = round_robin(AGENTS[::-1], 8, target=100, floor=-100)
    assert round_robin_key(turned) == round_robin_key(QUICK)
    assert round_robin_key(round_robin(AGENTS, 8, target=100)) != round_robin_key(QUICK)


def test_a_round_robin_that_is_stopped_goes_on_and_then_fills_the_league(here):
    told = []
    stopped = play_round_robin(
        QUICK,
        workers=1,
        tell=lambda progress: told.append(progress.done),
        is_cancelled=lambda: told[-1] >= 8,
    )
    assert stopped is None
    assert told[-1] == 8
    told.clear()
    results = play_round_robin(QUICK, workers=1, tell=lambda p: told.append((p.done, p.total)))
    assert told[0] == (8, 24)
    assert told[-1] == (24, 24)
    assert told == sorted(told)
    assert [result.games for result in results] == [8, 8, 8]
    assert len(list(ResultStore().results(MATCH))) == 3
    assert [workers for workers, _ in here.opened] == [1, 1]
    assert play_round_robin(QUICK) == results
    assert len(here.opened) == 2, "what is stored needs no workers"
    (variant,) = variants(match_table(ResultStore().results(MATCH)))
    assert variant == Variant.of(QUICK[0].full_rules)
    assert len(league_of(match_table(ResultStore().results(MATCH)), variant).pairs) == 3


def test_a_longer_match_of_the_league_is_taken_from_the_store(here):
    play_round_robin(QUICK)
    assert matches.play_match(MatchPlan("wrp", "human", 8, target=100, floor=-100))
    assert len(list(ResultStore().results(MATCH))) == 3
