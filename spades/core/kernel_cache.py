"""Where compiled kernels are kept between processes.

numba's own cache looks only at the file that a kernel stands in, so it keeps serving a kernel
whose callee in another file has changed. Here the folder's name holds a hash of every source
under ``spades/``: an edit anywhere compiles anew, and old folders are swept away.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path

import numba

SOURCES = Path(__file__).parent
KEPT_FOLDERS = 4


def source_hash(*, without: Collection[str] = ()) -> str:
    """Hash of every Python source under ``spades/``: the code version of what it makes.

    ``without``: files and folders that don't count, by their path in ``spades/``.
    """
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES)
        if not {place.as_posix(), *(folder.as_posix() for folder in place.parents)} & set(without):
            digest.update(place.as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """``$SPADES_CACHE``, or ``spades-decision-lab`` in the user's cache folder."""
    if configured := os.environ.get("SPADES_CACHE"):
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "spades-decision-lab"


def configure() -> None:
    """Point numba at this version's folder; runs before any kernel is decorated."""
    folder = cache_root() / f"kernels-{source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:  # read-only home: numba falls back to its own place
        return
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    _sweep(folder.parent)


def _sweep(root: Path) -> None:
    folders = sorted(root.glob("kernels-*"), key=_age, reverse=True)
    for stale in folders[KEPT_FOLDERS:]:
        shutil.rmtree(stale, ignore_errors=True)


def _age(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # swept by another process in the meantime
        return 0.0
