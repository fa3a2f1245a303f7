"""Direct labels: the name of a line stands at its right end, that of a series of marks over its
first mark. Where names would overlap, the legend stays."""

from collections.abc import Collection
from typing import Any

import numpy as np
import plotly.graph_objects as go

from spades.core.kernel import FloatArray

# Pixels.
_LINE = 15  # of a label
_LETTER = 6.3  # of a label, if wide
_BESIDE = 8  # between the end of a line and its label
_LEAST_APART = 5  # between two ends that can be told apart
_WIDEST_LABEL = 130  # beside a plot: a third of a phone
_PHONE = 230  # width of a plot on a phone
_AXIS_ROOM = 52  # under a plot, if the margin leaves less

_PADDING = 0.05  # of an axis, around its values
_SHORT = 0.1  # of an axis, that a line may lack at its right end
_SIDE = 0.25  # of an axis, where a label would be cut off at the nearer end


def label_ends(figure: go.Figure, *, needed: Collection[str] | None = None) -> go.Figure:
    """The figure with its lines named beside their right ends, without a legend.

    ``needed``: the lines that must have their names, all by default; others have them where there
    is room. The legend stays where a needed name has none, and where it names other marks too."""
    lines = _in_legend(figure)
    if any("lines" not in (line.mode or "") for line in lines) or not _end_alike(lines):
        return figure
    low, high = _value_range(figure)
    pixels = _plot_height(figure.layout) / (high - low)
    ends = {line.name: _numbers(line.y)[-1] for line in lines}
    heights = {name: pixels * (end - low) for name, end in ends.items()}
    named = [name for name in ends if needed is None or name in needed]
    for name, height in heights.items():
        if name not in named and all(abs(height - heights[other]) >= _LINE for other in named):
            named.append(name)
    named.sort(key=heights.__getitem__)
    colors = {line.name: line.line.color for line in lines}
    places = _spread(np.array([heights[name] for name in named]))
    widest = max((_width(name) for name in named), default=0.0)
    if not named or widest > _WIDEST_LABEL or places is None:
        return figure
    for name, place in zip(named, places, strict=True):
        figure.add_annotation(
            text=f'<span style="color: {colors[name]}">●</span> {name}',
            x=1,
            xref="paper",
            xanchor="left",
            xshift=_BESIDE,
            y=ends[name],
            yshift=place - heights[name],
            showarrow=False,
        )
    figure.layout.margin.r = round(widest) + 2 * _BESIDE
    return figure.update_layout(showlegend=False, yaxis_range=[low, high])


def label_firsts(figure: go.Figure) -> go.Figure:
    """A figure of names down the side, with each series of its marks named over its uppermost mark,
    without a legend; it stays where the names would lie on one another."""
    values = np.concatenate([_numbers(series.x) for series in figure.data])
    low = float(values.min())
    span = float(values.max()) - low or 1.0
    taken: list[
        tuple[Any, float, float]
    ] = []  # row, and the ends of a label, as shares of the axis
    texts = []
    for series in _in_legend(figure):
        first = int(np.flatnonzero(~np.isnan(np.array(series.x, dtype=float)))[0])
        place = (series.x[first] - low) / span
        width = _width(series.name) / _PHONE
        side = "left" if place > 1 - _SIDE else "right" if place < _SIDE else "center"
        left = place - {"left": width, "center": width / 2, "right": 0.0}[side]
        row = series.y[first]
        if any(row == r and left < end and start < left + width for r, start, end in taken):
            return figure
        taken.append((row, left, left + width))
        texts.append((series, first, f"top {side}"))
    for series, first, position in texts:
        text = ["" for _ in series.x]
        text[first] = series.name
        series.update(mode="markers+text", text=text, textposition=position, cliponaxis=False)
    return figure.update_layout(showlegend=False)


def _end_alike(lines: list[Any]) -> bool:
    """Whether lines of numbers all end at the right side of the plot, or nearly so."""
    if any(isinstance(x, str) for line in lines for x in line.x):
        return True
    starts = [float(line.x[0]) for line in lines]
    ends = [float(line.x[-1]) for line in lines]
    return max(ends) - min(ends) <= _SHORT * (max(ends) - min(starts))


def _in_legend(figure: go.Figure) -> list[Any]:
    return [trace for trace in figure.data if trace.name and trace.showlegend is not False]


def _width(text: str) -> float:
    """Of a label, with its dot."""
    return _LETTER * (len(text) + 2)


def _numbers(values: Any) -> FloatArray:
    numbers = np.array(values, dtype=float)
    return numbers[~np.isnan(numbers)]


def _value_range(figure: go.Figure) -> tuple[float, float]:
    """Of the vertical axis: as it is set, else around all values and their intervals."""
    axis = figure.layout.yaxis
    if axis.range:
        return axis.range
    values = [_numbers(trace.y) for trace in figure.data]
    for trace in figure.data:
        if trace.error_y.array is not None:
            y = np.array(trace.y, dtype=float)
            values.append(_numbers(y + trace.error_y.array))
            values.append(_numbers(y - trace.error_y.arrayminus))
    low = min(float(part.min()) for part in values if len(part))
    high = max(float(part.max()) for part in values if len(part))
    padding = _PADDING * (high - low) or 1.0
    is_from_zero = axis.rangemode == "tozero" and low >= 0
    return (0.0 if is_from_zero else low - padding), high + padding


def _plot_height(layout: Any) -> float:
    return layout.height - layout.margin.t - max(layout.margin.b, _AXIS_ROOM)


def _spread(heights: FloatArray) -> FloatArray | None:
    """Places of labels a line apart, near their ``heights``, which ascend; None where two heights
    can't be told apart, or a label would be a line away from its own."""
    if (np.diff(heights) < _LEAST_APART).any():
        return None
    places = heights.copy()
    for _ in range(len(heights) ** 2):
        for upper in range(1, len(places)):
            lacking = max(0.0, _LINE - (places[upper] - places[upper - 1]))
            places[upper - 1] -= lacking / 2
            places[upper] += lacking / 2
    return places if np.abs(places - heights).max(initial=0.0) <= _LINE else None
