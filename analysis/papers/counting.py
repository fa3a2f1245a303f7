"""The totals over all papers, in which each published number counts once.

A row is of one ``kind``: our result beside a published *number* (or a range with two ends, or a
whole table of exact chances, of which it is the largest difference); beside a *direction* (more,
less, level, above 50%); or *calibrated*: ours was fitted to that number, so that it can't but
agree. A row of exact chances stands for as many numbers as its table has.

Several rows may be compared with the same published number: readings that the text leaves open,
or the number printed again in another table. One of them, whose reading the text supports, is the
*main* row, and it alone counts; the others stand under it. ``data/papers/ID.toml`` says which.
Calibrated rows count apart, whichever reading they are.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.papers.figures import EXACT, FIGURES
from analysis.papers.notes import MAIN, is_calibrated, reading_of
from analysis.papers.printed import PrintedNumber, load_printed
from analysis.papers.verdicts import (
    AGREES,
    CANT_TELL,
    DIFFERS,
    NO_N,
    count_outcomes,
    takes_too_long,
)
from spades.core.documents import Document

NUMBER = "number"
DIRECTION = "direction"
CALIBRATED = "calibrated"
_TABLE_SIZE = re.compile(r"(\d+) figures$")
_PRINTED_NUMBER = re.compile(r"(about |almost |below )?(-?[\d,]*\.?\d+)")
_EXACT_FIGURES = frozenset(figure.id for figure in FIGURES if figure.study == EXACT)


class Totals(NamedTuple):
    """The rows that are counted, by what our value is compared with."""

    measured: list[Document]
    exact: list[Document]
    directions: list[Document]
    calibrated: list[Document]


def kind_of(row: Document) -> str:
    """``NUMBER``, ``DIRECTION`` or ``CALIBRATED``."""
    if is_calibrated(row):
        return CALIBRATED
    text = row["published"]
    if _TABLE_SIZE.fullmatch(text):
        return NUMBER
    low, high = row["published_range"]
    printed = _PRINTED_NUMBER.match(text)
    if low is None or high is None or printed is None:
        return DIRECTION
    printed_value = float(printed[2].replace(",", ""))
    says_level = low == high == 0 and printed_value != 0
    return DIRECTION if says_level else NUMBER


def numbers_of(row: Document) -> int:
    """How many published numbers a row stands for."""
    match = _TABLE_SIZE.fullmatch(row["published"])
    return int(match[1]) if match else 1


def totals(documents: Mapping[str, Document]) -> Totals:
    """The rows that count, of documents by figure."""
    totals = Totals([], [], [], [])
    for document in documents.values():
        for row in counted(document):
            kind = kind_of(row)
            if kind == CALIBRATED:
                totals.calibrated.append(row)
            elif kind == DIRECTION:
                totals.directions.append(row)
            elif row["id"] in _EXACT_FIGURES:
                totals.exact.append(row)
            else:
                totals.measured.append(row)
    return totals


def counted(document: Document) -> list[Document]:
    """The rows of a figure that count: main ones, and calibrated ones."""
    return [
        row
        for row in document["rows"]
        if reading_of(row).name == MAIN or kind_of(row) == CALIBRATED
    ]


def headline(documents: Mapping[str, Document]) -> str:
    """How much of what the papers print has a row, and how many rows agree, in sentences."""
    printed = load_printed()
    n_printed = sum(number.n for number in printed)
    n_with_row = sum(number.n for number in printed if number.has_row)
    rows = totals(documents)
    sentences = [
        f"**The five papers print {n_printed:,} numbers of their experiments; {n_with_row:,} have "
        "a row here.**",
        f"Of {len(rows.measured):,} measured ones {outcomes_text(rows.measured)}.",
    ]
    if rows.exact:
        n_exact = _n_numbers(rows.exact)
        n_agree = _n_numbers(row for row in rows.exact if row["verdict"] == AGREES)
        sentences.append(f"Of {n_exact:,} exact chances {n_agree:,} agree.")
    if rows.directions:
        n_numbers = _n_printed(printed, documents, rows.directions)
        as_numbers = f"; {n_numbers} of them printed as numbers" if n_numbers else ""
        sentences.append(
            f"Of {len(rows.directions):,} directions (more, less, level{as_numbers}) "
            f"{outcomes_text(rows.directions)}."
        )
    if rows.calibrated:
        n_fitted = _n_printed(printed, documents, rows.calibrated)
        sentences.append(f"Ours were fitted to {n_fitted} more numbers.")
    return " ".join(sentences)


def _n_printed(
    printed: Iterable[PrintedNumber], documents: Mapping[str, Document], rows: Sequence[Document]
) -> int:
    """How many of the printed numbers one of these rows stands for."""
    own = {
        (figure, row["claim"])
        for figure, document in documents.items()
        for row in document["rows"]
        if row in rows
    }
    return sum(number.n for number in printed if (number.figure, number.claim) in own)


def _n_numbers(rows: Iterable[Document]) -> int:
    return sum(numbers_of(row) for row in rows)


def outcomes_text(rows: Sequence[Document]) -> str:
    """The numbers of rows by outcome, as a sentence."""
    n = count_outcomes(rows)
    text = (
        f"{n[AGREES]} agree with ours, {n[DIFFERS]} differ, {n[CANT_TELL]} can't be told at this n"
    )
    n_too_long = sum(map(takes_too_long, rows))
    if n_too_long:
        text += f" ({n_too_long} not within four days of two cores)"
    if n[NO_N]:
        text += f", {n[NO_N]} by no n"
    return text
