"""Files of arrays: safetensors with a JSON header, read without executing anything in them.

The header is one metadata entry. A file of another format, one that is truncated, too large, or
lacks a header entry, is refused by name.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from spades.core.behaviour import source_hash
from spades.core.documents import load_json, read_file
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.paths import folders_of, replacing, sweep
from spades.human.features.logs import Examples, data_hash

ENDING = ".safetensors"
_LENGTH_BYTES = 8
_DIGEST = "spades_digest"  # in a file's metadata, beside its header
_T = TypeVar("_T")


@dataclass(frozen=True)
class TensorFormat:
    """One kind of file. ``what``: name of its content, for messages; ``entry``: the metadata entry
    that holds the header, with its ``version`` and the types of its ``keys``; ``types``: the legal
    types of numbers; ``error``: raised for any other file."""

    what: str
    entry: str
    version: int
    keys: Mapping[str, type]
    types: Mapping[str, type]
    max_bytes: int
    error: type[SpadesError]

    def write(self, path: Path, header: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
        """Write a file; an interrupted write leaves the old one. ``header``: JSON values."""
        entry = {"version": self.version, "code": source_hash(), **header}
        arrays = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
        text = json.dumps(entry, allow_nan=False)
        metadata = {self.entry: text, _DIGEST: _digest_of(text, arrays)}
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            new.write_bytes(save(arrays, metadata=metadata))

    def read(self, path: Path, build: Callable[[dict, dict], Any] = lambda *parts: parts) -> Any:
        """``build(header, tensors)``; ``error`` says what is wrong with a file."""
        try:
            data = read_file(path, self.max_bytes)
            parts = deserialize(data)
            metadata = self._metadata(data)
            header = self._header(metadata[self.entry])
            tensors = {name: self._tensor(name, part) for name, part in parts}
            written = metadata.get(_DIGEST)  # files of earlier versions have none
            if written and written != _digest_of(metadata[self.entry], tensors):
                raise self.error("damaged: its content isn't what was written")
            return build(header, tensors)
        except self.error as error:
            reason = str(error)
        except InvalidRecordError as error:
            reason = f"{error}; one {self.what} is smaller"
        except SafetensorError as error:
            reason = f"no safetensors file, or one that is cut or damaged ({error})"
        except (FileNotFoundError, IsADirectoryError):
            reason = "no such file"
        except OSError as error:
            reason = f"{error.strerror or error}; no {self.what} is read"
        raise self.error(f"{path.name}: {reason}")

    def _metadata(self, data: bytes) -> dict[str, str]:
        end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
        metadata = json.loads(data[_LENGTH_BYTES:end]).get("__metadata__") or {}
        if metadata.get(self.entry) is None:
            raise self.error(f"a safetensors file, but no {self.what} of this program")
        return dict(metadata)

    def _header(self, entry: str) -> dict[str, Any]:
        try:
            header = load_json(entry)
        except InvalidRecordError:
            header = None
        if not isinstance(header, dict) or header.get("version") != self.version:
            raise self.error(f"not of version {self.version}, the one that can be read")
        missing = [key for key, kind in self.keys.items() if type(header.get(key)) is not kind]
        if missing:
            raise self.error(f"its header lacks the {', '.join(missing)} of one {self.what}")
        return header

    def _tensor(self, name: str, part: Mapping[str, Any]) -> NDArray:
        if part["dtype"] not in self.types:
            raise self.error(
                f"tensor {name[:60]!r} is {part['dtype']}; numbers are {', '.join(self.types)}"
            )
        flat: NDArray = np.frombuffer(part["data"], self.types[part["dtype"]])
        return flat.reshape(part["shape"]).copy()

    def check(
        self,
        tensors: Mapping[str, NDArray],
        shapes: Mapping[str, tuple[int, ...]],
        bounds: Mapping[str, tuple[float, float]],
    ) -> None:
        """Refuse tensors with other names or shapes, or with numbers out of ``bounds``."""
        unmatched = sorted(set(tensors) ^ set(shapes))
        if unmatched:
            first = unmatched[0]
            problem = "missing" if first in shapes else "not wanted"
            raise self.error(f"tensor {first[:60]!r} is {problem}; wanted: {', '.join(shapes)}")
        for name, shape in shapes.items():
            tensor = tensors[name]
            (least, most) = bounds[name]
            if tensor.shape != shape:
                raise self.error(
                    f"tensor {name} is {tensor.dtype} {tensor.shape}; {shape} is wanted"
                )
            low = tensor.min()
            high = tensor.max()
            if not (least <= low and high <= most):  # true for nan as well
                raise self.error(
                    f"tensor {name} holds numbers from {low:g} to {high:g}; {least:g} to {most:g} "
                    "are legal"
                )


def _digest_of(entry: str, tensors: Mapping[str, NDArray]) -> str:
    """Hash of a file's whole content, which reveals any damage."""
    digest = hashlib.sha256(entry.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(repr((name, tensor.dtype.str, tensor.shape)).encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class NamedFiles:
    """The safetensors files in ``folders_of(kind)``, by name: 1 to 60 of ``letters`` and hyphens,
    so that no name leads out of the folder. ``what``: name of their content, for messages;
    ``published``: names that need no file; ``hint``: how to make one."""

    kind: str
    what: str
    letters: str
    error: type[SpadesError]
    published: tuple[str, ...] = ()
    hint: str = ""

    def folder(self) -> Path:
        return folders_of(self.kind)[0]

    def names(self) -> tuple[str, ...]:
        """The published names, then those of the files, sorted."""
        names: set[str] = set()
        for folder in folders_of(self.kind):
            sweep(folder)
            names |= {path.stem for path in folder.glob(f"*{ENDING}") if self._find(path.stem)}
        return (*self.published, *sorted(names - set(self.published)))

    def safe_name(self, name: str) -> str:
        """The name, if it is legal; else ``error`` says what is."""
        if not self._pattern.fullmatch(name):
            raise self.error(
                f"{name[:60]!r} is no name for a {self.what}: 1 to 60 of {self.letters} and "
                "hyphens, no hyphen at either end, are legal"
            )
        return name

    def load(self, name: str, read: Callable[[Path], _T], *, is_fresh: bool = False) -> _T:
        """``read(path)`` of the file of that name, cached until it changes unless ``is_fresh``."""
        found = self._find(name)
        if found is None:
            known = ", ".join(self.names()) or "none"
            raise self.error(
                f"no {self.what} is called {name[:60]!r}; the {self.kind} are {known}{self.hint}"
            )
        path, changed = found
        if is_fresh:
            return read(Path(path))
        return _read(read, path, changed)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        letters = self.letters.replace(", ", "")
        return re.compile(f"[{letters}](?:[{letters}-]{{0,58}}[{letters}])?")

    def _find(self, name: str) -> tuple[str, int] | None:
        """Path and time of the last change, ns. Fast, as agents call it before every card."""
        if not self._pattern.fullmatch(name):
            return None
        for folder in folders_of(self.kind):
            path = f"{folder}{os.sep}{name}{ENDING}"
            try:
                status = os.lstat(path)
            except (OSError, ValueError):  # ValueError: a path that no system allows
                continue
            if S_ISREG(status.st_mode):
                return path, status.st_mtime_ns
        return None


def read_once(read: Callable[[Path], _T], path: Path) -> _T:
    """What ``read`` makes of a file at a path, read anew when it changes. A file that isn't there
    is left to ``read`` to refuse."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return read(path)
    found: _T = _read(read, str(path), changed)
    return found


@lru_cache(maxsize=16)
def _read(read: Callable[[Path], Any], path: str, changed: int) -> Any:
    return read(Path(path))


class ModelFileError(SpadesError):
    """A file that holds no model of ours."""


class CheckpointError(SpadesError):
    """A file that holds no checkpoint of ours."""


MODEL_FORMAT = TensorFormat(
    what="model",
    entry="spades_model",
    version=1,
    keys={"kind": str, "config": dict},
    types={"F32": np.float32, "F64": np.float64},
    max_bytes=64 << 20,
    error=ModelFileError,
)
CHECKPOINT_FORMAT = TensorFormat(
    what="checkpoint",
    entry="spades_checkpoint",
    version=3,  # increase whenever a fit takes other steps or stores another state
    keys={"fit": str, "state": dict},
    types={"F32": np.float32, "F64": np.float64, "I64": np.int64},
    max_bytes=1 << 30,
    error=CheckpointError,
)


class Checkpoint:
    """The checkpoint file of one fit; None: nothing is stored. ``fit``: what identifies the fit:
    model, options, seed, hash of the data."""

    def __init__(self, path: Path | None, fit: Mapping[str, Any]) -> None:
        self.path = path
        self._fit = json.dumps(fit, sort_keys=True)

    def read(self) -> tuple[dict[str, Any], dict[str, NDArray]] | None:
        """State and arrays last written by this fit; None if there are none."""
        if self.path is None or not self.path.exists():
            return None
        try:
            header, arrays = CHECKPOINT_FORMAT.read(self.path)
        except CheckpointError:
            return None
        return (header["state"], arrays) if header["fit"] == self._fit else None

    def write(self, state: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
        if self.path is not None:
            CHECKPOINT_FORMAT.write(self.path, {"fit": self._fit, "state": dict(state)}, arrays)

    def remove(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def data_facts(examples: Examples) -> dict[str, Any]:
    """The facts of the training data in a model's file and a checkpoint: hash, examples, games."""
    n_games = len(np.unique(examples.games))
    return {"hash": data_hash(examples), "examples": len(examples), "games": n_games}


def checkpoint_of(model_file: Path) -> Path:
    """Path of the checkpoint of the fit whose model will be written to ``model_file``."""
    return model_file.with_name(f".{model_file.stem}.checkpoint")
