"""The footer of a Parquet file, read by hand: how much a file says it holds, before Arrow looks.

Arrow ends the whole process for some damaged footers when asked for the metadata of a column
(release 26: "Definition level histogram size mismatch"), so sizes are taken from here. Source: the
Parquet format's ``parquet.thrift`` and Thrift's compact protocol.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from spades.core.errors import InvalidRecordError

MAGIC = b"PAR1"
MAX_FOOTER = 64 * 2**20
_TAIL = 8
_MAX_DEPTH = 24
# Compact protocol's types; the others have no use in a footer.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


@dataclass(frozen=True)
class ColumnChunk:
    """Values and bytes, unpacked, of one leaf column in a row group."""

    name: str
    n_values: int
    n_bytes: int


@dataclass(frozen=True)
class RowGroup:
    """Rows, unpacked bytes and leaf columns of one row group."""

    n_rows: int
    n_bytes: int
    columns: tuple[ColumnChunk, ...]


def read_footer(source: Path | bytes) -> tuple[RowGroup, ...]:
    """Row groups of a file; ``InvalidRecordError`` if its footer isn't whole."""
    if isinstance(source, bytes):
        return _row_groups(_footer(io.BytesIO(source), len(source)))
    with source.open("rb") as file:
        return _row_groups(_footer(file, source.stat().st_size))


def _footer(file: BinaryIO, size: int) -> bytes:
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    n_bytes = int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC or n_bytes > size - _TAIL:
        raise InvalidRecordError("no readable Parquet file: it doesn't end in a whole footer")
    if n_bytes > MAX_FOOTER:
        raise InvalidRecordError(f"a Parquet footer of {n_bytes:,} bytes; {MAX_FOOTER:,} are read")
    file.seek(size - _TAIL - n_bytes)
    return file.read(n_bytes)


def _row_groups(footer: bytes) -> tuple[RowGroup, ...]:
    """Field numbers are those of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData."""
    try:
        groups = _Thrift(footer).struct()[4]
        return tuple(
            RowGroup(_count(group[3]), _count(group[2]), tuple(map(_column, group[1])))
            for group in groups
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidRecordError(
            f"no readable Parquet file: its footer is damaged ({error})"
        ) from None


def _column(chunk: dict[int, Any]) -> ColumnChunk:
    known = chunk[3]
    return ColumnChunk(known[3][0].decode(), _count(known[5]), _count(known[6]))


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} where a count is due")
    return value


@dataclass
class _Thrift:
    """Reads values of the compact protocol; anything wrong raises one of the errors above."""

    data: bytes
    at: int = 0

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

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

    def _bytes(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            raise ValueError("a text beyond the end")
        self.at += n
        return self.data[self.at - n : self.at]

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Values by field number."""
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deep")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            is_flag = kind in (_TRUE, _FALSE)
            fields[number] = kind == _TRUE if is_flag else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        if kind in (_BYTE, _TRUE, _FALSE):  # flags in a list take a byte each
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        raise ValueError(f"a field of type {kind}")

    def _list(self, depth: int) -> list[Any]:
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deep")
        head = self._byte()
        n = self._varint() if head >> 4 == 15 else head >> 4
        if n > len(self.data) - self.at:
            raise ValueError("a list beyond the end")
        return [self._value(head & 15, depth) for _ in range(n)]
