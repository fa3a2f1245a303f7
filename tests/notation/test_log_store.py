"""The store of logs: names stay inside, nothing is overwritten, nothing makes listing fail."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from spades.core import paths
from spades.core.behaviour import source_hash
from spades.core.errors import InvalidRecordError
from spades.notation import log_store
from spades.notation.log_store import delete_log, list_logs, open_log, safe_name, store_log
from spades.notation.parquet import save_log
from tests.random_logs import random_log


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    folder = tmp_path / "logs"
    monkeypatch.setenv("SPADES_LOGS", str(folder))
    return folder


def test_a_log_is_stored_listed_opened_and_deleted(store):
    assert list_logs() == []
    log = random_log(30, p_cut=0.5)
    entry = store_log(log, "Night 1", {"command": "simulate", "seed": 7, "created": "2001-01-01"})
    assert entry.name == "night-1"
    assert entry.path == store / "night-1.parquet"
    assert list_logs() == [entry]
    assert entry.n_rounds == 30
    assert entry.size == entry.path.stat().st_size
    assert entry.modified > 0
    assert entry.provenance == {
        "command": "simulate",
        "seed": 7,
        "created": "2001-01-01",
        "code_version": source_hash(),
        "rounds": 30,
        "complete": int((log.n_plays == 52).sum()),
        "plays": int(log.n_plays.sum()),
    }
    assert list(open_log("night-1").records()) == list(log.records())
    delete_log("night-1")
    assert list_logs() == []


def test_time_and_counts_are_the_store_s_own():
    entry = store_log(random_log(2), "x", {"rounds": 99})
    assert entry.provenance["rounds"] == 2
    assert entry.provenance["created"].endswith("+00:00")


def test_the_default_folder_is_the_users(monkeypatch):
    monkeypatch.delenv("SPADES_LOGS")
    assert log_store.store_folder() == paths.user_folder() / "logs"


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("My log (2)", "my-log-2"),
        ("../../etc/passwd", "etc-passwd"),
        ("Größe_3", "groe-3"),
        ("", "log"),
        ("日本", "log"),
        ("--", "log"),
        ("x" * 200, "x" * 50),
    ],
)
def test_names_are_made_safe(name, stored):
    assert safe_name(name) == stored
    assert store_log(random_log(1), name).name == stored


def test_a_name_taken_gets_a_number():
    names = [store_log(random_log(1, seed), "a").name for seed in range(3)]
    assert names == ["a", "a-2", "a-3"]
    assert list(open_log("a-2").records()) == list(random_log(1, 1).records())


def test_without_hard_links_names_are_claimed_all_the_same(monkeypatch):
    def no_link(*_):
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", no_link)
    assert [store_log(random_log(1), "a").name for _ in range(2)] == ["a", "a-2"]
    assert [entry.n_rounds for entry in list_logs()] == [1, 1]


IMPORTER = """
import sys
from spades.notation.log_store import store_log
from tests.random_logs import random_log
for i in range(8):
    store_log(random_log(3, int(sys.argv[1]) * 100 + i), "same")
