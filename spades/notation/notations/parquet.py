"""Parquet: rounds for analysis and big logs; ``spades.notation.parquet`` reads and writes it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from spades.core.logs import Log
from spades.core.records import Record
from spades.notation.notations.notation import BinaryNotation
from spades.notation.reading import Reading


class Parquet(BinaryNotation):
    """Logs as Parquet files."""

    name = "parquet"
    label = "Parquet"
    endings = (".parquet",)
    place = 60
    magic = b"PAR1"

    def parse(self, source: Path | bytes, *, name: str = "", enough: int | None = None) -> Reading:
        return _parquet().parse(source, name=name, enough=enough)

    def parse_parts(self, path: Path, *, name: str = "") -> Iterator[Reading]:
        return _parquet().parse_parts(path, name=name)

    def n_rounds(self, path: Path) -> int:
        return int(_parquet().n_rounds_of(path))

    def read_logs(self, path: Path) -> Iterator[tuple[Log, dict[int, str]]]:
        return _parquet().read_log_parts(path)

    def write(self, records: Iterable[Record], path: Path) -> int:
        return _parquet().write_records(records, path)


def _parquet() -> ModuleType:
    from spades.notation import parquet  # pyarrow takes a while to import

    return parquet
