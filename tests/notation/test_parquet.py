"""Parquet logs: nothing lost on the way, nothing in a file trusted."""

import dataclasses
import itertools
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.cards import DECKS
from spades.core.errors import InvalidRecordError
from spades.core.logs import ARRAYS, Log, concatenate
from spades.core.rules import Rules
from spades.notation import (
    NOTATIONS,
    parquet,
    read_bytes,
    read_log,
    read_parts,
    read_path,
    read_text,
    reading,
    write_path,
)
from spades.notation.parquet import describe, load_log, read_footer, save_log, writing_log
from spades.notation.parquet_columns import SCHEMA
from tests.notation.test_fuzz import damaged
from tests.random_logs import random_log
from tests.strategies import record_of, round_records

ALL_RULES = tuple(
    Rules(deck=deck, spades_lead=lead) for deck in DECKS for lead in ("any", "broken")
)
ROUNDS = st.lists(round_records(), max_size=4)


def saved(log, tmp_path, **options):
    path = tmp_path / "log.parquet"
    save_log(log, path, **options)
    return path


def table_of(path):
    return pq.ParquetFile(path).read()


def written(table, tmp_path, **options):
    path = tmp_path / "foreign.parquet"
    pq.write_table(table, path, **options)
    return path


def changed(table, name, values, kind=None):
    array = pa.array(values, kind or SCHEMA.field(name).type)
    return table.set_column(table.schema.get_field_index(name), name, array)


@pytest.fixture
def table(tmp_path):
    return table_of(saved(Log.from_records([record_of(Rules(), 3, seed) for seed in range(3)]),
                          tmp_path))  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(ROUNDS)
def test_records_come_back_unchanged(tmp_path_factory, records):
    path = saved(Log.from_records(records), tmp_path_factory.mktemp("p"))
    assert list(load_log(path).records()) == records
    if records and all(record.source for record in records):
        assert read_path(path).records == tuple(records)


def test_arrays_keep_their_types(tmp_path):
    log = random_log(300, 1, rules=ALL_RULES, p_cut=0.3)
    loaded = load_log(saved(log, tmp_path))
    for name in ARRAYS:
        assert np.array_equal(getattr(loaded, name), getattr(log, name))
        assert getattr(loaded, name).dtype == getattr(log, name).dtype


def test_the_columns_are_those_of_the_log_schema():
    assert set(SCHEMA.names) == {
        *("game_id", "round", "rules", "deck", "dealer", "hands", "bids", "blind", "plays"),
        *("score_before", "bags_before", "player", "kind", "agent", "seed", "source"),
        "schema_version",
    }


def test_parts_are_read_and_written_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_ROWS", 40)
    path, log = tmp_path / "log.parquet", random_log(150, rules=ALL_RULES)
    with writing_log(path, {"seed": 3}) as writer:
        writer.append(log.take(slice(0, 70)))
        writer.append(log.take(slice(70, 150)))
        writer.provenance["rounds"] = writer.n_rounds
        assert not path.exists()
    parts = [part for part, _ in parquet.read_log_parts(path, rows=25)]
    assert [len(part) for part in parts] == [25, 15, 25, 5, 25, 15, 25, 15]
    records = itertools.chain.from_iterable(part.records() for part in parts)
    assert list(records) == list(log.records())
    assert describe(path)[1] == {"seed": 3, "rounds": 150}
    assert [len(r.records) for r in read_parts(path)] == [40, 30, 40, 40]


def test_files_hold_no_names_but_those_of_their_rounds(tmp_path):
    log = dataclasses.replace(random_log(4), players=tuple(f"secret-{i}" for i in range(300)))
    data = saved(log, tmp_path).read_bytes()
    used = {log.players[code] for code in log.player_code.ravel()}
    table = table_of(tmp_path / "log.parquet")
    assert {name for row in table["player"].to_pylist() for name in row} == used
    unused = next(name for name in log.players if name not in used and len(name) == 10)
    assert unused.encode() not in data


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = saved(random_log(3), tmp_path)
    before = path.read_bytes()

    def break_off():
        with writing_log(path) as writer:
            writer.append(random_log(5))
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_illegal_rounds_are_not_written(tmp_path):
    log = random_log(5)
    log.plays[2, 5] = log.plays[2, 0]
    with pytest.raises(InvalidRecordError, match=r"round 3: .* doesn't hold it"):
        saved(log, tmp_path)
    assert os.listdir(tmp_path) == []


def test_provenance_has_a_size(tmp_path):
    with pytest.raises(InvalidRecordError, match="provenance"):
        saved(random_log(1), tmp_path, provenance={"x": "y" * 100_000})
    assert describe(saved(random_log(1), tmp_path)) == (1, {})


