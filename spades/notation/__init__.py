"""Reading and writing rounds, the notation picked by file ending or by content.

The notations are in ``spades.notation.notations``, one file each. The readers, all bounded in
memory:

=============== =================================== ============================================
``read``        a path, name, text or open file     the rounds; raises for the first refused one
``read_path``   a path or name                      a ``Reading``; raises where no round is legal
``read_log``    a path or name, any size            a ``Log`` and refusals; raises as ``read_path``
``read_parts``  a path or name, any size            a ``Reading`` a thousand rounds
``stream_log``  a path or name, any size            a ``Log`` and refusals of each part
``read_text``   a text from anywhere                a ``Reading``; never raises for what it holds
``read_bytes``  an upload                           the same
=============== =================================== ============================================

A ``Reading`` lists every round as taken or as refused, with the line and the reason. For ``read``,
``read_log``, ``read_parts`` and ``stream_log`` a path may be a folder of Parquet files
(``spades.notation.log_folder``).
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import IO

import numpy as np

from spades.core.documents import read_file
from spades.core.errors import InvalidRecordError, Refusal, shown
from spades.core.logs import KnownGames, Log, concatenate
from spades.core.records import Record
from spades.notation import reading
from spades.notation.notations import NOTATIONS
from spades.notation.notations.notation import BinaryNotation, Notation, TextNotation
from spades.notation.reading import MAX_ROUNDS_AT_ONCE, MAX_TEXT_BYTES, Reading
from spades.notation.sources import Source, find_source

ROUNDS_AT_ONCE = 16_384
"""Of a part that ``stream_log`` reads."""
"""A bigger log is read in parts."""
_SNIFFED = 64 * 1024
_FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xff\xfe": "UTF-16 text, not UTF-8",
    b"\xfe\xff": "UTF-16 text, not UTF-8",
}


def notation_of(name: str) -> Notation | None:
    """Notation of a file name, by its ending; of several the one that can be written. None for an
    ending that says nothing."""
    return max(_notations_of(name), key=lambda notation: notation.can_be_written, default=None)


def _notations_of(name: str) -> list[Notation]:
    ending = os.path.splitext(name)[1].lower()
    return [notation for notation in NOTATIONS.values() if ending in notation.endings]


def read(
    source: Source | bytes | IO[str] | IO[bytes], *, skip_refused: bool = False
) -> tuple[Record, ...]:
    """All rounds of a file, a text or a shipped name.

    ``source``: a path, the name of a shipped hand or a stored log, the text of a record in any
    notation, its bytes, or a file that is open. ``skip_refused``: leave rounds out that can't be
    read or break the rules.

    >>> import spades
    >>> (record,) = spades.read("four-bots")
    >>> len(record.plays), record.plays[0]
    (52, Card('DT'))
    >>> spades.read("four-bot")
    Traceback (most recent call last):
    FileNotFoundError: four-bot: no such file, and no hand or log has that name; did you mean \
