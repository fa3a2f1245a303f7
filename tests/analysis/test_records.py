"""Typed results as documents, tables and texts."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from analysis.records import (
    Column,
    document_of,
    documents_of,
    flattened,
    frame_of,
    text_rows,
)


class Ends(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Inner:
    share: float
    ends: Ends | None = None


@dataclass(frozen=True)
class Result:
    name: str
    value: float
    parts: tuple[Inner, ...]
    by_model: dict[str, float]

    @property
    def double(self) -> float:
        return 2 * self.value


RESULT = Result("a", math.nan, (Inner(0.5, Ends(0.1, math.nan)), Inner(1.0)), {"m": 0.25})


def test_a_document_has_the_names_of_the_fields_and_no_nan():
    assert document_of(RESULT) == {
        "name": "a",
        "value": None,
        "parts": [
            {"share": 0.5, "ends": {"low": 0.1, "high": None}},
            {"share": 1.0, "ends": None},
        ],
        "by_model": {"m": 0.25},
    }
    assert documents_of(RESULT, ("double", "name")) == {"double": None, "name": "a"}


def test_a_result_may_say_itself_what_its_document_is():
    @dataclass(frozen=True)
    class Own:
        value: int

        def document(self):
            return {"twice": 2 * self.value}

    assert document_of([Own(3)]) == [{"twice": 6}]


def test_mappings_become_columns_of_a_row():
    assert flattened({"a": 1, "human": {"m": 0.5, "n": {"x": 2}}}) == {
        "a": 1,
        "human_m": 0.5,
        "human_n_x": 2,
    }


COLUMNS = (
    Column("name", "Name"),
    Column("value", "Value", "+.1f"),
    Column("share", "Share", ".0%", value=lambda result: result.parts[0].share),
)


@pytest.mark.parametrize(("missing", "shown"), [("-", "-"), ("–", "–")])
def test_text_has_labels_and_formats(missing, shown):
    other = Result("b", 2.25, (Inner(0.125),), {})
    assert text_rows([RESULT, other], COLUMNS, missing) == [
        ["Name", "Value", "Share"],
        ["a", shown, "50%"],
        ["b", "+2.2", "12%"],
    ]


def test_a_table_has_the_names_and_the_values_themselves():
    table = frame_of([RESULT], COLUMNS)
    assert list(table.columns) == ["name", "value", "share"]
    assert table["share"][0] == 0.5
    assert list(frame_of([], COLUMNS).columns) == ["name", "value", "share"]
