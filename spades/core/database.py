"""A SQLite file of ours that any number of processes, threads and users read and write at once.

It is in WAL mode and must lie on a local disk.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

from spades.core.errors import SpadesError

BUSY_SECONDS = 30.0
Value = TypeVar("Value")
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # primary codes: the lowest byte
# The system's own numbers are negative here: they overlap with SQLite's.
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, -errno.ENOSPC, -errno.EDQUOT)
_READ_ONLY = (sqlite3.SQLITE_READONLY, -errno.EROFS, -errno.EACCES, -errno.EPERM)


class DatabaseError(SpadesError):
    """A file that can't be used as the database it should be."""


class Finding(NamedTuple):
    """Damage in a store: ``where``, as ``game 3f2a, move 17``; ``what`` is wrong; whether the check
    has repaired it."""

    where: str
    what: str
    is_repaired: bool = False


class Database:
    """One file. Every call opens it anew: it may be shared by threads and outlive a fork.

    A subclass says its ``kind`` in words, the environment ``variable`` that names its folder, the
    ``error`` it raises, ``application`` (marks a file as its own), ``version`` and ``schema``, the
    statements that make a new file."""

    kind: ClassVar[str]
    variable: ClassVar[str]
    error: ClassVar[type[DatabaseError]]
    application: ClassVar[int]
    version: ClassVar[int]
    schema: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, text: str, values: tuple) -> list[tuple]:
        """What a statement finds that changes nothing; nothing where there is no file yet."""
        if not self.path.exists():
            return []
        return self.run(lambda connection: connection.execute(text, values).fetchall())

    def execute(self, text: str, *values: tuple) -> list[tuple]:
        """Execute a statement with each of the values, all or none; what it gives with the last.
        ``sqlite3.IntegrityError`` where a value breaks a constraint."""

        def execute_all(connection: sqlite3.Connection) -> list[tuple]:
            answers = [connection.execute(text, each).fetchall() for each in values]
            return answers[-1] if answers else []

        return self.run(execute_all, writes=True)

    def run(self, work: Callable[[sqlite3.Connection], Value], *, writes: bool = False) -> Value:
        """``work`` in a transaction of its own: all that it does is done, or nothing, and what it
        reads is of one moment. Again where another process has locked the file: SQLite waits for
        locks by itself, but not for all of those that opening takes."""
        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with closing(connect(self.path)) as connection:
                    self._prepare(connection)
                    connection.execute("PRAGMA secure_delete = ON")  # no trace of what is deleted
                    connection.execute("PRAGMA foreign_keys = ON")
                    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                    with connection:
                        return work(connection)
            except sqlite3.OperationalError as error:
                is_busy = _code(error) in _BUSY
                if not is_busy or time.monotonic() > until:
                    raise self._refusal(error) from None
                time.sleep(0.02)
            except sqlite3.IntegrityError:
                raise
            except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
                raise self._refusal(error) from None

    def check(self, repair: bool = False) -> list[Finding]:
        """What is damaged, by SQLite's own check; a store whose rows have digests finds more, and
        repairs what it finds."""
        try:
            answers = self.read("PRAGMA integrity_check", ())
        except self.error as error:
            return [Finding(self.path.name, str(error))]
        damage = [text for (text,) in answers if text != "ok"]
        return [Finding(self.path.name, text) for text in damage]

    def _refusal(self, error: Exception) -> DatabaseError:
        of_system = -(error.errno or 0) if isinstance(error, OSError) else 0
        code = _code(error) or of_system
        folder = self.path.parent
        may_write = not folder.is_dir() or os.access(folder, os.W_OK)
        if code in _FULL:
            what = "the disk is full, or fails; what is stored is kept: make room and go on"
            with suppress(OSError):
                what += f" ({shutil.disk_usage(folder).free >> 20:,} MB are free)"
        elif code in _READ_ONLY or not may_write:
            what = f"it is read-only; set {self.variable} to a folder that may be written to"
        else:
            what = "if it stays so, move the file away (a new one is begun) or set "
            what += f"{self.variable} to another folder"
        return self.error(f"{self.path}: the {self.kind} can't be used ({error}); {what}")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file; check that another one is a store of this version, or
        bring it up to this version."""
        connection.execute("BEGIN")  # all three answers from one moment
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.rollback()
        if (application, version) == (self.application, self.version):
            return
        if application == self.application:
            if 0 < version < self.version:
                self._bring_up(connection)
                return
            raise self.error(
                f"{self.path} is a {self.kind} of version {version}; this code reads {self.version}"
            )
        if n_tables or application:
            raise self.error(f"{self.path} is a database of something else, no {self.kind}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if connection.execute("PRAGMA application_id").fetchone()[0]:
                return  # another thread or process was quicker
            self._create(connection)

    def _create(self, connection: sqlite3.Connection) -> None:
        """Make the tables of this version, and mark the file as one of it."""
        for statement in self.schema:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def _bring_up(self, connection: sqlite3.Connection) -> None:
        """Bring a file of an earlier version up to this one: whole or not at all, once, whoever
        else opens it at the same time."""
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version < self.version:  # else another thread or process was quicker
                self._upgrade(connection, version)
                connection.execute(f"PRAGMA user_version = {self.version}")

    def _upgrade(self, connection: sqlite3.Connection, version: int) -> None:
        """Change the tables of an earlier version into those of this one."""
        raise self.error(
            f"{self.path} is a {self.kind} of version {version}; this code reads {self.version}"
        )


def connect(path: Path) -> sqlite3.Connection:
    """Without transactions but those that are begun."""
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)


def _code(error: Exception) -> int:
    """SQLite's primary code of an error: its lowest byte; 0 without one."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