four-bots?

    Raises ``FileNotFoundError`` where there is neither file nor name, and ``InvalidRecordError``
    for a round that is refused, with its line, and where there is no round at all: an empty file, a
    folder, half a Parquet file."""
    name, parts = _parts_of(source)
    records: list[Record] = []
    for part in parts:
        if part.refused and not skip_refused:
            refusal = part.refused[0]
            raise InvalidRecordError(f"{name}: {refusal}", refusal.line)
        records += part.records
    if not records:
        raise InvalidRecordError(f"{name}: no legal round in it")
    return tuple(records)


def _parts_of(source: Source | bytes | IO[str] | IO[bytes]) -> tuple[str, Iterable[Reading]]:
    """What a source is called in errors, and its readings."""
    if isinstance(source, bytes):
        return "bytes", [read_bytes(source)]
    if isinstance(source, str) and _is_text(source):
        return "text", [read_text(source)]
    if isinstance(source, str | os.PathLike):
        return Path(source).name, read_parts(source)
    content = source.read()
    name = Path(str(getattr(source, "name", "file"))).name
    if isinstance(content, bytes):
        return name, [read_bytes(content, name=name)]
    return name, [read_text(content, name=name)]


def _is_text(source: str) -> bool:
    """Whether a string is a record itself, and no path or name."""
    if not source or "\n" in source or "\r" in source:
        return True
    return sniff(source) is not None and not os.path.exists(source)


def read_path(source: Source) -> Reading:
    """Rounds of a file: at most 64 MB of UTF-8 text, or a Parquet file of at most 200,000 rounds;
    ``read_parts`` and ``read_log`` read bigger ones.

    ``FileNotFoundError`` where there is neither a file nor a name; ``InvalidRecordError`` where
    not one round is legal."""
    path = find_source(source)
    whole = _read_whole(path)
    if not whole.records:
        raise _without_rounds(path, whole.refused)
    return whole


def _read_whole(path: Path) -> Reading:
    if path.is_dir():
        return _refused("a folder; a file of rounds is due")
    notation = notation_of(path.name)
    if isinstance(notation, BinaryNotation):
        return notation.parse(path, name=path.name)
    try:
        data = read_file(path, MAX_TEXT_BYTES)
    except InvalidRecordError as error:
        return _refused(str(error))
    return read_bytes(data, name=path.name)


def read_parts(source: Source) -> Iterator[Reading]:
    """Rounds of a file of any size in parts; text of up to 64 MB in one part.

    Never nothing: a file without a legal round gives a reading that says why."""
    path = find_source(source)
    if path.is_dir():
        yield from _read_folder_parts(path)
        return
    notation = notation_of(path.name)
    status = path.stat()
    is_binary = isinstance(notation, BinaryNotation)
    is_big = is_binary or status.st_size > MAX_TEXT_BYTES
    if notation is not None and is_big and stat.S_ISREG(status.st_mode):
        yield from notation.parse_parts(path, name=path.name)
    else:
        yield _read_whole(path)


def _read_folder_parts(path: Path) -> Iterator[Reading]:
    """The rounds of a folder of Parquet files."""
    try:
        folder = _folders().open_folder(path)
    except InvalidRecordError as error:
        yield _refused(str(error))
        return
    parquet = NOTATIONS["parquet"]
    for part in folder.parts:
        yield from parquet.parse_parts(part, name=part.name)


def _folders() -> ModuleType:
    """The readers of folders; they need pyarrow, which takes a while to import."""
    from spades.notation import log_folder as folders

    return folders


def read_log(source: Source) -> tuple[Log, list[Refusal]]:
    """The legal rounds of a file of any size as a log, and what was refused.

    The rows of a Parquet file become arrays without a record of each. Raises as ``read_path``, and
    for a folder of more than ``MAX_ROUNDS_AT_ONCE`` rounds; ``stream_log`` reads it in parts."""
    path = find_source(source)
    if path.is_dir():
        return _read_folder(path)
    notation = notation_of(path.name)
    logs: list[Log] = []
    refused: list[Refusal] = []
    if isinstance(notation, BinaryNotation):
        for log, reasons in notation.read_logs(path):
            logs.append(log)
            refused += [Refusal(row, reason) for row, reason in reasons.items()]
    else:
        for part in read_parts(path):
            logs.append(Log.from_records(part.records))
            refused += part.refused
    if not any(map(len, logs)):
        raise _without_rounds(path, refused)
    return concatenate(logs), refused


def _read_folder(path: Path) -> tuple[Log, list[Refusal]]:
    folder = _folders().open_folder(path)
    if folder.n_rounds > MAX_ROUNDS_AT_ONCE:
        raise InvalidRecordError(
            f"{path.name}: {folder.n_rounds:,} rounds; {MAX_ROUNDS_AT_ONCE:,} are read at once. "
            "Style, the training of networks, disagreements and convert read a folder in parts"
        )
    log, refused = folder.read(*range(len(folder.parts)))
    if not len(log):
        raise _without_rounds(path, refused)
    return log, refused


def stream_log(source: Source) -> Iterator[tuple[Log, list[Refusal]]]:
    """The legal rounds of a file or folder of any size in parts of about ``ROUNDS_AT_ONCE``, and
    what was refused of each. A game's rounds are in one part.

    >>> from spades.notation import stream_log
    >>> sum(len(log) for log, refused in stream_log("human-south"))
    2108

    Raises as ``read_log``, and ``InvalidRecordError`` for a game whose rounds don't follow one
    another in a log that is read in several parts."""
    path = find_source(source)
    if path.is_dir():
        yield from _whole_games(path, _folder_logs(path))
        return
    notation = notation_of(path.name)
    if not isinstance(notation, BinaryNotation) or notation.n_rounds(path) <= MAX_ROUNDS_AT_ONCE:
        yield read_log(path)
        return
    logs = (
        (log, [Refusal(row, reason) for row, reason in reasons.items()])
        for log, reasons in notation.read_logs(path)
    )
    yield from _whole_games(path, logs)


def _folder_logs(path: Path) -> Iterator[tuple[Log, list[Refusal]]]:
    folder = _folders().open_folder(path)
    for numbers in folder.together(ROUNDS_AT_ONCE):
        yield folder.read(*numbers)


def _whole_games(
    path: Path, parts: Iterable[tuple[Log, list[Refusal]]]
) -> Iterator[tuple[Log, list[Refusal]]]:
    """The same rounds, in parts in which no game goes on beyond the end."""
    games = KnownGames()
    held = Log.from_records([])
    refused: list[Refusal] = []
    n_rounds = 0
    for log, refusals in parts:
        whole = concatenate([held, log])
        start = _start_of_last_game(whole)
        ready = whole.take(slice(start)).compact()
        held = whole.take(slice(start, None)).compact()
        games.add(ready, path.name)
        n_rounds += len(ready)
        refused += refusals
        if len(ready):
            yield ready, refused
            refused = []
    games.add(held, path.name)
    if not n_rounds + len(held):
        raise _without_rounds(path, refused)
    yield held, refused


def _start_of_last_game(log: Log) -> int:
    """The row where the game of the last round begins; rounds without a game stand alone."""
    if not len(log) or not log.games[log.game_code[-1]]:
        return len(log)
    others = np.flatnonzero(log.game_code != log.game_code[-1])
    return int(others[-1]) + 1 if len(others) else 0


def _without_rounds(path: Path, refused: Sequence[Refusal]) -> InvalidRecordError:
    first = refused[0] if refused else Refusal(0, "empty: no record at all")
    return InvalidRecordError(f"{path.name}: no round to read: {first}", first.line)


def read_text(text: str, *, name: str = "") -> Reading:
    """Rounds of a text. The ending of ``name`` or else the content tells the notation. ``name``
    goes to the records' ``source`` as ``name:line`` and nowhere else. Nothing in ``text`` raises:
    what can't be read is in ``refused``."""
    if reason := _why_no_text(text):
        return _refused(reason)
    text = reading.without_marks(text)
    by_content = sniff(text)
    notation = by_content if by_content in _notations_of(name) else notation_of(name) or by_content
    if isinstance(notation, TextNotation):
        return notation.parse(text, name=name)
    if notation is None:
        return _refused(f"no known notation; {', '.join(NOTATIONS)} are: {shown(text.strip())}")
    return _refused(f"text, where a {notation.name} file is due: {shown(text.strip())}")


