"""A database whose rows carry digests of their content, so that no damaged row is read as true.

SQLite notices some damage to a file, but not a changed value. Here each row of a ``CheckedTable``
ends in a digest of its table's name, of what came before it in a chain, if anything, and of all its
values. It guards against damage, not against somebody who writes digests as well.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from spades.core.database import Database, DatabaseError, Finding, connect

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]
"""Rows by their table's name, digests last."""
REPAIR = "`spades check --repair`"
UNREADABLE = (sqlite3.Error, UnicodeError)
"""What reading a damaged file raises: SQLite's own texts may hold any bytes."""


def _plain(value: Any) -> Any:
    """A value as the database gives it back: cards and hands are a text and a number there."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value


class CheckedTable(NamedTuple):
    """A table: ``columns`` without the last one, ``digest``; the first one is the key, or the first
    two are. ``row``: what errors call a row, by its value in the column ``named_by``: keys may be
    secret."""

    name: str
    columns: tuple[str, ...]
    row: str
    named_by: int = 0

    @property
    def all_columns(self) -> str:
        return ", ".join((*self.columns, "digest"))

    def digest(self, values: Sequence[Any], before: str = "") -> str:
        """Of a row's values; ``before``: the digest of the row before it in its chain."""
        text = repr((self.name, before, *map(_plain, values)))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def with_digest(self, values: Sequence[Any], before: str = "") -> Row:
        return (*values, self.digest(values, before))

    def chained(self, rows: Iterable[Sequence[Any]], before: str) -> list[Row]:
        """Rows with digests, each of them after the one before it; ``before``: the first's."""
        chain: list[Row] = []
        for values in rows:
            chain.append(self.with_digest(values, before))
            before = chain[-1][-1]
        return chain

    def called(self, row: Row) -> str:
        return f"{self.row} {str(row[self.named_by])[:40]}"

    def is_sound(self, row: Row, before: str = "") -> bool:
        return bool(row[-1] == self.digest(row[:-1], before))


