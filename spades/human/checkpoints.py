"""How far a fit has come, on disk: what a stopped or killed one goes on from.

A file of arrays with a header in JSON (``spades.human.tensor_files``), nothing of it run,
written whole or not at all after each pass. The header says what is fitted on what by which code;
the file of another fit, a damaged one, or one by another version is passed over, and the fit
begins anew. A fit that goes on comes to the same model as one that was never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.version import source_hash
from spades.human.examples import Examples, data_hash
from spades.human.tensor_files import TensorFormat

ENDING = ".checkpoint"
Arrays = Mapping[str, NDArray]


class CheckpointError(SpadesError):
    """A file that holds no checkpoint of ours."""


FORMAT = TensorFormat(
    what="checkpoint",
    entry="spades_checkpoint",
    version=1,
    keys={"fit": str, "state": dict},
    types={"F32": np.float32, "F64": np.float64, "I64": np.int64},
    max_bytes=1 << 30,
    error=CheckpointError,
)


class Checkpoint:
    """One fit's file. ``fit``: plain values that name it: model, options, seed, hash of the data.

    Without a ``path`` nothing is kept.
    """

    def __init__(self, path: Path | None, fit: Mapping[str, Any]) -> None:
        self.path = path
        self._fit = json.dumps({**fit, "code": source_hash()}, sort_keys=True)

    def read(self) -> tuple[dict[str, Any], dict[str, NDArray]] | None:
        """State and arrays as they were kept last; None where this fit has kept nothing."""
        if self.path is None or not self.path.exists():
            return None
        try:
            header, arrays = FORMAT.read(self.path)
        except CheckpointError:
            return None
        return (header["state"], arrays) if header["fit"] == self._fit else None

    def write(self, state: Mapping[str, Any], arrays: Arrays) -> None:
        """Keep plain values and arrays, in place of what was kept before."""
        if self.path is not None:
            FORMAT.write(self.path, {"fit": self._fit, "state": dict(state)}, arrays)

    def remove(self) -> None:
        """The fit is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def data_facts(examples: Examples) -> dict[str, Any]:
    """What a model's file and a checkpoint say of the data: hash, examples, games."""
    return {
        "hash": data_hash(examples),
        "examples": len(examples),
        "games": len(np.unique(examples.games)),
    }


def checkpoint_of(model_file: Path) -> Path:
    """Where the fit of a model that is to be stored in a file keeps how far it is."""
    return model_file.with_name(f".{model_file.stem}{ENDING}")
