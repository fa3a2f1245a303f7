"""The store of logs: Parquet files in ``$SPADES_LOGS``, or in the user's folder beside the
shipped ones (``spades.core.paths``).

Logs are named by ``a-z``, ``0-9`` and hyphens. A log appears whole or not at all and is never
overwritten but by itself with more rounds (``replaces``): two processes that store under one name
at once get two names. A folder of Parquet files (``spades.notation.log_folder``) is one log too, if
memory allows. Only metadata are read to list them; whatever else lies in the store is listed with
the reason why it can't be opened.
"""

import contextlib
import datetime
import errno
import hashlib
import itertools
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from spades.core.behaviour import source_hash
from spades.core.cards import N_CARDS
from spades.core.errors import InvalidRecordError, shown
from spades.core.logs import ARRAYS, CODES, TABLES, Log
from spades.core.paths import folders_of, sweep, temporary_beside
from spades.notation import parquet
from spades.notation.log_folder import LogFolder, open_folder
from spades.notation.reading import MAX_ROUNDS_AT_ONCE
from spades.notation.sources import LOG_ENDING

ENDING = LOG_ENDING
MAX_NAME = 60  # characters
MAX_LISTED = 10  # names in an error
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV, errno.EMLINK)


@dataclass(frozen=True)
class LogEntry:
    """A file of the store. ``modified`` in seconds since 1970; ``problem`` says why it can't be
    opened, empty if it can."""

    name: str
    path: Path
    n_rounds: int = 0
    provenance: dict[str, Any] = field(default_factory=dict)
    size: int = 0
    modified: float = 0.0
    problem: str = ""

    @property
    def is_readable(self) -> bool:
        return not self.problem


def store_folder() -> Path:
    return folders_of("logs")[0]


def list_logs() -> list[LogEntry]:
    """Every file of the store by name, its rounds not read."""
    paths: dict[str, Path] = {}
    for folder in folders_of("logs"):
        sweep(folder)
        with contextlib.suppress(OSError):  # no folder yet
            paths = {path.name: path for path in folder.iterdir()} | paths
    entries = [
        _entry(path)
        for name, path in paths.items()
        if not name.startswith(".") and name + ENDING not in paths
    ]
    return sorted((entry for entry in entries if entry), key=lambda entry: entry.name)


def store_log(
    log: Log, name: str, provenance: Mapping[str, Any] | None = None, *, replaces: bool = False
) -> LogEntry:
    """Add a log under a name like ``name``; ``InvalidRecordError`` for an illegal round.
    ``provenance`` (the command or source, the seed; ``created`` and ``code_version`` if not now and
    this code) is stored with the counts of rounds and plays. ``replaces``: in the place of a log of
    that very name, of a game that is still played, with the rounds that it had before."""
    folder = store_folder()
    stem = safe_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    facts = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "code_version": source_hash(),
        **(provenance or {}),
        "rounds": len(log),
        "complete": int(np.count_nonzero(log.n_plays == N_CARDS)),
        "plays": int(log.n_plays.sum()),
    }
    with temporary_beside(folder / stem) as temporary:
        parquet.save_log(log, temporary, provenance=facts)
        if replaces:
            path = temporary.replace(folder / (stem + ENDING))
        else:
            path = put_under_free_name(temporary, folder, stem)
    entry = _entry(path)
    assert entry is not None
    return entry


def open_log(name: str) -> Log:
    """A log of the store, every round replayed; ``InvalidRecordError`` if there is none."""
    return _load(path_of(name))


