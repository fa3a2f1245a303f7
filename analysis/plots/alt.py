"""What a figure shows, in words, for readers who can't see it."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

MAX_TRACES = 6  # described


class _Course(NamedTuple):
    """A trace's values, by the names or numbers that they stand at."""

    places: list[Any]
    values: list[float]
    form: str


def alt_text(figure: go.Figure) -> str:
    """What the figure ``shows``, as its plot function says, and the ends of its values: which is
    the highest and the lowest, or from where to where a line leads."""
    sentences = [_sentence(figure.layout.meta["shows"])]
    described = [text for trace in figure.data if (text := _trace_text(figure, trace))]
    sentences += described[:MAX_TRACES]
    if len(described) > MAX_TRACES:
        sentences.append(f"{len(described) - MAX_TRACES} more series.")
    return " ".join(sentences)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _trace_text(figure: go.Figure, trace: Any) -> str:
    if trace.type in ("heatmap", "surface"):
        return _cells_text(trace)
    is_label = trace.type == "scatter" and trace.mode == "text"
    is_drawn = trace.hoverinfo != "skip" and not is_label
    course = _course(figure, trace) if is_drawn else None
    if course is None or not course.values:
        return ""
    name = f"{_plain(trace.name)}: " if trace.name else ""
    ends = _ends_text(course)
    return _sentence(f"{name}{ends}")


def _ends_text(course: _Course) -> str:
    places, values, form = course
    if len(set(values)) == 1:
        return f"{_written(values[0], form)} at {_place(places[0])}" + (
            f" and {len(values) - 1} more" if len(values) > 1 else ""
        )
    high = max(range(len(values)), key=values.__getitem__)
    low = min(range(len(values)), key=values.__getitem__)
    return (
        f"highest {_written(values[high], form)} at {_place(places[high])}, "
        f"lowest {_written(values[low], form)} at {_place(places[low])}"
    )


def _course(figure: go.Figure, trace: Any) -> _Course | None:
    """Values along y by what stands on x; along x where names stand on y."""
    x = _listed(trace.x)
    y = _named(_listed(trace.y), _axis(figure, "y", trace))
    is_along_x = trace.orientation == "h" or any(isinstance(value, str) for value in y)
    axis = _axis(figure, "x" if is_along_x else "y", trace)
    places = y if is_along_x else x
    values = x if is_along_x else y
    pairs = [
        (place, float(value))
        for place, value in zip(places, values, strict=True)
        if _is_number(value)
    ]
    return _Course(
        [place for place, _ in pairs], [value for _, value in pairs], axis.tickformat or ""
    )


def _named(places: list[Any], axis: Any) -> list[Any]:
    """Places on an axis that isn't drawn, by the names of its ticks."""
    if axis.visible is not False or axis.tickvals is None:
        return places
    names = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    return [names.get(place, place) for place in places]


def _axis(figure: go.Figure, letter: str, trace: Any) -> Any:
    number = (trace[f"{letter}axis"] or letter).removeprefix(letter)
    return figure.layout[f"{letter}axis{number}"]


def _cells_text(trace: Any) -> str:
    columns = _listed(trace.x)
    rows = _listed(trace.y)
    cells = _flat_cells(trace.z, rows, columns)
    if not cells:
        return ""
    high = max(cells)
    low = min(cells)
    name = f"{_plain(trace.name)}: " if trace.name else ""
    return _sentence(
        f"{name}highest {high[0]:.3g} at {high[1]}, {high[2]}; lowest {low[0]:.3g} at {low[1]}, "
        f"{low[2]}"
    )


def _flat_cells(z: Any, rows: Sequence[Any], columns: Sequence[Any]) -> list[tuple]:
    """Value, row and column of every cell; ``z``: a matrix, or as long as ``x`` and ``y``."""
    values = _listed(z)
    if values and not hasattr(values[0], "__len__"):
        triples: Iterable[tuple] = zip(values, rows, columns, strict=True)
    else:
        triples = (
            (value, row, column)
            for row, line in zip(rows, values, strict=True)
            for column, value in zip(columns, line, strict=True)
        )
    return [
        (float(value), _place(row), _place(column))
        for value, row, column in triples
        if _is_number(value)
    ]


def _listed(values: Any) -> list[Any]:
    return [] if values is None else list(values)


def _is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, str) and not math.isnan(float(value))


def _written(value: float, form: str) -> str:
    """A share with one decimal, another number with three digits."""
    return f"{value:.1%}" if form.endswith("%") else f"{value:.4g}"


def _place(place: Any) -> str:
    return _plain(place) if isinstance(place, str) else f"{place:.4g}"


def _plain(text: str) -> str:
    """A label without its markup."""
    for mark in ("<br>", "<b>", "</b>"):
        text = text.replace(mark, " ")
    return " ".join(text.split())