@pytest.mark.parametrize("store_schema", [True, False])
def test_files_of_other_programs_are_read(table, tmp_path, store_schema):
    """Plain lists, wide integers and plain text, as other writers have them."""
    records = list(load_log(tmp_path / "log.parquet").records())
    fields = []
    for field in table.schema:
        kind = field.type
        if pa.types.is_fixed_size_list(kind):
            of = kind.value_type
            kind = pa.list_(pa.large_string() if pa.types.is_dictionary(of)
                            else pa.int64() if pa.types.is_integer(of) else of)  # fmt: skip
        elif pa.types.is_dictionary(kind):
            kind = pa.string()
        elif pa.types.is_integer(kind):
            kind = pa.int64()
        fields.append(pa.field(field.name, kind))
    columns = [pa.array(table[f.name].to_pylist(), f.type) for f in fields]
    other = pa.table(columns, schema=pa.schema(fields)).append_column("extra", pa.array([1, 2, 3]))
    path = written(other, tmp_path, store_schema=store_schema)
    assert list(load_log(path).records()) == records
    result = read_path(path)
    assert [r.plays for r in result.records] == [r.plays for r in records]
    assert [note.text for note in result.notes] == ["unknown columns left out: 'extra'"]
    assert result.records[2].source == "foreign.parquet:3"


def row_of(values):
    """Three rows, the second with something wrong."""
    return lambda good: [good[0], values, good[2]]


def with_null(good):
    return [good[0], None, good[2]]


@pytest.mark.parametrize(
    ("name", "edit", "kind", "says"),
    [
        ("schema_version", row_of(2), None, "schema_version is [2]; 1 to 1"),
        ("game_id", with_null, None, "game_id is null"),
        ("game_id", row_of("x" * 10_001), None, "longer than 10,000"),
        ("round", row_of(-1), None, "round is [-1]"),
        ("rules", row_of("{"), None, "no valid JSON"),
        ("rules", row_of("[]"), None, "object"),
        ("rules", row_of('{"x": 1}'), None, "unknown rule"),
        ("rules", row_of('{"target": NaN}'), None, "NaN"),
        ("deck", row_of("tarot"), None, "deck is 'tarot'"),
        ("deck", row_of("joker-joker-ace"), None, "joker-joker-ace"),
        ("dealer", row_of(4), None, "dealer is [4]; 0 to 3"),
        ("dealer", with_null, None, "dealer is null"),
        ("hands", row_of([1, 2, 3, -4]), None, "hands is [1, 2, 3, -4]"),
        ("hands", row_of([1, 2, 3, 4]), None, "N holds 1 cards"),
        ("hands", row_of([1, 2, 3]), pa.list_(pa.int64()), "hands is a list of 3; a list of 4"),
        ("hands", with_null, pa.list_(pa.int64()), "hands is null"),
        ("bids", row_of([1, 2, 3, 14]), None, "can't bid 14"),
        ("bids", row_of([1, None, 3, 4]), pa.list_(pa.int8()), "bids is null or holds a null"),
        ("bids", row_of([1, 2, 3, 1000]), pa.list_(pa.int64()), "bids is [1, 2, 3, 1000]"),
        ("blind", row_of([True, False, False, False]), None, "only nil may be blind"),
        ("plays", row_of([-1] * 51 + [5]), None, "a card after -1"),
        ("plays", row_of([5] * 52), None, "doesn't hold it"),
        ("plays", row_of([]), pa.list_(pa.int8()), "plays is a list of 0"),
        ("plays", row_of([0] * 53), pa.list_(pa.int8()), "plays is a list of 53"),
        ("kind", row_of(["human", "bot", "cat", "bot"]), None, "cat"),
        ("player", row_of(["a", None, "b", "c"]), pa.list_(pa.string()), "player is null"),
        ("score_before", row_of([2_000_000, 0]), None, "score_before"),
        ("score_before", row_of([None, 0]), pa.list_(pa.int32()), "holds a null"),
        ("bags_before", row_of([-1, 0]), None, "bags_before is [-1, 0]"),
        ("seed", row_of(-(2**63)), None, "seed is"),
    ],
)
def test_a_bad_row_is_refused_and_the_others_read(table, tmp_path, name, edit, kind, says):
    good = table[name].to_pylist()
    path = written(changed(table, name, edit(good), kind), tmp_path)
    result = read_path(path)
    assert len(result.records) == 2
    (refusal,) = result.refused
    assert says in refusal.reason
    assert refusal.line == 2
    with pytest.raises(InvalidRecordError, match=r"^row 2: ") as error:
        load_log(path)
    assert error.value.line == 2
    assert [len(part.records) for part in read_parts(path)] == [2]


