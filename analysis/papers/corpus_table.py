"""The shipped comparison after Dobre and Lascarides 2015 as tables: ours beside the paper's."""

from __future__ import annotations

from typing import Any

import pandas as pd


def comparison_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a match. ``win_rate`` with its interval ``low`` to ``high`` is of ``first`` among
    decided games; ``published`` of ``published_level`` is missing where the paper prints none."""
    rows = [
        {
            "name": row["name"],
            "published": row["published"],
            "published_level": row["published_level"],
            "win_rate": row["win_rate"],
            "low": row["interval"][0] if row["interval"] else None,
            "high": row["interval"][1] if row["interval"] else None,
            "games": row["games"],
            "points": row["points_difference"]["value"],
            "first": row["first"],
            "second": row["second"],
            "source": row["source"],
        }
        for row in document["matches"]
    ]
    floats = ("published", "published_level", "win_rate", "low", "high")
    return pd.DataFrame(rows).astype(dict.fromkeys(floats, float))


def difference_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row for every two agents, the better one in the paper first: the differences of their win
    rates and points a round against the heuristic with intervals, whether the order is as
    published, and the paper's difference."""
    rows = [
        {
            "first": row["first"],
            "second": row["second"],
            "difference": row["difference"],
            "low": row["interval"][0] if row["interval"] else None,
            "high": row["interval"][1] if row["interval"] else None,
            "order": row["order"],
            "points": row["points"],
            "points_low": row["points_interval"][0] if row["points_interval"] else None,
            "points_high": row["points_interval"][1] if row["points_interval"] else None,
            "points_order": row["points_order"],
            "published_difference": row["published_difference"],
        }
        for row in document["differences"]
    ]
    floats = ("difference", "low", "high", "points", "points_low", "points_high")
    return pd.DataFrame(rows).astype(dict.fromkeys(floats, float))
