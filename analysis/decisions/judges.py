"""Judges of decisions held against rounds played out, as measured.

Measured by ``python -m experiments.compare_judges``, whose docstring says what the columns are; on
the half of the truth set that nothing was fitted to.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from analysis.text_tables import span
from spades.core.documents import load_object, read_text
from spades.core.paths import DATA

if TYPE_CHECKING:
    import pandas as pd

PATH = DATA / "tables" / "judges.json"
COMMAND = "python -m experiments.compare_judges"
JUDGE = "judge"
"""The lab's judge, as the table names it."""


@lru_cache(maxsize=1)
def measured() -> dict[str, Any] | None:
    """The stored table; None where it isn't there."""
    return load_object(read_text(PATH)) if PATH.is_file() else None


def strata(found: dict[str, Any]) -> list[str]:
    """The groups of decisions that have rows, all decisions first."""
    return list(dict.fromkeys(row["stratum"] for row in found["rows"]))


def judges_table(found: dict[str, Any], stratum: str) -> "pd.DataFrame":
    """A row for each judge of a stratum. ``slope`` with ``slope_low`` and ``slope_high``;
    ``overturned``, ``open``: shares, with the ends of their intervals."""
    import pandas as pd

    rows = []
    for row in found["rows"]:
        if row["stratum"] != stratum:
            continue
        low, high = row["slope_interval"]
        rows.append(
            {
                **{name: row[name] for name in ("judge", "decisions", "slope", "explained")},
                "slope_low": low,
                "slope_high": high,
                "clear": row["clear"],
                **_share("overturned", row["overturned"], row["clear"], row),
                **_share("open", row["open"], row["decisions"], row),
                "seconds": row["seconds"],
            }
        )
    return pd.DataFrame(rows)


def _share(name: str, n: int, of: int, row: dict[str, Any]) -> dict[str, float | None]:
    """A share and the ends of its interval; None where there is nothing to take it of."""
    interval = row[f"{name}_interval"]
    if interval is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    low, high = interval
    return {name: n / of, f"{name}_low": low, f"{name}_high": high}


def judges_sentence(found: dict[str, Any]) -> str:
    """How the lab's judge fares, in two sentences."""
    row = next(row for row in found["rows"] if (row["judge"], row["stratum"]) == (JUDGE, "all"))
    realised = span(row["slope_interval"], ".2f")
    twice = found["repeats"]
    return (
        f"Where the judge says that a card leads by a point, {row['slope']:.2f} points are "
        f"realised (95%: {realised}) when strong agents play both out; it accounts "
        f"for {row['explained']:.0%} of how realised leads differ. Overturned: "
        f"{row['overturned']} of {row['clear']} clear conclusions; left open: {row['open']} of "
        f"{row['decisions']} decisions; two seeds conclude the same: {twice['same']} of "
        f"{twice['decisions']}."
    )
