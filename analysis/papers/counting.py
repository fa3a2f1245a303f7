"""The totals over all papers, in which each published number counts once.

A row of a figure compares our result with one of three things: a published *number* (or a range
with two ends), a *direction* (more, less, level, above 50%) or a whole *table* of numbers, of which
the row is the largest difference. Several rows may be compared with the same published number:
readings that the text leaves open, players that it doesn't distinguish, or the number printed again
in another table. Only one of them counts; ``data/papers/ID.toml`` lists the others, with the
reason. ``readings`` never count.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.papers.notes import reason_not_counted
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS, count_verdicts
from spades.core.documents import Document

NUMBER = "number"
DIRECTION = "direction"
TABLE = "table"
NOT_AGAIN = "not again"
_TABLE_SIZE = re.compile(r"(\d+) figures$")
_PRINTED_NUMBER = re.compile(r"(about )?(-?\d[\d,]*(\.\d+)?)")


class Totals(NamedTuple):
    """The rows that are counted, grouped by what our value is compared with."""

    numbers: list[Document]
    directions: list[Document]
    tables: list[Document]


def counts_as(row: Document) -> str:
    """``NUMBER``, ``DIRECTION`` or ``TABLE``; ``NOT_AGAIN`` where another row counts."""
    if reason_not_counted(row):
        return NOT_AGAIN
    text = row["published"]
    low, high = row["published_range"]
    if _TABLE_SIZE.fullmatch(text):
        return TABLE
    printed = _PRINTED_NUMBER.match(text)
    if low is None or high is None or printed is None:
        return DIRECTION
    printed_value = float(printed[2].replace(",", ""))
    says_level = low == high == 0 and printed_value != 0
    return DIRECTION if says_level else NUMBER


def totals(documents: Mapping[str, Document]) -> Totals:
    """The rows that count, of documents by figure."""
    totals = Totals([], [], [])
    lists = {NUMBER: totals.numbers, DIRECTION: totals.directions, TABLE: totals.tables}
    for document in documents.values():
        for row in document["rows"]:
            kind = counts_as(row)
            if kind != NOT_AGAIN:
                lists[kind].append(row)
    return totals


def totals_text(documents: Mapping[str, Document], n_figures: int) -> str:
    """How many published numbers and directions agree, in sentences. ``n_figures``: how many tables
    and figures there are in all."""
    counted = totals(documents)
    sentences = [
        f"**{len(counted.numbers):,} published numbers of five papers**, each counted once: "
        f"{_verdicts(counted.numbers)}.",
        f"Besides, {len(counted.directions):,} directions (more, less, level): "
        f"{_verdicts(counted.directions)}.",
    ]
    if counted.tables:
        n_numbers = sum(_table_size(row) for row in counted.tables)
        sentences.append(
            f"{len(counted.tables)} tables of exact chances, {n_numbers:,} numbers in all, by "
            f"their largest difference: {_verdicts(counted.tables)}."
        )
    sentences.append(f"{len(documents)} of {n_figures} tables and figures are made.")
    return " ".join(sentences)


def _table_size(row: Document) -> int:
    match = _TABLE_SIZE.fullmatch(row["published"])
    return int(match[1]) if match else 1


def _verdicts(rows: Sequence[Document]) -> str:
    n = count_verdicts(rows)
    return (
        f"{n[AGREES]} agree with ours, {n[DIFFERS]} differ, {n[CANT_TELL]} can't be told at this n"
    )
