"""What the papers' totals count: each published number once.

A row of a figure stands beside one of three things that a paper says: a *number* (or a range with
two ends), a *direction* (more, less, level, above 50%) or a whole *table* of numbers, of which the
row is the largest difference. Several rows may stand beside the same published number: readings of
it that the text leaves open, players that it doesn't tell apart, or the number printed again in
another table. Only one of them counts; ``data/tables/paper_counts.toml`` lists the others, with the
reason. What is listed as ``readings`` of a figure counts nowhere.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from analysis.papers.claims import count_verdicts
from spades.core.documents import load_toml
from spades.core.paths import DATA

NUMBER, DIRECTION, TABLE, AGAIN = "number", "direction", "table", "not again"
COUNTS = DATA / "tables" / "paper_counts.toml"
_N_FIGURES = re.compile(r"(\d+) figures$")
_PRINTED = re.compile(r"(about )?(-?\d[\d,]*(\.\d+)?)")


class Totals(NamedTuple):
    """The rows that are counted, grouped by what our value is compared with."""

    numbers: list[dict[str, Any]]
    directions: list[dict[str, Any]]
    tables: list[dict[str, Any]]


@lru_cache(maxsize=1)
def _again() -> dict[str, dict[str, str]]:
    return dict(load_toml(COUNTS.read_text("utf-8")))


def reason_not_again(row: Mapping[str, Any]) -> str:
    """Why a row doesn't count, its number being counted by another one; empty if it does."""
    parts = _again().get(row["id"], {})
    return next((why for part, why in parts.items() if part in row["claim"]), "")


def counts_as(row: Mapping[str, Any]) -> str:
    """``NUMBER``, ``DIRECTION`` or ``TABLE``; ``AGAIN`` where another row counts."""
    return AGAIN if reason_not_again(row) else _kind_of(row)


def _kind_of(row: Mapping[str, Any]) -> str:
    text, (low, high) = row["published"], row["published_range"]
    printed = _PRINTED.match(text)
    if _N_FIGURES.fullmatch(text):
        return TABLE
    if low is None or high is None or printed is None:
        return DIRECTION
    says_level = low == high == 0 and float(printed[2].replace(",", "")) != 0
    return DIRECTION if says_level else NUMBER


def totals(documents: Mapping[str, Mapping[str, Any]]) -> Totals:
    """The rows that count, of documents by figure."""
    found = Totals([], [], [])
    by_kind = {NUMBER: found.numbers, DIRECTION: found.directions, TABLE: found.tables}
    for document in documents.values():
        for row in document["rows"]:
            kind = counts_as(row)
            if kind in by_kind:
                by_kind[kind].append(row)
    return found


def totals_text(documents: Mapping[str, Mapping[str, Any]], n_figures: int) -> str:
    """How many published numbers and directions agree, for people. ``n_figures``: how many tables
    and figures there are to be made."""
    found = totals(documents)
    parts = [
        f"**{len(found.numbers):,} published numbers of five papers**, each counted once: "
        f"{_verdicts(found.numbers)}.",
        f"Besides, {len(found.directions):,} directions (more, less, level): "
        f"{_verdicts(found.directions)}.",
    ]
    if found.tables:
        n = sum(_size_of(row) for row in found.tables)
        parts.append(
            f"{len(found.tables)} tables of exact chances, {n:,} numbers in all, by their largest "
            f"difference: {_verdicts(found.tables)}."
        )
    parts.append(f"{len(documents)} of {n_figures} tables and figures are made.")
    return " ".join(parts)


def _size_of(row: Mapping[str, Any]) -> int:
    found = _N_FIGURES.fullmatch(row["published"])
    return int(found[1]) if found else 1


def _verdicts(rows: Sequence[dict[str, Any]]) -> str:
    agree, differ, untold = count_verdicts(rows).values()
    return f"{agree} agree with ours, {differ} differ, {untold} can't be told at this n"
