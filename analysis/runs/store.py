"""The store of results: one SQLite file, in which every result is kept under all it depends on.

A result answers a *question*: a JSON object that holds everything the answer depends on (agents,
rules, games, seed, fingerprints of behaviour). Its key is a hash of the kind and the question, so
that whatever changes asks another question and nothing stale is ever served. The first answer
stands; a later one to the same question is dropped. Any number of processes, threads and users may
read and write at once (SQLite in WAL mode; the file must lie on a local disk).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from spades.core.errors import SpadesError
from spades.core.paths import folders_of

VARIABLE = "SPADES_RESULTS"
FILE_NAME = "results.sqlite"
APPLICATION = 0x53504144  # marks a SQLite file as ours: "SPAD"
VERSION = 1
BUSY_SECONDS = 30.0
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, kind TEXT NOT NULL, "
    "question TEXT NOT NULL, answer TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS results_by_kind ON results (kind, created)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # primary codes: the lowest byte
Question = Mapping[str, Any]
_Found = TypeVar("_Found")


class ResultStoreError(SpadesError):
    """A result store that can't be read or written, or something that can't be stored."""


@dataclass(frozen=True)
class Result:
    """A stored answer; ``created`` in seconds since 1970."""

    key: str
    kind: str
    question: dict[str, Any]
    answer: Any
    created: float


def results_file() -> Path:
    """The store's file, in ``$SPADES_RESULTS`` or ``data/results``."""
    return folders_of("results")[0] / FILE_NAME


def key_of(kind: str, question: Question) -> str:
    """The key of a question: 20 hexadecimal digits; the same whatever the order of its fields."""
    return hashlib.sha256(f"{kind}\n{canonical(question)}".encode()).hexdigest()[:20]


def canonical(document: Any) -> str:
    """The one JSON text of a document; ``ResultStoreError`` if JSON can't hold it."""
    try:
        return json.dumps(document, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultStoreError(f"no result can be stored under or as this: {error}") from None


class ResultStore:
    """Questions and answers, in one file. ``path`` defaults to ``results_file``.

    Every call opens the file anew, so that a store may be shared by threads and outlive a fork.
    All raise ``ResultStoreError`` where the file can't be used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or results_file()

    def get(self, kind: str, question: Question) -> Any | None:
        """The stored answer, None if there is none."""
        key = key_of(kind, question)
        rows = self._read("SELECT answer FROM results WHERE key = ?", (key,))
        return self._parsed(rows[0][0], key) if rows else None

    def put(self, kind: str, question: Question, answer: Any) -> None:
        """Store an answer; the one that is there already stays, whatever this one says."""
        if answer is None:
            raise ResultStoreError("None is no answer: it stands for a result that isn't there")
        row = (key_of(kind, question), kind, canonical(question), canonical(answer), time.time())

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?)", row)

        self._with_connection(insert)

    def has(self, kind: str, question: Question) -> bool:
        """Whether there is an answer."""
        return bool(self._read("SELECT 1 FROM results WHERE key = ?", (key_of(kind, question),)))

    def by_key(self, key: str) -> Result | None:
        """The answer with this key, whatever was asked; None if there is none."""
        text = "SELECT kind, question, answer, created FROM results WHERE key = ?"
        for kind, question, answer, created in self._read(text, (key,)):
            found = self._parsed(question, key), self._parsed(answer, key)
            return Result(key, kind, *found, created)
        return None

    def stamp(self, kind: str) -> tuple[str, int, float]:
        """Changes whenever an answer of the kind is added: file, how many, the newest's time."""
        text = "SELECT count(*), max(created) FROM results WHERE kind = ?"
        count, newest = (self._read(text, (kind,)) or [(0, None)])[0]
        return str(self.path), int(count), float(newest or 0.0)

    def results(self, kind: str) -> Iterator[Result]:
        """All answers of a kind, oldest first."""
        text = (
            "SELECT key, question, answer, created FROM results WHERE kind = ? "
            "ORDER BY created, key"
        )
        for key, question, answer, created in self._read(text, (kind,)):
            yield Result(key, kind, self._parsed(question, key), self._parsed(answer, key), created)

    def _read(self, text: str, values: tuple) -> list[tuple]:
        if not self.path.exists():
            return []
        return self._with_connection(lambda connection: connection.execute(text, values).fetchall())

    def _parsed(self, text: str, key: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise ResultStoreError(f"{self.path}: result {key} is damaged ({error})") from None

    def _with_connection(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found:
        """Run ``work``, again where another process has locked the file: it must be repeatable.

        SQLite waits for locks by itself, but not for all of those that opening takes.
        """
        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                with closing(self._opened()) as connection:
                    return work(connection)
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & 0xFF in _BUSY
                if not is_busy or time.monotonic() > until:
                    raise self._refusal(error) from None
                time.sleep(0.02)
            except (sqlite3.Error, OSError) as error:
                raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> ResultStoreError:
        return ResultStoreError(
            f"{self.path}: the result store can't be used ({error}); if it stays so, move the "
            f"file away (a new one is begun) or set {VARIABLE} to another folder"
        )

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file; see that another one is a store of this version."""
        connection.execute("BEGIN")  # all three answers from one moment
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.rollback()
        if (application, version) == (APPLICATION, VERSION):
            return
        if application == APPLICATION:
            raise ResultStoreError(
                f"{self.path} is a result store of version {version}; this code reads {VERSION}"
            )
        if n_tables or application:
            raise ResultStoreError(f"{self.path} is a database of something else, no result store")
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA:
                connection.execute(statement)
