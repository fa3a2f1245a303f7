"""Searched rounds as files: one Parquet file a part, a row for every legal card of a decision.

A part's metadata say what was asked (``LogSearchPlan``) and which rounds it holds. It lies under
that question's key in the results folder, or is shipped in ``data/disagreements``. Files are
renamed into place, whole; the rounds of one that is damaged afterwards are searched anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analysis.runs.store import key_of, results_file
from spades.core.cards import N_CARDS
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.notation.reading import replacing

SHIPPED = DATA / "disagreements"
FOLDER, ENDING, QUESTION_FILE = "log-searches", ".parquet", "question.json"
COLUMNS = {
    "round": pa.int32(),
    "ply": pa.int8(),
    "card": pa.int8(),
    "visits": pa.int32(),
    "value": pa.float32(),
    "value_se": pa.float32(),
}
SCHEMA = pa.schema(COLUMNS)
Question = dict[str, Any]
_META = b"spades:log_search"
_MAX_META = 8 * 2**20
_READ_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError)


class LogSearchError(SpadesError):
    """A search of a log that is impossible, or a part of one that can't be read."""


@dataclass(frozen=True)
class Rows:
    """What was found in some rounds, a row a legal card of each decision with a choice.

    Arrays of one length, in the order of play and in each decision suit by suit, highest first:
    ``round`` the row of the log, ``ply``, ``card`` its code, ``visits``; ``value`` and
    ``value_se`` in points for the mover's partnership, nan where the search says none.
    ``refused``: rounds that can't be searched, and why.
    """

    round: NDArray[np.int32]
    ply: NDArray[np.int8]
    card: NDArray[np.int8]
    visits: NDArray[np.int32]
    value: NDArray[np.float32]
    value_se: NDArray[np.float32]
    refused: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.round)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each decision's rows begin."""
        place = self.round.astype(np.int64) * N_CARDS + self.ply
        return np.flatnonzero(np.diff(place, prepend=-1))

    def within(self, first: int, end: int) -> Rows:
        """The rows of rounds ``first`` to ``end`` - 1."""
        keep = (self.round >= first) & (self.round < end)
        refused = {i: why for i, why in self.refused.items() if first <= i < end}
        return Rows(**{name: getattr(self, name)[keep] for name in COLUMNS}, refused=refused)


@dataclass(frozen=True)
class PartFile:
    """Rounds ``first`` to ``end`` - 1 of a search, all of them, in one file."""

    path: Path
    first: int
    end: int
    stamp: int = 0


@dataclass(frozen=True)
class Damaged:
    """A part that can't be read, and why; its file is named from the results folder on."""

    part: PartFile
    why: str


def search_key(question: Question) -> str:
    return key_of("log-search", question)


def searches_folder() -> Path:
    return results_file().parent / FOLDER


def rows_of(
    found: Sequence[tuple[int, int, int, int, float, float]], refused: dict[int, str]
) -> Rows:
    """Rows from (round, ply, card, visits, value, standard error)."""
    columns = list(zip(*found, strict=True)) or [()] * len(COLUMNS)
    arrays = {
        name: np.array(values, dtype=kind.to_pandas_dtype())
        for (name, kind), values in zip(COLUMNS.items(), columns, strict=True)
    }
    return Rows(**arrays, refused=refused)


def joined(rows: Iterable[Rows]) -> Rows:
    """Rows of several parts, which are given in order."""
    parts = list(rows) or [rows_of([], {})]
    arrays = {name: np.concatenate([getattr(p, name) for p in parts]) for name in COLUMNS}
    return Rows(**arrays, refused={i: why for part in parts for i, why in part.refused.items()})


def begin(question: Question) -> Path:
    """The folder for a question's parts, which says what is asked."""
    folder = searches_folder() / search_key(question)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / QUESTION_FILE).exists():
        with replacing(folder / QUESTION_FILE) as temporary:
            temporary.write_text(json.dumps(question, sort_keys=True), encoding="utf-8")
    return folder


def begun() -> list[Question]:
    """Questions of all searches in the results folder, the one begun last first."""
    found = []
    for path in searches_folder().glob(f"*/{QUESTION_FILE}"):
        try:
            question = json.loads(path.read_text(encoding="utf-8"))
            if search_key(question) == path.parent.name:
                found.append((path.stat().st_mtime_ns, question))
        except (OSError, ValueError, SpadesError):
            continue  # not ours
    return [question for _, question in sorted(found, key=lambda one: -one[0])]


def part_path(folder: Path, first: int, end: int) -> Path:
    return folder / f"{first:07}-{end:07}{ENDING}"


def write_part(
    path: Path, rows: Rows, question: Question, first: int, end: int, **more: Any
) -> None:
    """Write a part, or a whole search to be shipped; ``more`` is noted next to the question."""
    refused = {str(i): why for i, why in rows.refused.items()}
    facts = {"question": question, "first": first, "end": end, "refused": refused, **more}
    facts["digest"] = _digest(rows)
    columns = [pa.array(getattr(rows, name), kind) for name, kind in COLUMNS.items()]
    table = pa.Table.from_arrays(columns, schema=SCHEMA)
    table = table.replace_schema_metadata({_META: json.dumps(facts, sort_keys=True).encode()})
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def _digest(rows: Rows) -> str:
    """Hash of all that a part holds, 16 hex digits."""
    digest = hashlib.sha256(json.dumps(sorted(rows.refused.items())).encode())
    for name in COLUMNS:
        digest.update(np.ascontiguousarray(getattr(rows, name)).tobytes())
    return digest.hexdigest()[:16]


