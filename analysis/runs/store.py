"""The result store: one SQLite file that holds every result under all it depends on.

A result answers a *question*: a JSON object of everything the answer depends on (agents, rules,
games, seed, fingerprints of behaviour). Its key is a hash of kind and question, so that nothing
stale is ever served. The first sound answer stays. Every row ends in a digest of its content: a
damaged one is never read as true, and what it answered can be computed again. Any number of
processes, threads and users may read and write at once (SQLite in WAL mode; the file must lie on a
local disk).
"""

import hashlib
import json
import lzma
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spades.core.checked import CheckedTable
from spades.core.database import Database, DatabaseError, Finding, connect
from spades.core.documents import Document, read_file
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.paths import folders_of, replacing, stored_table
from spades.core.programs import Program
from spades.human import model_hash, program_of_model

if TYPE_CHECKING:
    from spades.agents import Agent

VARIABLE = "SPADES_RESULTS"
FILE_NAME = "results.sqlite"
MOST_PACKED = 64 << 20  # bytes of packed results
MOST_UNPACKED = 128 << 20
KEYS_A_QUERY = 500
NOT_AS_WRITTEN = "its content isn't what was written"
RESULTS = CheckedTable("results", ("key", "kind", "question", "answer", "created"), "result")
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, kind TEXT NOT NULL, "
    "question TEXT NOT NULL, answer TEXT NOT NULL, created REAL NOT NULL, digest TEXT NOT NULL) "
    "WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS results_by_kind ON results (kind, created)",
)
Question = Mapping[str, Any]


class ResultStoreError(DatabaseError):
    """A result store that can't be read or written, or something that can't be stored."""


class Result(NamedTuple):
    """A stored answer; ``created`` in seconds since 1970."""

    key: str
    kind: str
    question: Document
    answer: Any
    created: float


class Entry(NamedTuple):
    """A stored result without its answer. ``damage``: why it can't be read, empty if it is sound;
    of a damaged one ``question`` has what can be read."""

    key: str
    question: Document
    damage: str


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


