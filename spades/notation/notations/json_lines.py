"""JSON Lines: a line a round, an object of the columns of ``spades.notation.schema``."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from spades.core.documents import load_object
from spades.core.records import Record
from spades.notation.notations.notation import TextNotation
from spades.notation.reading import Draft, Intake, Lines, check_line
from spades.notation.schema import read_row, row_of


class JsonLines(TextNotation):
    """Rows of the log schema."""

    name = "jsonl"
    label = "JSON Lines"
    endings = (".jsonl",)
    place = 30

    def recognises(self, lines: Sequence[str]) -> bool:
        return lines[0].startswith("{")

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        for number, line in lines:
            if line.strip():
                yield number, partial(_read, number, line)

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        """ASCII only: no name can break a line."""
        for record in records:
            yield json.dumps(row_of(record), allow_nan=False) + "\n"


def _read(number: int, line: str, intake: Intake) -> Record:
    check_line(line)
    return read_row(load_object(line), intake, number)
