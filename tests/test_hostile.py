"""Small files that unpack to many megabytes, cut files, numbers that are none, pickles: every
reader refuses them in a bounded memory."""

import gzip
import io
import json
import lzma
import pickle
import struct
import zipfile
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save

from spades.belief.network import FORMAT as BELIEFS
from spades.belief.network import TENSORS
from spades.bidding.curves import TABLE as CURVES
from spades.core.paths import DATA
from spades.core.rules import Rules
from spades.human.corpus import CORPORA
from spades.human.files import MODEL_FORMAT
from spades.human.simulated import devlin2016_nil
from spades.notation import write_path
from tests.hostile import read_apart
from tests.strategies import record_of

pytestmark = pytest.mark.xdist_group("hostile")  # one worker packs the bombs that they share

MOST_GROWN = 300  # MB


class Payload:
    """A pickle that would be run if anybody unpickled it."""

    def __reduce__(self):
        return (exec, ("import sys; sys.exit('unpickled')",))


def see_refused(reader, paths, *, unless=()):
    """Each file is refused, or is one that may be read (``unless``), with little memory."""
    for path, found in zip(paths, read_apart(reader, paths), strict=True):
        assert not found["raised"], f"{path.name}: {found['raised']}"
        assert found["refused"] or path.name in unless, path.name
        assert found["grown"] < MOST_GROWN, f"{path.name}: {found['grown']:.0f} MB"


def tensors_file(entry, header, arrays):
    return save(arrays, metadata={entry: json.dumps(header)})


def claimed(entry, header, shape, dtype="F32"):
    """A safetensors file whose one tensor claims a shape that isn't there."""
    tensor = {"dtype": dtype, "shape": shape, "data_offsets": [0, 16]}
    text = json.dumps({"__metadata__": {entry: json.dumps(header)}, "weights": tensor}).encode()
    return struct.pack("<Q", len(text)) + text + bytes(16)


def write_all(folder, files):
    paths = []
    for name, data in files.items():
        paths.append(folder / name)
        paths[-1].write_bytes(data)
    return paths


def hostile_tensors(entry, header):
    """Files of safetensors' own kind that claim, lack or hold what can't be."""
    return {
        "claims.safetensors": claimed(entry, header, [2**40, 2**20]),
        "negative.safetensors": claimed(entry, header, [-4]),
        "long-header.safetensors": struct.pack("<Q", 2**62) + b"{}",
        "deep.safetensors": struct.pack("<Q", 200_000) + b"[" * 100_000 + b"]" * 100_000,
        "deep-entry.safetensors": save(
            {"weights": np.zeros(4, np.float32)}, metadata={entry: "[" * 100_000}
        ),
        "huge-number.safetensors": save(
            {"weights": np.zeros(4, np.float32)}, metadata={entry: f'{{"version": {"9" * 9999}}}'}
        ),
        "pickle.safetensors": pickle.dumps(Payload()),
        "zip.safetensors": zip_bomb(),
        "objects.safetensors": claimed(entry, header, [4], dtype="O"),
    }


@cache
def zip_bomb():
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a", "w", force_zip64=True) as file,
    ):
        for _ in range(32):  # half a gigabyte
            file.write(bytes(2**24))
    return packed.getvalue()


def test_models(tmp_path):
    path = tmp_path / "sound.safetensors"
    devlin2016_nil().save(path)
    sound = path.read_bytes()
    (length,) = struct.unpack("<Q", sound[:8])
    header = json.loads(json.loads(sound[8 : 8 + length])["__metadata__"]["spades_model"])
    entry = MODEL_FORMAT.entry
    files = {f"cut-{n}.safetensors": sound[:n] for n in (0, 1, 8, 100, len(sound) - 1)}
    files |= hostile_tensors(entry, header)
    for name, value in (("nan", np.nan), ("inf", np.inf), ("large", 1e300)):
        start = 8 + length
        numbers = np.frombuffer(sound[start:], np.float64).copy()
        numbers[0] = value
        files[f"{name}.safetensors"] = sound[:start] + numbers.tobytes()
    see_refused("model", write_all(tmp_path, files))


def test_corpora(tmp_path):
    sound = next(CORPORA.folder().glob("*.safetensors")).read_bytes()
    files = {f"cut-{n}.safetensors": sound[:n] for n in (0, 8, 1000, len(sound) - 1)}
    files |= hostile_tensors("spades_corpus", {"version": 1})
    see_refused("corpus", write_all(tmp_path, files))


