"""Footers are read by hand, as Arrow reads them, and no damage to one ends the process."""

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from spades.core.errors import InvalidRecordError
from spades.notation.parquet import save_log
from spades.notation.parquet_footer import read_footer
from tests.random_logs import random_log


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr("spades.notation.parquet.GROUP_ROWS", 20)
    save_log(random_log(50, p_cut=0.3), tmp_path / "log.parquet", provenance={"a": "b"})
    return tmp_path / "log.parquet"


def test_the_footer_says_what_arrow_says(path):
    metadata = pq.read_metadata(path)
    groups = read_footer(path)
    assert read_footer(path.read_bytes()) == groups
    assert [group.n_rows for group in groups] == [20, 20, 10]
    for i, group in enumerate(groups):
        due = metadata.row_group(i)
        assert (group.n_rows, group.n_bytes) == (due.num_rows, due.total_byte_size)
        assert len(group.columns) == due.num_columns
        for k, column in enumerate(group.columns):
            chunk = due.column(k)
            found = (column.name, column.n_values, column.n_bytes)
            name = chunk.path_in_schema.split(".")[0]
            assert found == (name, chunk.num_values, chunk.total_uncompressed_size)


def with_footer(footer):
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PAR1",
        b"\xff\xff\xff\x7fPAR1",
        with_footer(b""),
        with_footer(b"\x00"),
        with_footer(b"\xff" * 40),
        with_footer(b"\x1c" * 100_000),  # structs in structs
        with_footer(b"\x19" * 100_000),  # lists in lists
        with_footer(b"\x49\xf0\xff\xff\xff\xff\x0f"),  # a list of 2**32
        with_footer(b"\x18\xff\xff\xff\xff\x0f"),  # a text of 2**32
        with_footer(b"\x46\x02\x00"),  # row groups are a number
        with_footer(b"\x49\x15\x02\x00"),  # a row group is a number
        with_footer(b"\x1b\x00"),  # a map
    ],
)
def test_what_is_no_footer(data):
    with pytest.raises(InvalidRecordError, match="no readable Parquet file"):
        read_footer(data)


def test_a_giant_footer_is_not_read(monkeypatch):
    monkeypatch.setattr("spades.notation.parquet_footer.MAX_FOOTER", 10)
    with pytest.raises(InvalidRecordError, match="a Parquet footer of 40 bytes; 10 are read"):
        read_footer(with_footer(b"\x00" * 40))


DAMAGE = """
import random, sys
from pathlib import Path
from spades.notation import read_bytes
data, seen = Path(sys.argv[1]).read_bytes(), set()
originals = set(read_bytes(data, name="x.parquet").records)
footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
for seed in range(500):
    rng, bad = random.Random(seed), bytearray(data)
    for _ in range(rng.randint(1, 3)):
        bad[rng.randrange(footer if rng.random() < 0.7 else 0, len(bad))] = rng.randrange(256)
    reading = read_bytes(bytes(bad), name="x.parquet")
    assert reading.records or reading.refused
    assert originals.issuperset(reading.records), seed
"""


def test_damaged_footers_end_no_process_and_give_no_wrong_round(path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", DAMAGE, str(path)], env=environment, capture_output=True, timeout=200
    )
    assert done.returncode == 0, done.stderr[-2000:]