"""


def test_two_processes_that_import_at_once_lose_nothing(store):
    processes = [
        subprocess.Popen([sys.executable, "-c", IMPORTER, str(k)], env=os.environ | path_here())
        for k in (1, 2)
    ]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    entries = list_logs()
    assert len(entries) == 16
    found = sorted(open_log(entry.name).hands.tolist() for entry in entries)
    due = [random_log(3, k * 100 + i).hands.tolist() for k in (1, 2) for i in range(8)]
    assert found == sorted(due)
    assert all(path.suffix == ".parquet" for path in store.iterdir())
    assert len(list(store.iterdir())) == 16


def path_here():
    return {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "/etc/passwd", "", ".", "..", "A", "a.parquet", "-a", "a\n", "a" * 61]
)
def test_only_names_inside_the_store(name):
    store_log(random_log(1), "a")
    for use in (open_log, delete_log):
        with pytest.raises(InvalidRecordError, match="no log is named"):
            use(name)


def test_an_unknown_name_is_told_what_is_there():
    with pytest.raises(InvalidRecordError, match="it is empty"):
        open_log("b")
    for i in range(12):
        store_log(random_log(1), f"a{i}")
    with pytest.raises(InvalidRecordError, match=r"a0, a1, .* and 2 more are there"):
        open_log("b")


def test_foreign_and_broken_files_are_listed_with_the_reason(store, tmp_path):
    entry = store_log(random_log(20), "good")
    data = entry.path.read_bytes()
    (store / "half.parquet").write_bytes(data[: len(data) // 2])
    (store / "empty.parquet").write_bytes(b"")
    (store / "notes.txt").write_text("hello")
    (store / "Bad Name.parquet").write_bytes(data)
    (store / "folder.parquet").mkdir()
    (store / ".good.123.tmp").write_bytes(data)
    outside = tmp_path / "outside.parquet"
    outside.write_bytes(data)
    (store / "link.parquet").symlink_to(outside)
    problems = {entry.name: entry.problem for entry in list_logs()}
    assert problems.pop("good") == ""
    assert set(problems) == {"half", "empty", "notes.txt", "Bad Name", "folder", "link"}
    assert "no readable Parquet" in problems["half"]
    assert "empty" in problems["empty"]
    assert "no name of a log" in problems["notes.txt"]
    assert "no name of a log" in problems["Bad Name"]
    assert "regular" in problems["folder"]
    assert "link" in problems["link"]
    for name in ("link", "folder"):
        with pytest.raises(InvalidRecordError, match="no log"):
            open_log(name)
    with pytest.raises(InvalidRecordError, match="Parquet"):
        open_log("half")


def test_a_parquet_file_that_is_no_log_is_listed_as_such(store):
    import pyarrow as pa
    import pyarrow.parquet as pq

    store.mkdir()
    pq.write_table(pa.table({"x": [1, 2]}), store / "other.parquet")
    (entry,) = list_logs()
    assert not entry.is_readable
    assert "columns schema_version" in entry.problem


def test_an_illegal_log_is_not_stored(store):
    log = random_log(3)
    log.bids[1, 0] = 15
    with pytest.raises(InvalidRecordError, match="can't bid 15"):
        store_log(log, "a")
    assert list(store.iterdir()) == []


def test_a_file_name_that_is_not_utf8_is_listed_escaped(store):
    store.mkdir()
    (store / os.fsdecode(b"caf\xe9.parquet")).write_bytes(b"x")
    (entry,) = list_logs()
    assert entry.name == "caf\\udce9"
    assert "no name of a log" in entry.problem
    assert entry.name.encode()
    assert entry.problem.encode()


def test_listing_sweeps_what_killed_imports_left(store):
    store_log(random_log(1), "a")
    left = store / ".a.0123456789abcdef.spades.tmp"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert [entry.name for entry in list_logs()] == ["a"]
    assert [path.name for path in store.iterdir()] == ["a.parquet"]


def parts_of(log, folder, n_parts=3):
    folder.mkdir(parents=True)
    for i, rows in enumerate(np.array_split(np.arange(len(log)), n_parts)):
        save_log(log.take(rows).compact(), folder / f"{i}.parquet")


def test_a_folder_of_files_is_one_log(store):
    log = random_log(30)
    parts_of(log, store / "million")
    (entry,) = list_logs()
    assert (entry.name, entry.n_rounds, entry.problem) == ("million", 30, "")
    assert entry.size == sum(part.stat().st_size for part in entry.path.iterdir())
    assert list(open_log("million").records()) == list(log.records())
    assert len(log_store.content_hash("million")) == 16
    assert store_log(log, "million").name == "million-2"
    with pytest.raises(InvalidRecordError, match="deleted where it lies"):
        delete_log("million")
    assert (store / "million").is_dir()


def test_a_folder_that_can_not_be_one_log_is_listed_with_the_reason(store, tmp_path, monkeypatch):
    log = random_log(30)
    parts_of(log, store / "large")
    parts_of(log, tmp_path / "elsewhere")
    (store / "linked").symlink_to(tmp_path / "elsewhere")
    (store / "nothing").mkdir()
    parts_of(log, store / "Bad Name")
    monkeypatch.setattr(log_store, "MAX_ROUNDS_AT_ONCE", 29)
    problems = {entry.name: entry.problem for entry in list_logs()}
    assert problems["large"].startswith("30 rounds in 3 files; pages open 29 at once.")
    assert "a link" in problems["linked"]
    assert "without a .parquet file" in problems["nothing"]
    assert "no name of a log" in problems["Bad Name"]
    with pytest.raises(InvalidRecordError, match="pages open 29 at once"):
        open_log("large")
    with pytest.raises(InvalidRecordError, match="no log 'linked'"):
        open_log("linked")