def content_hash(name: str) -> str:
    """Hash of a stored log's rounds, whatever else its file holds: 16 hex digits."""
    path = path_of(name)
    return _content_hash(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _content_hash(path: Path, modified: int) -> str:
    log = _load(path)
    digest = hashlib.sha256()
    for column in (*ARRAYS, *CODES):
        digest.update(np.ascontiguousarray(getattr(log, column)).tobytes())
    for table in dict.fromkeys(TABLES.values()):
        digest.update(repr(getattr(log, table)).encode())
    return digest.hexdigest()[:16]


def delete_log(name: str) -> None:
    """Remove a log from the store; ``InvalidRecordError`` if there is none, or for a folder of
    files, which only whoever made it removes."""
    path = path_of(name)
    if path.is_dir():
        raise InvalidRecordError(
            f"{name} is a folder of files; it is deleted where it lies: {path}"
        )
    path.unlink()


def path_of(name: str) -> Path:
    """File, or folder of files, of a stored log; only names are taken, no paths and no links out of
    the store."""
    if not _is_name(name):
        raise InvalidRecordError(f"no log is named {shown(name)}; a-z, 0-9 and - are legal")
    for folder in folders_of("logs"):
        path = folder / (name + ENDING)
        if path.is_file() and not path.is_symlink():
            return path
        parts = folder / name
        if parts.is_dir() and not parts.is_symlink():
            return parts
    known = [entry.name for entry in list_logs() if entry.is_readable]
    if not known:
        raise InvalidRecordError(f"no log {name!r} in the store; it is empty")
    more = f" and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else ""
    listed = ", ".join(known[:MAX_LISTED])
    raise InvalidRecordError(f"no log {name!r} in the store; {listed}{more} are there")


def safe_name(name: str) -> str:
    """A name as the store writes it: ``My log (2)`` is ``my-log-2``."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[: MAX_NAME - 10].strip("-") or "log"


def put_under_free_name(temporary: Path, folder: Path, stem: str) -> Path:
    """Give a finished file the first free one of ``numbered_paths``; which one that was."""
    for path in numbered_paths(folder, stem):
        with contextlib.suppress(FileExistsError):
            put_new(temporary, path)
            return path
    raise AssertionError("numbers never end")


def numbered_paths(folder: Path, stem: str) -> Iterator[Path]:
    """Where a log goes, the first free one of them: ``stem``, ``stem-2``, ``stem-3`` ...; not the
    name of a folder."""
    numbered = (f"{stem}-{number}" for number in itertools.count(2))
    for name in itertools.chain([stem], numbered):
        if not (folder / name).is_dir():
            yield folder / (name + ENDING)


def put_new(temporary: Path, path: Path) -> None:
    """Give a finished file a name next to it; ``FileExistsError`` where there is one already.
    Making a hard link fails there, so two processes can't both succeed. ``temporary`` may stay."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # Without hard links the name is claimed by an empty file, which the log then replaces.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        temporary.replace(path)


def _load(path: Path) -> Log:
    """A file's rounds, or those of a folder's files in their order."""
    if not path.is_dir():
        return parquet.load_log(path)
    folder = _folder_in_memory(path)
    log, refused = folder.read(*range(len(folder.parts)))
    if refused:
        raise InvalidRecordError(f"{path.name}: row {refused[0].line}: {refused[0].reason}")
    return log


def _folder_in_memory(path: Path) -> LogFolder:
    """Raises ``InvalidRecordError`` for one of more rounds than are read at once."""
    folder = open_folder(path)
    if folder.n_rounds > MAX_ROUNDS_AT_ONCE:
        raise InvalidRecordError(
            f"{folder.n_rounds:,} rounds in {len(folder.parts):,} files; pages open "
            f"{MAX_ROUNDS_AT_ONCE:,} at once. The commands style, disagreements and convert read "
            "the folder a file at a time"
        )
    return folder


def _entry(path: Path) -> LogEntry | None:
    """What is known of a file or folder without reading its rounds; None if it is gone. A name that
    isn't UTF-8 comes escaped."""
    name = path.name.removesuffix(ENDING).encode(errors="backslashreplace").decode()
    try:
        status = path.lstat()
    except OSError:  # deleted in the meantime
        return None
    entry = LogEntry(name, path, size=status.st_size, modified=status.st_mtime)
    try:
        if path.is_dir() and not path.is_symlink():
            size = sum(part.stat().st_size for part in path.glob(f"*{ENDING}"))
            entry = replace(entry, size=size)
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        n_rounds, provenance = _described(path, name, stamp)
    except (InvalidRecordError, OSError) as error:
        return replace(entry, problem=str(error))
    return replace(entry, n_rounds=n_rounds, provenance=dict(provenance))


@lru_cache(maxsize=1024)
def _described(path: Path, name: str, stamp: tuple[int, ...]) -> tuple[int, dict[str, Any]]:
    """Rounds and provenance; ``stamp`` changes with the file, which every page asks about."""
    is_of_parts = path.is_dir() and path.name == name
    if not (path.name.endswith(ENDING) or is_of_parts) or not _is_name(name):
        raise InvalidRecordError(f"{shown(path.name)} is no name of a log, a-z 0-9 - {ENDING} is")
    if path.is_symlink():
        raise InvalidRecordError("a link; a log is a file in the store")
    if is_of_parts:
        folder = _folder_in_memory(path)
        return folder.n_rounds, folder.provenance
    return parquet.describe(path)


def _is_name(name: str) -> bool:
    return len(name) <= MAX_NAME and bool(re.fullmatch("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", name))
