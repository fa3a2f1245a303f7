"""The result store: keys, first answers, many writers, files that are no stores."""

import errno
import json
import math
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from analysis.matches.match import MatchPlan
from analysis.runs.store import (
    FILE_NAME,
    ResultStore,
    ResultStoreError,
    key_of,
    models_of,
    results_file,
)
from analysis.sweeps.sweep import Setting, SweepPlan
from spades.agents import parse_agent
from spades.core import database
from spades.core.errors import UnknownModelError
from spades.human import model_hash
from spades.search import Knowledge
from tests.human.random_networks import random_network

ROOT = Path(__file__).parents[3]


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "deep" / FILE_NAME)


def test_an_answer_is_found_under_its_question_and_kind(store):
    assert store.get("sum", {"a": 1}) is None
    assert not store.has("sum", {"a": 1})
    assert not store.path.exists(), "looking makes no file"
    store.put("sum", {"a": 1, "b": [2, "x"]}, {"is": 3.5})
    assert store.get("sum", {"b": [2, "x"], "a": 1}) == {"is": 3.5}
    assert store.has("sum", {"b": [2, "x"], "a": 1})
    assert store.get("product", {"a": 1, "b": [2, "x"]}) is None
    assert store.get("sum", {"a": 1, "b": [2, "y"]}) is None


def test_the_first_answer_stands(store):
    store.put("sum", {"a": 1}, "first")
    store.put("sum", {"a": 1}, "second")
    assert store.get("sum", {"a": 1}) == "first"
    assert [result.answer for result in store.results("sum")] == ["first"]


def test_results_are_listed_by_kind_oldest_first(store):
    for n in range(5):
        store.put("sum", {"n": n}, n * n)
    store.put("other", {"n": 9}, 9)
    listed = list(store.results("sum"))
    assert [result.question for result in listed] == [{"n": n} for n in range(5)]
    assert [result.key for result in listed] == [key_of("sum", {"n": n}) for n in range(5)]
    assert listed[0].created > 1e9


def test_an_answer_is_found_by_its_key_and_the_stamp_changes_with_every_new_one(store):
    assert store.by_key(key_of("sum", {"n": 1})) is None
    stamps = [store.stamp("sum")]
    for n in (1, 2):
        store.put("sum", {"n": n}, n)
        stamps.append(store.stamp("sum"))
        store.put("other", {"n": n}, n)
        assert store.stamp("sum") == stamps[-1]
    assert len(set(stamps)) == 3
    found = store.by_key(key_of("sum", {"n": 2}))
    assert (found.kind, found.question, found.answer) == ("sum", {"n": 2}, 2)
    assert found == list(store.results("sum"))[1]


@pytest.mark.parametrize(
    ("question", "answer"),
    [({"a": math.nan}, 1), ({"a": {1, 2}}, 1), ({"a": 1}, math.inf), ({"a": 1}, object())],
)
def test_what_json_can_not_hold_is_refused(store, question, answer):
    with pytest.raises(ResultStoreError, match="stored"):
        store.put("sum", question, answer)


def test_none_is_no_answer(store):
    with pytest.raises(ResultStoreError, match="no answer"):
        store.put("sum", {}, None)


def test_a_file_that_is_no_database_is_refused_and_left_alone(store):
    store.path.parent.mkdir()
    store.path.write_bytes(b"precious " * 1000)
    for use in (lambda: store.get("sum", {}), lambda: store.put("sum", {}, 1)):
        with pytest.raises(ResultStoreError, match=r"not a database.*move the file away"):
            use()
    assert store.path.read_bytes() == b"precious " * 1000


def test_a_database_of_something_else_is_refused_and_left_alone(store):
    store.path.parent.mkdir()
    with sqlite3.connect(store.path) as other:
        other.execute("CREATE TABLE wages (name TEXT)")
    other.close()
    before = store.path.read_bytes()
    with pytest.raises(ResultStoreError, match="something else"):
        store.put("sum", {}, 1)
    assert store.path.read_bytes() == before


def test_a_store_of_another_version_is_refused(store):
    store.put("sum", {}, 1)
    other = sqlite3.connect(store.path)
    other.execute("PRAGMA user_version = 7")
    other.close()
    with pytest.raises(ResultStoreError, match="version 7; this code reads 2"):
        store.get("sum", {})