def uint(table):
    return changed(table, "seed", [2**63, 1, 2], pa.uint64())


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda t: t.drop_columns(["plays"]), "0 columns plays"),
        (lambda t: t.append_column("dealer", t["dealer"]), "2 columns dealer"),
        (lambda t: changed(t, "dealer", ["N", "E", "S"], pa.string()), "dealer is of type string"),
        (lambda t: changed(t, "seed", [0.5, 1, 2], pa.float64()), "seed is of type double"),
        (lambda t: changed(t, "bids", [["1"] * 4] * 3, pa.list_(pa.string())), "bids is of type"),
        (lambda t: changed(t, "plays", [b"x" * 52] * 3, pa.binary()), "plays is of type binary"),
        (lambda t: changed(t, "hands", [[1] * 3] * 3, pa.list_(pa.int64(), 3)), "hands is of type"),
        (uint, "no readable Parquet file"),
        (lambda t: t.replace_schema_metadata({"spades:schema_version": "2"}), "schema version"),
    ],
)
def test_wrong_columns_refuse_the_file(table, tmp_path, edit, says):
    path = written(edit(table), tmp_path)
    result = read_bytes(path.read_bytes(), name=path.name)
    assert result.records == ()
    assert says in result.refused[0].reason
    for read in (read_path, read_log, load_log):
        with pytest.raises(InvalidRecordError, match=says):
            read(str(path))


def test_limits_of_a_row_group(table, tmp_path, monkeypatch):
    path = tmp_path / "log.parquet"
    monkeypatch.setattr(parquet, "MAX_GROUP_ROWS", 2)
    with pytest.raises(InvalidRecordError, match="at most 2 are read"):
        read_path(path)
    monkeypatch.undo()
    monkeypatch.setattr(parquet, "MAX_GROUP_BYTES", 100)
    with pytest.raises(InvalidRecordError, match="are read at a time"):
        read_path(path)
    monkeypatch.undo()
    monkeypatch.setattr(reading, "MAX_RECORDS", 2)
    with pytest.raises(InvalidRecordError, match="over 2 rounds"):
        read_path(path)
    assert len(load_log(path)) == 3
    log, refused = read_log(str(path))
    assert (len(log), refused) == (3, [])


def test_limit_of_a_whole_file(tmp_path, monkeypatch):
    """Small row groups that unpack to a hundred times the file."""
    log = random_log(1)
    path = saved(concatenate([log] * 4000), tmp_path)
    table = table_of(path)
    path = written(changed(table, "source", ["x" * 9000] * 4000), tmp_path, row_group_size=400,
                   use_dictionary=False, compression="zstd")  # fmt: skip
    assert len(read_path(path).records) == 4000
    monkeypatch.setattr(parquet, "MAX_GROUP_BYTES", 16 * 2**20)
    assert "it unpacks to 36 MB; at most 16 MB are read of" in refusal_of(path)
    upload = read_bytes(path.read_bytes(), name="a.parquet", enough=1)
    assert "it unpacks to" in upload.refused[0].reason
    with pytest.raises(InvalidRecordError, match="it unpacks to"):
        load_log(path)
    with pytest.raises(InvalidRecordError, match="it unpacks to"):
        describe(path)
    monkeypatch.setattr(parquet, "MAX_RATIO", 10_000)
    assert len(load_log(path)) == 4000


def test_a_footer_that_makes_columns_small_is_refused(tmp_path, monkeypatch):
    path = saved(random_log(50), tmp_path)
    honest = parquet.read_footer

    def lying(file):
        return [
            group._replace(
                n_bytes=100, columns=[column._replace(n_bytes=9) for column in group.columns]
            )
            for group in honest(file)
        ]

    assert len(load_log(path)) == 50
    monkeypatch.setattr(parquet, "read_footer", lying)
    with pytest.raises(InvalidRecordError, match="unpacks to more than the 9 bytes announced"):
        load_log(path)


def test_more_values_than_rows_allow_are_refused_unread(table, tmp_path):
    kind = pa.list_(pa.int8())
    path = written(changed(table, "plays", [[0] * 100_000, [], []], kind), tmp_path)
    assert "100,002 values in 3 rows" in refusal_of(path)


def test_empty_and_foreign_files(tmp_path):
    path = tmp_path / "x.parquet"
    for data in (b"", b"PAR1", b"PAR1" * 3, b"hello" * 100, b"PK\x03\x04" * 50):
        path.write_bytes(data)
        assert refusal_of(path)
        assert read_bytes(data, name="x.parquet").refused
        with pytest.raises(InvalidRecordError):
            load_log(path)
    with pytest.raises(FileNotFoundError):
        load_log(tmp_path / "none.parquet")
    with pytest.raises(InvalidRecordError, match="regular"):
        load_log(tmp_path)


def test_bytes_without_a_name_are_known_by_their_content(tmp_path):
    data = saved(random_log(3), tmp_path).read_bytes()
    assert read_bytes(data).notation == "parquet"
    assert len(read_bytes(data).records) == 3
    assert "Parquet" in read_bytes(data, name="x.ptn").refused[0].reason
    assert "parquet file is due" in read_text("[Event", name="x.parquet").refused[0].reason


