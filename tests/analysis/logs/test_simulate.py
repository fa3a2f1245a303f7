"""Simulations: the same log whatever the workers, and after any interruption."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.logs.simulate import (
    SimulationError,
    SimulationPlan,
    interrupted,
    parts_folder,
    play_part,
    simulate,
)
from analysis.runs.tasks import TaskRunner
from spades.agents import UnknownAgentError
from spades.cli.main import main
from spades.core.errors import InvalidRecordError, InvalidRulesError
from spades.core.logs import concatenate
from spades.notation import read_log
from spades.notation.log_folder import open_folder
from spades.notation.parquet import load_log
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour

ROOT = Path(__file__).parents[3]
HUMANS = ("human",) * 4
MIXED = ("random", "human", "ismcts:iterations=30", "human")
pytestmark = pytest.mark.xdist_group("dask")


def records(path):
    return list(load_log(path).records())


def undisturbed(plan):
    """The log of a plan, played part by part here."""
    return [record for part in plan.ranges for record in play_part(plan, *part).records()]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"count": 0}, SimulationError, "1 to 10,000,000"),
        ({"unit": "tricks"}, SimulationError, "games or rounds"),
        ({"seed": -1}, SimulationError, "seed is -1; 0 to 9223372036854775807 are legal"),
        ({"seed": 2**63}, SimulationError, "seed is 9223372036854775808"),
        ({"rules": {"target": 10**10}}, InvalidRulesError, "target is 10000000000; -1,000,000 to"),
        ({"rules": {"losing_floor": -(2**64)}}, InvalidRulesError, "losing_floor is -18446744"),
        ({"agents": ("human", "human", "human", "ghost")}, UnknownAgentError, "ghost"),
        ({"rules": {"jokers": 2}}, InvalidRulesError, "jokers"),
    ],
)
def test_impossible_plans_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        SimulationPlan(**{"agents": HUMANS, "count": 3, **change})


def test_damaged_plans_of_parts_are_nobodys(tmp_path):
    plan = SimulationPlan(HUMANS, 4, unit="rounds")
    document = json.dumps(plan.document() | {"agents": [1, 2, 3, 4]})
    odd = ["[" * 3000, "[]", '{"plan": {"agents": 7}}', f'{{"plan": {document}}}', "\udcff"]
    for i, text in enumerate(odd):
        folder = parts_folder(tmp_path / f"odd{i}.parquet")
        folder.mkdir()
        (folder / "plan.json").write_bytes(text.encode(errors="surrogateescape"))
    for name in ("pipe.parquet", os.fsdecode(b"caf\xe9.parquet"), "good.parquet"):
        folder = parts_folder(tmp_path / name)
        folder.mkdir()
        (folder / "plan.json").write_text(plan.stamp())
    plan_file = parts_folder(tmp_path / "pipe.parquet") / "plan.json"
    plan_file.unlink()
    os.mkfifo(plan_file)
    assert interrupted(tmp_path) == [("good", plan)]
    with pytest.raises(SimulationError, match="holds parts of another simulation"):
        simulate(plan, tmp_path / "odd0.parquet")


def test_parts_cover_every_index_once_and_depend_on_the_plan_alone():
    for plan in (SimulationPlan(MIXED, 1000), SimulationPlan(HUMANS, 7001, unit="rounds")):
        ends = [end for _, end in plan.ranges]
        assert [first for first, _ in plan.ranges] == [0, *ends[:-1]]
        assert ends[-1] == plan.count
    slow = SimulationPlan(("ismcts:iterations=100000",) * 4, 5)
    assert len(slow.ranges) == 5


@pytest.mark.parametrize("unit", ["games", "rounds"])
@pytest.mark.parametrize(
    "agents", [HUMANS, MIXED, ("srp",) * 4, ("human", "human", "ismcts:iterations=30", "human")]
)
def test_every_simulated_round_names_its_source(tmp_path, agents, unit):
    plan = SimulationPlan(agents, 2, unit=unit, seed=3, rules={"target": 50})
    sources = {record.source for record in undisturbed(plan)}
    if agents == HUMANS:
        assert all(source.startswith("simulated humans") for source in sources)
    else:
        assert sources == {plan.source}
        assert plan.command("a.parquet") == f"{plan.source} --out a.parquet"
        assert plan.source.endswith(f"--{unit} 2 --seed 3 --target 50")


@pytest.mark.slow
def test_one_worker_and_two_give_the_same_log(tmp_path):
    plan = SimulationPlan(MIXED, 24, unit="rounds", seed=3)
    for workers in (1, 2):
        simulate(plan, tmp_path / f"{workers}.parquet", workers=workers)
    assert records(tmp_path / "1.parquet") == records(tmp_path / "2.parquet")
    assert len(records(tmp_path / "1.parquet")) == 24
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_a_stopped_simulation_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.runs.tasks.TASK_SECONDS", 0.02)
    plan, target = SimulationPlan(MIXED, 200, unit="rounds", seed=4), tmp_path / "log.parquet"
    assert len(plan.ranges) > 15
    seen, again = [], []
    stopped = simulate(
        plan,
        target,
        workers=1,
        tell=lambda progress: seen.append(progress.done),
        is_cancelled=lambda: bool(seen) and seen[-1] > 0,
    )
    assert stopped is None
    assert not target.exists()
    assert interrupted(tmp_path) == [("log", plan)]
    simulate(plan, target, workers=1, tell=lambda progress: again.append(progress.done))
    assert 0 < again[0] < 200
    assert again[-1] == 200
    assert records(target) == undisturbed(plan)


def test_a_log_that_is_there_is_not_written_over(tmp_path):
    target = tmp_path / "log.parquet"
    target.write_bytes(b"precious")
    with pytest.raises(SimulationError, match="exists already"):
        simulate(SimulationPlan(HUMANS, 2), target)
    assert target.read_bytes() == b"precious"


@pytest.fixture
def played_here(monkeypatch):
    """Parts are played in this process; what is in the list is called when the first is done."""
    return InProcess(monkeypatch).during


PLAN = SimulationPlan(HUMANS, 5, unit="rounds", seed=8)
OTHER = SimulationPlan(HUMANS, 3, unit="rounds", seed=9)


def test_a_log_made_in_the_meantime_keeps_its_name_in_the_store(tmp_path, played_here):
    target = tmp_path / "mine.parquet"
    played_here.append(lambda: target.write_bytes(b"another session's import"))
    made = simulate(PLAN, target, may_rename=True)
    assert target.read_bytes() == b"another session's import"
    assert (made.path, made.n_rounds) == (tmp_path / "mine-2.parquet", 5)
    assert records(made.path) == undisturbed(PLAN)
    assert not list(tmp_path.glob(".*"))


def test_a_file_made_in_the_meantime_is_not_written_over_and_no_part_is_lost(tmp_path, played_here):
    target = tmp_path / "mine.parquet"
    played_here.append(lambda: target.write_bytes(b"precious"))
    with pytest.raises(SimulationError, match="in the meantime; it is not overwritten"):
        simulate(PLAN, target)
    assert target.read_bytes() == b"precious"
    target.unlink()
    seen = []
    assert simulate(PLAN, target, tell=lambda progress: seen.append(progress.done)).path == target
    assert seen == [5], "all was played before"
    assert not list(tmp_path.glob(".*"))


def test_the_same_command_given_twice_at_once_is_done_twice(tmp_path, played_here):
    target = tmp_path / "mine.parquet"
    parts = tmp_path / "elsewhere"

    def finish_first():
        assert simulate(PLAN, parts / "mine.parquet").n_rounds == 5
        (parts / "mine.parquet").rename(target)

    played_here.append(finish_first)
    assert simulate(PLAN, target).n_rounds == 5
    assert not list(tmp_path.glob(".*"))


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


@pytest.mark.parametrize("moment", ["before a part", "before the last look", "before the log"])
def test_a_run_whose_parts_another_has_made_a_log_of_returns_that(
    moment, tmp_path, played_here, monkeypatch
):
    monkeypatch.setattr("analysis.runs.tasks.TASK_SECONDS", 0.0001)
    target, elsewhere = tmp_path / "mine.parquet", tmp_path / "elsewhere"
    made = simulate(PLAN, elsewhere / "mine.parquet")
    elsewhere.mkdir(exist_ok=True)

    def end_first(*given):
        if not target.exists():
            shutil.copy(made.path, target)
            remove(parts_folder(target))

    if moment == "before a part":
        assert len(PLAN.ranges) > 1
        played_here.append(end_first)
    elif moment == "before the last look":
        whole = TaskRunner.complete

        def complete(run, parts, **options):
            ended = whole(run, parts, **options)
            end_first()
            return ended and all(part.is_stored() for part in parts)

        monkeypatch.setattr(TaskRunner, "complete", complete)
    else:
        monkeypatch.setattr(
            "analysis.logs.simulate.concatenate", lambda logs: end_first() or concatenate(logs)
        )
    found = simulate(PLAN, target)
    assert (found.path, found.n_rounds) == (target, 5)
    assert records(target) == undisturbed(PLAN)
    remove(elsewhere)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.parquet"]


@pytest.mark.parametrize("may_rename", [False, True])
def test_a_run_killed_before_its_parts_were_removed_is_done(
    may_rename, tmp_path, played_here, monkeypatch
):
    target = tmp_path / "log.parquet"
    with monkeypatch.context() as patch:
        patch.setattr("analysis.logs.simulate.shutil.rmtree", lambda path: None)  # killed there
        if may_rename:
            played_here.append(lambda: target.write_bytes(b"another session's import"))
        written = simulate(PLAN, target, may_rename=may_rename)
    assert parts_folder(target).is_dir()
    assert interrupted(tmp_path) == [], "its log is there"
    written.path.rename(tmp_path / "away")
    assert interrupted(tmp_path) == [("log", PLAN)], "only its parts are left"
    (tmp_path / "away").rename(written.path)
    assert simulate(PLAN, target, may_rename=may_rename) == written
    assert interrupted(tmp_path) == []
    assert not list(tmp_path.glob(".*"))
    assert len(list(tmp_path.iterdir())) == 1 + may_rename


@pytest.mark.parametrize(("unit", "games"), [("games", 2), ("rounds", None)])
def test_the_command_gives_one_document(unit, games, tmp_path, played_here, capsys):
    target = tmp_path / "log.parquet"
    seats = [word for seat in ("north", "east", "south", "west") for word in (f"--{seat}", "human")]
    arguments = ["simulate", *seats, f"--{unit}", "2", "--seed", "8", "--out", str(target)]
    assert main([*arguments, "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {
        "written": str(target),
        "rounds": len(records(target)),
        "games": games,
        "plan": SimulationPlan(HUMANS, 2, unit=unit, seed=8).document(),
    }
    assert f"2 of 2 {unit}" in shown.err


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet.gz"])
def test_a_log_in_another_format_is_refused_before_any_work(name, tmp_path):
    with pytest.raises(SimulationError, match=r"is a \.parquet file"):
        simulate(PLAN, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "status", "reason"),
    [
        (["--workers", "-1"], 2, "'-1'; 1 or more"),
        (["--workers", "0"], 2, "'0'; 1 or more"),
        (["--workers", "two"], 2, "'two'; 1 or more"),
        (["--scheduler", "rubbish"], 1, "no scheduler at 'rubbish' (missing port number"),
        (["--scheduler", "tcp://127.0.0.1:1"], 1, "no scheduler at 'tcp://127.0.0.1:1' (Timed out"),
    ],
)
def test_workers_that_can_not_be_leave_nothing_behind(
    options, status, reason, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("analysis.runs.cluster.CONNECT_SECONDS", 1)
    seats = [word for seat in ("north", "east", "south", "west") for word in (f"--{seat}", "human")]
    arguments = ["simulate", *seats, "--rounds", "2", "--out", str(tmp_path / "a.parquet")]
    try:
        ended = main([*arguments, *options])
    except SystemExit as error:
        ended = error.code
    assert ended == status
    assert reason in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_log_of_another_plan_or_of_other_code_is_not_taken_for_this_one(
    tmp_path, played_here, monkeypatch
):
    target = tmp_path / "log.parquet"
    simulate(PLAN, target)
    with pytest.raises(SimulationError, match="exists already"):
        simulate(OTHER, target)
    change_behaviour(monkeypatch)
    with pytest.raises(SimulationError, match="exists already"):
        simulate(PLAN, target)


def test_parts_of_another_plan_are_not_mixed_in(tmp_path):
    target = tmp_path / "log.parquet"
    folder = parts_folder(target)
    folder.mkdir()
    (folder / "plan.json").write_text(json.dumps({"plan": "another"}))
    with pytest.raises(SimulationError, match="another simulation"):
        simulate(SimulationPlan(HUMANS, 2), target)
    assert interrupted(tmp_path) == []


SLOW = ("random", "human", "ismcts:iterations=2000", "human")
SLOW_PLAN = SimulationPlan(SLOW, 600, unit="rounds", seed=6)


def command(target):
    seats = [
        word
        for seat, agent in zip(("north", "east", "south", "west"), SLOW, strict=True)
        for word in (f"--{seat}", agent)
    ]
    options = ["--rounds", "600", "--seed", "6", "--workers", "2", "--out", str(target)]
    return [sys.executable, "-m", "spades", "simulate", *seats, *options]


@pytest.fixture(scope="module")
def slow_records():
    assert len(SLOW_PLAN.ranges) > 4
    return undisturbed(SLOW_PLAN)


def start(target):
    """The command under way: it has said that it starts."""
    process = subprocess.Popen(
        command(target), cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert "of 600 rounds" in process.stderr.readline()
    return process


@pytest.mark.exhaustive
def test_kill_9_of_the_command_at_any_moment_loses_and_doubles_nothing(tmp_path, slow_records):
    target = tmp_path / "killed.parquet"
    for wait in (0.5, 2.5, 4.0):
        process = start(target)
        time.sleep(wait)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if not target.exists():
        finished = subprocess.run(command(target), cwd=ROOT, capture_output=True, text=True)
        assert finished.returncode == 0, finished.stderr
    assert records(target) == slow_records


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr("analysis.logs.simulate.MAX_PART", 16)
    return InProcess(monkeypatch)


def test_a_folder_has_the_rounds_of_the_file_and_is_never_in_memory(small_parts, tmp_path):
    plan = SimulationPlan(HUMANS, 40, unit="rounds", seed=3)
    target = tmp_path / "big"
    found = simulate(plan, target)
    assert found == (target, 40)
    assert [path.name for path in open_folder(target).parts] == [
        "00000000-00000016.parquet",
        "00000016-00000032.parquet",
        "00000032-00000040.parquet",
    ]
    log, refused = read_log(target)
    assert (list(log.records()), refused) == (undisturbed(plan), [])
    n_played = len(small_parts.done)
    assert simulate(plan, target) == found
    assert len(small_parts.done) == n_played
    with pytest.raises(SimulationError, match="big holds another simulation"):
        simulate(SimulationPlan(HUMANS, 41, unit="rounds", seed=3), target)


def test_a_folder_that_was_interrupted_goes_on(small_parts, tmp_path):
    plan = SimulationPlan(HUMANS, 40, unit="rounds", seed=3)
    target = tmp_path / "big"
    stop = []
    small_parts.during.append(lambda: stop.append(True))
    assert simulate(plan, target, is_cancelled=lambda: bool(stop)) is None
    with pytest.raises(InvalidRecordError, match="its simulation isn't finished"):
        open_folder(target)
    with pytest.raises(SimulationError, match="holds parts of another simulation"):
        simulate(SimulationPlan(HUMANS, 40, unit="rounds", seed=4), target)
    n_played = len(small_parts.done)
    assert simulate(plan, target) == (target, 40)
    assert len(small_parts.done) == 3
    assert n_played < 3


def test_a_folder_with_other_files_is_left_alone(small_parts, tmp_path):
    plan = SimulationPlan(HUMANS, 40, unit="rounds")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.txt").write_text("all of it")
    (tmp_path / "file").write_text("a file")
    for name, reason in (("theirs", "theirs has other files"), ("file", "file exists already")):
        with pytest.raises(SimulationError, match=reason):
            simulate(plan, tmp_path / name)
    with pytest.raises(SimulationError, match=r"a \.parquet file, or, without an ending, a folder"):
        simulate(plan, tmp_path / "log.csv")
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["thesis.txt"]