class ResultStore(Database):
    """Questions and answers in one file, by default ``results_file``. All raise
    ``ResultStoreError`` where the file can't be used."""

    kind = "result store"
    variable = VARIABLE
    error = ResultStoreError
    application = 0x53504144  # "SPAD"
    version = 2
    schema = _SCHEMA

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or results_file())

    def get(self, kind: str, question: Question) -> Any | None:
        """The stored answer, None if there is none; ``ResultStoreError`` for a damaged one."""
        result = self.by_key(key_of(kind, question))
        return result.answer if result else None

    def has(self, kind: str, question: Question) -> bool:
        """Whether a sound answer is stored."""
        rows = self._select("key = ?", key_of(kind, question))
        return any(RESULTS.is_sound(row) for row in rows)

    def by_key(self, key: str) -> Result | None:
        """The answer with this key, None if there is none."""
        for row in self._select("key = ?", key):
            return self._result(row)
        return None

    def put(self, kind: str, question: Question, answer: Any, *, anew: bool = False) -> None:
        """Store an answer. A sound one that is there already stays, unless it is made ``anew``."""
        self.put_all([(kind, question, answer)], anew=anew)

    def put_all(self, answers: Iterable[tuple[str, Question, Any]], *, anew: bool = False) -> None:
        """Store many, (kind, question, answer) each, or none if any can't be stored."""
        rows = list[tuple]()
        times: dict[str, float] = {}
        for kind, question, answer in answers:
            if answer is None:
                raise ResultStoreError("None is no answer: it means that there is no result")
            if kind not in times:
                times[kind] = self._time_after_newest(kind)
            values = (
                key_of(kind, question),
                kind,
                canonical(question),
                canonical(answer),
                times[kind],
            )
            rows.append(RESULTS.with_digest(values))
        if rows:
            self.run(lambda connection: _insert(connection, rows, anew=anew), writes=True)

    def _time_after_newest(self, kind: str) -> float:
        """Now, or just after the newest answer where the clock was set back: ``stamp`` must
        change."""
        text = "SELECT max(created) FROM results WHERE kind = ?"
        ((newest,),) = self.read(text, (kind,)) or [(None,)]
        return max(time.time(), (newest or 0.0) + 1e-6)

    def stamp(self, kind: str) -> tuple[str, int, Any]:
        """Changes whenever an answer of the kind is added: file, number of answers, newest time.

        For a file that can't be used: -1, and its time of change.
        """
        text = "SELECT count(*), max(created) FROM results WHERE kind = ?"
        try:
            n, newest = (self.read(text, (kind,)) or [(0, None)])[0]
        except ResultStoreError:
            with suppress(OSError):
                return str(self.path), -1, self.path.stat().st_mtime
            return str(self.path), -1, 0.0
        return str(self.path), int(n), newest or 0.0

    def results(self, kind: str) -> Iterator[Result]:
        """All answers of a kind, oldest first."""
        return map(self._result, self._select("kind = ? ORDER BY created, key", kind))

    def sound_results(
        self, kind: str, check: Callable[[Result], object], wrong: list[str] | None = None
    ) -> list[Result]:
        """The answers of a kind that can be read and that pass ``check``; ``wrong`` gets a message
        for each other one, or for the file."""
        results = list[Result]()
        complaints = list[str]()
        try:
            rows = self._select("kind = ? ORDER BY created, key", kind)
        except ResultStoreError as error:
            rows = []
            complaints.append(str(error))
        for row in rows:
            try:
                result = self._result(row)
                check(result)
                results.append(result)
            except ResultStoreError as error:
                complaints.append(str(error))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                reason = f"{type(error).__name__}: {error}"
                complaints.append(f"{self.path}: result {row[0]} is damaged ({reason})")
        if wrong is not None:
            wrong += complaints
        return results

    def keys(self, kind: str) -> dict[str, float]:
        """Times of creation by key of all results of a kind, oldest first, damaged ones too: no
        answer is read."""
        if not self.path.exists():
            return {}
        return self.run(lambda connection: _keys(connection, kind))

    def entries(self, keys: Collection[str]) -> Iterator[Entry]:
        """The results with these keys; only a few answers at a time are in memory."""
        wanted = list(keys)
        for first in range(0, len(wanted), KEYS_A_QUERY):
            some = wanted[first : first + KEYS_A_QUERY]
            marks = ", ".join("?" * len(some))
            for row in self._select(f"key IN ({marks})", *some):
                yield _entry(row)

    def _select(self, where: str, *values: str) -> list[tuple]:
        """Whole rows, damaged ones too; none where there is no file yet."""
        if not self.path.exists():
            return []
        return self.run(lambda connection: _select(connection, where, values))

    def _result(self, row: tuple) -> Result:
        key, kind, question, answer, created, _ = row
        if not RESULTS.is_sound(row):
            raise ResultStoreError(f"{self.path}: result {key} is damaged ({NOT_AS_WRITTEN})")
        return Result(key, kind, self._parsed(question, key), self._parsed(answer, key), created)

    def _parsed(self, text: str, key: str) -> Any:
        try:
            return json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise ResultStoreError(f"{self.path}: result {key} is damaged ({error})") from None

    # Damage: what is stored here can be computed again.

    def check(self, repair: bool = False) -> list[Finding]:
        """Return a list of what is damaged. If ``repair`` is true, also move damaged results to a
        file beside the store, or the whole store if it can't be read. Results that were moved are
        computed again when they are next needed."""
        if not self.path.exists():
            return []
        findings = super().check()
        if findings:
            return self._with_whole_file_moved(findings, repair and self._is_broken())
        try:
            damaged = self.run(_damaged_rows)
        except ResultStoreError as error:  # the file is ours, its table isn't as it was made
            findings = [Finding(self.path.name, str(error), is_repaired=False)]
            return self._with_whole_file_moved(findings, repair)
        if damaged and repair:
            self._take_out(damaged)
        return [Finding(RESULTS.called(row[1:]), NOT_AS_WRITTEN, repair) for row in damaged]

    def _with_whole_file_moved(self, findings: list[Finding], is_repaired: bool) -> list[Finding]:
        """The findings, the file moved aside where that is to be its repair."""
        if is_repaired:
            self._move_aside()
        return [finding._replace(is_repaired=is_repaired) for finding in findings]

    def _is_broken(self) -> bool:
        """Whether the file is damaged, and no sound one of something else or of a newer version."""
        try:
            with closing(connect(self.path)) as connection:
                return connection.execute("PRAGMA quick_check").fetchone() != ("ok",)
        except sqlite3.Error:
            return True

    def _move_aside(self) -> None:
        new = free_name(self.path)
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{self.path}{ending}", f"{new}{ending}")

    def _take_out(self, rows: Sequence[tuple]) -> None:
        with free_name(self.path.with_suffix(".jsonl")).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row[1:], default=repr) + "\n" for row in rows)
        keys = [(row[0],) for row in rows]
        self.execute("DELETE FROM results WHERE CAST(key AS BLOB) IS ?", *keys)

    def _upgrade(self, connection: sqlite3.Connection, version: int) -> None:
        """Give the results of version 1 digests."""
        known = [name for _, name, *_ in connection.execute("PRAGMA table_info(results)")]
        if "digest" in known:
            return  # only the version's number is an earlier one
        connection.create_function("digest_of", -1, lambda *values: RESULTS.digest(values))
        connection.execute("DROP INDEX IF EXISTS results_by_kind")
        connection.execute("ALTER TABLE results RENAME TO earlier")
        self._create(connection)
        columns = ", ".join(RESULTS.columns)
        connection.execute(
            f"INSERT INTO results SELECT {columns}, digest_of({columns}) FROM earlier"
        )
        connection.execute("DROP TABLE earlier")


