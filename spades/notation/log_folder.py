"""Logs larger than memory: a folder of Parquet files, written and read a file at a time.

Each file is a log by itself (``spades.notation.parquet``), and a game's rounds are in one of them.
``parts.json``, which a simulation writes last, lists the files with their rounds: a folder that has
it is refused if one is missing, another was added or has other rounds. A folder of anybody's files
without it is read in the order of their names.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spades.core.documents import load_object, read_text
from spades.core.errors import InvalidRecordError, Refusal, shown
from spades.core.logs import Log, concatenate
from spades.core.paths import replacing
from spades.notation import parquet
from spades.notation.sources import LOG_ENDING, Source

INDEX_FILE = "parts.json"
PLAN_FILE = "plan.json"
"""What a simulation writes first, so that the same command goes on with it."""
MAX_PARTS = 100_000
MAX_INDEX = 16 * 2**20  # bytes
_MAX_NAMED = 3


@dataclass(frozen=True)
class LogFolder:
    """The files of a folder in order, with the number of rounds of each by its metadata;
    ``provenance``: where they come from, as the folder says, empty if it doesn't."""

    path: Path
    parts: tuple[Path, ...]
    rounds: tuple[int, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rounds(self) -> int:
        return sum(self.rounds)

    def together(self, rounds: int) -> Iterator[list[int]]:
        """The numbers of the parts, in order, in lists of at most ``rounds`` rounds or one part."""
        numbers: list[int] = []
        n_rounds = 0
        for i, n in enumerate(self.rounds):
            if numbers and n_rounds + n > rounds:
                yield numbers
                numbers = []
                n_rounds = 0
            numbers.append(i)
            n_rounds += n
        if numbers:
            yield numbers

    def read(self, *numbers: int) -> tuple[Log, list[Refusal]]:
        """The rounds of parts, every one replayed, and those that were refused: by row of the part,
        which the reason names."""
        logs = []
        refused = []
        for i in numbers:
            log, refusals = self._read(self.parts[i])
            logs.append(log)
            refused += refusals
        return concatenate(logs), refused

    def _read(self, part: Path) -> tuple[Log, list[Refusal]]:
        logs = []
        refused = []
        try:
            for log, reasons in parquet.read_log_parts(part):
                logs.append(log)
                refused += [
                    Refusal(row, f"{part.name}: {reason}") for row, reason in reasons.items()
                ]
        except FileNotFoundError:
            raise InvalidRecordError(f"{self.path.name}: the part {part.name} is gone") from None
        except InvalidRecordError as error:
            raise InvalidRecordError(f"{self.path.name}, part {part.name}: {error}") from None
        return concatenate(logs), refused


def open_folder(path: str | os.PathLike[str]) -> LogFolder:
    """The files of a folder, by their metadata.

    >>> from spades.core.paths import DATA
    >>> folder = open_folder(DATA / "logs")
    >>> len(folder.parts) == len(folder.rounds), folder.n_rounds > 1000
    (True, True)

    Raises ``InvalidRecordError`` for a folder without a Parquet file directly in it, one whose
    simulation isn't finished, a file that is no log or has other columns, a part that is missing,
    was added or has other rounds than ``parts.json`` lists, and for links: a log is what is in the
    folder."""
    folder = Path(path)
    names = sorted(entry.name for entry in folder.iterdir() if _is_part(entry.name))
    listed = _index_of(folder)
    if listed is None and (folder / PLAN_FILE).exists():
        raise InvalidRecordError(
            f"{folder.name}: its simulation isn't finished; run the same command again to go on"
        )
    if listed is not None:
        _check_names(folder, names, listed["parts"])
    if not names:
        raise InvalidRecordError(
            f"{folder.name}: a folder without a {LOG_ENDING} file directly in it; a file of "
            f"rounds, or a folder of {LOG_ENDING} files, is due"
        )
    if len(names) > MAX_PARTS:
        raise InvalidRecordError(f"{folder.name}: {len(names):,} files; {MAX_PARTS:,} are read")
    rounds = [_n_rounds(folder, name) for name in names]
    if listed is not None:
        for name, n_rounds in zip(names, rounds, strict=True):
            if n_rounds != listed["parts"][name]:
                raise InvalidRecordError(
                    f"{folder.name}: the part {name} has {n_rounds:,} rounds, {INDEX_FILE} lists "
                    f"{listed['parts'][name]:,}: it was changed"
                )
    provenance = {} if listed is None else listed["provenance"]
    parts = tuple(folder / name for name in names)
    return LogFolder(folder, parts, tuple(rounds), provenance)


def finish_folder(path: Path, rounds: Mapping[str, int], provenance: Mapping[str, Any]) -> None:
    """List the parts of a folder, by name, with their rounds: whole from now on."""
    document = {"parts": dict(rounds), "provenance": dict(provenance)}
    with replacing(path / INDEX_FILE) as temporary:
        temporary.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")


def is_folder(source: Source) -> bool:
    """Whether a path is a folder."""
    return os.path.isdir(source)


def is_finished(path: Path) -> bool:
    """Whether a folder lists its parts."""
    return (path / INDEX_FILE).is_file()


def _is_part(name: str) -> bool:
    return name.endswith(LOG_ENDING) and not name.startswith(".")


def _n_rounds(folder: Path, name: str) -> int:
    if (folder / name).is_symlink():
        raise InvalidRecordError(f"{folder.name}: {shown(name)} is a link; a part is a file")
    try:
        n_rounds, _ = parquet.describe(folder / name)
    except InvalidRecordError as error:
        raise InvalidRecordError(f"{folder.name}, part {shown(name)}: {error}") from None
    return n_rounds


def _index_of(folder: Path) -> dict[str, Any] | None:
    """What ``parts.json`` says; None where there is none."""
    path = folder / INDEX_FILE
    try:
        document = load_object(read_text(path, MAX_INDEX))
    except FileNotFoundError:
        return None
    except InvalidRecordError as error:
        raise InvalidRecordError(f"{folder.name}, {INDEX_FILE}: {error}") from None
    parts = document.get("parts")
    provenance = document.get("provenance")
    is_list = isinstance(parts, dict) and all(type(n) is int for n in parts.values())
    if not is_list or not isinstance(provenance, dict):
        raise InvalidRecordError(f"{folder.name}: {INDEX_FILE} lists no parts with their rounds")
    return {"parts": parts, "provenance": provenance}


def _check_names(folder: Path, found: list[str], listed: Mapping[str, int]) -> None:
    """Raise for a part that is missing, or that is no part."""
    missing = sorted(set(listed).difference(found))
    added = sorted(set(found).difference(listed))
    for names, what in ((missing, "missing"), (added, f"not among those that {INDEX_FILE} lists")):
        if names:
            more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
            raise InvalidRecordError(
                f"{folder.name}: {shown(', '.join(names[:_MAX_NAMED]))}{more} of its "
                f"{len(listed):,} parts: {what}"
            )
