"""Folders of logs: read in parts, and refused where they aren't whole."""

import doctest
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spades.notation
from spades.core.errors import InvalidRecordError
from spades.core.logs import concatenate
from spades.human.features import folders
from spades.notation import log_folder, read_log, read_parts, stream_log
from spades.notation.log_folder import open_folder
from spades.notation.parquet import save_log
from tests.split_logs import some_games, split


@pytest.fixture(scope="module")
def log():
    return some_games(12)


@pytest.fixture
def folder(log, tmp_path):
    return split(log, tmp_path / "big", 4)


def records(logs):
    return [record for log in logs for record in log.records()]


def test_what_the_modules_show_is_so():
    for module, n in ((log_folder, 3), (folders, 5)):
        found = doctest.testmod(module)
        assert (found.failed, found.attempted) == (0, n)
    finder = doctest.DocTestFinder()
    (example,) = finder.find(stream_log, globs=vars(spades.notation))
    assert doctest.DocTestRunner().run(example).failed == 0


def test_its_rounds_are_those_of_one_file(log, folder, monkeypatch):
    opened = open_folder(folder)
    assert (len(opened.parts), opened.n_rounds) == (4, len(log))
    expected = list(log.records())
    whole, refused = read_log(folder)
    assert (records([whole]), refused) == (expected, [])
    assert [record for part in read_parts(folder) for record in part.records] == expected
    for rounds_at_once in (1, 30, 1000):
        monkeypatch.setattr(spades.notation, "ROUNDS_AT_ONCE", rounds_at_once)
        assert records(part for part, _ in stream_log(folder)) == expected


def test_games_that_go_on_in_the_next_part_are_read_whole(log, tmp_path, monkeypatch):
    monkeypatch.setattr(spades.notation, "ROUNDS_AT_ONCE", 1)
    folder = tmp_path / "cut"
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(log)), 9)):
        save_log(log.take(rows).compact(), folder / f"{i}.parquet")
    parts = [part for part, _ in stream_log(folder)]
    assert records(parts) == list(log.records())
    names = [set(part.compact().games) for part in parts]
    assert sum(map(len, names)) == len(set.union(*names)) == 12


def test_games_that_are_apart_are_refused(log, tmp_path, monkeypatch):
    monkeypatch.setattr(spades.notation, "ROUNDS_AT_ONCE", 1)
    folder = split(concatenate([log, log]), tmp_path / "twice", 4)
    with pytest.raises(InvalidRecordError, match=r"twice: rounds of the game .* are apart"):
        list(stream_log(folder))


def test_a_file_too_big_is_read_in_parts(log, tmp_path, monkeypatch):
    save_log(log, tmp_path / "one.parquet")
    monkeypatch.setattr(spades.notation, "MAX_ROUNDS_AT_ONCE", 10)
    assert records(part for part, _ in stream_log(tmp_path / "one.parquet")) == list(log.records())
    with pytest.raises(InvalidRecordError, match="rounds; 10 are read at once"):
        read_log(split(log, tmp_path / "big", 2))


def _drop_a_part(folder):
    (folder / "1.parquet").unlink()


def _add_a_part(folder):
    shutil.copy(folder / "1.parquet", folder / "7.parquet")


def _change_a_part(folder):
    shutil.copy(folder / "0.parquet", folder / "3.parquet")
    log, _ = read_log(folder / "0.parquet")
    save_log(log.take(slice(2)), folder / "3.parquet")


def _halve_a_part(folder):
    data = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(data[: len(data) // 2])


def _mix_schemas(folder):
    pq.write_table(pa.table({"hands": [1, 2], "prices": [3.0, 4.0]}), folder / "2.parquet")


def _link_a_part(folder):
    (folder / "0.parquet").rename(folder.parent / "0.parquet")
    (folder / "0.parquet").symlink_to(folder.parent / "0.parquet")


def _damage_the_list(folder):
    (folder / "parts.json").write_text('{"parts": [1], "provenance": {}}')


def _unfinish(folder):
    (folder / "parts.json").rename(folder / "plan.json")


def _empty(folder):
    for path in folder.iterdir():
        path.unlink()


def _nest(folder):
    _empty(folder)
    (folder / "year=2026").mkdir()


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (_drop_a_part, "big: '1.parquet' of its 4 parts: missing"),
        (_add_a_part, "big: '7.parquet' of its 4 parts: not among those that parts.json lists"),
        (_change_a_part, "big: the part 3.parquet has 2 rounds, parts.json lists [0-9]+"),
        (_halve_a_part, "big, part '2.parquet': no readable Parquet file"),
        (_mix_schemas, "big, part '2.parquet': "),
        (_link_a_part, "big: '0.parquet' is a link"),
        (_damage_the_list, "big: parts.json lists no parts with their rounds"),
        (_unfinish, "big: its simulation isn't finished; run the same command again"),
        (_empty, "big: a folder without a .parquet file directly in it"),
        (_nest, "big: a folder without a .parquet file directly in it"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(folder, harm, reason):
    harm(folder)
    with pytest.raises(InvalidRecordError, match=reason):
        open_folder(folder)
    with pytest.raises(InvalidRecordError):
        list(stream_log(folder))
    (only,) = read_parts(folder)
    assert not only.records
    assert only.refused


def test_anybodys_folder_is_read_by_its_names(log, tmp_path):
    folder = split(log, tmp_path / "theirs", 3, is_listed=False)
    (folder / "README").write_text("of somebody")
    assert records(part for part, _ in stream_log(folder)) == list(log.records())
