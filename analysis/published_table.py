"""The shipped matches of Cohensius et al. 2020 as a table: ours beside the paper's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.published_matches import TABLE


def load_published(path: Path = TABLE) -> dict[str, Any]:
    """The document that :mod:`analysis.published_matches` wrote."""
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def published_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a match; shares of decided games are of ``first``, points are a round of both.

    ``published`` and ``published_points`` are missing where the paper prints none; ``agrees`` says
    whether the published share lies in our interval.
    """
    rows = []
    for match in document["matches"]:
        (low, high), published = match["interval"], match["published"]
        points, printed = match["points_per_round"], match["published_points"]
        rows.append(
            {
                "name": match["name"],
                "published": published,
                "win_rate": match["win_rate"],
                "low": low,
                "high": high,
                "agrees": _agreement(published, low, high),
                "games": match["games"],
                "published_points": "" if printed is None else "{} – {}".format(*printed),
                "points": f"{points['ns']:.1f} – {points['ew']:.1f}",
                "first": match["first"],
                "second": match["second"],
                "target": match["target"],
                "floor": match["floor"],
                "source": match["source"],
            }
        )
    return pd.DataFrame(rows).astype({"published": float})


def _agreement(published: float | None, low: float, high: float) -> str:
    if published is None:
        return ""
    return "inside" if low <= published <= high else "outside"
