"""The shipped league: which matches it has, and that it stands beside those of the store."""

import json

import pytest

from analysis.matches import shipped_league as shipped
from analysis.matches.league import known_matches, match_table
from analysis.matches.match import MATCH, MatchError
from analysis.runs.store import VARIABLE, ResultStore
from experiments import play_league
from spades.agents import BIDDERS, parse_agent
from tests.analysis.workers import InProcess

AGENTS = ("random+random", "wrp+random")
PUBLISHED = (
    *("ismcts", "human", "srp", "wrp", "uct", "direct", "flat-mc", "stars", "flat-ucb", "pimc"),
    "corpus",
)


def test_the_players_of_the_papers_and_all_bidders_are_in_it():
    agents = [parse_agent(text) for text in (*play_league.AGENTS, play_league.OPPONENT)]
    assert {agent.player.name for agent in agents} >= {*PUBLISHED, "best", "thumb", "random"}
    assert {agent.bidder.name for agent in agents} >= set(BIDDERS) - {"random"}
    assert len({str(agent) for agent in agents}) == len(agents)


@pytest.fixture
def few(tmp_path, monkeypatch):
    """The file of a league of two matches, and an empty store that isn't theirs."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "played"))
    monkeypatch.setattr(play_league, "AGENTS", AGENTS)
    monkeypatch.setattr(play_league, "OPPONENT", "srp+random")
    InProcess(monkeypatch)
    monkeypatch.setattr(play_league, "MIN_ROUNDS", 200)
    monkeypatch.setattr(play_league, "MORE_GAMES", 2)
    document = play_league.play(2, workers=1)
    path = tmp_path / "league.json"
    path.write_text(json.dumps(document))
    results = shipped.shipped_results(path)
    monkeypatch.setattr(shipped, "shipped_results", lambda: results)
    return results


def test_shipped_matches_stand_beside_the_stores(few, tmp_path, monkeypatch):
    played = ResultStore()
    assert len(few) == len(AGENTS)
    assert all(result.answer["rounds"] >= 200 for result in few)
    assert any(result.answer["games"] > 2 for result in few)
    assert len(known_matches()) == len(match_table(played.results(MATCH))) >= len(AGENTS)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "empty"))
    found = known_matches()
    assert match_table(ResultStore().results(MATCH)).empty
    assert set(found["first"]) | set(found["second"]) == {*AGENTS, "srp+random"}
    for result in few:
        again = shipped.result_by_key(result.key)
        assert again is not None
        assert again.answer == result.answer
    assert shipped.result_by_key("0" * 20) is None


def test_the_shipped_file_holds_every_agent():
    results = shipped.shipped_results(shipped.TABLE)
    met = {side for result in results for side in (result.answer["ns"], result.answer["ew"])}
    assert met == {str(parse_agent(text)) for text in (*play_league.AGENTS, play_league.OPPONENT)}
    assert all(result.answer["rounds"] >= 1000 for result in results)


def test_no_file_is_no_league(tmp_path):
    assert shipped.shipped_results(tmp_path / "none.json") == ()


def _nested(row):
    row["answer"] = json.loads("[" * 40 + "]" * 40)


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row.pop("key"),
        lambda row: row.update(answer=None),
        lambda row: row["answer"].pop("wins"),
        lambda row: row["answer"].update(points_interval=[1, 2]),
        lambda row: row["question"].update(rules={"moon": 1}),
        lambda row: row["question"].update(rules=[]),
        lambda row: row.update(created="yesterday"),
        _nested,
    ],
)
def test_a_malformed_league_is_refused_by_its_file(tmp_path, damage):
    path = tmp_path / "league.json"
    document = json.loads(shipped.TABLE.read_text())
    damage(document["matches"][3])
    path.write_text(json.dumps(document))
    with pytest.raises(MatchError, match=r"league\.json can't be read .*league makes it"):
        shipped.shipped_results(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"matches": 7}', "[" * 3000, "\0", "9" * 5000])
def test_what_is_no_league_is_refused(tmp_path, text):
    path = tmp_path / "league.json"
    path.write_text(text)
    with pytest.raises(MatchError, match="can't be read"):
        shipped.shipped_results(path)


def test_the_own_matches_are_there_beside_a_malformed_league(tmp_path, monkeypatch):
    path = tmp_path / "league.json"
    path.write_text("{}")
    read = shipped.shipped_results
    monkeypatch.setattr(shipped, "shipped_results", lambda: read(path))
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    wrong = []
    assert shipped.all_results(str, wrong) == []
    assert "league.json can't be read" in wrong[0]
    with pytest.raises(MatchError, match="can't be read"):
        shipped.all_results(str)
