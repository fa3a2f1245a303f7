"""The shipped matches of published tables and figures: ours beside the paper's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.papers.matches import TABLE


def load_published(path: Path = TABLE) -> dict[str, Any]:
    """The document that ``analysis.papers.matches`` wrote."""
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


def knowledge_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a point of figure 1 of Whitehouse 2013; shares are those that ISMCTS won.

    ``low`` and ``high``: Clopper and Pearson's interval; ``published``: what the paper says, empty
    where nothing; ``agrees``: whether the interval bears that out.
    """
    rows = []
    for match in document["matches"]:
        low, high = match["interval"] or (None, None)
        rows.append(
            {
                "variant": "nil-only" if match["nil_only"] else "standard",
                "opponent": match["opponent"],
                "iterations": match["iterations"],
                "skew": "on" if match["skew"] else "off",
                "win_rate": match["win_rate"],
                "low": low,
                "high": high,
                "games": match["games"],
                "published": match["published"] or "",
                "agrees": match["agrees"],
                "points_difference": match["points_difference"]["value"],
                "source": match["source"],
                "ns": match["ns"],
                "ew": match["ew"],
            }
        )
    return pd.DataFrame(rows).astype({"win_rate": float, "low": float, "high": float})


def difference_table(document: dict[str, Any]) -> pd.DataFrame:
    """What more iterations and the skew change, a row a comparison on common deals.

    ``change`` in the share of games won, ``low`` to ``high`` its 95 % interval over pairs of games.
    """
    rows = []
    for found in document["differences"]:
        low, high = found["interval"] or (None, None)
        skew = {True: "on", False: "off", None: ""}[found.get("skew")]
        rows.append(
            {
                "what": found["what"],
                "variant": "nil-only" if found["nil_only"] else "standard",
                "opponent": found["opponent"],
                "iterations": found.get("iterations"),
                "skew": skew,
                "change": found["value"],
                "low": low,
                "high": high,
                "published": found["published"] or "",
            }
        )
    return pd.DataFrame(rows).astype(
        {"change": float, "low": float, "high": float, "iterations": "Int64"}
    )
