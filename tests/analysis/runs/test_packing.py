"""Stored answers as a file: what is packed, and what becomes of a damaged one."""

import lzma

import pytest

from analysis.runs.store import FILE_NAME, ResultStore, ResultStoreError, pack, packed
from spades.core.errors import SpadesError


@pytest.fixture
def stores(tmp_path):
    return [ResultStore(tmp_path / name / FILE_NAME) for name in ("one", "other")]


def test_what_is_packed_is_found_in_another_store(stores, tmp_path):
    one, other = stores
    one.put_all([("sum", {"n": n}, n * n) for n in range(4)])
    places = [("sum", {"n": n}) for n in (3, 1, 1, 9)]
    assert pack(places, one, tmp_path / "parts") == 2, "of what isn't stored nothing is packed"
    other.put("sum", {"n": 3}, "its own")
    other.put_all(packed(tmp_path / "parts", "make"))
    assert [other.get("sum", {"n": n}) for n in range(4)] == [None, 1, None, "its own"]


def test_the_same_answers_make_the_same_file(stores, tmp_path):
    store, places = stores[0], [("sum", {"n": n}) for n in range(4)]
    store.put_all([(*place, 1) for place in places])
    pack(places, store, tmp_path / "a")
    pack(places[::-1], store, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("content", [b"", b"no xz", lzma.compress(b'{"kind": "sum"}\n{"kin')])
def test_a_damaged_file_is_named_and_leaves_the_store_alone(stores, tmp_path, content):
    path = tmp_path / "parts"
    path.write_bytes(content)
    with pytest.raises(SpadesError, match=r"parts can't be read .*make it anew makes it anew"):
        stores[0].put_all(packed(path, "make it anew"))
    assert not list(stores[0].results("sum"))


def test_many_answers_are_stored_or_none(stores):
    with pytest.raises(ResultStoreError):
        stores[0].put_all([("sum", {"n": 1}, 1), ("sum", {"n": 2}, None)])
    assert not list(stores[0].results("sum"))
