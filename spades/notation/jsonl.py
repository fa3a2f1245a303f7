"""JSON Lines: one round a line, the log schema with cards as text. For people and other programs.

Source: spec 1, notation 5 and "Log schema". Columns are in ``spades.notation.schema``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from spades.core.errors import InvalidRecordError
from spades.core.records import RoundRecord
from spades.notation.files import why_no_line
from spades.notation.reading import Intake, Reading, batched, lines_of
from spades.notation.schema import load_object, note_unknown, record_of, row_of

NOTATION = "jsonl"
_ROUNDS_AT_ONCE = 1_000


def parse(text: str, *, name: str = "") -> Reading:
    """Rounds of a JSON Lines text, each replayed; empty lines are skipped."""
    intake = Intake(NOTATION, name)
    lines = lines_of(text)
    if not intake.has_too_many(sum(1 for line in lines if line.strip())):
        for number, line in enumerate(lines, start=1):
            if line.strip():
                _take(intake, number, line)
    return intake.done()


def parse_lines(lines: Iterable[tuple[int, str]], *, name: str = "") -> Iterator[Reading]:
    """As ``parse``, a thousand rounds at a time, for files of any size."""
    full = ((number, line) for number, line in lines if line.strip())
    for part in batched(full, _ROUNDS_AT_ONCE):
        intake = Intake(NOTATION, name)
        for number, line in part:
            _take(intake, number, line)
        yield intake.done()


def _take(intake: Intake, number: int, line: str) -> None:
    def read() -> RoundRecord:
        if why := why_no_line(line):
            raise InvalidRecordError(why)
        row = load_object(line)
        note_unknown(intake, number, row)
        record = record_of(row)
        record.final()
        return record

    intake.take(number, read)


def format_records(records: Iterable[RoundRecord]) -> str:
    """The rounds as JSON Lines, ASCII only: no name can break a line."""
    return "".join(json.dumps(row_of(record), allow_nan=False) + "\n" for record in records)