def parts_of(question: Question) -> list[PartFile]:
    """The sound parts of a search, shipped ones too, by first round."""
    return sound_and_damaged(question)[0]


def sound_and_damaged(question: Question) -> tuple[list[PartFile], list[Damaged]]:
    """The parts of a search, and those that can't be read and whose rounds no sound part has."""
    key, sound, damaged = search_key(question), [], []
    files = [*map(_file_at, (searches_folder() / key).glob(f"*-*{ENDING}"))]
    files += [part for part, facts in shipped() if search_key(facts["question"]) == key]
    for part in sorted(filter(None, files), key=lambda part: (part.first, -part.end)):
        if why := flaw(part, key):
            damaged.append(Damaged(part, why))
        else:
            sound.append(part)
    return sound, [
        one
        for one in damaged
        if any(end > one.part.first for _, end in gaps(sound, one.part.end, max(1, one.part.end)))
    ]


def _file_at(path: Path) -> PartFile | None:
    first, _, end = path.name.removesuffix(ENDING).partition("-")
    if not (first.isdecimal() and end.isdecimal()):
        return None
    return PartFile(path, int(first), int(end), path.stat().st_mtime_ns)


def is_sound(path: Path, question: Question) -> bool:
    """Whether a part of the search lies there whole."""
    part = _file_at(path) if path.exists() else None
    return part is not None and not flaw(part, search_key(question))


def shipped() -> list[tuple[PartFile, dict[str, Any]]]:
    """Whole searches that came with the project, and what their files say of them."""
    found = []
    for path in sorted(SHIPPED.glob(f"*{ENDING}")):
        stamp = path.stat().st_mtime_ns
        try:
            facts = _facts_of(path, stamp)
        except LogSearchError:
            continue  # nobody can say which search it was
        found.append((PartFile(path, facts["first"], facts["end"], stamp), facts))
    return found


def gaps(parts: Sequence[PartFile], rounds: int, size: int) -> list[tuple[int, int]]:
    """What the parts lack of the first ``rounds``, as (first, end) of at most ``size`` rounds."""
    missing, at = [], 0
    for first, end in [*((part.first, part.end) for part in parts), (rounds, rounds)]:
        for start in range(at, min(first, rounds), size):
            missing.append((start, min(start + size, first, rounds)))
        at = max(at, end)
    return missing


def covered(parts: Sequence[PartFile]) -> list[tuple[PartFile, int, int]]:
    """Each part that adds rounds, with the first and end of those that no part before it has."""
    found, at = [], 0
    for part in parts:
        if part.end > at:
            found.append((part, max(at, part.first), part.end))
            at = part.end
    return found


@lru_cache(maxsize=2**17)
def flaw(part: PartFile, key: str) -> str:
    """Why a file is no whole part of the search with this key; empty for a sound one."""
    try:
        _read(part, key)
    except LogSearchError as error:
        return str(error)
    return ""


def read_part(part: PartFile, question: Question) -> Rows:
    """The rows of a part; ``LogSearchError`` where it isn't a whole part of this question."""
    return _read(part, search_key(question))


def _read(part: PartFile, key: str) -> Rows:
    facts = _facts_of(part.path, part.stamp)
    if search_key(facts["question"]) != key:
        raise LogSearchError(f"{_shown(part.path)} holds another search than the one asked for")
    try:
        with pq.ParquetFile(part.path, page_checksum_verification=True) as file:
            table = file.read(use_threads=False)
        if not table.schema.remove_metadata().equals(SCHEMA):
            raise ValueError(f"its columns aren't {', '.join(COLUMNS)}")
        if any(column.null_count for column in table.columns):
            raise ValueError("values are missing")
        arrays = {name: table[name].to_numpy() for name in COLUMNS}
        rows = Rows(**arrays, refused={int(i): str(why) for i, why in facts["refused"].items()})
        _check_whole(rows, part, facts)
    except _READ_ERRORS as error:
        raise _damaged(part.path, error) from None
    return rows


def _check_whole(rows: Rows, part: PartFile, facts: dict[str, Any]) -> None:
    """No decision may stem from a search that was cut short, and none may lack."""
    if (facts["first"], facts["end"]) != (part.first, part.end):
        raise ValueError(f"it holds rounds {facts['first']} to {facts['end'] - 1}")
    if "digest" in facts and facts["digest"] != _digest(rows):
        raise ValueError("its rows aren't those that were written")
    if not len(rows):
        return
    totals = np.add.reduceat(rows.visits.astype(np.int64), rows.starts)
    is_inside = ((rows.round >= part.first) & (rows.round < part.end)).all()
    if not is_inside or (totals != facts["question"].get("iterations")).any():
        raise ValueError("its decisions aren't searched to the end")


def _damaged(path: Path, why: object) -> LogSearchError:
    return LogSearchError(f"{_shown(path)} is no readable part of a search ({why})")


def _shown(path: Path) -> str:
    """A file as people find it: from the results folder on, a shipped one from the project's."""
    for folder in (results_file().parent, DATA.parent):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return path.name


@lru_cache(maxsize=512)
def _facts_of(path: Path, stamp: int) -> dict[str, Any]:
    try:
        text = (pq.read_metadata(path).metadata or {}).get(_META, b"")
        facts = json.loads(text[:_MAX_META])
        if not isinstance(facts["question"], dict) or not isinstance(facts["refused"], dict):
            raise ValueError("its metadata say nothing of a search")
        return {**facts, "first": int(facts["first"]), "end": int(facts["end"])}
    except _READ_ERRORS as error:
        raise _damaged(path, error) from None
