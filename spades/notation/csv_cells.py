"""Lines and cells of CSV files, made safe for spreadsheets and read without guessing.

A cell that a spreadsheet might take for a formula (it begins with ``=``, ``+``, ``-``, ``@``, a tab
or a line break, full-width signs included) gets an apostrophe in front, which reading takes off
again; so does one that begins with an apostrophe itself. Control characters, line breaks and the
backslash are written as ``\\uXXXX``, ``\\n``, ``\\r``, ``\\t`` and ``\\\\``: a row is one line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

from spades.core.errors import InvalidRecordError
from spades.notation.reading import shown

DELIMITERS = ",;\t"
MAX_CELLS = 100
MAX_CELL = 130_000  # characters, under the csv module's own limit
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {value: key for key, value in _SHORT.items()}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\\\\]")
_ESCAPED = re.compile(r"\\(?:[\\nrt]|u[0-9a-f]{4})")
_QUOTED = re.compile('[",\\s]')


def format_cell(text: str) -> str:
    """A text as a cell: no formula, no line break."""
    safe = _CONTROL.sub(_escape, text)
    return f"'{safe}" if text.startswith(_FORMULA) else safe


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def parse_cell(cell: str) -> str:
    """The text of a cell that ``format_cell`` wrote; any other cell stays as it is."""
    text = _ESCAPED.sub(_unescape, cell) if "\\" in cell else cell
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


def _unescape(found: re.Match[str]) -> str:
    text = found.group()
    return _LONG.get(text) or chr(int(text[2:], 16))


def parse_cells(cells: Sequence[str], line: str) -> Sequence[str]:
    """The texts of the cells of a line."""
    is_plain = "\\" not in line and "'" not in line
    return cells if is_plain else [parse_cell(cell) for cell in cells]


def format_cells(cells: Iterable[str]) -> str:
    return ",".join(_quoted(format_cell(cell)) for cell in cells)


def _quoted(cell: str) -> str:
    """A cell in quotes where it needs them (RFC 4180)."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


def split_line(line: str, delimiter: str) -> Sequence[str]:
    """Cells of one line; ``InvalidRecordError`` for broken quotes or a giant cell."""
    if '"' not in line:
        cells = line.split(delimiter, MAX_CELLS)
    else:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise InvalidRecordError(
                f"no CSV line: {error}; a cell in quotes ends on its line, a quote in it is doubled"
            ) from None
    if len(line) > MAX_CELL and (longest := max(cells, key=len))[MAX_CELL:]:
        raise InvalidRecordError(
            f"a cell of {len(longest):,} characters; {MAX_CELL:,} are legal: {shown(longest)}"
        )
    return cells
