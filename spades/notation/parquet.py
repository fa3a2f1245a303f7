"""Parquet: the log schema for analysis and big logs, one round a row.

Source: spec 1, notation 6 and "Log schema". The columns and their types are ``SCHEMA`` of
``spades.notation.parquet_columns``: hands as four card masks, plays as 52 card codes, both by
the deck; rules as JSON of what isn't default. The file's metadata hold ``spades:schema_version``
and ``spades:provenance``, a JSON object that says where the log comes from; nothing that is read
depends on them. Rows are in groups of ``GROUP_ROWS``, so that a log larger than memory can be
written and read in parts. Pages carry checksums. Every round is replayed on reading and writing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spades.core.derived import require_legal
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import SCHEMA_VERSION, RoundRecord
from spades.notation import reading
from spades.notation.files import replacing, size_of
from spades.notation.parquet_columns import SCHEMA, Faults, batch_of, check_schema, log_of, width_of
from spades.notation.parquet_footer import MAX_FOOTER, ColumnChunk, RowGroup, read_footer
from spades.notation.reading import Intake, Note, Reading
from spades.notation.schema import load_object

NOTATION = "parquet"
GROUP_ROWS = 16_384
MAX_GROUP_ROWS = 500_000
MAX_GROUP_BYTES = 512 * 2**20
_SLACK = 1_000
MAX_PROVENANCE = 64 * 2**10
_VERSION_KEY, _PROVENANCE_KEY = b"spades:schema_version", b"spades:provenance"
_ARROW_ERRORS = (
    pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError,
)  # fmt: skip

Source = Path | bytes


class LogWriter:
    """Writes a log part by part: ``with LogWriter(path) as writer: writer.append(log)``.

    The file appears, whole, when the block ends well; otherwise what was there stays.
    ``provenance`` may grow until then. ``n_rounds`` counts the rounds written.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self.path = Path(path)
        self.provenance = dict(provenance or {})
        self.n_rounds = 0

    def __enter__(self) -> LogWriter:
        with ExitStack() as opening:
            temporary = opening.enter_context(replacing(self.path))
            self._writer = opening.enter_context(
                pq.ParquetWriter(temporary, SCHEMA, compression="zstd", write_page_checksum=True)
            )
            self._open = opening.pop_all()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # Leaving closes the writer; then the file takes its place, unless something raised.
        with self._open:
            if error is not None:
                raise error
            self._writer.add_key_value_metadata(_metadata(self.provenance))

    def append(self, log: Log) -> None:
        """Add rounds; ``InvalidRecordError`` for one that breaks a rule."""
        require_legal(log)
        for start in range(0, len(log), GROUP_ROWS):
            self._writer.write_batch(batch_of(log.take(slice(start, start + GROUP_ROWS))))
        self.n_rounds += len(log)


def _metadata(provenance: Mapping[str, Any]) -> dict[bytes, bytes]:
    text = json.dumps(provenance, allow_nan=False)
    if len(text) > MAX_PROVENANCE:
        raise InvalidRecordError(f"provenance of {len(text):,} bytes; {MAX_PROVENANCE:,} are legal")
    return {_VERSION_KEY: str(SCHEMA_VERSION).encode(), _PROVENANCE_KEY: text.encode()}


def save_log(
    log: Log, path: str | os.PathLike[str], *, provenance: Mapping[str, Any] | None = None
) -> None:
    """Write a whole log; a killed process leaves the old file or the new one."""
    with LogWriter(path, provenance=provenance) as writer:
        writer.append(log)


def write_parts(parts: Iterable[Sequence[RoundRecord]], path: Path) -> int:
    """Write records part by part, however many; returns how many rounds."""
    with LogWriter(path) as writer:
        records = (record for part in parts for record in part)
        for group in reading.batched(records, GROUP_ROWS):
            writer.append(Log.from_records(group))
    return writer.n_rounds


def load_log(path: str | os.PathLike[str]) -> Log:
    """A whole log, every round replayed; ``InvalidRecordError`` for any that isn't right."""
    return concatenate(list(read_parts(path)))


