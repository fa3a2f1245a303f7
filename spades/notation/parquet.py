"""Parquet: the log schema for analysis and big logs, one round a row.

Columns and types are ``SCHEMA`` of ``parquet_columns``: hands as four card masks, plays as 52 card
codes, rules as JSON of what isn't default. Metadata hold ``spades:schema_version`` and
``spades:provenance``, JSON of where the log comes from; nothing that is read depends on them. Rows
are in groups of ``GROUP_ROWS``: a log larger than memory can be written and read in parts. Pages
carry checksums. Every round is replayed on reading and writing.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from spades.core.derived import require_legal
from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.logs import Log, concatenate
from spades.core.paths import replacing
from spades.core.records import SCHEMA_VERSION, Record
from spades.notation import reading
from spades.notation.parquet_columns import COLUMNS, SCHEMA, batch_of, check_schema, log_of
from spades.notation.reading import Intake, Reading

NOTATION = "parquet"
GROUP_ROWS = 16_384
MAX_GROUP_ROWS = 500_000
MAX_GROUP_BYTES = 512 * 2**20
MAX_RATIO = 10  # unpacked bytes of a bigger file to its own; those of a simulated log are 1.3
MAX_FOOTER = 64 * 2**20
MAX_PAGE_HEADER = 2**16
MAX_PROVENANCE = 64 * 2**10
_SLACK = 1_000
_VERSION_KEY = b"spades:schema_version"
_PROVENANCE_KEY = b"spades:provenance"
_ARROW_ERRORS = (
    pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError,
)  # fmt: skip

Source = Path | bytes


@dataclass
class LogWriter:
    """A log being written part by part; ``provenance`` may grow until the end."""

    writer: pq.ParquetWriter
    provenance: dict[str, Any]
    n_rounds: int = 0

    def append(self, log: Log) -> None:
        """Add rounds; ``InvalidRecordError`` for one that breaks a rule."""
        require_legal(log)
        for start in range(0, len(log), GROUP_ROWS):
            self.writer.write_batch(batch_of(log.take(slice(start, start + GROUP_ROWS))))
        self.n_rounds += len(log)


@contextmanager
def writing_log(path: Path, provenance: Mapping[str, Any] | None = None) -> Iterator[LogWriter]:
    """Write a log: the file appears, whole, when the block ends well; else what was there stays."""
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, SCHEMA, compression="zstd", write_page_checksum=True) as file,
    ):
        log = LogWriter(file, dict(provenance or {}))
        yield log
        text = json.dumps(log.provenance, allow_nan=False).encode()
        _check_provenance(text)
        version = str(SCHEMA_VERSION).encode()
        file.add_key_value_metadata({_VERSION_KEY: version, _PROVENANCE_KEY: text})


def _check_provenance(text: bytes) -> None:
    if len(text) > MAX_PROVENANCE:
        raise InvalidRecordError(f"provenance of {len(text):,} bytes; {MAX_PROVENANCE:,} are legal")


def save_log(
    log: Log, path: str | os.PathLike[str], *, provenance: Mapping[str, Any] | None = None
) -> None:
    """Write a whole log; a killed process leaves the old file or the new one."""
    with writing_log(Path(path), provenance) as writer:
        writer.append(log)


def write_records(records: Iterable[Record], path: Path) -> int:
    """Write records, however many; returns how many rounds."""
    with writing_log(path) as writer:
        for group in reading.batched(records, GROUP_ROWS):
            writer.append(Log.from_records(group))
    return writer.n_rounds


def load_log(path: str | os.PathLike[str]) -> Log:
    """A whole log, every round replayed; ``InvalidRecordError`` for any that isn't right, ``line``
    being the row from 1."""
    logs = []
    for log, reasons in read_log_parts(Path(path)):
        for row, reason in reasons.items():
            raise InvalidRecordError(f"row {row}: {reason}", row)
        logs.append(log)
    return concatenate(logs)


def read_log_parts(
    source: Source, *, rows: int = GROUP_ROWS
) -> Iterator[tuple[Log, dict[int, str]]]:
    """A log in parts of at most ``rows`` rounds, one row group in memory at a time; rows that break
    a rule are left out and given by number from 1 with the reason."""
    first = 1
    with _opened(source) as file:
        for batch in file.batches(rows):
            with _arrow_errors():
                log, reasons = log_of(batch)
            yield log, {first + row: reason for row, reason in sorted(reasons.items())}
            first += batch.num_rows


def parse(source: Source, *, name: str = "", enough: int | None = None) -> Reading:
    """Rounds of a file or its bytes; a row that breaks a rule is refused by its number. ``enough``:
    go on until so many rows are read, whatever the file holds."""
    intake = Intake(NOTATION, name)
    try:
        if enough is not None or not intake.has_too_many(n_rounds_of(source)):
            for part in _read_parts(source, name, min(enough or GROUP_ROWS, GROUP_ROWS)):
                intake.records += part.records
                intake.refused += part.refused
                intake.notes += part.notes
                if enough is not None and len(intake.records) + len(intake.refused) >= enough:
                    break
    except InvalidRecordError as error:
        return intake.done(error)
    return intake.done()


def parse_parts(path: Path, *, name: str = "") -> Iterator[Reading]:
    """As ``parse``, a row group at a time, for files of any size."""
    is_empty = True
    try:
        for part in _read_parts(path, name, GROUP_ROWS):
            if part.records or part.refused:
                is_empty = False
                yield part.done()
    except InvalidRecordError as error:
        yield Intake(NOTATION, name).done(error)
    else:
        if is_empty:
            yield Intake(NOTATION, name).done()


def _read_parts(source: Source, name: str, rows: int) -> Iterator[Intake]:
    with _opened(source) as file:
        extra = [column for column in file.columns if column not in SCHEMA.names]
    intake = Intake(NOTATION, name)
    if extra:
        intake.note(0, f"unknown columns left out: {shown(', '.join(extra))}")
    first = 1
    for log, reasons in read_log_parts(source, rows=rows):
        records = log.records()
        end = first + len(log) + len(reasons)
        for row in range(first, end):
            if row in reasons:
                intake.refuse(row, reasons[row])
            else:
                intake.take(row, partial(next, records))
        yield intake
        first = end
        intake = Intake(NOTATION, name)


def n_rounds_of(source: Source) -> int:
    """Rows of a file by its metadata, nothing else read."""
    with _file(source) as file:
        return sum(group.n_rows for group in _checked_groups(file))


def describe(path: Path) -> tuple[int, dict[str, Any]]:
    """Rounds and provenance of a log by its metadata; raises where these aren't a log's.
    Provenance, empty if there is none, is what the file says of where it comes from: not to be
    trusted."""
    with _opened(path) as file:
        text = file.metadata.get(_PROVENANCE_KEY, b"{}")
    _check_provenance(text)
    provenance = load_object(text.decode("utf-8", errors="replace"))
    return sum(group.n_rows for group in file.groups), provenance


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Whatever Arrow raises for what a file holds becomes ``InvalidRecordError``."""
    try:
        yield
    except SpadesError:
        raise
    except _ARROW_ERRORS as error:
        text = " ".join(str(error).split())[: reading.MAX_REASON // 10]
        reason = f"no readable Parquet file: {text or type(error).__name__}"
        raise InvalidRecordError(reason) from None


@contextmanager
def _file(source: Source) -> Iterator[pa.NativeFile]:
    """A file for reading; ``InvalidRecordError`` for an empty one, a folder, pipe or device."""
    if isinstance(source, Path):
        status = source.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InvalidRecordError("not a regular file")
        if not status.st_size:
            raise InvalidRecordError("empty: no record at all")
    opened = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source))
    with opened as file:
        yield file


