"""Model files: safetensors with a header in JSON, read without executing anything in them.

The header is one metadata entry, ``spades_model``: format version, kind of model, configuration,
hash of the data, seed, metrics, code version. A file that isn't ours, is cut, too large, or holds
other than finite numbers in the shapes its configuration wants, is refused by name.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from spades._kernel_cache import source_hash
from spades.errors import SpadesError

ENTRY, VERSION = "spades_model", 1
MAX_BYTES, MAX_HEADER_BYTES = 64 << 20, 1 << 20
_TYPES = {"F32": np.float32, "F64": np.float64}
_LENGTH_BYTES = 8


class ModelFileError(SpadesError):
    """A file that holds no model of ours."""


def write_model_file(path: Path, header: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
    """Write a model, whole or not at all; ``header`` of plain values."""
    entry = json.dumps({"version": VERSION, "code": source_hash(), **header}, allow_nan=False)
    arrays = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(save(arrays, metadata={ENTRY: entry}))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_model_file(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Header and tensors of a model file; :class:`ModelFileError` says what is wrong with it."""
    try:
        return _parse(_read(path))
    except ModelFileError as error:
        raise ModelFileError(f"{path.name}: {error}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"{path.name}: {reason}; no model is read") from None


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise ModelFileError("no such file")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ModelFileError(f"more than {MAX_BYTES >> 20} MB; models are smaller")
    return data


def _parse(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray]]:
    header = _header(_table(data))
    try:
        parts = deserialize(data)
    except SafetensorError as error:
        raise ModelFileError(f"cut or damaged ({error})") from None
    tensors = {name: _tensor(name, part) for name, part in parts}
    return header, tensors


def _table(data: bytes) -> dict[str, Any]:
    """The JSON table at the head of a safetensors file."""
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    if len(data) < _LENGTH_BYTES or data[_LENGTH_BYTES : _LENGTH_BYTES + 1] != b"{":
        raise ModelFileError("no safetensors file")
    if length > MAX_HEADER_BYTES:
        raise ModelFileError(
            f"its header is {length:,} bytes; at most {MAX_HEADER_BYTES:,} are read"
        )
    if len(data) < _LENGTH_BYTES + length:
        raise ModelFileError("cut within its header")
    try:
        table = json.loads(data[_LENGTH_BYTES : _LENGTH_BYTES + length])
    except (ValueError, RecursionError):
        raise ModelFileError("its header can't be read") from None
    return table if isinstance(table, dict) else {}


def _header(table: Mapping[str, Any]) -> dict[str, Any]:
    metadata = table.get("__metadata__")
    entry = metadata.get(ENTRY) if isinstance(metadata, dict) else None
    if not isinstance(entry, str):
        raise ModelFileError("a safetensors file, but no model of this program")
    try:
        header = json.loads(entry)
    except (ValueError, RecursionError):
        header = None
    wanted = {"kind": str, "config": dict}
    if not isinstance(header, dict) or header.get("version") != VERSION:
        raise ModelFileError(f"not of version {VERSION}, the one that can be read")
    if not all(isinstance(header.get(key), kind) for key, kind in wanted.items()):
        raise ModelFileError("its header lacks the kind of model or its configuration")
    return header


def _tensor(name: str, part: Mapping[str, Any]) -> NDArray:
    if part["dtype"] not in _TYPES:
        raise ModelFileError(f"tensor {name[:60]!r} is {part['dtype']}; numbers are F32")
    return np.frombuffer(part["data"], _TYPES[part["dtype"]]).reshape(part["shape"]).copy()
