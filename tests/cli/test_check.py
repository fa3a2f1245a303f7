"""``spades check``: what is damaged in each store, where, and what is mended."""

import json
import sqlite3
from contextlib import closing

import pytest

from analysis.disagreements import stored
from analysis.runs.store import ResultStore
from spades.cli.answer import DONE, REFUSED
from spades.cli.check import CHECKS
from spades.cli.main import main
from spades.human import simulate_humans
from spades.human.simulated import devlin2016_nil
from spades.notation.log_store import store_log

KINDS = ("games", "drill", "results", "logs", "models", "corpora")


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        monkeypatch.setenv(f"SPADES_{kind.upper()}", str(tmp_path / kind))
    return tmp_path


def check(capsys, *arguments):
    """The exit status, and by store its findings."""
    status = main(["check", *arguments, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["is_sound"] == (status == DONE)
    return status, {one["store"]: one["findings"] for one in document["stores"]}


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


def test_sound_stores_are_said_to_be_sound(capsys, stores):
    store_log(simulate_humans(2, 1), "two")
    ResultStore().put("sum", {"n": 1}, 1)
    devlin2016_nil().save(stores / "models" / "mine.safetensors")
    status, found = check(capsys)
    assert (status, list(found)) == (DONE, list(CHECKS))
    assert not any(found.values())
    assert main(["check"]) == DONE
    assert capsys.readouterr().out.splitlines() == [f"{name}: sound" for name in CHECKS]


def test_empty_folders_stay_empty(capsys, stores):
    assert check(capsys)[0] == DONE
    assert not [path for path in stores.rglob("*") if path.is_file()]


def test_a_damaged_result_is_said_and_taken_out(capsys):
    store = ResultStore()
    store.put_all(("sum", {"n": n}, n) for n in range(2))
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE results SET answer = '7' WHERE answer = '1'")
    status, found = check(capsys)
    assert status == REFUSED
    assert [one["is_repaired"] for one in found["results"]] == [False]
    assert main(["check"]) == REFUSED
    assert "results: 0 repaired, 1 damaged" in capsys.readouterr().out
    status, found = check(capsys, "--repair")
    assert (status, found["results"][0]["is_repaired"]) == (REFUSED, True)
    assert check(capsys)[0] == DONE
    assert store.get("sum", {"n": 0}) == 0


@pytest.mark.parametrize("name", ["games", "studies", "drill"])
def test_a_store_of_people_s_data_that_is_no_store_is_said(capsys, stores, name):
    file = {"games": "tables.sqlite", "studies": "studies.sqlite", "drill": "drill.sqlite"}[name]
    folder = stores / name.replace("studies", "games")  # a study lies beside its games
    (folder / file).write_bytes(b"junk" * 2000)
    status, found = check(capsys)
    assert status == REFUSED
    assert found["drills" if name == "drill" else name]
    assert (folder / file).read_bytes() == b"junk" * 2000, "looking changes nothing"


def test_damaged_logs_and_models_are_said_and_never_touched(capsys, stores):
    store_log(simulate_humans(3, 1), "three")
    log = stores / "logs" / "three.parquet"
    log.write_bytes(log.read_bytes()[:-40])
    model = stores / "models" / "mine.safetensors"
    devlin2016_nil().save(model)
    flip(model, -5)
    (stores / "corpora" / "bad.safetensors").write_bytes(b"junk")
    before = {path: path.read_bytes() for path in stores.rglob("*") if path.is_file()}
    status, found = check(capsys, "--repair")
    assert status == REFUSED
    assert [one["where"] for one in found["logs"]] == ["three.parquet"]
    assert [found[name][0]["where"] for name in ("models", "corpora")] == ["mine", "bad"]
    assert "isn't what was written" in found["models"][0]["what"]
    assert {path: path.read_bytes() for path in before} == before


def test_a_damaged_round_of_a_searched_log_is_taken_out(capsys, stores):
    store = ResultStore()
    kind = stored.round_kind("a search")
    store.put_all((kind, {"round": n}, {"columns": {}}) for n in range(2))
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE results SET answer = 'junk' WHERE question = '{\"round\":1}'")
    status, found = check(capsys)
    assert (status, [one["is_repaired"] for one in found["results"]]) == (REFUSED, [False])
    assert check(capsys, "--repair")[1]["results"][0]["is_repaired"]
    assert check(capsys)[0] == DONE
    assert len(store.keys(kind)) == 1
    assert "junk" in (stores / "results" / "results.damaged-1.jsonl").read_text()


def test_a_damaged_search_that_came_with_the_project_is_said_and_never_touched(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr(stored, "SHIPPED", tmp_path)
    (tmp_path / "some.jsonl.xz").write_bytes(b"junk")
    status, found = check(capsys, "--repair")
    assert (status, found["searches"][0]["where"]) == (REFUSED, "some.jsonl.xz")
    assert not found["searches"][0]["is_repaired"]
    assert (tmp_path / "some.jsonl.xz").read_bytes() == b"junk"