def test_a_log_without_rounds(tmp_path):
    path = saved(random_log(0), tmp_path)
    assert len(load_log(path)) == 0
    assert "no record" in refusal_of(path)
    (part,) = read_parts(path)
    assert "no record" in str(part)


def refusal_of(path):
    """Why no round of a file is read."""
    with pytest.raises(InvalidRecordError) as error:
        read_path(path)
    return str(error.value)


def key_of(record):
    return record.game_id, record.round_index, record.source


@pytest.mark.parametrize("name", ["log.parquet", "log.csv", "log.jsonl"])
def test_damaged_files_never_give_a_wrong_round(tmp_path, name):
    """A round that is still read replays, and is unchanged where it can be told which it was."""
    log = random_log(20, 2, rules=ALL_RULES, p_cut=0.3)
    originals = {key_of(record): record for record in log.records()}
    write_path(log.records(), tmp_path / name)
    data = (tmp_path / name).read_bytes()
    n_cards_changed = 0
    for seed in range(250 if name == "log.parquet" else 80):
        path = tmp_path / f"x{name[3:]}"
        path.write_bytes(damaged(data, random.Random(seed)))
        start = time.process_time()
        parts = list(read_parts(path))
        assert time.process_time() - start < 5
        assert all(part.records or part.refused for part in parts)
        records = [record for part in parts for record in part.records]
        for record in records:
            record.final()
            due = originals.get(key_of(record))
            n_cards_changed += due is not None and due.plays[: len(record.plays)] != record.plays
        if records:
            assert len(read_path(path).records) == len(records)
        else:
            assert refusal_of(path)
    # Pages of Parquet have checksums; text may be changed into another legal round.
    assert n_cards_changed <= (0 if name == "log.parquet" else 25)


@pytest.mark.exhaustive
def test_ten_thousand_rounds_through_every_notation(tmp_path):
    @settings(max_examples=200, deadline=None, database=None)
    @given(st.lists(ROUNDS, min_size=3, max_size=3), st.integers(0, 2**32))
    def collect(batches, seed):
        records.extend(itertools.chain.from_iterable(batches))
        log = random_log(50, seed, rules=ALL_RULES, p_cut=0.3)
        records.extend(log.records())

    records = []
    collect()
    records = [
        dataclasses.replace(record, game_id=f"{i} {record.game_id}", source=f"s{i}")
        for i, record in enumerate(records)
    ]
    assert len(records) >= 10_000
    path = saved(Log.from_records(records), tmp_path)
    assert read_path(path).records == tuple(records)
    for batch in reading.batched(records, 1_000):
        for notation in (NOTATIONS["csv"], NOTATIONS["jsonl"]):
            result = notation.parse("".join(notation.format(batch)))
            assert result.refused == ()
            assert result.records == tuple(batch)


def test_the_path_may_be_a_text(tmp_path):
    save_log(random_log(2), str(tmp_path / "a.parquet"))
    assert len(load_log(str(tmp_path / "a.parquet"))) == 2
    assert parquet.describe(Path(tmp_path / "a.parquet")) == (2, {})


def test_the_first_rounds_are_read_where_they_are_enough(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    save_log(random_log(50), path)
    monkeypatch.setattr("spades.notation.reading.MAX_RECORDS", 20)
    assert not read_bytes(path.read_bytes(), name="a.parquet").records
    found = read_bytes(path.read_bytes(), name="a.parquet", enough=30)
    assert found.records == tuple(random_log(50).records())[:30]
    assert not found.refused


@pytest.fixture
def grouped(tmp_path, monkeypatch):
    monkeypatch.setattr("spades.notation.parquet.GROUP_ROWS", 20)
    save_log(random_log(50, p_cut=0.3), tmp_path / "log.parquet", provenance={"a": "b"})
    return tmp_path / "log.parquet"


def test_the_footer_says_what_arrow_says(grouped):
    metadata = pq.read_metadata(grouped)
    groups = read_footer(pa.OSFile(str(grouped)))
    assert read_footer(pa.BufferReader(grouped.read_bytes())) == groups
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
        read_footer(pa.BufferReader(data))


def test_a_giant_footer_is_not_read(monkeypatch):
    monkeypatch.setattr("spades.notation.parquet.MAX_FOOTER", 10)
    with pytest.raises(InvalidRecordError, match="a Parquet footer of 40 bytes; 10 are read"):
        read_footer(pa.BufferReader(with_footer(b"\x00" * 40)))


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


@pytest.mark.slow
def test_damaged_footers_end_no_process_and_give_no_wrong_round(grouped):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", DAMAGE, str(grouped)],
        env=environment,
        capture_output=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr[-2000:]
