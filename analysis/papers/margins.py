"""The margin around each published point of a figure, from the row that it belongs to."""

from typing import Any

from spades.core.documents import Document

PUBLISHED = "published"
"""In the names of series of published points."""
OURS = "ours"


def with_margins(document: Document) -> list[dict[str, Any]]:
    """The points of a figure, published ones with their ``margin``; None where no row has one."""
    rows = document["rows"]
    ours = {
        (point["panel"], point["x"]): point["y"]
        for point in document["points"]
        if point["series"] == OURS
    }
    points = []
    for point in document["points"]:
        margin = None
        if PUBLISHED in point["series"] and point["low"] is None:
            margin = _margin_of(point["y"], ours.get((point["panel"], point["x"])), rows)
        points.append({**point, "margin": margin})
    return points


def _margin_of(published: float, ours: float | None, rows: list[Document]) -> float | None:
    """Of the row that has both values; else of those that have the published one; else of all."""
    with_value = [row for row in rows if row["published_range"] == [published, published]]
    with_both = [row for row in with_value if row["ours"] == ours]
    for candidates in (with_both, with_value, rows):
        margins = {row["margin"] for row in candidates}
        if len(margins) == 1:
            return margins.pop() or None
    return None