def _insert(connection: sqlite3.Connection, rows: Sequence[tuple], *, anew: bool) -> None:
    """Insert rows where there is no sound one with their key; ``anew``: in any case."""
    for row in rows:
        stored = [] if anew else _select(connection, "key = ?", row[:1])
        if not any(RESULTS.is_sound(other) for other in stored):
            connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)", row)


def _keys(connection: sqlite3.Connection, kind: str) -> dict[str, float]:
    connection.text_factory = _decode
    text = "SELECT key, created FROM results WHERE kind = ? ORDER BY created, key"
    return dict(connection.execute(text, (kind,)).fetchall())


def _decode(data: bytes) -> str:
    """Bytes that are no text are replaced, so that a row's digest tells."""
    return data.decode("utf-8", "replace")


def _select(connection: sqlite3.Connection, where: str, values: Sequence[str]) -> list[tuple]:
    """Whole rows."""
    connection.text_factory = _decode
    text = f"SELECT {RESULTS.all_columns} FROM results WHERE {where}"
    return connection.execute(text, values).fetchall()


def _entry(row: tuple) -> Entry:
    key, _, question, *_ = row
    is_sound = RESULTS.is_sound(row)
    document: Any = {}
    with suppress(TypeError, ValueError, RecursionError):
        document = json.loads(question)
    if not isinstance(document, dict):
        document = {}
    damage = "" if is_sound else f"result {key} is damaged ({NOT_AS_WRITTEN})"
    return Entry(key, document, damage)


def _damaged_rows(connection: sqlite3.Connection) -> list[tuple]:
    """Damaged results, before each its key as bytes: a damaged key may be no text."""
    connection.text_factory = _decode
    rows = connection.execute(f"SELECT CAST(key AS BLOB), {RESULTS.all_columns} FROM results")
    return [row for row in rows if not RESULTS.is_sound(row[1:])]


