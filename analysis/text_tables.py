"""Tables and their numbers as plain text."""

from collections.abc import Sequence

from analysis.records import is_missing


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first two and the last to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [_text_row(row, widths) for row in rows]


def _text_row(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    for i in (0, 1, -1):
        cells[i] = row[i].ljust(widths[i])
    return "  ".join(cells).rstrip()


def shown(value: float | None, form: str) -> str:
    """A number as text; a dash for None and NaN."""
    return "-" if is_missing(value) else format(value, form)


def span(ends: Sequence[float | None] | None, form: str) -> str:
    """An interval as pages write it, ``41.0% to 53.0%``; a dash for none, None and NaN."""
    low, high = ends or (None, None)
    return "-" if is_missing(low) else f"{low:{form}} to {high:{form}}"
