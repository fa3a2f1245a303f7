"""The version of the code, for the record of what made a file."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of every Python source under ``spades/``, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
