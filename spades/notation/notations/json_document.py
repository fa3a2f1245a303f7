"""JSON: a list of rounds, or one round, on any number of lines.

A round is an object with the columns of ``spades.notation.schema``, as in JSON Lines;
``JSON.stringify(rounds, null, 2)``, ``jq`` and browsers write such lists. Each object is cut out
and read by itself: a faulty one costs no other, and a file of any size is read in parts.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import Record
from spades.notation.notations.notation import TextNotation
from spades.notation.reading import (
    FENCES,
    MAX_LINE,
    Draft,
    Intake,
    Lines,
    blamed_on,
    check_line,
    refused_draft,
)
from spades.notation.schema import read_row, row_of

_MARK = re.compile(r'"(?:[^"\\]+|\\.)*+"?|[\[\]{}]|[^\s"\[\]{}]+')
_LEVELS = {"{": 1, "[": 1, "}": -1, "]": -1}
_LEGAL_IN_LIST = {"[": "{]", "{": ",]", ",": "{", "]": ""}
"""What may follow each mark outside of the objects; an object counts as ``{``."""


class JsonDocument(TextNotation):
    """Rows of the log schema in one document."""

    name = "json"
    label = "JSON"
    endings = (".json",)
    place = 30

    def recognises(self, lines: Sequence[str]) -> bool:
        """A list, or an object that goes on in the second line; JSON Lines begin another there."""
        is_list = re.match(r"\[\s*(\{|$)", lines[0]) is not None
        goes_on = len(lines) > 1 and lines[1].startswith('"')
        return is_list or (lines[0].startswith("{") and goes_on)

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        splitter = _Splitter()
        try:
            for number, line in lines:
                with blamed_on(number):
                    check_line(line)
                    for first_line, text in splitter.feed(number, line):
                        yield from self.drafts_of_object(first_line, text)
            splitter.check_end()
        except InvalidRecordError as error:
            yield refused_draft(error)

    def drafts_of_object(self, line: int, text: str) -> Iterator[Draft]:
        """The rounds of an object that begins in this line."""
        yield line, partial(_read, line, text)

    def format(self, records: Iterable[Record]) -> Iterator[str]:
        """A list; of a round, a line for each column."""
        yield "["
        separator = "\n"
        for record in records:
            columns = [
                f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}"
                for name, value in row_of(record).items()
            ]
            yield separator + "{\n " + ",\n ".join(columns) + "\n}"
            separator = ",\n"
        yield "\n]\n"


def _read(line: int, text: str, intake: Intake) -> Record:
    return read_row(load_object(text), intake, line)


class _Splitter:
    """Cuts a document into its objects, by brackets and braces outside of strings."""

    def __init__(self) -> None:
        self._level = 0  # of nesting, within an object
        self._first_line = 0  # of the object
        self._pieces: list[str] = []  # of the object
        self._size = 0  # of all pieces
        self._is_list = False
        self._last_mark = ""  # outside of objects

    def feed(self, number: int, line: str) -> Iterator[tuple[int, str]]:
        """The first line and the text of every object that ends in this line."""
        if self._level == 0 and line.lstrip().startswith(FENCES):
            return
        start = 0
        for mark in _MARK.finditer(line):
            if self._level == 0:
                self._check_outside(mark[0])
                if mark[0] != "{":
                    continue
                self._first_line = number
                start = mark.start()
            self._level += _LEVELS.get(mark[0], 0)
            if self._level == 0:
                self._add(line[start : mark.end()])
                yield self._first_line, "\n".join(self._pieces)
                self._pieces = []
                self._size = 0
        if self._level:
            self._add(line[start:])

    def _check_outside(self, mark: str) -> None:
        """Refuse what can't stand here between the rounds."""
        if self._is_list:
            legal = _LEGAL_IN_LIST[self._last_mark]
        else:
            legal = "{" if self._last_mark else "[{"
        if mark not in legal:
            raise InvalidRecordError(
                f"{shown(mark)} between rounds; objects {{...}} in a list are legal"
            )
        self._is_list = self._is_list or mark == "["
        self._last_mark = mark

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > MAX_LINE:
            reason = f"a round of over {MAX_LINE:,} characters; at most that many are read"
            raise InvalidRecordError(reason, self._first_line)

    def check_end(self) -> None:
        """Refuse a document that is cut off."""
        if self._level:
            reason = "the text is cut off inside this round"
            raise InvalidRecordError(reason, self._first_line)
        if self._is_list and self._last_mark != "]":
            raise InvalidRecordError("the list of rounds isn't closed: the text is cut off")