class CheckedDatabase(Database):
    """``checked``: the tables of ``schema``, each after those that it refers to."""

    checked: ClassVar[tuple[CheckedTable, ...]]

    def damage(self, what: str, remedy: str = "keeps what is sound") -> DatabaseError:
        return self.error(f"{self.path}: {what} is damaged, and isn't read; {REPAIR} {remedy}")

    def sound_rows(
        self, connection: sqlite3.Connection, table: CheckedTable, where: str, values: tuple
    ) -> list[Row]:
        """The rows of a table that isn't chained, without digests; an error for a damaged one."""
        text = f"SELECT {table.all_columns} FROM {table.name} WHERE {where}"
        rows = connection.execute(text, values).fetchall()
        for row in rows:
            if not table.is_sound(row):
                raise self.damage(table.called(row))
        return [row[:-1] for row in rows]

    def insert(
        self, connection: sqlite3.Connection, table: CheckedTable, rows: Iterable[Row]
    ) -> None:
        """Store rows, digests last."""
        marks = ", ".join("?" * (len(table.columns) + 1))
        text = f"INSERT INTO {table.name} ({table.all_columns}) VALUES ({marks})"
        connection.executemany(text, rows)

    def change(self, connection: sqlite3.Connection, table: CheckedTable, values: Row) -> None:
        """Give the row of the same key, the first column, other values."""
        changes = ", ".join(f"{column} = ?" for column in (*table.columns[1:], "digest"))
        text = f"UPDATE {table.name} SET {changes} WHERE {table.columns[0]} = ?"
        connection.execute(text, (*table.with_digest(values)[1:], values[0]))

    # What a store of these tables says of itself.

    def upgraded(self, rows: Rows) -> Rows:
        """The rows of version 1, which have no digests, as this version has them."""
        raise NotImplementedError

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        """What of these rows can be kept, and what is wrong with the others."""
        raise NotImplementedError

    # Opening, checking and repairing.

    def _prepare(self, connection: sqlite3.Connection) -> None:
        super()._prepare(connection)
        if not self._has_schema(connection):
            raise self.damage("the list of its tables")

    def _has_schema(self, connection: sqlite3.Connection) -> bool:
        text = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
        statements = [statement for (statement,) in connection.execute(text)]
        return sorted(statements) == sorted(self.schema)

    def _upgrade(self, connection: sqlite3.Connection, version: int) -> None:
        if self._has_schema(connection):
            raise self.damage("the number of its version")
        rows = self.upgraded(_read_all(connection, self.checked))
        for table in self.checked:
            connection.execute(f"DROP TABLE IF EXISTS {table.name}")
        self._create(connection)
        for table in self.checked:
            self.insert(connection, table, rows[table.name])

    def check(self, repair: bool = False) -> list[Finding]:
        """What is damaged, and where. ``repair``: keep what is sound, in a file made anew; a copy
        of the damaged one stays beside it. No other process should use the store meanwhile: what it
        stores then may be lost."""
        if not self.path.exists():
            return []
        findings = super().check()
        if findings and self._is_foreign():
            return findings
        sound_rows, damaged = self.sound(self._salvaged())
        findings += damaged
        if not findings or not repair:
            return findings
        self._copy()
        self._rebuild(sound_rows)
        return [finding._replace(is_repaired=True) for finding in findings]

    def _is_foreign(self) -> bool:
        """Whether the file is a sound database of something else, or of a newer version."""
        try:
            with closing(connect(self.path)) as connection:
                text = "SELECT name FROM sqlite_master WHERE type = 'table'"
                names = {name for (name,) in connection.execute(text)}
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                is_ours = not names.isdisjoint(table.name for table in self.checked)
                is_newer = version > self.version and not self._has_schema(connection)
                return bool(names) and (not is_ours or is_newer)
        except UNREADABLE:
            return False

    def _copy(self) -> None:
        """A copy of the file beside it, with what SQLite hasn't yet written into it."""
        stem = self.path.stem
        ending = self.path.suffix
        numbered = (self.path.with_name(f"{stem}.damaged-{n}{ending}") for n in count(1))
        copy = next(path for path in numbered if not path.exists())
        for source, target in zip(_files(self.path), _files(copy), strict=True):
            if source.exists():
                shutil.copy2(source, target)

    def _salvaged(self) -> Rows:
        """All rows that can be read, whether they are sound or not."""
        with closing(connect(self.path)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            rows = _read_all(connection, self.checked, is_damaged=True)
            has_digests = any(_has_digests(connection, table) for table in self.checked)
        if has_digests or not any(rows.values()):
            return rows
        return self.upgraded(rows)

    def _rebuild(self, rows: Rows) -> None:
        """Put a new file with these rows in the place of this one."""
        new = self.path.with_name(f".{self.path.name}.new")
        for path in _files(new):
            path.unlink(missing_ok=True)
        with closing(connect(new)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                self._create(connection)
                for table in self.checked:
                    self.insert(connection, table, rows[table.name])
        for path in _files(self.path)[1:]:
            path.unlink(missing_ok=True)
        os.replace(new, self.path)


def _files(path: Path) -> list[Path]:
    """A database's file, and those beside it that SQLite makes."""
    return [path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")]


def _columns(connection: sqlite3.Connection, table: CheckedTable) -> list[str]:
    try:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")]
    except UNREADABLE:
        return []


def _has_digests(connection: sqlite3.Connection, table: CheckedTable) -> bool:
    return "digest" in _columns(connection, table)


def _read_all(
    connection: sqlite3.Connection, tables: Sequence[CheckedTable], *, is_damaged: bool = False
) -> Rows:
    """Every row of tables with or without digests, their columns in the order of the file. Where
    the file is damaged: those from the first on and from the last back, up to what can't be
    read."""
    rows: Rows = {}
    for table in tables:
        columns = _columns(connection, table)
        if "digest" in columns:
            columns = [*table.columns, "digest"]
        forwards = f"SELECT {', '.join(columns)} FROM {table.name}"
        descending = ", ".join(f"{column} DESC" for column in columns[:2])
        queries = [forwards, f"{forwards} ORDER BY {descending}"] if is_damaged else [forwards]
        if not columns:  # no such table
            queries = []
        found: dict[Row, None] = {}  # in order, each once
        for query in queries:
            try:
                for row in connection.execute(query):
                    found[row] = None
            except UNREADABLE:
                if not is_damaged:
                    raise
        rows[table.name] = list(found)
    return rows
