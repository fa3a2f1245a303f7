"""Columns of a Parquet log to arrays of a ``Log``, and back.

Nothing in a file is trusted: every column is checked for its type, every row for its values. A
row with a fault is remembered with the reason and left out; only a file without the right columns
is refused as a whole.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.derived import check_rounds, fault_text
from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.logs import NO_SEED, NOT_PLAYED, SEED_RANGE, UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.records import KINDS, SCHEMA_VERSION
from spades.core.rules import LARGEST, Rules
from spades.notation.schema import MAX_TEXT, rules_of, rules_options

_TEXT = pa.dictionary(pa.int32(), pa.string())
_INT64 = np.iinfo(np.int64)


class Column(NamedTuple):
    """A column of the log schema (spec 1): the type of its values and how many a row has.

    ``array`` of the log has them; of texts it has the codes and ``table`` the texts. Whole numbers
    go from ``low`` to ``high``; a row of ``unknown`` is null in the file."""

    name: str
    value: pa.DataType
    width: int = 1
    array: str = ""
    table: str = ""
    low: int = 0
    high: int = 0
    unknown: int | None = None

    @property
    def type(self) -> pa.DataType:
        if self.width == 1:
            return self.value
        return pa.list_(pa.field("element", self.value, nullable=False), self.width)


COLUMNS = {
    column.name: column
    for column in (
        Column("schema_version", pa.int16(), low=SCHEMA_VERSION, high=SCHEMA_VERSION),
        Column("game_id", _TEXT, 1, "game_code", "games"),
        Column("round", pa.int32(), 1, "round_index", high=LARGEST),
        Column("rules", _TEXT, 1, "rules_code"),
        Column("deck", _TEXT, 1, "rules_code"),
        Column("dealer", pa.int8(), 1, "dealer", high=N_SEATS - 1),
        Column("hands", pa.int64(), N_SEATS, "hands", high=int(_INT64.max)),
        Column("bids", pa.int8(), N_SEATS, "bids", low=-128, high=127),
        Column("blind", pa.bool_(), N_SEATS, "blind"),
        Column("plays", pa.int8(), N_CARDS, "plays", low=NOT_PLAYED, high=127),
        Column("player", _TEXT, N_SEATS, "player_code", "players"),
        Column("kind", _TEXT, N_SEATS, "kind"),
        Column("agent", _TEXT, N_SEATS, "agent_code", "agents"),
        Column("source", _TEXT, 1, "source_code", "sources"),
        Column("score_before", pa.int32(), 2, "score_before", "", -LARGEST, LARGEST, UNKNOWN_SCORE),
        Column("bags_before", pa.int32(), 2, "bags_before", "", 0, LARGEST, UNKNOWN_BAGS),
        Column("seed", pa.int64(), 1, "seed", "", *SEED_RANGE, int(NO_SEED)),
    )
}
SCHEMA = pa.schema(
    [pa.field(c.name, c.type, nullable=c.unknown is not None) for c in COLUMNS.values()]
)


def check_schema(schema: pa.Schema) -> None:
    """Raise ``InvalidRecordError`` unless every column is there once and has its type."""
    for name, kind in zip(SCHEMA.names, SCHEMA.types, strict=True):
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            raise InvalidRecordError(
                f"{len(found)} columns {name}, one is legal; the columns of a log are "
                + ", ".join(SCHEMA.names)
            )
        if not _fits(schema.field(found[0]).type, kind):
            reason = f"the column {name} is of type {schema.field(found[0]).type}; {kind} is legal"
            raise InvalidRecordError(reason)


def _fits(found: pa.DataType, due: pa.DataType) -> bool:
    """Whether values can be read as the type due: any integer, any text, any list of one size."""
    types = pa.types
    if types.is_fixed_size_list(due):
        if types.is_fixed_size_list(found) and found.list_size != due.list_size:
            return False
        lists = (types.is_fixed_size_list, types.is_list, types.is_large_list)
        return any(is_one(found) for is_one in lists) and _fits(found.value_type, due.value_type)
    if types.is_dictionary(due):
        value = found.value_type if types.is_dictionary(found) else found
        return bool(types.is_string(value) or types.is_large_string(value))
    return bool(types.is_boolean(found) if types.is_boolean(due) else types.is_integer(found))


@dataclass
class _Part:
    """A part of a log being read: a batch of rows (from 0), and why some can't be read."""

    batch: pa.RecordBatch
    reasons: dict[int, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return int(self.batch.num_rows)

    def blame(self, rows: NDArray[np.bool_], reason: Callable[[int], str]) -> None:
        """The first reason found for a row counts."""
        for row in np.flatnonzero(rows).tolist():
            if row not in self.reasons:
                self.reasons[row] = reason(row)

    def _values(self, name: str) -> tuple[pa.Array, NDArray[np.bool_]]:
        """Values of all rows, one after the other, and which rows are null as a whole."""
        array, width = self.batch.column(name), COLUMNS[name].width
        is_null = _nulls(array)
        if width == 1:
            return array, is_null
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        if np.all(lengths == width) and not is_null.any() and array.offset == 0:
            return array.flatten(), is_null
        wrong = ~is_null & (lengths != width)
        self.blame(
            wrong, lambda row: f"{name} is a list of {lengths[row]}; a list of {width} is legal"
        )
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        at = starts[:, None] + np.arange(width)
        skipped = np.repeat(is_null | wrong, width)
        return array.flatten().take(pa.array(at.ravel(), mask=skipped)), is_null | wrong

    def _filled(self, name: str) -> tuple[pa.Array, NDArray[np.bool_]]:
        """As ``_values``; a null where none may be is blamed."""
        values, is_null = self._values(name)
        has_null = _nulls(values).reshape(self.n, -1).any(axis=1)
        is_nullable = COLUMNS[name].unknown is not None
        wrong = has_null & ~is_null if is_nullable else has_null | is_null
        self.blame(wrong, lambda row: f"{name} is null or holds a null")
        return values, is_null

    def read(self, name: str) -> dict[str, Any]:
        """A column as the log has it; whole numbers and flags of shape (n,) or (n, width)."""
        column = COLUMNS[name]
        if column.table:
            codes, texts = self.texts(name)
            return {column.array: codes, column.table: tuple(texts)}
        values, is_null = self._filled(name)
        if pa.types.is_boolean(column.value):
            flags = values.fill_null(False).to_numpy(zero_copy_only=False)
            return {column.array: flags.reshape(self.n, -1)}
        if not pa.types.is_signed_integer(values.type):
            values = values.cast(pa.int64())
        rows = values.fill_null(0).to_numpy(zero_copy_only=False).reshape(self.n, -1)
        wrong = ((rows < column.low) | (rows > column.high)).any(axis=1) & ~is_null
        legal = f"{column.low} to {column.high} are legal"
        self.blame(wrong, lambda row: f"{name} is {shown(rows[row].tolist())}; {legal}")
        kept = np.where(wrong[:, None], 0, rows).astype(column.value.to_pandas_dtype())
        kept[is_null] = column.unknown or 0
        return {column.array: kept if column.width > 1 else kept.ravel()}

    def texts(self, name: str) -> tuple[NDArray[np.int32], list[str]]:
        """Codes, shape (n,) or (n, width), and the texts they point to."""
        values, _ = self._filled(name)
        found = _coded(values)
        table = [str(text) for text in found.dictionary.to_pylist()] or [""]
        codes = found.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
        rows = codes.reshape(self.n, -1)
        is_long = np.array([len(text) > MAX_TEXT for text in table])
        too_long = np.asarray(np.any(is_long[rows], axis=1))
        self.blame(too_long, lambda row: f"{name} is longer than {MAX_TEXT:,} characters")
        return (rows if COLUMNS[name].width > 1 else rows.ravel()), table

    def kinds(self) -> NDArray[np.int8]:
        codes, table = self.texts("kind")
        kinds = np.array([KINDS.index(text) if text in KINDS else -1 for text in table])[codes]
        legal = f"{', '.join(KINDS)} are legal"
        self.blame(
            np.asarray((kinds < 0).any(axis=1)),
            lambda row: f"kind is {shown([table[code] for code in codes[row]])}; {legal}",
        )
        return np.maximum(kinds, 0).astype(np.int8)

    def rules(self) -> tuple[NDArray[np.int32], tuple[Rules, ...]]:
        rules_codes, texts = self.texts("rules")
        deck_codes, decks = self.texts("deck")
        both = rules_codes.astype(np.int64) * len(decks) + deck_codes
        pairs, codes = np.unique(both, return_inverse=True)
        table: dict[Rules, int] = {}
        moved, reasons = np.zeros(len(pairs), dtype=np.int32), {}
        for i, pair in enumerate(pairs.tolist()):
            try:
                options, deck = texts[pair // len(decks)], decks[pair % len(decks)]
                rules = rules_of({"rules": load_object(options), "deck": deck})
            except SpadesError as error:
                reasons[i], rules = str(error), Rules()
            moved[i] = table.setdefault(rules, len(table))
        is_wrong = np.isin(codes, np.array(list(reasons), dtype=np.int64))
        self.blame(is_wrong, lambda row: reasons[int(codes[row])])
        return moved[codes], tuple(table)


def _nulls(array: pa.Array) -> NDArray[np.bool_]:
    if array.null_count == 0:
        return np.zeros(len(array), dtype=np.bool_)
    return array.is_null().to_numpy(zero_copy_only=False)


def _coded(values: pa.Array) -> pa.DictionaryArray:
    """Texts as codes into a table that holds each once and no null."""
    if pa.types.is_dictionary(values.type):
        table = values.dictionary.to_pylist()
        if len(set(table)) == len(table) and None not in table:
            return values
        values = values.dictionary_decode()
    return values.cast(pa.string()).dictionary_encode()


def log_of(batch: pa.RecordBatch) -> tuple[Log, dict[int, str]]:
    """The rounds of a batch that keep the rules, and why other rows (from 0) don't."""
    part = _Part(batch)
    part.read("schema_version")
    columns: dict[str, Any] = {}
    columns["rules_code"], columns["rules"] = part.rules()
    for name in (
        "game_id", "player", "agent", "source", "hands", "plays", "bids", "blind", "dealer",
        "round", "score_before", "bags_before",
    ):  # fmt: skip
        columns |= part.read(name)
    log = Log(**columns, kind=part.kinds(), **part.read("seed"))
    checked = check_rounds(log)
    part.blame(~checked.is_legal, lambda row: fault_text(log, row, checked))
    if part.reasons:
        log = log.take(np.delete(np.arange(part.n), list(part.reasons))).compact()
    return log, part.reasons


def batch_of(log: Log) -> pa.RecordBatch:
    """The rounds of a log as Parquet stores them; the caller has checked them."""
    log = log.compact()
    texts = {
        **{column.name: getattr(log, column.table) for column in COLUMNS.values() if column.table},
        "rules": [json.dumps(rules_options(rules)) for rules in log.rules],
        "deck": [rules.deck for rules in log.rules],
        "kind": KINDS,
    }
    arrays = []
    for column in COLUMNS.values():
        version = np.full(len(log), SCHEMA_VERSION, dtype=np.int16)
        values = getattr(log, column.array) if column.array else version
        is_null = None
        if column.unknown is not None:
            is_null = np.atleast_2d(values.T)[0] == column.unknown
        if column.name in texts:
            values = _coded_texts(values, texts[column.name])
        arrays.append(_array(column, values, is_null))
    return pa.record_batch(arrays, schema=SCHEMA)


def _array(column: Column, values: Any, is_null: NDArray[np.bool_] | None) -> pa.Array:
    if column.width == 1:
        return values if isinstance(values, pa.Array) else pa.array(values, mask=is_null)
    flat = values if isinstance(values, pa.Array) else pa.array(values.ravel())
    mask = None if is_null is None else pa.array(is_null)
    return pa.FixedSizeListArray.from_arrays(flat, type=column.type, mask=mask)


def _coded_texts(codes: NDArray, texts: Sequence[str]) -> pa.Array:
    """Texts by code; the table holds each once, so that a file's does."""
    table = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    moved = np.array([table[text] for text in texts], dtype=np.int32)
    try:
        found = pa.array(list(table), pa.string())
    except UnicodeEncodeError as error:
        raise InvalidRecordError(f"a text of the log is no valid Unicode: {error.reason}") from None
    return pa.DictionaryArray.from_arrays(pa.array(moved[codes.ravel()]), found)
