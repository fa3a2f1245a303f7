"""Pictures of experiments: published numbers beside ours, a line a row, as the docs show them."""

import math
from collections.abc import Sequence

from analysis.papers.counting import NUMBER
from analysis.papers.notes import MAIN
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS
from spades.core.documents import Document
from spades.look import svg
from spades.look.html import Html
from spades.look.tokens import LIGHT

WIDTH = 680
LABELS = 330
RIGHT = 24
ROW = 22
LONGEST = 50
"""Characters of a claim that have room before the plot."""
COLORS = {AGREES: LIGHT["best"], DIFFERS: LIGHT["mistake"], CANT_TELL: LIGHT["fine"]}
PERCENT = ("share", "ratio", "P(made)")


def pictures_of(rows: Sequence[Document]) -> list[str]:
    """A picture for each unit that at least two counted numbers of a figure have."""
    by_unit: dict[str, list[Document]] = {}
    for row in rows:
        is_main_number = row["kind"] == NUMBER and row["reading"] == MAIN
        if is_main_number and row["interval"] is not None:
            by_unit.setdefault(row.get("unit", ""), []).append(row)
    return [_picture(unit, of) for unit, of in by_unit.items() if len(of) > 1]


def _picture(unit: str, rows: Sequence[Document]) -> str:
    """Ours as a dot with its interval, the published value as a bar as wide as its margin."""
    ends = [end for row in rows for end in (*row["interval"], *_published(row))]
    low = min(ends)
    high = max(ends)
    room = 0.04 * (high - low) or 1.0
    low -= room
    high += room

    def place(value: float) -> float:
        return LABELS + (value - low) / (high - low) * (WIDTH - LABELS - RIGHT)

    legend = (
        "bar: published, as wide as its margin; dot: ours, 95% interval "
        "(green agrees, red differs, grey can't be told)"
    )
    parts: list[Html] = [svg.words(14, 20, legend, LIGHT["quiet"], size=svg.SMALL)]
    bottom = 34 + ROW * len(rows)
    for value in _ticks(low, high):
        x = place(value)
        parts.append(svg.path([(x, 30), (x, bottom)], LIGHT["line"]))
        text = f"{value:.0%}" if unit.startswith(PERCENT) else f"{value:g}"
        parts.append(
            svg.words(x, bottom + 16, text, LIGHT["quiet"], size=svg.SMALL, anchor="middle")
        )
    for i, row in enumerate(rows):
        y = 34 + ROW * i + ROW / 2
        parts += _line(row, y, [place(end) for end in (*_published(row), *row["interval"])])
        parts.append(svg.dot(place(row["ours"]), y, 4, COLORS[row["verdict"]]))
    title = f"Published and ours, {unit or 'numbers'}"
    return svg.drawing(WIDTH, bottom + 26, title, *parts)


def _line(row: Document, y: float, places: Sequence[float]) -> list[Html]:
    claim = row["claim"]
    label = claim if len(claim) <= LONGEST else f"{claim[: LONGEST - 1]}…"
    least, most, low, high = places
    width = max(2.0, most - least)
    return [
        svg.words(LABELS - 12, y + 4, label, size=svg.SMALL, anchor="end"),
        svg.rectangle((least + most - width) / 2, y - 6, width, 12, LIGHT["line"], radius=2),
        svg.path([((least + most) / 2, y - 7), ((least + most) / 2, y + 7)], LIGHT["ink"], width=2),
        svg.path([(low, y), (high, y)], COLORS[row["verdict"]], width=2),
    ]


def _published(row: Document) -> tuple[float, float]:
    """From where to where the published value is the same but for the row's margin."""
    low, high = row["published_range"]
    return low - row["margin"], high + row["margin"]


def _ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers between two."""
    step = 10.0 ** math.floor(math.log10((high - low) / 3))
    if (high - low) / step > 20:
        step *= 5
    elif (high - low) / step > 9:
        step *= 2
    first = math.ceil(low / step)
    return [round(i * step, 10) for i in range(first, math.floor(high / step) + 1)]