def free_name(path: Path) -> Path:
    """A name beside a file, for what is damaged of it, that no file has yet."""
    names = (path.with_name(f"{path.stem}.damaged-{n}{path.suffix}") for n in count(1))
    return next(name for name in names if not name.exists())


# Stored results as one file, to be shipped: a long job is resumed from it on any machine.


def pack(places: Iterable[tuple[str, Question]], store: ResultStore, path: Path) -> int:
    """Write the stored answers of these (kind, question) to a file; returns how many there are.

    The file has sorted JSON lines ``{"kind": ..., "question": ..., "answer": ...}``, compressed by
    xz.
    """
    answers = ((kind, question, store.get(kind, question)) for kind, question in places)
    return write_packed([one for one in answers if one[2] is not None], path)


def write_packed(answers: Iterable[tuple[str, Question, Any]], path: Path) -> int:
    """Write answers, (kind, question, answer), as ``pack`` does; returns how many."""
    lines = {
        canonical({"kind": kind, "question": question, "answer": answer})
        for kind, question, answer in answers
    }
    text = "".join(f"{line}\n" for line in sorted(lines))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_bytes(lzma.compress(text.encode()))
    return len(lines)


def packed(path: Path, command: str) -> list[tuple[str, Question, Any]]:
    """Kind, question and answer of each that ``pack`` wrote. ``SpadesError``: the file can't be
    read; ``command`` makes it anew."""
    with stored_table(path, command, SpadesError):
        documents = [json.loads(line) for line in _unpacked(path).splitlines()]
        return [(one["kind"], one["question"], one["answer"]) for one in documents]


def _unpacked(path: Path) -> bytes:
    """What a file compressed by xz holds; ``ValueError`` where that is too much, or not whole."""
    unpacker = lzma.LZMADecompressor()
    try:
        text = unpacker.decompress(read_file(path, MOST_PACKED), MOST_UNPACKED)
    except (lzma.LZMAError, InvalidRecordError) as error:
        raise ValueError(str(error)) from None
    if not unpacker.eof:
        raise ValueError(f"it is cut, or unpacks to more than {MOST_UNPACKED >> 20} MB")
    return text


# What results depend on besides their question: behaviour, human models, corpora. A model is a file
# that anybody may train anew under the same name: the name alone says too little.


def version_of(*agents: str) -> Document:
    """What the answers of agents depend on: their behaviour, models and corpora, and the versions
    of ``programs`` that aren't shipped. Without agents: the behaviour of every agent there is."""
    from spades.agents.behaviour import behaviour_of  # loads the agents

    parsed = _parsed(agents)
    version = {"code": behaviour_of(*parsed), **models_of(parsed)}
    programs = {program.key: program.version for agent in parsed for program in agent.programs}
    return {**version, "programs": programs} if programs else version


def programs_of(*agents: str) -> list[Program]:
    """The code of other people in agents given as text, each once: players, bidders, models."""
    programs: list[Program] = []
    for agent in _parsed(agents):
        programs += agent.programs
        model = program_of_model(agent.player.model_name or "")
        if model is not None:
            programs.append(model)
    return list(dict.fromkeys(programs))


def _parsed(agents: Iterable[str]) -> "list[Agent]":
    from spades.agents import parse_agent  # loads the agents

    return [parse_agent(text) for text in agents]


def models_of(agents: "Iterable[Agent]") -> dict[str, dict[str, str]]:
    """``{"models": {name: hash}, "corpora": {name: hash}}`` of agents; what none has is left
    out."""
    from spades.human.corpus import load_corpus

    models: dict[str, str] = {}
    corpora: dict[str, str] = {}
    for agent in agents:
        player = agent.player
        model = player.model_name
        if model:
            models[model] = model_hash(model)
        corpus = player.corpus_name
        if corpus:
            corpora[corpus] = load_corpus(corpus).hash
    hashes = {"models": models, "corpora": corpora}
    return {kind: by_name for kind, by_name in hashes.items() if by_name}
