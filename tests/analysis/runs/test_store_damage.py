"""A damaged result store: nothing else is read as if it were true, and it is mended."""

import random
import sqlite3
from contextlib import closing

import pytest

from analysis.runs.store import RESULTS, ResultStore, ResultStoreError, canonical, key_of
from tests.damages import damaged

KIND = "sum"
N = 40


def answers():
    return {n: {"is": n * n, "text": f"answer {n}"} for n in range(N)}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a store with its journal written back."""
    store = ResultStore(tmp_path_factory.mktemp("sound") / "results.sqlite")
    store.put_all((KIND, {"n": n}, answer) for n, answer in answers().items())
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return store.path.read_bytes()


def read_all(store):
    """The answers that a store gives, by number; what it refuses is left out."""
    found = {}
    for n in range(N):
        try:
            answer = store.get(KIND, {"n": n})
        except ResultStoreError:
            continue
        if answer is not None:
            found[n] = answer
    return found


def test_damage_is_refused_found_and_mended(sound, tmp_path):
    n_found = 0
    for seed in range(70):
        path = tmp_path / f"{seed}" / "results.sqlite"
        path.parent.mkdir()
        path.write_bytes(damaged(sound, random.Random(seed)))
        store = ResultStore(path)
        read = read_all(store)
        assert read.items() <= answers().items(), seed
        before = store.check()
        if len(read) < N and path.stat().st_size:
            assert before, seed
        mended = store.check(repair=True)
        if mended and all(one.is_repaired for one in mended):
            n_found += 1
            assert store.check() == [], seed
            beside = [one.name for one in path.parent.iterdir()]
            assert any("damaged" in name for name in beside), "what was taken out is kept"
            store.put(KIND, {"n": 0}, answers()[0], anew=True)
        assert read_all(store).items() <= answers().items(), seed
    assert n_found > 20


def test_a_damaged_result_is_taken_out_and_computed_anew(tmp_path):
    store = ResultStore(tmp_path / "results.sqlite")
    store.put_all((KIND, {"n": n}, n) for n in range(3))
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE results SET answer = '7' WHERE answer = '1'")
    with pytest.raises(ResultStoreError, match="isn't what was written"):
        store.get(KIND, {"n": 1})
    (found,) = store.check()
    assert (found.where, found.is_repaired) == (f"result {key_of(KIND, {'n': 1})}", False)
    (found,) = store.check(repair=True)
    assert found.is_repaired
    assert store.check() == []
    assert store.get(KIND, {"n": 1}) is None
    assert store.get(KIND, {"n": 2}) == 2
    assert '"7"' in (tmp_path / "results.damaged-1.jsonl").read_text()


def test_a_file_that_is_no_store_is_left_where_it_is(tmp_path):
    path = tmp_path / "results.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    (found,) = ResultStore(path).check(repair=True)
    assert "a database of something else" in found.what
    assert not found.is_repaired
    assert [one.name for one in tmp_path.iterdir()] == ["results.sqlite"]


def test_a_store_without_digests_is_brought_up(tmp_path):
    path = tmp_path / "results.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE results (key TEXT PRIMARY KEY, kind TEXT NOT NULL, question TEXT NOT "
            "NULL, answer TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID"
        )
        connection.execute("CREATE INDEX results_by_kind ON results (kind, created)")
        row = (key_of(KIND, {"n": 1}), KIND, canonical({"n": 1}), canonical([1]), 5.0)
        connection.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?)", row)
        connection.execute(f"PRAGMA application_id = {ResultStore.application}")
        connection.execute("PRAGMA user_version = 1")
    store = ResultStore(path)
    assert store.get(KIND, {"n": 1}) == [1]
    assert store.check() == []
    with closing(sqlite3.connect(path)) as connection:
        (digest,) = connection.execute("SELECT digest FROM results").fetchone()
    assert digest == RESULTS.digest(row)