class _LogFile(NamedTuple):
    """A file whose metadata are a log's: its row groups, names of its columns."""

    source: pa.NativeFile
    parquet: pq.ParquetFile
    groups: list[RowGroup]
    columns: list[str]
    metadata: dict[bytes, bytes]

    def batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        for i, group in enumerate(self.groups):
            with _arrow_errors():
                for column in group.columns:
                    if _page_bytes(self.source, column) > column.n_bytes:
                        raise InvalidRecordError(
                            f"the column {column.name} of row group {i} unpacks to more than the "
                            f"{column.n_bytes:,} bytes announced"
                        )
                # One thread: Arrow's pool, once started, has ended a process that read damage.
                read = self.parquet.read_row_group(i, SCHEMA.names, use_threads=False)
                table = read.combine_chunks()
                table.validate(full=True)
                if table.num_rows != group.n_rows:
                    raise InvalidRecordError(
                        f"row group {i} holds {table.num_rows} rows, {group.n_rows} are announced"
                    )
                whole = pa.RecordBatch.from_struct_array(table.to_struct_array().combine_chunks())
            for start in range(0, group.n_rows, rows):
                yield whole.slice(start, rows)


@contextmanager
def _opened(source: Source) -> Iterator[_LogFile]:
    """A file, refused unless its metadata are a log's."""
    with _file(source) as file:
        groups = _checked_groups(file)
        with _arrow_errors():
            metadata = _parquet_of(file, []).metadata
            facts = metadata.metadata or {}
            version = facts.get(_VERSION_KEY, str(SCHEMA_VERSION).encode())
            if version != str(SCHEMA_VERSION).encode():
                reason = f"schema version {version[:20]!r}; {SCHEMA_VERSION} is legal"
                raise InvalidRecordError(reason)
            schema = metadata.schema.to_arrow_schema()
            check_schema(schema)
            columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
            # As codes, so that a text repeated a million times is unpacked once.
            texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
            parquet = _parquet_of(file, texts)
        if metadata.num_row_groups != len(groups):
            reason = "no readable Parquet file: its row groups are counted two ways"
            raise InvalidRecordError(reason)
        yield _LogFile(file, parquet, groups, schema.names, facts)


