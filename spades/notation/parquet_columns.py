"""Columns of a Parquet log to arrays of a ``Log``, and back.

Nothing in a file is trusted: every column is checked for its type, every row for its values. A
row with a fault is remembered with the reason and left out; only a file without the right columns
is refused as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.derived import check_rounds, fault_text
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import NO_SEED, NOT_PLAYED, SEED_RANGE, UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.records import KINDS, SCHEMA_VERSION
from spades.core.rules import Rules
from spades.notation.reading import shown
from spades.notation.schema import LARGEST, MAX_TEXT, load_object, rules_of, rules_options

_TEXT = pa.dictionary(pa.int32(), pa.string())
_INT64 = np.iinfo(np.int64)


def _some(of: pa.DataType, n: int) -> pa.DataType:
    return pa.list_(pa.field("element", of, nullable=False), n)


_TYPES = {
    "schema_version": pa.int16(),
    "game_id": _TEXT,
    "round": pa.int32(),
    "rules": _TEXT,
    "deck": _TEXT,
    "dealer": pa.int8(),
    "hands": _some(pa.int64(), N_SEATS),
    "bids": _some(pa.int8(), N_SEATS),
    "blind": _some(pa.bool_(), N_SEATS),
    "plays": _some(pa.int8(), N_CARDS),
    "player": _some(_TEXT, N_SEATS),
    "kind": _some(_TEXT, N_SEATS),
    "agent": _some(_TEXT, N_SEATS),
    "source": _TEXT,
    "score_before": _some(pa.int32(), 2),
    "bags_before": _some(pa.int32(), 2),
    "seed": pa.int64(),
}
_NULLABLE = ("score_before", "bags_before", "seed")
# The log schema (spec 1) in Parquet's types.
SCHEMA = pa.schema(
    [pa.field(name, kind, nullable=name in _NULLABLE) for name, kind in _TYPES.items()]
)


def width_of(name: str) -> int:
    """Values of a column in one row."""
    kind = _TYPES[name]
    return kind.list_size if pa.types.is_fixed_size_list(kind) else 1


def check_schema(schema: pa.Schema) -> None:
    """Raise ``InvalidRecordError`` unless every column is there once and has its type."""
    for name, kind in _TYPES.items():
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
        array, width = self.batch.column(name), width_of(name)
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
        wrong = has_null & ~is_null if name in _NULLABLE else has_null | is_null
        self.blame(wrong, lambda row: f"{name} is null or holds a null")
        return values, is_null

    def ints(self, name: str, low: int, high: int, unknown: int = 0) -> NDArray:
        """Whole numbers of a column, shape (n,) or (n, width), each from ``low`` to ``high``;
        null rows are ``unknown``."""
        values, is_null = self._filled(name)
        if not pa.types.is_signed_integer(values.type):
            values = values.cast(pa.int64())
        rows = values.fill_null(0).to_numpy(zero_copy_only=False).reshape(self.n, -1)
        wrong = ((rows < low) | (rows > high)).any(axis=1) & ~is_null
        self.blame(
            wrong, lambda row: f"{name} is {shown(rows[row].tolist())}; {low} to {high} are legal"
        )
        width, kind = width_of(name), _TYPES[name]
        dtype = (kind.value_type if width > 1 else kind).to_pandas_dtype()
        kept = np.where(wrong[:, None], 0, rows).astype(dtype)
        kept[is_null] = unknown
        return kept if width > 1 else kept.ravel()

    def flags(self, name: str) -> NDArray[np.bool_]:
        values, _ = self._filled(name)
        return values.fill_null(False).to_numpy(zero_copy_only=False).reshape(self.n, -1)

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
        return (rows if width_of(name) > 1 else rows.ravel()), table

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
    part.ints("schema_version", SCHEMA_VERSION, SCHEMA_VERSION)
    rules_code, rules = part.rules()
    columns: dict[str, Any] = {}
    for name, table in (
        ("game_id", "game"), ("player", "player"), ("agent", "agent"), ("source", "source")
    ):  # fmt: skip
        columns[f"{table}_code"], texts = part.texts(name)
        columns[f"{table}s"] = tuple(texts)
    log = Log(
        hands=part.ints("hands", 0, int(_INT64.max)),
        plays=part.ints("plays", NOT_PLAYED, 127),
        bids=part.ints("bids", -128, 127),
        blind=part.flags("blind"),
        dealer=part.ints("dealer", 0, N_SEATS - 1),
        round_index=part.ints("round", 0, LARGEST),
        score_before=part.ints("score_before", -LARGEST, LARGEST, UNKNOWN_SCORE),
        bags_before=part.ints("bags_before", 0, LARGEST, UNKNOWN_BAGS),
        kind=part.kinds(),
        seed=part.ints("seed", *SEED_RANGE, int(NO_SEED)),
        rules_code=rules_code,
        rules=rules,
        **columns,
    )
    checked = check_rounds(log)
    part.blame(~checked.is_legal, lambda row: fault_text(log, row, checked))
    if part.reasons:
        log = log.take(np.delete(np.arange(part.n), list(part.reasons))).compact()
    return log, part.reasons


def batch_of(log: Log) -> pa.RecordBatch:
    """The rounds of a log as Parquet stores them; the caller has checked them."""
    log = log.compact()
    is_null = {
        "score_before": log.score_before[:, 0] == UNKNOWN_SCORE,
        "bags_before": log.bags_before[:, 0] == UNKNOWN_BAGS,
        "seed": log.seed == NO_SEED,
    }
    rules = [json.dumps(rules_options(rules)) for rules in log.rules]
    columns = {
        "schema_version": np.full(len(log), SCHEMA_VERSION, dtype=np.int16),
        "game_id": _coded_texts(log.game_code, log.games),
        "round": log.round_index,
        "rules": _coded_texts(log.rules_code, rules),
        "deck": _coded_texts(log.rules_code, [rules.deck for rules in log.rules]),
        "player": _coded_texts(log.player_code, log.players),
        "kind": _coded_texts(log.kind, KINDS),
        "agent": _coded_texts(log.agent_code, log.agents),
        "source": _coded_texts(log.source_code, log.sources),
    }
    arrays = [
        _array(name, columns.get(name, getattr(log, name, None)), is_null.get(name))
        for name in SCHEMA.names
    ]
    return pa.record_batch(arrays, schema=SCHEMA)


def _array(name: str, values: Any, is_null: NDArray[np.bool_] | None) -> pa.Array:
    if width_of(name) == 1:
        return values if isinstance(values, pa.Array) else pa.array(values, mask=is_null)
    flat = values if isinstance(values, pa.Array) else pa.array(values.ravel())
    mask = None if is_null is None else pa.array(is_null)
    return pa.FixedSizeListArray.from_arrays(flat, type=_TYPES[name], mask=mask)


def _coded_texts(codes: NDArray, texts: Sequence[str]) -> pa.Array:
    """Texts by code; the table holds each once, so that a file's does."""
    table = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    moved = np.array([table[text] for text in texts], dtype=np.int32)
    try:
        found = pa.array(list(table), pa.string())
    except UnicodeEncodeError as error:
        raise InvalidRecordError(f"a text of the log is no valid Unicode: {error.reason}") from None
    return pa.DictionaryArray.from_arrays(pa.array(moved[codes.ravel()]), found)
