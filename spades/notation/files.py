"""Files of records: written whole or not at all, read line by line where they are big."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from spades.core.errors import InvalidRecordError

MAX_LINE = 2 * 2**20  # characters; a JSON line of the longest texts is shorter
_SKIPPED = 2**20


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its place if the block ends well.

    A killed process leaves the old file or the new one, whole. The block creates the file.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        sync(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file's bytes are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def size_of(path: Path) -> int:
    """Bytes of a file; ``InvalidRecordError`` for a folder, pipe or device."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidRecordError("not a regular file")
    return status.st_size


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """A text file of any size; bytes that are no UTF-8 come as lone surrogates, to be refused."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline=None) as file:
        yield file


def numbered_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    """Lines without their ends, counted from 1; one too long comes cut to ``MAX_LINE`` + 1."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        is_cut = len(line) > MAX_LINE and not line.endswith("\n")
        yield number, line.removesuffix("\n")
        while is_cut and (rest := file.readline(_SKIPPED)):
            is_cut = not rest.endswith("\n")


def why_no_line(line: str) -> str:
    """Why a line of a big file can't be read at all; empty if it can."""
    if len(line) > MAX_LINE:
        return f"a line of over {MAX_LINE:,} characters; at most that many are read"
    if "\0" in line:
        return "binary data: the line holds a zero byte"
    if any("\ud800" <= char <= "\udfff" for char in line) if not line.isascii() else False:
        return "not UTF-8"
    return ""