def _parquet_of(file: pa.NativeFile, texts: list[str]) -> pq.ParquetFile:
    return pq.ParquetFile(
        file,
        read_dictionary=texts,
        page_checksum_verification=True,
        thrift_string_size_limit=MAX_FOOTER,
        thrift_container_size_limit=MAX_FOOTER,
    )


def _checked_groups(file: pa.NativeFile) -> list[RowGroup]:
    """Row groups of a file, refused if they hold more than any log's, before they are unpacked."""
    groups = read_footer(file)
    unpacked = sum(map(_unpacked, groups))
    most_bytes = max(MAX_GROUP_BYTES, MAX_RATIO * file.size())
    if unpacked > most_bytes:
        raise InvalidRecordError(
            f"it unpacks to {unpacked / 2**20:,.0f} MB; at most {most_bytes / 2**20:,.0f} MB are "
            f"read of a file of {file.size() / 2**20:,.1f} MB"
        )
    for i, group in enumerate(groups):
        if group.n_rows > MAX_GROUP_ROWS:
            raise InvalidRecordError(
                f"row group {i} has {group.n_rows:,} rows, at most {MAX_GROUP_ROWS:,} are read at "
                "a time"
            )
        if _unpacked(group) > MAX_GROUP_BYTES:
            raise InvalidRecordError(
                f"row group {i} unpacks to {group.n_bytes / 2**20:,.0f} MB, at most "
                f"{MAX_GROUP_BYTES // 2**20} are read at a time"
            )
        for column in group.columns:
            if column.name not in COLUMNS:
                continue
            # Twice as many: a list too long is refused by its row, one of a million with the file.
            most = 2 * group.n_rows * COLUMNS[column.name].width + _SLACK
            if column.n_values > most:
                raise InvalidRecordError(
                    f"the column {column.name} holds {column.n_values:,} values in "
                    f"{group.n_rows:,} rows, at most {most:,} are read"
                )
    return groups


def _unpacked(group: RowGroup) -> int:
    return max(group.n_bytes, sum(column.n_bytes for column in group.columns))


