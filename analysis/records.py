"""Typed results as records: JSON documents, tables to download, rows of text.

A result is a frozen dataclass or a small tree of them. Its fields have one name everywhere: in the
dataclass, as keys of the JSON document, as columns of the CSV file. A ``Column`` says how a field
is shown, the same in a terminal, in Markdown and on a page.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the first look at a page does without pandas
    import pandas as pd


@dataclass(frozen=True)
class Column:
    """How one field of a result is shown.

    ``name``: the field. ``label``: its heading. ``form``: the format of its numbers, empty for
    text. ``meaning``: a sentence, with the unit of numbers. ``value``: computes the value from a
    result, where it isn't the field itself."""

    name: str
    label: str
    form: str = ""
    meaning: str = ""
    value: Callable[[Any], Any] | None = None

    def of(self, result: Any) -> Any:
        """The value of a result."""
        if self.value is not None:
            return self.value(result)
        return getattr(result, self.name)

    def text(self, result: Any, missing: str = "-") -> str:
        """The value as people read it; ``missing`` for None and NaN."""
        value = self.of(result)
        if is_missing(value):
            return missing
        text = format(value, self.form)
        return text.replace("-", "−") if self.form else text


def is_missing(value: Any) -> bool:
    """Whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def document_of(result: Any) -> Any:
    """A result for JSON: an object a dataclass or named tuple, by the names of its fields.

    NaN becomes null. A result that has a method ``document`` says itself what it is."""
    if hasattr(result, "document"):
        return result.document()
    if is_dataclass(result) and not isinstance(result, type):
        return documents_of(result, [field.name for field in fields(result)])
    if hasattr(result, "_asdict"):
        return document_of(result._asdict())
    if isinstance(result, Mapping):
        return {name: document_of(value) for name, value in result.items()}
    if isinstance(result, list | tuple):
        return [document_of(value) for value in result]
    if is_missing(result):
        return None
    return result


def documents_of(result: Any, names: Iterable[str]) -> dict[str, Any]:
    """Fields and properties of a result for JSON, by name."""
    return {name: document_of(getattr(result, name)) for name in names}


def flattened(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for CSV: what a mapping holds becomes columns ``name_key``."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if not isinstance(value, Mapping):
            flat[name] = value
            continue
        for key, inner_value in flattened(value).items():
            flat[f"{name}_{key}"] = inner_value
    return flat


def frame_of(results: Iterable[Any], columns: Sequence[Column]) -> "pd.DataFrame":
    """A table with a row a result: the values of the columns, by name."""
    import pandas as pd

    names = [column.name for column in columns]
    rows = [[column.of(result) for column in columns] for result in results]
    return pd.DataFrame(rows, columns=names)


def text_rows(
    results: Iterable[Any], columns: Sequence[Column], missing: str = "-"
) -> list[list[str]]:
    """Rows of text, the first of them the labels."""
    rows = [[column.label for column in columns]]
    for result in results:
        rows.append([column.text(result, missing) for column in columns])
    return rows