def read_bytes(data: bytes, *, name: str = "", enough: int | None = None) -> Reading:
    """As ``read_text``, from an upload's bytes, which may be a Parquet file, of any number of
    rounds where ``enough`` says how many rows of it will do."""
    if len(data) > MAX_TEXT_BYTES:
        return _refused(_too_big(len(data)))
    by_name = notation_of(name)
    by_content = _binary_notation_of(data)
    notation = by_name or by_content
    if data and isinstance(notation, BinaryNotation):
        return notation.parse(data, name=name, enough=enough)
    if by_content is not None:
        what = f"a {by_content.label} file"
        return _refused(f"{what}; text in UTF-8 is due in a file named {shown(name)}")
    for magic, what in _FOREIGN.items():
        if data.startswith(magic):
            return _refused(f"{what}; text in UTF-8 is read here")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _refused(f"not UTF-8: byte {data[error.start]:#04x}", line=line)
    return read_text(text, name=name)


def written_notations() -> list[Notation]:
    """The notations that rounds can be written in."""
    return [notation for notation in NOTATIONS.values() if notation.can_be_written]


def format_records(records: Iterable[Record], notation: str) -> str:
    """The records as text; ``InvalidRecordError`` for a notation that isn't written so."""
    texts = {n.name: n for n in written_notations() if isinstance(n, TextNotation)}
    if notation not in texts:
        raise InvalidRecordError(f"can't write {shown(notation)}; {', '.join(texts)} can be")
    return "".join(texts[notation].format(records))


def write_path(records: Iterable[Record], path: str | os.PathLike[str]) -> int:
    """Write a file in the notation of its ending; returns the number of rounds, of which few are
    in memory at a time. A killed process leaves the old file or the new one, whole."""
    path = Path(path)
    notation = notation_of(path.name)
    if notation is None or not notation.can_be_written:
        endings = " ".join(ending for n in written_notations() for ending in n.endings)
        raise InvalidRecordError(f"{shown(path.name)} can't be written; {endings} are legal")
    return notation.write(records, path)


def sniff(text: str) -> TextNotation | None:
    """Notation of a text by what its first 64 kB hold, be it only meant as that."""
    lines = [line.strip() for line in text[:_SNIFFED].splitlines()]
    lines = [line for line in lines if line and not line.startswith(reading.FENCES)]
    if not lines:
        return None
    notations = [n for n in NOTATIONS.values() if isinstance(n, TextNotation)]
    recognised = (notation for notation in notations if notation.recognises(lines))
    resembled = (notation for notation in notations if notation.resembles(lines))
    return next(chain(recognised, resembled), None)


def _binary_notation_of(data: bytes) -> BinaryNotation | None:
    """Notation of bytes that begin as no text does."""
    for notation in NOTATIONS.values():
        if isinstance(notation, BinaryNotation) and data.startswith(notation.magic):
            return notation
    return None


def _why_no_text(text: str) -> str:
    """Why a text can't be read at all; empty if it can."""
    if not text.strip(f"{reading.BYTE_ORDER_MARK} \t\r\n"):
        return "empty: no record at all"
    try:
        size = len(text) if text.isascii() else len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        return f"no valid Unicode text: {error.reason} at character {error.start}"
    if size > MAX_TEXT_BYTES:
        return _too_big(size)
    n_lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    if n_lines > reading.MAX_LINES:
        return f"{n_lines:,} lines, at most {reading.MAX_LINES:,} are read"
    return "binary data: it holds a zero byte" if "\0" in text else ""


def _too_big(size: int) -> str:
    return f"{size / 2**20:,.1f} MB, at most {MAX_TEXT_BYTES // 2**20} MB are read"


def _refused(reason: str, *, line: int = 0) -> Reading:
    return Reading(refused=(Refusal(line, reason),))