def read_parts(path: str | os.PathLike[str], *, rows: int = GROUP_ROWS) -> Iterator[Log]:
    """A log in parts of at most ``rows`` rounds, one row group in memory at a time.

    Raises ``InvalidRecordError`` for anything wrong, ``line`` being the row from 1.
    """
    for first, log, faults in _parts(Path(path), rows):
        if faults.reasons:
            row = min(faults.reasons)
            at = first + row + 1
            raise InvalidRecordError(f"row {at}: {faults.reasons[row]}", at)
        yield log


def read_log_parts(path: Path, *, rows: int = GROUP_ROWS) -> Iterator[tuple[Log, dict[int, str]]]:
    """As ``read_parts``, but rows that break a rule are left out and given by number from 1
    with the reason."""
    for first, log, faults in _parts(path, rows):
        yield log, {first + row + 1: reason for row, reason in sorted(faults.reasons.items())}


def parse(source: Source, *, name: str = "", enough: int | None = None) -> Reading:
    """Rounds of a file or its bytes; a row that breaks a rule is refused by its number.

    ``enough``: go on until so many rows are read, whatever the file holds.
    """
    intake = Intake(NOTATION, name)
    try:
        if enough is not None or not intake.has_too_many(n_rounds_of(source)):
            for note in _left_out(source):
                intake.note(0, note)
            for first, log, faults in _parts(source, min(enough or GROUP_ROWS, GROUP_ROWS)):
                if enough is not None and first >= enough:
                    break
                _take_part(intake, first, log, faults)
    except InvalidRecordError as error:
        intake.refuse(error.line, str(error))
    return intake.done()


def _take_part(intake: Intake, first: int, log: Log, faults: Faults) -> None:
    records = log.records()
    for row in range(len(log) + len(faults.reasons)):
        if row in faults.reasons:
            intake.refuse(first + row + 1, faults.reasons[row])
        else:
            intake.take(first + row + 1, lambda: next(records))


