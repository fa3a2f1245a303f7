"""Model files: one format of ``spades.human.tensor_files``.

The header's entry is ``spades_model``: format version, kind of model, configuration, hash of the
data, seed, metrics, code version. A file that isn't ours, is cut, too large, or holds other than
finite numbers in the shapes its configuration wants, is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.human.tensor_files import TensorFormat


class ModelFileError(SpadesError):
    """A file that holds no model of ours."""


FORMAT = TensorFormat(
    what="model",
    entry="spades_model",
    version=1,
    keys={"kind": str, "config": dict},
    types={"F32": np.float32, "F64": np.float64},
    max_bytes=64 << 20,
    error=ModelFileError,
)


def write_model_file(path: Path, header: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
    """Write a model, whole or not at all; ``header`` of plain values."""
    FORMAT.write(path, header, tensors)


def read_model_file(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Header and tensors of a model file; ``ModelFileError`` says what is wrong with it."""
    return FORMAT.read(path)
