"""Every number that the five papers print of their experiments, and the row that stands for it.

``data/papers/printed.csv`` lists them by hand, in the papers' order: what was measured or computed
there, not the settings of the experiments, the rules of the game or facts about the application. A
number printed twice has a line for each place, of which the first counts.
"""

import csv
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.papers.notes import FOLDER

PATH = FOLDER / "printed.csv"


class PrintedNumber(NamedTuple):
    """A line of the list.

    ``page``: of the paper, the first is 1; ``n``: how many numbers the line is of, 0 where it
    prints again what another line has, or a part of that; ``figure`` and ``claim``: of the row that
    stands for it, empty where none does and ``why_not`` says why.
    """

    paper: str
    page: str
    place: str
    what: str
    printed: str
    n: int
    figure: str
    claim: str
    why_not: str

    @property
    def has_row(self) -> bool:
        return bool(self.figure)


def load_printed() -> tuple[PrintedNumber, ...]:
    """The list, read again when the file changes."""
    return _read(PATH, PATH.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> tuple[PrintedNumber, ...]:
    numbers = []
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            fields: dict[str, Any] = {**line, "n": int(line["n"])}
            numbers.append(PrintedNumber(**fields))
    return tuple(numbers)