def parse_parts(path: Path, *, name: str = "") -> Iterator[Reading]:
    """As ``parse``, a row group at a time, for files of any size."""
    try:
        notes = tuple(Note(0, text) for text in _left_out(path))
        for first, log, faults in _parts(path, GROUP_ROWS):
            intake = Intake(NOTATION, name, notes=list(notes))
            _take_part(intake, first, log, faults)
            notes = ()
            if intake.records or intake.refused:
                yield intake.done()
    except InvalidRecordError as error:
        yield Intake(NOTATION, name).done_with(error)


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file says of where it comes from; empty if nothing. Not to be trusted."""
    return _provenance(_metadata_of(Path(path)))


def n_rounds_of(source: Source) -> int:
    """Rows of a file by its metadata, nothing else read."""
    return sum(group.n_rows for group in _checked_groups(source))


def describe(path: Path) -> tuple[int, dict[str, Any]]:
    """Rounds and provenance of a log by its metadata; raises where these aren't a log's."""
    metadata, group_rows, _ = _layout(path)
    return sum(group_rows), _provenance(metadata)


def _provenance(metadata: pq.FileMetaData) -> dict[str, Any]:
    with _arrow_errors():
        text = (metadata.metadata or {}).get(_PROVENANCE_KEY, b"{}")
    if len(text) > MAX_PROVENANCE:
        raise InvalidRecordError(f"provenance of {len(text):,} bytes; {MAX_PROVENANCE:,} are legal")
    return load_object(text.decode("utf-8", errors="replace"))


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Whatever Arrow raises for what a file holds becomes ``InvalidRecordError``."""
    try:
        yield
    except SpadesError:
        raise
    except _ARROW_ERRORS as error:
        text = " ".join(str(error).split())[: reading.MAX_REASON // 10]
        raise InvalidRecordError(
            f"no readable Parquet file: {text or type(error).__name__}"
        ) from None


def _opened(source: Source) -> pa.NativeFile:
    if isinstance(source, bytes):
        return pa.BufferReader(source)
    if not size_of(source):
        raise InvalidRecordError("empty: no record at all")
    return pa.OSFile(str(source))


def _metadata_of(source: Source) -> pq.FileMetaData:
    file = _opened(source)
    with file, _arrow_errors():
        return _open_parquet(file, []).metadata


def _open_parquet(file: pa.NativeFile, texts: list[str]) -> pq.ParquetFile:
    return pq.ParquetFile(
        file,
        read_dictionary=texts,
        page_checksum_verification=True,
        thrift_string_size_limit=MAX_FOOTER,
        thrift_container_size_limit=MAX_FOOTER,
    )


def _parts(source: Source, rows: int) -> Iterator[tuple[int, Log, Faults]]:
    """(first row, rounds, faults) of every part."""
    _, group_rows, texts = _layout(source)
    first, file = 0, _opened(source)
    with file:
        with _arrow_errors():
            parquet = _open_parquet(file, texts)
        for group, n_rows in enumerate(group_rows):
            for batch in _batches(parquet, group, n_rows, rows):
                with _arrow_errors():
                    log, faults = log_of(batch)
                yield first, log, faults
                first += batch.num_rows


def _layout(source: Source) -> tuple[pq.FileMetaData, list[int], list[str]]:
    """Metadata, rows of each row group and columns of text; refused unless they are a log's."""
    groups = _checked_groups(source)
    metadata = _metadata_of(source)
    _check_version(metadata)
    with _arrow_errors():
        check_schema(metadata.schema.to_arrow_schema())
        columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        # As codes, so that a text repeated a million times is unpacked once.
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    if metadata.num_row_groups != len(groups):
        raise InvalidRecordError("no readable Parquet file: its row groups are counted two ways")
    return metadata, [group.n_rows for group in groups], texts


def _batches(
    parquet: pq.ParquetFile, group: int, n_rows: int, rows: int
) -> Iterator[pa.RecordBatch]:
    with _arrow_errors():
        table = parquet.read_row_group(group, columns=SCHEMA.names).combine_chunks()
        table.validate(full=True)
        if table.num_rows != n_rows:
            raise InvalidRecordError(
                f"row group {group} holds {table.num_rows} rows, {n_rows} are announced"
            )
        whole = pa.RecordBatch.from_struct_array(table.to_struct_array().combine_chunks())
    for start in range(0, n_rows, rows):
        yield whole.slice(start, rows)


def _check_version(metadata: pq.FileMetaData) -> None:
    with _arrow_errors():
        version = (metadata.metadata or {}).get(_VERSION_KEY, str(SCHEMA_VERSION).encode())
    if version != str(SCHEMA_VERSION).encode():
        raise InvalidRecordError(f"schema version {version[:20]!r}; {SCHEMA_VERSION} is legal")


def _checked_groups(source: Source) -> tuple[RowGroup, ...]:
    """Row groups of a file, refused if they hold more than any log's, before they are unpacked."""
    if not isinstance(source, bytes) and not size_of(source):
        raise InvalidRecordError("empty: no record at all")
    groups = read_footer(source)
    for i, group in enumerate(groups):
        if group.n_rows > MAX_GROUP_ROWS:
            raise InvalidRecordError(
                f"row group {i} has {group.n_rows:,} rows, at most {MAX_GROUP_ROWS:,} are read at "
                "a time"
            )
        if max(group.n_bytes, sum(column.n_bytes for column in group.columns)) > MAX_GROUP_BYTES:
            raise InvalidRecordError(
                f"row group {i} unpacks to {group.n_bytes / 2**20:,.0f} MB, at most "
                f"{MAX_GROUP_BYTES // 2**20} are read at a time"
            )
        for column in group.columns:
            _check_column(column, group.n_rows)
    return groups


def _check_column(column: ColumnChunk, n_rows: int) -> None:
    # Twice as many: a list too long is refused by its row, one of a million with the file.
    most = 2 * n_rows * width_of(column.name) + _SLACK if column.name in SCHEMA.names else None
    if most is not None and column.n_values > most:
        raise InvalidRecordError(
            f"the column {column.name} holds {column.n_values:,} values in {n_rows:,} rows, at "
            f"most {most:,} are read"
        )


def _left_out(source: Source) -> list[str]:
    """Notes on columns that no log has."""
    metadata, _, _ = _layout(source)
    with _arrow_errors():
        names = metadata.schema.to_arrow_schema().names
    extra = [name for name in names if name not in SCHEMA.names]
    return [f"unknown columns left out: {reading.shown(', '.join(extra))}"] if extra else []
