"""Programs in matches: they play as the same agent does here, and lose what they spoil."""

import pickle
import shutil
import sys
from functools import partial
from types import SimpleNamespace

import pytest

import spades
from analysis.matches.match import MatchPlan, play_part
from analysis.matches.result import MatchResult
from analysis.runs.store import programs_of, version_of
from analysis.runs.tasks import _compute
from spades.agents import PairResults, Seating, parse_agent, play_games, play_range
from spades.core.programs import ProgramError, ProgramFaultError
from spades.core.rules import Rules
from spades.programs import close_programs
from tests.programs.conftest import SCRIPT

ROOT = SCRIPT.parents[2]
RULES = {"target": 150, "losing_floor": -150}


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Lists programs by name: the words after ``misbehaving.py``, or a whole command."""

    def make(*, version="1", **programs):
        tables = []
        for name, words in programs.items():
            if isinstance(words, tuple):
                words = [sys.executable, str(SCRIPT), *map(str, words)]
            command = ", ".join(f'"{word}"' for word in words)
            tables.append(f'[{name}]\ncommand = [{command}]\nversion = "{version}"\nseconds = 20\n')
        path = tmp_path / "programs.toml"
        path.write_text("\n".join(tables))
        monkeypatch.setenv("SPADES_PROGRAMS", str(path))

    yield make
    close_programs()


def test_a_game_is_lost_by_a_fault_and_the_match_goes_on(listed):
    """It spoils its 30th answer, in its second round, then starts anew: every game is lost."""
    listed(liar=("illegal card", 30), good=("well",))
    result = spades.play_match("external:cmd=liar", "srp+bis", games=4, rules=RULES)
    assert result.wins == (0, 4)
    assert result.forfeits == (4, 0)
    assert len(result.faults) == 4
    assert result.faults[0].startswith("pair 1, game 1, round ")
    assert "liar 1, ply " in result.faults[0]
    assert "; legal: " in result.faults[0]
    assert "external:cmd=liar lost 4 of 4 games by a fault" in str(result)
    turned = result.turned()
    assert (turned.wins, turned.forfeits) == ((4, 0), (0, 4))
    assert MatchResult.from_document(result.document()) == result


def test_a_program_that_finishes_no_round_has_no_points(listed):
    listed(liar=("illegal bid", 1))
    result = spades.play_match("external:cmd=liar", "srp+bis", games=2)
    assert (result.wins, result.rounds) == ((0, 2), 0)
    assert result.points_difference.value is None
    assert result.points_per_round == (None, None)
    assert MatchResult.from_document(result.document()) == result
    assert result.win_rate == 0


def test_the_winner_is_who_was_not_at_fault_whatever_the_score():
    part = PairResults.from_document(_document(faults=[[["late", ""], ["", ""]]]), 1)
    assert part.scores[0, 0].tolist() == [500, -10]
    assert part.winners(Rules()).tolist() == [[1, 0]]
    assert part.swapped().winners(Rules()).tolist() == [[1, 0]]
    assert part.swapped().faults.tolist() == [[["", ""], ["", "late"]]]
    without = PairResults.from_document(_document(), 1)
    assert without.winners(Rules()).tolist() == [[0, 0]]
    assert "faults" not in without.document()
    assert PairResults.from_document(part.document(), 1).faults.tolist() == part.faults.tolist()


def _document(**more):
    counts = (
        "penalties",
        "bags",
        "nils",
        "nils_made",
        "contracts",
        "contracts_made",
        "nanoseconds",
    )
    zeros = {name: [[[0, 0], [0, 0]]] for name in counts}
    return {"rounds": [[5, 5]], "scores": [[[500, -10], [500, -10]]], **zeros, **more}


def test_results_are_stored_under_the_version(listed):
    listed(good=("well",))
    assert version_of("external:cmd=good")["programs"] == {"external:cmd=good": "1"}
    plan = MatchPlan("external:cmd=good", "random+random", games=2)
    key = plan.key
    listed(version="2", good=("well",))
    assert MatchPlan("external:cmd=good", "random+random", games=2).key != key


def test_a_worker_that_lacks_the_program_is_named(listed, monkeypatch):
    listed(good=("well",))
    agents = ("external:cmd=good", "srp+bis")
    programs, version = programs_of(*agents), version_of(*agents)
    work = partial(_compute, list, (), agents, version, programs)
    assert work() == []
    listed(version="2", good=("well",))
    with pytest.raises(ProgramError, match=r"on a worker: .* has version 2 of good, not 1"):
        work()
    worker = SimpleNamespace(address="tcp://10.0.0.7:4100")
    monkeypatch.setattr("distributed.get_worker", lambda: worker)
    monkeypatch.delenv("SPADES_PROGRAMS")
    with pytest.raises(ProgramError) as refusal:
        work()
    text = str(refusal.value)
    assert text.startswith("on the worker tcp://10.0.0.7:4100 (")
    assert "no program is called 'good': SPADES_PROGRAMS names no file" in text


def test_an_agent_served_as_a_program_plays_as_it_does_here(listed, monkeypatch):
    """``srp`` and ``bis`` draw nothing at random: by wire and here they play the same games."""
    monkeypatch.setattr("spades.programs.session.START_SECONDS", 60.0)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    words = [sys.executable, "-m", "spades", "engine", "srp+bis"]
    listed(version=spades.__version__, ours=words)
    here = parse_agent("srp+bis")
    there = parse_agent("external:cmd=ours")
    rival = parse_agent("srp+rb")
    rules = Rules(target=200)
    expected = play_games(Seating((here, rival, here, rival), rules), 3, 0, 2)
    found = play_games(Seating((there, rival, there, rival), rules), 3, 0, 2)
    assert found.faults.tolist() == [["", ""], ["", ""]]
    assert found.rounds.plays.tolist() == expected.rounds.plays.tolist()
    assert found.rounds.bids.tolist() == expected.rounds.bids.tolist()


BOTS = {"careful": [sys.executable, "careful.py"], "quiet": ["node", "quiet.js"]}


@pytest.mark.parametrize("name", BOTS)
def test_the_bots_of_the_documents_play_without_a_fault(listed, name):
    command, script = BOTS[name]
    if shutil.which(command) is None:
        pytest.skip(f"{command} isn't installed")
    file = ROOT / "docs" / "bots" / script
    assert len(file.read_text().splitlines()) <= 60
    listed(version="1.0", **{name: [command, str(file)]})
    result = spades.play_match(f"external:cmd={name}", "random+random", games=4, rules=RULES)
    assert result.forfeits == (0, 0)
    assert result.wins.ns >= 3  # of 4: random cards are beaten by any sense


def test_a_log_has_whole_games_only(listed):
    listed(liar=("die", 5))
    agents = [parse_agent(text) for text in ("external:cmd=liar", "srp+bis") * 2]
    seating = Seating(tuple(agents), Rules())
    for unit in ("games", "rounds"):
        with pytest.raises(ProgramFaultError, match="it ended with exit status 3") as fault:
            play_range(seating, 0, 0, 1, unit=unit)
        sent = pickle.loads(pickle.dumps(fault.value))  # as from a worker
        assert (str(sent), type(sent)) == (str(fault.value), ProgramFaultError)


def test_partners_are_two_programs(listed, tmp_path, monkeypatch):
    """Neither is told the other's hand: every process hears of one seat only."""
    monkeypatch.setenv("LINES_FILE", str(tmp_path / "lines"))
    listed(good=("well",))
    spades.play_match("external:cmd=good", "random+random", games=2, rules={"target": 50})
    files = list(tmp_path.glob("lines.*"))
    seats = []
    for file in files:
        rounds = [line for line in file.read_text().splitlines() if '"newround"' in line]
        seats.append({line[line.index('"seat"') :][:12] for line in rounds})
    assert len(files) == 4
    assert all(len(found) == 1 for found in seats)
    assert len(set.union(*seats)) == 4


def test_a_task_carries_the_faults(listed):
    listed(liar=("junk", 3))
    plan = MatchPlan("external:cmd=liar", "random+random", games=2)
    document = play_part(plan, 0, 1)
    assert any(text for pair in document["faults"] for game in pair for text in game)
