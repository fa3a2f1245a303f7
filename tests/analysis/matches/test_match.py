"""Matches: the same whatever the workers, and after any interruption; nothing played twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.matches import match as matches
from analysis.matches.match import MATCH, PART, MatchError, MatchPlan, play_match, play_part
from analysis.runs.command import RESUMABLE
from analysis.runs.store import ResultStore
from spades.agents import PairResults, UnknownAgentError
from spades.agents.pairs import FIELDS
from spades.cli.games import match_text
from spades.cli.main import main
from spades.core.errors import InvalidRulesError
from tests.analysis.workers import InProcess, kill_a_worker, workers_of
from tests.behaviours import change_behaviour

ROOT = Path(__file__).parents[3]
QUICK = MatchPlan("human", "random", 120, seed=3, target=200, floor=-200)
dask = pytest.mark.xdist_group("dask")


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


@pytest.fixture
def at_work(monkeypatch):
    """No processes, and small parts."""
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 7)
    return InProcess(monkeypatch)


def played(at_work):
    """First and last pair of each part that was played."""
    return [arguments[1:] for _, arguments in at_work.done]


def without_time(result):
    return replace(result, ms_per_move=None)


def stored_games():
    """Every part of the store without its times: question -> games."""
    return {
        json.dumps(result.question, sort_keys=True): {
            name: rows for name, rows in result.answer.items() if name != "nanoseconds"
        }
        for result in ResultStore().results(PART)
    }


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"games": 7}, MatchError, "an even number .* every deal is played twice"),
        ({"games": 0}, MatchError, "from 2 to 1,000,000"),
        ({"seed": -1}, MatchError, "0 to"),
        ({"target": 0}, MatchError, "target above 0"),
        ({"floor": 0}, MatchError, "floor below"),
        ({"rules": {"target": 300}}, MatchError, "fields of the plan"),
        ({"rules": {"jokers": 2}}, InvalidRulesError, "jokers"),
        ({"rules": {"nil": None}, "nil_only": True}, MatchError, "without nil"),
        ({"ew": "ghost"}, UnknownAgentError, "ghost"),
        ({"ns": "human+ghost"}, UnknownAgentError, "ghost"),
    ],
)
def test_impossible_matches_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        replace(QUICK, **change)


def test_the_key_changes_with_everything_that_matters_and_with_nothing_else(monkeypatch):
    changes = [
        {"ns": "random+random"},
        {"ew": "human+random"},
        {"games": 122},
        {"seed": 4},
        {"target": 201},
        {"floor": -201},
        {"floor": None},
        {"nil_only": True},
        {"rules": {"bag_limit": 5}},
    ]
    keys = {QUICK.key, *(replace(QUICK, **change).key for change in changes)}
    with monkeypatch.context() as patch:
        change_behaviour(patch)
        keys.add(QUICK.key)
    assert len(keys) == len(changes) + 2
    assert replace(QUICK, ns="random", ew="human").key == QUICK.key
    named = MatchPlan("ismcts", "human", 2)
    assert named.key == MatchPlan(" ismcts:iterations=2500+human", "human", 2).key
    assert replace(QUICK, rules={"bag_limit": 10}).key == QUICK.key, "a default that is said"


def test_parts_cover_every_pair_once_and_do_not_depend_on_the_number_of_games():
    for plan in (QUICK, MatchPlan("human", "random", 9000), MatchPlan("ismcts", "random", 60)):
        ends = [end for _, end in plan.ranges]
        assert [first for first, _ in plan.ranges] == [0, *ends[:-1]]
        assert ends[-1] == plan.games // 2
        longer = replace(plan, games=plan.games + 200)
        assert longer.ranges[: len(plan.ranges) - 1] == plan.ranges[:-1]
        assert replace(plan, ns=plan.ew, ew=plan.ns).ranges == plan.ranges
    assert len(MatchPlan("ismcts:iterations=100000", "random", 8).ranges) == 4


def test_a_second_request_is_answered_from_the_store_in_either_order(at_work):
    result = play_match(QUICK)
    assert sorted(played(at_work)) == QUICK.ranges
    assert play_match(QUICK) == result
    other = play_match(replace(QUICK, ns="random", ew="human"))
    assert other.key == result.key
    assert other.wins == result.wins.turned()
    assert other.ms_per_move.ns == result.ms_per_move.ew
    assert other.win_rate == pytest.approx(1 - result.win_rate)
    (stored,) = ResultStore().results(MATCH)
    assert stored.answer == json.loads(json.dumps(result.document()))


def test_a_longer_match_plays_only_what_is_new(at_work):
    play_match(QUICK)
    at_work.done.clear()
    longer = replace(QUICK, games=160)
    told = []
    play_match(longer, workers=1, tell=lambda progress: told.append(progress.done))
    assert set(played(at_work)) == set(longer.ranges) - set(QUICK.ranges)
    assert told[-1] == 160
    assert told == sorted(told)


def test_a_match_that_is_stopped_goes_on_and_counts_what_others_played(at_work, monkeypatch):
    told = []
    assert (
        play_match(
            QUICK,
            workers=1,
            tell=lambda progress: told.append(progress.done),
            is_cancelled=lambda: told[-1] >= 30,
        )
        is None
    )
    assert 30 <= told[-1] < 120
    assert not list(ResultStore().results(MATCH))
    first_run = played(at_work)
    theirs = [part for part in QUICK.ranges if part not in first_run][:2]

    def tell(progress):
        told.append(progress.done)
        if len(told) == 1:  # somebody else plays two parts meanwhile
            for part in theirs:
                played = play_part(QUICK, *part)
                ResultStore().put(PART, QUICK.parts()[part], played)

    told.clear()
    result = play_match(QUICK, workers=1, tell=tell)
    assert sorted([*played(at_work), *theirs]) == QUICK.ranges
    assert (told[0], told[-1]) == (sum(2 * (end - first) for first, end in first_run), 120)
    monkeypatch.setenv("SPADES_RESULTS", os.environ["SPADES_RESULTS"] + "-undisturbed")
    assert without_time(play_match(QUICK)) == without_time(result)


def test_the_document_has_the_keys_of_the_interface(at_work, capsys):
    play_match(QUICK)
    arguments = "match --ns human --ew random --games 120 --seed 3 --target 200 --floor -200"
    assert main([*arguments.split(), "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    for name in ("wins", "points_per_round", "ms_per_move"):
        assert set(document[name]) == {"ns", "ew"}
    assert (document["ns"], document["ew"], document["games"]) == ("human", "random", 120)
    low, high = document["interval"]
    assert 0 <= low <= document["win_rate"] <= high <= 1
    assert document["key"] == QUICK.key
    assert "120 of 120 games" in captured.err
    assert main(arguments.split()) == 0
    table = capsys.readouterr().out
    assert f"human wins {document['win_rate']:.1%}" in table
    assert "Clopper-Pearson" in table


def test_a_match_of_open_games_and_no_nils_can_be_printed(at_work):
    plan = MatchPlan("random+random", "random+random", 2, target=10**6, rules={"nil": None})
    text = match_text(play_match(plan))
    assert "none of 2 games was decided" in text
    assert "none bid" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ns", "ghost", "--games", "2"), "unknown player 'ghost'"),
        (("--ns", "human", "--games", "3"), "every deal is played twice"),
        (("--ns", "human", "--games", "2", "--floor", "5"), "floor below"),
    ],
)
def test_wrong_matches_exit_with_1(arguments, message, capsys):
    assert main(["match", "--ew", "random", *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_a_tournament_is_a_match_of_every_two(monkeypatch, capsys):
    InProcess(monkeypatch)
    call = ["tournament", "human", "random", "wrp+bis", "--games", "4", "--target", "100"]
    assert main([*call, "--json"]) == 0
    matches = json.loads(capsys.readouterr().out)["matches"]
    assert [(match["ns"], match["ew"]) for match in matches] == [
        ("human", "random"),
        ("human", "wrp+bis"),
        ("random", "wrp+bis"),
    ]
    alone = play_match(MatchPlan("human", "random", 4, target=100))
    assert alone.document() == {**alone.document(), **matches[0]}
    assert main(call) == 0
    text = capsys.readouterr().out
    assert "4 games each to 100, seed 0" in text
    assert main(["tournament", "human", "human", "--games", "4"]) == 1
    assert "1 different agents; 2 to 20 can meet" in capsys.readouterr().err


def test_a_store_that_is_no_store_is_refused_before_any_game(tmp_path, capsys):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "results.sqlite").write_bytes(b"no database" * 500)
    assert main(["match", "--ns", "human", "--ew", "random", "--games", "2"]) == 1
    assert "result store can't be used" in capsys.readouterr().err


# With processes


SLOW = MatchPlan("human", "ismcts:iterations=300", 120, seed=9, target=150, floor=-150)


def command(workers):
    numbers = f"--games 120 --seed 9 --target 150 --floor -150 --workers {workers}"
    options = [*numbers.split(), "--json"]
    return [sys.executable, "-m", "spades", "match", "--ns", SLOW.ns, "--ew", SLOW.ew, *options]


def start(workers=2, **options):
    return subprocess.Popen(
        command(workers),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture(scope="module")
def slow_games():
    """The games of SLOW, played here from end to end."""
    assert not SLOW.duel.is_compiled
    played = [
        PairResults.from_document(play_part(SLOW, *part), part[1] - part[0]) for part in SLOW.ranges
    ]
    assert len(played) > 4
    joined = PairResults.joined(played)
    return {name: getattr(joined, name).tolist() for name in FIELDS if name != "nanoseconds"}


def check_slow(slow_games):
    """The store holds every game of SLOW once, and they are the games of an undisturbed match."""
    assert len(stored_games()) == len(SLOW.ranges)
    found = matches.stored_results(SLOW, ResultStore())
    for name, rows in slow_games.items():
        assert getattr(found, name).tolist() == rows, name


@dask
@pytest.mark.exhaustive
def test_one_worker_and_two_give_the_same_match(tmp_path, monkeypatch):
    results = []
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 7)
    for workers in (1, 2):
        monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / str(workers)))
        results.append((without_time(play_match(QUICK, workers=workers)), stored_games()))
    assert results[0] == results[1]


@dask
@pytest.mark.exhaustive
def test_ctrl_c_ends_the_match_in_good_order_and_kill_9_at_once_and_both_go_on(slow_games):
    process = start(start_new_session=True)
    for _ in range(2):  # the start, and the first part: all workers are up
        process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    out, told = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert told.splitlines()[-1] == RESUMABLE
    assert "Traceback" not in told
    kept = set(stored_games())
    assert kept, "what was played is kept"
    for _ in range(2):
        process = start(start_new_session=True)
        process.stderr.readline()  # so many of 120 games: workers are about to start
        time.sleep(random.uniform(1.0, 3.5))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert kept <= set(stored_games())
        kept = set(stored_games())
    finished = start()
    out, told = finished.communicate(timeout=300)
    assert finished.returncode == 0, told
    assert json.loads(out)["games"] == 120
    check_slow(slow_games)


@dask
@pytest.mark.exhaustive
def test_kill_9_of_a_worker_as_others_start_and_of_one_at_work_changes_nothing(slow_games):
    process = start()
    while not workers_of(process):
        time.sleep(0.01)
    time.sleep(0.3)
    kill_a_worker(process)
    for _ in range(2):
        process.stderr.readline()
    kill_a_worker(process)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told[-2000:]
    check_slow(slow_games)


@dask
@pytest.mark.slow
def test_two_processes_that_play_one_match_at_once_share_it(slow_games):
    processes = [start(workers=1), start(workers=1)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    check_slow(slow_games)
    one, other = (json.loads(out) for out, _ in outputs)
    assert one == other, "even the times: both read what is stored"
    assert len(list(ResultStore().results(MATCH))) == 1
