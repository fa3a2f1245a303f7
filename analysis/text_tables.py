"""Tables and their numbers as plain text."""

from collections.abc import Sequence


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first of them and the last to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    last = len(widths) - 1
    return [
        "  ".join(
            cell.ljust(width) if i in (0, 1, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def shown(value: float | None, form: str) -> str:
    """A number, a dash for None and NaN."""
    return "-" if value is None or value != value else format(value, form)


def span(ends: Sequence[float | None] | None, form: str) -> str:
    """An interval as pages write it, ``41.0% to 53.0%``; a dash for none, None and NaN."""
    low, high = ends or (None, None)
    return "-" if low is None or low != low else f"{low:{form}} to {high:{form}}"
