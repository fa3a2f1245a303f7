"""Tables and their numbers as plain text."""

from collections.abc import Sequence

from analysis.records import is_missing


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first two and the last to the left, the others to the right."""
    columns = list(zip(*rows, strict=True))
    is_left = {0, 1, len(columns) - 1}
    padded = []
    for i, column in enumerate(columns):
        width = max(map(len, column))
        pad = str.ljust if i in is_left else str.rjust
        padded.append([pad(cell, width) for cell in column])
    lines = zip(*padded, strict=True)
    return ["  ".join(line).rstrip() for line in lines]


def shown(value: float | None, form: str) -> str:
    """A number as people read it; a dash for None and NaN."""
    if value is None or is_missing(value):
        return "-"
    return signed(value, form)


def counted(n: int, noun: str, plural: str = "") -> str:
    """How many there are: ``1 round``, ``2,108 rounds``; ``plural``: the noun and an s if empty."""
    return f"1 {noun}" if n == 1 else f"{n:,} {plural or f'{noun}s'}"


def chance_text(chance: float) -> str:
    """A chance that is never exactly 0 or 1: ``<0.1%`` to ``>99.9%``.

    >>> chance_text(0.123), chance_text(1 - 1e-9)
    ('12.3%', '>99.9%')
    """
    if chance < 0.0005:
        return "<0.1%"
    if chance >= 0.9995:
        return ">99.9%"
    return f"{chance:.1%}"


def points_text(difference: float) -> str:
    """A difference of two shares in percentage points: ``+11.8``, ``−8.3``."""
    return signed(100 * difference)


def span(ends: Sequence[float | None] | None, form: str) -> str:
    """An interval as pages write it, ``41.0% to 53.0%``; a dash for none, None and NaN."""
    if ends is None or is_missing(ends[0]):
        return "-"
    return " to ".join(signed(end, form) for end in ends if end is not None)


def with_interval(
    value: str, ends: Sequence[float | None] | None, form: str, *, says: str = ""
) -> str:
    """A number and its interval in the one form of pages, reports and terminals; the number alone
    where the interval is none, None or NaN. ``says``: what stands before the ends.

    >>> with_interval("41.0%", (0.38, 0.44), ".1%", says="95%: ")
    '41.0% (95%: 38.0% to 44.0%)'
    """
    if ends is None or is_missing(ends[0]):
        return value
    return f"{value} ({says}{span(ends, form)})"


def signed(value: float, form: str = "+.1f") -> str:
    """A number as sentences and tables write it: with a minus sign, where Python has a hyphen.

    >>> signed(-33.64)
    '−33.6'
    """
    return format(value, form).replace("-", "−")
