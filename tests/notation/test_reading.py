"""How texts are cut into lines: however they end, and a block at a time."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.core.rules import Rules
from spades.notation import (
    NOTATIONS,
    format_records,
    read_bytes,
    read_parts,
    read_path,
    reading,
    written_notations,
)
from spades.notation.notations.notation import TextNotation
from tests.notation.test_openspiel import history_of
from tests.strategies import record_of

RECORD = record_of(Rules(), 3, 1)
WRITTEN = [notation for notation in written_notations() if isinstance(notation, TextNotation)]
TEXTS = {
    **{notation.endings[0]: format_records([RECORD], notation.name) for notation in WRITTEN},
    ".openspiel": " ".join(map(str, history_of(RECORD))),
}
ENDINGS = [n.endings[0] for n in NOTATIONS.values() if isinstance(n, TextNotation)]


@given(st.text(alphabet="ab\r\n", max_size=30), st.integers(1, 5))
def test_lines_are_the_same_whatever_block_they_are_cut_in(text, block):
    plain = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_BLOCK", block)
        assert list(reading.lines_of(text)) == list(enumerate(plain, start=1))


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_lines_of_a_large_text_are_not_all_in_memory(ending):
    text = f"some line{ending}" * 400_000
    tracemalloc.start()
    n = sum(1 for _ in reading.lines_of(text))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n == 400_001
    assert peak < len(text)


def test_every_text_notation_is_tested_here():
    assert set(TEXTS) == set(ENDINGS)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("n_marks", [0, 1, 2, 3])
def test_marks_before_a_text_are_left_out_by_every_reader(ending, n_marks, tmp_path, monkeypatch):
    """Small files are read whole, big ones in parts; programs that join files leave two marks."""
    data = (n_marks * "\ufeff" + TEXTS[ending]).encode()
    path = tmp_path / f"x{ending}"
    path.write_bytes(data)
    readings = [read_bytes(data, name=path.name), read_path(path), *read_parts(path)]
    with monkeypatch.context() as patch:  # as if it were a big one
        patch.setattr("spades.notation.MAX_TEXT_BYTES", 10)
        readings += read_parts(path)
    assert len(readings) == 4
    for found in readings:
        assert not found.refused
        (record,) = found.records
        assert record.plays == RECORD.plays
