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

Flags = NDArray[np.bool_]
_TEXT = pa.dictionary(pa.int32(), pa.string())
_INT64 = np.iinfo(np.int64)


class Column(NamedTuple):
    """A column of the log schema: the type of its values and how many a row has.

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

    @property
    def numpy_type(self) -> Any:
        """The type of the values in an array."""
        return self.value.to_pandas_dtype()


_LEAST_SEED, _MOST_SEED = SEED_RANGE
COLUMNS = {
    column.name: column
    for column in (
        Column("schema_version", pa.int16(), low=SCHEMA_VERSION, high=SCHEMA_VERSION),
        Column("game_id", _TEXT, array="game_code", table="games"),
        Column("round", pa.int32(), array="round_index", high=LARGEST),
        Column("rules", _TEXT, array="rules_code"),
        Column("deck", _TEXT, array="rules_code"),
        Column("dealer", pa.int8(), array="dealer", high=N_SEATS - 1),
        Column("hands", pa.int64(), N_SEATS, array="hands", high=int(_INT64.max)),
        Column("bids", pa.int8(), N_SEATS, array="bids", low=-128, high=127),
        Column("blind", pa.bool_(), N_SEATS, array="blind"),
        Column("plays", pa.int8(), N_CARDS, array="plays", low=NOT_PLAYED, high=127),
        Column("player", _TEXT, N_SEATS, array="player_code", table="players"),
        Column("kind", _TEXT, N_SEATS, array="kind"),
        Column("agent", _TEXT, N_SEATS, array="agent_code", table="agents"),
        Column("source", _TEXT, array="source_code", table="sources"),
        Column(
            "score_before",
            pa.int32(),
            2,
            array="score_before",
            low=-LARGEST,
            high=LARGEST,
            unknown=UNKNOWN_SCORE,
        ),
        Column(
            "bags_before", pa.int32(), 2, array="bags_before", high=LARGEST, unknown=UNKNOWN_BAGS
        ),
        Column(
            "seed",
            pa.int64(),
            array="seed",
            low=_LEAST_SEED,
            high=_MOST_SEED,
            unknown=int(NO_SEED),
        ),
    )
}
SCHEMA = pa.schema(
    [
        pa.field(column.name, column.type, nullable=column.unknown is not None)
        for column in COLUMNS.values()
    ]
)
_READ_ALIKE = (
    "game_id", "player", "agent", "source", "hands", "plays", "bids", "blind", "dealer", "round",
    "score_before", "bags_before",
)  # fmt: skip


def check_schema(schema: pa.Schema) -> None:
    """Raise ``InvalidRecordError`` unless every column is there once and has its type."""
    for name, due in zip(SCHEMA.names, SCHEMA.types, strict=True):
        places = schema.get_all_field_indices(name)
        if len(places) != 1:
            raise InvalidRecordError(
                f"{len(places)} columns {name}, one is legal; the columns of a log are "
                f"{', '.join(SCHEMA.names)}"
            )
        found = schema.field(places[0]).type
        if not _fits(found, due):
            raise InvalidRecordError(f"the column {name} is of type {found}; {due} is legal")


def _fits(found: pa.DataType, due: pa.DataType) -> bool:
    """Whether values can be read as the type due: any integer, any text, any list of one size."""
    types = pa.types
    if types.is_fixed_size_list(due):
        return _is_list_of(found, due.list_size) and _fits(found.value_type, due.value_type)
    if types.is_dictionary(due):
        value = found.value_type if types.is_dictionary(found) else found
        return bool(types.is_string(value) or types.is_large_string(value))
    if types.is_boolean(due):
        return bool(types.is_boolean(found))
    return bool(types.is_integer(found))


def _is_list_of(found: pa.DataType, size: int) -> bool:
    """Whether a type is of lists that may have so many values."""
    if pa.types.is_fixed_size_list(found):
        return bool(found.list_size == size)
    return bool(pa.types.is_list(found) or pa.types.is_large_list(found))


@dataclass
class _Part:
    """A part of a log being read: a batch of rows (from 0), and why some can't be read."""

    batch: pa.RecordBatch
    reasons: dict[int, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return int(self.batch.num_rows)

    def blame(self, rows: Flags, reason: Callable[[int], str]) -> None:
        """The first reason found for a row counts."""
        for row in np.flatnonzero(rows).tolist():
            if row not in self.reasons:
                self.reasons[row] = reason(row)

    def _values(self, name: str) -> tuple[pa.Array, Flags]:
        """Values of all rows, one after the other, and which rows are null as a whole."""
        array = self.batch.column(name)
        width = COLUMNS[name].width
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
        starts = np.cumsum(lengths) - lengths
        places = starts[:, None] + np.arange(width)
        is_skipped = is_null | wrong
        taken = pa.array(places.ravel(), mask=np.repeat(is_skipped, width))
        return array.flatten().take(taken), is_skipped

    def _filled(self, name: str) -> tuple[pa.Array, Flags]:
        """As ``_values``; a null where none may be is blamed."""
        values, is_null = self._values(name)
        has_null = _nulls(values).reshape(self.n, -1).any(axis=1)
        is_nullable = COLUMNS[name].unknown is not None
        wrong = has_null & ~is_null if is_nullable else has_null | is_null
        self.blame(wrong, lambda row: f"{name} is null or holds a null")
        return values, is_null

    def read(self, name: str) -> dict[str, Any]:
        """A column as the log has it, by the names of its arrays and tables."""
        column = COLUMNS[name]
        if column.table:
            codes, texts = self.texts(name)
            return {column.array: codes, column.table: tuple(texts)}
        if pa.types.is_boolean(column.value):
            return {column.array: self._flags(name)}
        return {column.array: self._numbers(column)}

    def _flags(self, name: str) -> Flags:
        """A column of flags, (n, width)."""
        values, _ = self._filled(name)
        flags: Flags = values.fill_null(False).to_numpy(zero_copy_only=False)
        return flags.reshape(self.n, -1)

    def _numbers(self, column: Column) -> NDArray[np.integer]:
        """A column of whole numbers, (n,) or (n, width)."""
        values, is_null = self._filled(column.name)
        if not pa.types.is_signed_integer(values.type):
            values = values.cast(pa.int64())
        rows = values.fill_null(0).to_numpy(zero_copy_only=False).reshape(self.n, -1)
        is_inside = (rows >= column.low) & (rows <= column.high)
        is_outside = ~is_inside.all(axis=1) & ~is_null
        legal = f"{column.low} to {column.high} are legal"
        self.blame(is_outside, lambda row: f"{column.name} is {shown(rows[row].tolist())}; {legal}")
        kept = np.where(is_outside[:, None], 0, rows).astype(column.numpy_type)
        kept[is_null] = column.unknown or 0
        return kept if column.width > 1 else kept.ravel()

    def texts(self, name: str) -> tuple[NDArray[np.int32], list[str]]:
        """Codes, shape (n,) or (n, width), and the texts they point to."""
        values, _ = self._filled(name)
        coded = _coded(values)
        table = [str(text) for text in coded.dictionary.to_pylist()] or [""]
        codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
        rows = codes.reshape(self.n, -1)
        is_long = np.array([len(text) > MAX_TEXT for text in table])
        has_long = is_long[rows].any(axis=1)
        self.blame(has_long, lambda row: f"{name} is longer than {MAX_TEXT:,} characters")
        return (rows if COLUMNS[name].width > 1 else codes), table

    def kinds(self) -> NDArray[np.int8]:
        """Codes into ``KINDS``, (n, 4)."""
        codes, table = self.texts("kind")
        code_of_kind = {kind: code for code, kind in enumerate(KINDS)}
        kinds = np.array([code_of_kind.get(text, -1) for text in table])[codes]
        legal = f"{', '.join(KINDS)} are legal"
        self.blame(
            np.asarray((kinds < 0).any(axis=1)),
            lambda row: f"kind is {shown([table[code] for code in codes[row]])}; {legal}",
        )
        return np.maximum(kinds, 0).astype(np.int8)

    def rules(self) -> tuple[NDArray[np.int32], tuple[Rules, ...]]:
        """Codes (n,) and the rules that they point to, from the columns rules and deck."""
        options_codes, options = self.texts("rules")
        deck_codes, decks = self.texts("deck")
        both = options_codes.astype(np.int64) * len(decks) + deck_codes
        pairs, pair_of_row = np.unique(both, return_inverse=True)
        table: dict[Rules, int] = {}
        code_of_pair = np.zeros(len(pairs), dtype=np.int32)
        reasons = [""] * len(pairs)
        for i, pair in enumerate(pairs.tolist()):
            options_code, deck_code = divmod(pair, len(decks))
            rules = Rules()
            try:
                row = {"rules": load_object(options[options_code]), "deck": decks[deck_code]}
                rules = rules_of(row)
            except SpadesError as error:
                reasons[i] = str(error)
            code_of_pair[i] = table.setdefault(rules, len(table))
        is_wrong = np.array(list(map(bool, reasons)), dtype=np.bool_)
        self.blame(is_wrong[pair_of_row], lambda row: reasons[pair_of_row[row]])
        return code_of_pair[pair_of_row], tuple(table)


def _nulls(array: pa.Array) -> Flags:
    if array.null_count == 0:
        return np.zeros(len(array), dtype=np.bool_)
    return array.is_null().to_numpy(zero_copy_only=False)


def _coded(values: pa.Array) -> pa.DictionaryArray:
    """Texts as codes into a table that holds each once and no null."""
    if pa.types.is_dictionary(values.type):
        table = values.dictionary.to_pylist()
        is_unique = len(set(table)) == len(table)
        if is_unique and None not in table:
            return values
        values = values.dictionary_decode()
    return values.cast(pa.string()).dictionary_encode()


def log_of(batch: pa.RecordBatch) -> tuple[Log, dict[int, str]]:
    """The rounds of a batch that keep the rules, and why other rows (from 0) don't."""
    part = _Part(batch)
    part.read("schema_version")
    columns: dict[str, Any] = {}
    columns["rules_code"], columns["rules"] = part.rules()
    for name in _READ_ALIKE:
        columns |= part.read(name)
    columns["kind"] = part.kinds()
    columns |= part.read("seed")
    log = Log(**columns)
    checked = check_rounds(log)
    part.blame(~checked.is_legal, lambda row: fault_text(log, row, checked))
    if part.reasons:
        sound = np.delete(np.arange(part.n), list(part.reasons))
        log = log.take(sound).compact()
    return log, part.reasons


def batch_of(log: Log) -> pa.RecordBatch:
    """The rounds of a log as Parquet stores them; the caller has checked them."""
    log = log.compact()
    texts: dict[str, Sequence[str]] = {
        "rules": [json.dumps(rules_options(rules)) for rules in log.rules],
        "deck": [rules.deck for rules in log.rules],
        "kind": KINDS,
    }
    arrays = []
    for column in COLUMNS.values():
        if column.array:
            values = getattr(log, column.array)
        else:
            values = np.full(len(log), SCHEMA_VERSION, dtype=np.int16)
        if column.table:
            texts[column.name] = getattr(log, column.table)
        arrays.append(_array(column, values, texts.get(column.name)))
    return pa.record_batch(arrays, schema=SCHEMA)


def _array(column: Column, values: NDArray, texts: Sequence[str] | None) -> pa.Array:
    """A column of a batch; ``texts``: those that ``values`` are the codes of, if any."""
    is_null = None
    if column.unknown is not None:
        first_values = values if column.width == 1 else values[:, 0]
        is_null = first_values == column.unknown
    if texts is not None:
        flat = _coded_texts(values, texts)
    else:
        flat = pa.array(values.ravel(), mask=is_null if column.width == 1 else None)
    if column.width == 1:
        return flat
    mask = None if is_null is None else pa.array(is_null)
    return pa.FixedSizeListArray.from_arrays(flat, type=column.type, mask=mask)


def _coded_texts(codes: NDArray, texts: Sequence[str]) -> pa.Array:
    """Texts by code; the table holds each once, so that a file's does."""
    table = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    moved = np.array([table[text] for text in texts], dtype=np.int32)
    try:
        stored = pa.array(list(table), pa.string())
    except UnicodeEncodeError as error:
        raise InvalidRecordError(f"a text of the log is no valid Unicode: {error.reason}") from None
    return pa.DictionaryArray.from_arrays(pa.array(moved[codes.ravel()]), stored)
