"""Verdicts on published claims, and how a stored row is written for people.

The rule that says which verdict a claim gets is in ``experiments/papers/claims.py``. A row is
``published`` (as printed), ``ours`` with its 95% ``interval``, ``n``, ``of`` (games, cards, ...),
``unit``, ``verdict`` and, where nothing can be told at this n, ``n_to_tell``.
"""

from collections.abc import Sequence

from analysis.text_tables import shown
from spades.core.documents import Document

AGREES = "agrees"
DIFFERS = "differs"
CANT_TELL = "can't tell"
UNKNOWN_CAUSE = "cause not found"
UNITS_IN_PERCENT = ("share", "ratio", "P(made)")
"""How units begin whose numbers are written in percent."""


def texts_of(row: Document) -> dict[str, str]:
    """What people read of a row: claim, published, ours, interval, points, n, verdict.

    ``points``: points a round beside games won; empty where the row has none.
    """
    ends = [_format_number(row, end) for end in row["interval"] or ()]
    return {
        "claim": row["claim"],
        "published": row["published"],
        "ours": _format_number(row, row["ours"]),
        "interval": " to ".join(ends) or "-",
        "points": _format_points(row),
        "n": f"{row['n']:,} {row['of']}",
        "verdict": verdict_text(row),
    }


def _format_number(row: Document, value: float | None) -> str:
    """A number of a row: shares in percent, as papers print them."""
    is_share = row.get("unit", "").startswith(UNITS_IN_PERCENT)
    return shown(value, ".1%" if is_share else ".4g")


def _format_points(row: Document) -> str:
    if not row.get("points"):
        return ""
    value, (low, high) = row["points"]
    return f"{value:+.1f} [{low:+.1f}, {high:+.1f}]"


def verdict_text(row: Document) -> str:
    """The verdict; where nothing can be told, the n that it would take, to two digits."""
    if row["verdict"] != CANT_TELL or not row["n_to_tell"]:
        return str(row["verdict"])
    n = int(row["n_to_tell"])
    n_zeros = max(0, len(str(n)) - 2)
    return f"{CANT_TELL} below some {round(n, -n_zeros):,}"


def count_verdicts(rows: Sequence[Document]) -> dict[str, int]:
    """How many rows have each verdict."""
    return {
        verdict: sum(row["verdict"] == verdict for row in rows)
        for verdict in (AGREES, DIFFERS, CANT_TELL)
    }
