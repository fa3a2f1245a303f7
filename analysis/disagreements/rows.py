"""The results of a searched log as arrays: a row for every class of equivalent cards."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analysis.decisions.conclusion import (
    AS_GOOD,
    BEHIND,
    CLEAR,
    DIFFER,
    LEANS,
    OPEN,
    TOSS_UP,
)
from analysis.disagreements.plan import LogSearchError
from spades.core.cards import N_CARDS
from spades.core.kernel import IntArray

KINDS = (CLEAR, LEANS, TOSS_UP, DIFFER)
STANDINGS = (AS_GOOD, OPEN, BEHIND)
MEASURES = ("share", "value", "error", "behind", "low", "high")
OUTCOMES = ("own_contract", "their_set", "own_bags", "their_bags")
NILS = ("nil_n", "nil_e", "nil_s", "nil_w")
COLUMNS = np.dtype(
    [
        ("round", np.int32),
        ("ply", np.int8),
        ("cards", np.int64),
        ("kind", np.int8),
        ("standing", np.int8),
        ("played_on", np.int32),
        *((name, np.float32) for name in (*MEASURES, *OUTCOMES, *NILS)),
    ]
)
_STORED = tuple(name for name in COLUMNS.names or () if name != "round")
_READ_ERRORS = (KeyError, TypeError, ValueError, OverflowError, AttributeError)
SHARE_TOLERANCE = 0.01  # of a decision's visit shares, which add up to 1


@dataclass(frozen=True)
class Rows:
    """The results of some rounds: a row for each class of equivalent cards, of each decision with a
    choice between classes.

    ``table``: an array of ``COLUMNS``, in the order of play and in each decision the best class
    first. ``round``: the row of the log; ``cards``: a mask; ``kind``: the conclusion's, an index
    into ``KINDS``; ``standing``: of the class beside the best, an index into ``STANDINGS``;
    ``played_on``: how many rounds were played on, 0 where a proof left nothing open; ``share`` to
    ``high`` as in ``ClassValue``; then its outcomes, ``nil_n`` by seat. What isn't known is nan.
    ``refused``: rounds that can't be searched, and why.
    """

    table: NDArray[Any]
    refused: dict[int, str] = field(default_factory=dict)

    @property
    def starts(self) -> IntArray:
        """Where each decision's rows begin."""
        rounds = self.table["round"].astype(np.int64)
        places = rounds * N_CARDS + self.table["ply"]
        return np.flatnonzero(np.diff(places, prepend=-1))

    def decisions(self) -> list[NDArray[Any]]:
        """The rows of each decision."""
        return np.split(self.table, self.starts[1:])

    def within(self, first: int, end: int) -> Self:
        """The rows of rounds ``first`` to ``end`` - 1."""
        rounds = self.table["round"]
        is_kept = (rounds >= first) & (rounds < end)
        refused = {i: reason for i, reason in self.refused.items() if first <= i < end}
        return replace(self, table=self.table[is_kept], refused=refused)


def joined(parts: Iterable[Rows]) -> Rows:
    """Rows of several rounds, which are given in order."""
    tables = [np.empty(0, COLUMNS)]
    refused: dict[int, str] = {}
    for part in parts:
        tables.append(part.table)
        refused |= part.refused
    return Rows(np.concatenate(tables), refused)


def round_document(rows: Rows, index: int) -> dict[str, Any]:
    """One round as JSON: ``columns``, a list each; ``refused``: why it can't be searched, or
    null."""
    table = rows.table
    return {
        "columns": {name: _as_list(table[name]) for name in _STORED},
        "refused": rows.refused.get(index),
    }


def rows_of_round(document: Any, index: int) -> Rows:
    """One round from its document, the same numbers bit by bit.

    ``LogSearchError`` where the document is none of a round that was searched to its end.
    """
    try:
        columns = document["columns"]
        table = np.empty(len(columns["ply"]), COLUMNS)
        table["round"] = index
        for name in _STORED:
            if len(columns[name]) != len(table):
                raise ValueError(f"{name} has {len(columns[name])} values of {len(table)}")
            table[name] = [np.nan if value is None else value for value in columns[name]]
        refused = {}
        if document["refused"] is not None:
            refused[index] = str(document["refused"])
        rows = Rows(table, refused)
        _check_complete(rows)
    except _READ_ERRORS as error:
        raise LogSearchError(f"round {index} is no searched round ({error})") from None
    return rows


def _as_list(column: NDArray[Any]) -> list[Any]:
    """A column for JSON: floats by their shortest text, nan as null."""
    if column.dtype.kind != "f":
        values: list[Any] = column.tolist()
        return values
    return [None if np.isnan(value) else float(str(value)) for value in column]


def _check_complete(rows: Rows) -> None:
    """Raises ``ValueError`` if a class of a decision is missing: its search was cut short."""
    if not len(rows.table):
        return
    totals = np.add.reduceat(rows.table["share"], rows.starts)  # nan: nothing is known
    if (np.abs(totals - 1) > SHARE_TOLERANCE).any():
        raise ValueError("its decisions aren't searched to the end")