def test_belief_networks(tmp_path):
    def file(hidden, arrays=None):
        header = {"version": BELIEFS.version, "hidden": hidden, "facts": {}}
        arrays = arrays or {name: np.zeros(3, np.float32) for name in TENSORS}
        return tensors_file(BELIEFS.entry, header, arrays)

    widths = ([10**9] * 3, ["x"] * 3, [1], [-1] * 3, [0] * 3, [2**63] * 3, [None] * 3, [1.5] * 3)
    files = {f"hidden-{i}.safetensors": file(hidden) for i, hidden in enumerate(widths)}
    files |= hostile_tensors(BELIEFS.entry, {"version": 2, "hidden": [1] * 3, "facts": {}})
    see_refused("beliefs", write_all(tmp_path, files))


def test_archives_of_arrays(tmp_path):
    sound = CURVES.read_bytes()
    objects = io.BytesIO()
    np.savez(objects, single=np.array([Payload()], dtype=object))
    head = b"\x93NUMPY\x01\x00"
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
    claims = head + struct.pack("<H", len(text)) + text + bytes(16)
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w") as archive:
        archive.writestr("single.npy", claims)
    files = {
        **{f"cut-{n}.npz": sound[:n] for n in (0, 10, 1000, len(sound) - 1)},
        "objects.npz": objects.getvalue(),
        "pickle.npz": pickle.dumps(Payload()),
        "claims.npz": claims,
        "claims-inside.npz": inside.getvalue(),
        "bomb.npz": zip_bomb(),
    }
    see_refused("curves", write_all(tmp_path, files))


def test_packed_results(tmp_path):
    squeezer = lzma.LZMACompressor(preset=0)
    bomb = b"".join(squeezer.compress(bytes(2**24)) for _ in range(32)) + squeezer.flush()
    assert len(bomb) < 2**20
    files = {"bomb.xz": bomb, "cut.xz": bomb[: len(bomb) // 2], "no.xz": b"junk", "empty.xz": b""}
    see_refused("packed", write_all(tmp_path, files))


def parquet_bomb(tmp_path, n_rows):
    """A log's columns, each of one value repeated."""
    path = tmp_path / "one.parquet"
    write_path([record_of(Rules(), 3, 1)], path)
    table = pq.read_table(path)
    rows = pa.concat_tables([table] * 1000)
    many = pa.concat_tables([rows] * (n_rows // 1000)).combine_chunks()
    out = tmp_path / "bomb.parquet"
    pq.write_table(many, out, compression="zstd", row_group_size=n_rows)
    return out.read_bytes()


def text_bomb(tmp_path):
    """A column of text that unpacks to a gigabyte."""
    path = tmp_path / "one.parquet"
    write_path([record_of(Rules(), 3, 1)], path)
    table = pq.read_table(path)
    long = pa.array(["x" * 2**26] * 4)
    rows = pa.concat_tables([table] * 4)
    at = rows.schema.get_field_index("game_id")
    field = rows.schema.field(at)
    rows = rows.set_column(at, field.name, long.cast(field.type))
    out = tmp_path / "text.parquet"
    pq.write_table(rows, out, compression="zstd", use_dictionary=False)
    return out.read_bytes()


@pytest.mark.exhaustive
def test_logs(tmp_path):
    sound = next((DATA / "logs").glob("*.parquet")).read_bytes()
    files = {
        "rows.parquet": parquet_bomb(tmp_path, 400_000),
        "long-text.parquet": text_bomb(tmp_path),
        "pickle.parquet": pickle.dumps(Payload()),
        **{f"cut-{n}.parquet": sound[:n] for n in (4, 1000, len(sound) - 1)},
        "gzip.csv": gzip.compress(bytes(2**26)),
        "zip.ptn": zip_bomb(),
        "xz.jsonl": lzma.compress(bytes(2**26), preset=0),
        "deep.json": b"[" + b'{"a":\n' * 100_000,
        "wide.json": b'[{"a": [' + b"[],\n" * 4_000_000,
        "deep.jsonl": b'{"a":' * 100_000,
        "number.jsonl": b'{"schema_version": ' + b"9" * 10_000 + b"}",
    }
    paths = write_all(tmp_path, files)
    for reader in ("log", "upload"):
        see_refused(reader, paths)