def test_a_damaged_answer_is_said_with_its_key(store):
    store.put("sum", {}, [1, 2, 3])
    other = sqlite3.connect(store.path)
    with other:
        other.execute("UPDATE results SET answer = '[1, 2'")
    other.close()
    with pytest.raises(ResultStoreError, match=key_of("sum", {})):
        store.get("sum", {})


def test_a_file_that_stays_locked_gives_up_with_a_message(store, monkeypatch):
    store.put("sum", {}, 1)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    assert store.get("sum", {}) == 1, "a writer doesn't hold up readers"
    with pytest.raises(ResultStoreError, match="locked"):
        store.put("sum", {"n": 2}, 2)
    other.rollback()
    other.close()
    store.put("sum", {"n": 2}, 2)
    assert store.get("sum", {"n": 2}) == 2


def test_a_place_that_can_not_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultStoreError, match="can't be used"):
        ResultStore(tmp_path / "file" / FILE_NAME).put("sum", {}, 1)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_FULL, "the disk is full"),
        (sqlite3.SQLITE_IOERR_WRITE, "the disk is full"),
        (sqlite3.SQLITE_READONLY, "it is read-only; set SPADES_RESULTS to a folder"),
        (sqlite3.SQLITE_CORRUPT, "move the file away"),
    ],
)
def test_a_full_or_read_only_disk_is_said_in_words(code, said, store, monkeypatch):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    monkeypatch.setattr(ResultStore, "_prepare", lambda *given: raise_(error))
    with pytest.raises(ResultStoreError, match=said) as refused:
        store.put("sum", {}, 1)
    assert ("move the file away" in str(refused.value)) == (code == sqlite3.SQLITE_CORRUPT)


def raise_(error):
    raise error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_folder_that_can_not_be_made_is_said_in_words(number, store, monkeypatch):
    monkeypatch.setattr(Path, "mkdir", lambda *a, **k: raise_(OSError(number, "no")))
    said = {errno.ENOSPC: "the disk is full", errno.EACCES: "it is read-only"}
    with pytest.raises(ResultStoreError, match=said[number]):
        store.put("sum", {}, 1)


def damage(store, kind):
    """A store that can't be used: junk, a folder in its place; its stamp before."""
    before = store.stamp("sum")
    for path in store.path.parent.glob(f"{FILE_NAME}*"):
        path.unlink()
    if kind == "junk":
        store.path.write_bytes(b"junk" * 500)
    else:
        store.path.mkdir()
    return before


@pytest.mark.parametrize("kind", ["junk", "folder"])
def test_sound_results_of_a_store_that_can_not_be_used_are_none(kind, store):
    store.put("sum", {}, 1)
    before, wrong = damage(store, kind), []
    assert store.sound_results("sum", bool, wrong) == []
    assert [FILE_NAME in what for what in wrong] == [True]
    assert store.stamp("sum") != before


def test_sound_results_leave_out_damaged_rows_and_say_which(store):
    for n in range(6):
        store.put("sum", {"n": n}, {"is": n})
    other = sqlite3.connect(store.path)
    with other:
        for n, text in enumerate(("{", "[]", "null", "[" * 5000)):
            other.execute(
                "UPDATE results SET answer = ? WHERE key = ?", (text, key_of("sum", {"n": n}))
            )
        other.execute("UPDATE results SET created = 'x' WHERE key = ?", (key_of("sum", {"n": 4}),))
    other.close()
    wrong = []
    found = store.sound_results("sum", lambda result: result.answer["is"], wrong)
    assert [result.answer["is"] for result in found] == [5]
    assert [key_of("sum", {"n": n}) in "".join(wrong) for n in range(6)] == [True] * 5 + [False]
    assert store.stamp("sum")[1] == 6


def test_an_answer_made_anew_takes_the_place_of_the_old_one(store):
    store.put("sum", {"n": 1}, 2)
    store.put("sum", {"n": 2}, 3)
    before = store.stamp("sum")
    store.put("sum", {"n": 1}, 4)
    assert [result.answer for result in store.results("sum")] == [2, 3], "it stays"
    store.put("sum", {"n": 1}, 4, anew=True)
    assert [result.answer for result in store.results("sum")] == [3, 4], "the newest last"
    assert store.stamp("sum") != before


