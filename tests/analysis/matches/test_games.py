"""Games of a match as a log."""

import pytest

from analysis.matches.match import (
    MatchPlan,
    game_table,
    has_log,
    log_name,
    match_result,
    play_part,
    store_first_games,
)
from spades.agents import PairResults
from spades.notation.log_store import list_logs, open_log

PLAN = MatchPlan("random", "human", 12, seed=4, target=150, floor=-150)


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))


@pytest.fixture(scope="module")
def results():
    """Of the match as the store keeps it: human first."""
    return PairResults.from_document(play_part(PLAN.ordered, 0, 6), 6)


def first_games(results, **options):
    """The log that is stored of the first games."""
    entry = store_first_games(PLAN, match_result(PLAN, results.swapped()), **options)
    return open_log(entry.name)


def test_the_games_are_those_that_were_counted(results):
    table = game_table(first_games(results))
    assert table["pair"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6][: len(table)]
    for row in table.to_dict("records"):
        pair, game = row["pair"] - 1, row["game"] - 1
        assert row["rounds"] == results.rounds[pair, game]
        assert row["N/S"] == ("human", "random")[game]
        by_seat = (row["points N/S"], row["points E/W"])
        assert by_seat[:: -1 if game else 1] == tuple(results.scores[pair, game])


def test_whole_pairs_are_kept_until_there_are_enough_rounds(results):
    told = []
    log = first_games(results, n_rounds=3, tell=lambda progress: told.append(progress.done))
    table = game_table(log)
    assert len(table) % 2 == 0
    assert len(log) >= 3
    assert game_table(first_games(results, n_rounds=10**6))["pair"].max() == 6, "all there is"
    assert told[-1] == 3


def test_the_log_is_stored_under_the_key_of_the_match(results):
    result = match_result(PLAN, results.swapped())
    assert not has_log(PLAN.key)
    assert store_first_games(PLAN, result, is_cancelled=lambda: True) is None
    assert not list_logs()
    entry = store_first_games(PLAN, result)
    assert entry.name == log_name(PLAN.key)
    assert has_log(PLAN.key)
    assert entry.provenance["key"] == PLAN.key
    assert result.command in entry.provenance["command"]
    log = open_log(entry.name)
    assert len(log) == entry.n_rounds
    assert log.compact().sources == (entry.provenance["command"],)
