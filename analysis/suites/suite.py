"""Suites: files of positions, by path or by the name of a shipped one."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.suites.position import SuitePosition, position_of
from spades.core.documents import load_object, read_text
from spades.core.errors import InvalidRecordError, Refusal, SpadesError
from spades.core.paths import DATA, replacing
from spades.notation.reading import check_line
from spades.notation.sources import near_names

FOLDER = DATA / "suites"
ENDING = ".jsonl"
MAX_POSITIONS = 10_000


@dataclass(frozen=True)
class Suite:
    """The positions of a file, ``name`` without its ending; ``refused``: its other lines."""

    name: str
    positions: tuple[SuitePosition, ...]
    refused: tuple[Refusal, ...] = ()

    @property
    def themes(self) -> tuple[str, ...]:
        """The themes of its positions, in their order."""
        return tuple(dict.fromkeys(theme for one in self.positions for theme in one.themes))


def suite_names() -> tuple[str, ...]:
    """The shipped suites."""
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{ENDING}")))


def find_suite(source: str | os.PathLike[str]) -> Path:
    """The file at a path, or of a shipped suite of that name; ``FileNotFoundError`` where there is
    neither."""
    path = Path(source)
    if path.exists():
        return path
    name = os.fspath(source)
    if name in suite_names():
        return FOLDER / f"{name}{ENDING}"
    near = near_names(name, suite_names())
    raise FileNotFoundError(f"{name}: no such file, and no suite has that name{near}")


def read_suite(source: str | os.PathLike[str]) -> Suite:
    """The suite at a path or of a name.

    >>> from analysis.suites.suite import read_suite
    >>> suite = read_suite("sixty")
    >>> len(suite.positions), suite.positions[0].known.by
    (60, 'truth')

    ``OSError`` where there is no file; ``InvalidRecordError`` where it isn't text, is too long, or
    no line of it is a position. A line that is none is in ``refused``, with what would be legal."""
    path = find_suite(source)
    positions: dict[str, SuitePosition] = {}
    refused: list[Refusal] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        if len(positions) == MAX_POSITIONS:
            raise InvalidRecordError(f"{path.name}: more than {MAX_POSITIONS:,} positions", number)
        try:
            check_line(line)
            position = position_of(load_object(line))
            if position.id in positions:
                raise InvalidRecordError(f"the id {position.id} comes twice; once is legal")
            positions[position.id] = position
        except SpadesError as error:
            refused.append(Refusal(number, str(error)))
    if not positions and not refused:
        raise InvalidRecordError(f"{path.name}: no position in it; a JSON object a line is due")
    return Suite(path.stem, tuple(positions.values()), tuple(refused))


def write_suite(positions: Sequence[SuitePosition], path: Path) -> None:
    """Write a suite, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        lines = [f"{position.line()}\n" for position in positions]
        temporary.write_text("".join(lines), encoding="utf-8")