def write_many(path, writer):
    store = ResultStore(Path(path))
    for n in range(30):
        store.put("shared", {"n": n}, {"writer": writer})
        store.put("own", {"n": n, "writer": writer}, n)


def check_shared(store, writers):
    shared, own = list(store.results("shared")), list(store.results("own"))
    assert sorted(result.question["n"] for result in shared) == list(range(30))
    assert len(own) == 30 * writers
    assert all(result.answer == result.question["n"] for result in own)


def test_threads_write_at_once_from_an_empty_folder(store):
    threads = [threading.Thread(target=write_many, args=(store.path, w)) for w in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_shared(store, 4)


@pytest.mark.slow
def test_processes_write_at_once_from_an_empty_folder(store):
    script = (
        "import sys; from tests.analysis.runs.test_store import write_many\n"
        "write_many(*sys.argv[1:])"
    )
    command = [sys.executable, "-c", script, str(store.path)]
    processes = [subprocess.Popen([*command, str(writer)], cwd=ROOT) for writer in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    check_shared(store, 3)


def test_a_killed_writer_leaves_whole_answers(store):
    script = (
        "import sys, os, signal, threading; from pathlib import Path\n"
        "from analysis.runs.store import ResultStore\n"
        "store = ResultStore(Path(sys.argv[1]))\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()\n"
        "for n in range(10**6):\n    store.put('sum', {'n': n}, ['x' * 5000, n])\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(store.path)], cwd=ROOT)
    assert killed.returncode == -9
    answers = [result.answer for result in store.results("sum")]
    assert answers == [["x" * 5000, n] for n in range(len(answers))]
    store.put("sum", {"n": -1}, "goes on")
    assert len(list(store.results("sum"))) == len(answers) + 1


def test_the_folder_is_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    assert results_file() == tmp_path / FILE_NAME
    assert ResultStore().path == tmp_path / FILE_NAME
    monkeypatch.delenv("SPADES_RESULTS")
    assert results_file() == ROOT / "data" / "results" / FILE_NAME


def test_a_key_is_plain_text_of_20_digits():
    key = key_of("sum", json.loads('{"b": 1, "a": "é"}'))
    assert len(key) == 20
    assert key == key_of("sum", {"a": "é", "b": 1})
    assert key != key_of("sum", {"a": "e", "b": 1})


BIASED = "ismcts:iterations=10,bias=knowledge,model=mine"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    random_network("200", seed=1).save(tmp_path / "mine.safetensors")
    return tmp_path


def keys():
    plans = [MatchPlan("direct:model=mine", "random", 2), MatchPlan(BIASED, "random", 2)]
    setting = Setting(Knowledge("mine", 0.1, 10.0), 10)
    return [*(plan.key for plan in plans), SweepPlan((setting,), games=2).key]


def others():
    plain = MatchPlan("ismcts:iterations=10", "random", 2)
    published = MatchPlan("direct:model=devlin2016", "random", 2)
    return [plain.key, published.key, SweepPlan((), games=2).key]


def test_agents_name_the_models_they_lean_on(folder):
    assert models_of(map(parse_agent, ["ismcts:iterations=10", "random", "human"])) == {}
    found = models_of(map(parse_agent, [BIASED, "direct:model=devlin2016"]))
    assert found == {"models": {"devlin2016": model_hash("devlin2016"), "mine": model_hash("mine")}}
    with pytest.raises(UnknownModelError, match="ghost"):
        model_hash("ghost")


def test_a_model_trained_anew_asks_another_question_and_leaves_the_rest(folder):
    before, left = keys(), others()
    random_network("200", seed=2).save(folder / "mine.safetensors")
    random_network("200", seed=3).save(folder / "another.safetensors")
    assert not set(keys()) & set(before)
    assert others() == left
    random_network("200", seed=1).save(folder / "mine.safetensors")
    assert keys() == before, "the same numbers, the same question"


def test_an_answer_made_anew_is_noticed_though_the_clock_was_set_back(tmp_path, monkeypatch):
    store = ResultStore(tmp_path / "results.sqlite")
    store.put("match", {"seed": 1}, "first")
    before = store.stamp("match")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    store.put("match", {"seed": 1}, "second", anew=True)
    assert store.stamp("match") != before
    store.put("match", {"seed": 2}, "third")
    assert [result.answer for result in store.results("match")] == ["second", "third"]