# The footer of a file is read by hand before Arrow looks: Arrow ends the whole process for some
# damaged footers when asked for the metadata of a column (release 26: "Definition level histogram
# size mismatch"). Source: the Parquet format's parquet.thrift and Thrift's compact protocol.


class ColumnChunk(NamedTuple):
    """Values and bytes, unpacked, of one leaf column in a row group; where its pages begin in the
    file, and how many bytes they take there."""

    name: str
    n_values: int
    n_bytes: int
    start: int
    size: int


class RowGroup(NamedTuple):
    """Rows, unpacked bytes and leaf columns of one row group."""

    n_rows: int
    n_bytes: int
    columns: list[ColumnChunk]


def read_footer(file: pa.NativeFile) -> list[RowGroup]:
    """Row groups of a file; ``InvalidRecordError`` if its footer isn't whole."""
    size = file.size()
    file.seek(max(0, size - 8))
    tail = file.read(8)
    n_bytes = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or n_bytes > size - 8:
        raise InvalidRecordError("no readable Parquet file: it doesn't end in a whole footer")
    if n_bytes > MAX_FOOTER:
        raise InvalidRecordError(f"a Parquet footer of {n_bytes:,} bytes; {MAX_FOOTER:,} are read")
    file.seek(size - 8 - n_bytes)
    try:
        # Field numbers are those of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
        return [_row_group(facts) for facts in _Thrift(file.read(n_bytes)).struct()[4]]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"no readable Parquet file: its footer is damaged ({error})"
        raise InvalidRecordError(reason) from None


def _row_group(facts: dict[int, Any]) -> RowGroup:
    return RowGroup(
        n_rows=_count(facts[3]),
        n_bytes=_count(facts[2]),
        columns=[_chunk(chunk[3]) for chunk in facts[1]],
    )


def _chunk(facts: dict[int, Any]) -> ColumnChunk:
    start = min(facts[9], facts.get(11) or facts[9])  # data page, dictionary page
    return ColumnChunk(
        name=facts[3][0].decode(),
        n_values=_count(facts[5]),
        n_bytes=_count(facts[6]),
        start=_count(start),
        size=_count(facts[7]),
    )


def _page_bytes(file: pa.NativeFile, column: ColumnChunk) -> int:
    """What the pages of a column unpack to by their own headers: Arrow doesn't compare the two."""
    position = column.start
    end = column.start + column.size
    n_bytes = 0
    while position < end:
        file.seek(position)
        thrift = _Thrift(file.read(min(MAX_PAGE_HEADER, end - position)))
        header = thrift.struct()
        n_bytes += _count(header[2])
        position += thrift.position + _count(header[3])
    return n_bytes


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} where a count is due")
    return value


@dataclass
class _Thrift:
    """Reads values of the compact protocol; anything wrong raises one of the errors above."""

    data: bytes
    position: int = 0

    @property
    def _n_left(self) -> int:
        return len(self.data) - self.position

    def _bytes(self, n: int) -> bytes:
        if n > self._n_left:
            raise ValueError("a text beyond the end")
        self.position += n
        return self.data[self.position - n : self.position]

    def _byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("a number without end")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Values by field number."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step = head >> 4
            kind = head & 15
            number = number + step if step else self._integer()
            if kind in (1, 2):  # a flag is in its type: 1 true, 2 false
                fields[number] = kind == 1
            else:
                fields[number] = self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 4 | 5 | 6:
                return self._integer()
            case 8:
                return self._bytes(self._varint())
            case 9 | 10 | 12 if depth >= 24:
                raise ValueError("nested too deep")
            case 9 | 10:
                head = self._byte()
                n = self._varint() if head >> 4 == 15 else head >> 4
                if n > self._n_left:
                    raise ValueError("a list beyond the end")
                return [self._value(head & 15, depth + 1) for _ in range(n)]
            case 12:
                return self.struct(depth + 1)
            case 1 | 2 | 3:  # flags in a list take a byte each
                return self._byte()
            case 7:
                return self._bytes(8)
        raise ValueError(f"a field of type {kind}")
