"""The shipped matches of published tables and figures: ours and the paper's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.papers.matches import TABLE
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import stored_table

_MATCH, _POINT, _CHANGE, _CORPUS, _APART = (
    names.split()
    for names in (
        "name published win_rate low high agrees games published_points points first second target "
        "floor source",
        "variant opponent iterations skew win_rate low high games published agrees "
        "points_difference source ns ew",
        "what variant opponent iterations skew change low high published",
        "name published published_level win_rate low high games points first second source",
        "first second difference low high order points points_low points_high points_order "
        "published_difference",
    )
)
_VARIANTS, _SKEWS = {True: "nil-only", False: "standard"}, {True: "on", False: "off", None: ""}


def load_published(path: Path = TABLE) -> dict[str, Any]:
    """The document that ``analysis.papers.matches``, or another of the papers' commands, wrote;
    ``SpadesError`` where it can't be read."""
    command = f"python -m analysis.papers.{path.stem.removeprefix('published_')}"
    with stored_table(path, command, SpadesError):
        return dict(read_json(path))


def _with_ends(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its interval as ``low`` and ``high``, None where it has none."""
    low, high = row["interval"] or (None, None)
    return {**row, "low": low, "high": high}


def _table(rows: list[dict[str, Any]], columns: list[str], *floats: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(floats, float))


def published_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a match; shares of decided games are of ``first``, points are a round of both.
    ``published`` and ``published_points`` are missing where the paper prints none; ``agrees`` says
    whether the published share lies in our interval."""
    rows = []
    for match in map(_with_ends, document["matches"]):
        points, printed = match["points_per_round"], match["published_points"]
        low, published, high = match["low"], match["published"], match["high"]
        is_inside = published is not None and low <= published <= high
        match["agrees"] = "" if published is None else "inside" if is_inside else "outside"
        match["published_points"] = "" if printed is None else "{} – {}".format(*printed)
        match["points"] = f"{points['ns']:.1f} – {points['ew']:.1f}"
        rows.append(match)
    return _table(rows, _MATCH, "published")


def knowledge_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a point of figure 1 of Whitehouse 2013; shares are those that ISMCTS won. ``low`` and
    ``high``: Clopper and Pearson's interval; ``published``: what the paper says, empty where
    nothing; ``agrees``: whether the interval bears that out."""
    rows = [
        {
            **match,
            "variant": _VARIANTS[match["nil_only"]],
            "skew": _SKEWS[match["skew"]],
            "published": match["published"] or "",
            "points_difference": match["points_difference"]["value"],
        }
        for match in map(_with_ends, document["matches"])
    ]
    return _table(rows, _POINT, "win_rate", "low", "high")


def difference_table(document: dict[str, Any]) -> pd.DataFrame:
    """What more iterations and the skew change, a row a comparison on common deals. ``change`` in
    the share of games won, ``low`` to ``high`` its 95% interval over pairs of games."""
    rows = [
        {
            **found,
            "variant": _VARIANTS[found["nil_only"]],
            "iterations": found.get("iterations"),
            "skew": _SKEWS[found.get("skew")],
            "change": found["value"],
            "published": found["published"] or "",
        }
        for found in map(_with_ends, document["differences"])
    ]
    return _table(rows, _CHANGE, "change", "low", "high").astype({"iterations": "Int64"})


def corpus_table(document: dict[str, Any]) -> pd.DataFrame:
    """One row a match of Dobre and Lascarides 2015. ``win_rate`` with its interval ``low`` to
    ``high`` is of ``first`` among decided games; ``published`` of ``published_level`` is missing
    where the paper prints none."""
    rows = [
        {**row, "points": row["points_difference"]["value"]}
        for row in map(_with_ends, document["matches"])
    ]
    return _table(rows, _CORPUS, "published", "published_level", "win_rate", "low", "high")


def corpus_differences(document: dict[str, Any]) -> pd.DataFrame:
    """One row for every two agents, the better one in the paper first: the differences of their win
    rates and points a round against the heuristic with intervals, whether the order is as
    published, and the paper's difference."""
    rows = []
    for row in map(_with_ends, document["differences"]):
        row["points_low"], row["points_high"] = row["points_interval"] or (None, None)
        rows.append(row)
    floats = ("difference", "low", "high", "points", "points_low", "points_high")
    return _table(rows, _APART, *floats)
