"""Arrays from a NumPy archive, of which nothing is believed before it has been compared.

An archive may unpack to far more than its own size, an array's header may claim a shape that isn't
there, and an array of objects is a pickle. All three are refused before memory is taken for them.
"""

import io
import math
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

MOST_BYTES = 64 << 20  # of all arrays of an archive together
_ENDING = ".npy"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(path: Path) -> dict[str, NDArray]:
    """The arrays of an ``.npz`` file by name. ``ValueError`` for any other file, ``OSError`` where
    there is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                entry.filename.removesuffix(_ENDING): _array(entry.filename, archive.read(entry))
                for entry in _checked(archive)
            }
    except (zipfile.BadZipFile, zlib.error, RuntimeError) as error:  # the last: encrypted, unknown
        raise ValueError(f"no archive of arrays: {error}") from None


def _checked(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_BYTES:
        raise ValueError(
            f"it unpacks to {unpacked / 2**20:,.0f} MB; at most {MOST_BYTES >> 20} MB are read"
        )
    return entries


def _array(name: str, data: bytes) -> NDArray:
    file = io.BytesIO(data)
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"{name} is of version {version} of NumPy's format; 1 and 2 are read")
    shape, _, kind = _HEADERS[version](file)
    claimed = math.prod(shape) * kind.itemsize
    if kind.hasobject:
        raise ValueError(f"{name} holds objects; numbers and texts are read")
    if claimed != len(data) - file.tell():
        raise ValueError(f"{name} should hold {claimed:,} bytes of {kind} {shape}")
    file.seek(0)
    return np.asarray(npy.read_array(file, allow_pickle=False))
