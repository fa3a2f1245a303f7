"""JSON documents: a list of rounds or one, on any number of lines."""

import json

import pytest

from spades.core.rules import Rules
from spades.notation import NOTATIONS, format_records, read_parts, read_path, read_text, reading
from spades.notation.schema import row_of
from tests.random_logs import random_log
from tests.strategies import record_of

RECORDS = (record_of(Rules(), 3, 1), record_of(Rules(nil=None), 2, 2, n_plays=30, source="mine"))
ROWS = list(map(row_of, RECORDS))
TEXT = format_records(RECORDS, "json")
document = NOTATIONS["json"]


def refusal_of(text):
    result = document.parse(text)
    assert result.records == ()
    return str(result.refused[-1])


def test_what_is_written_is_a_list_of_the_rows():
    assert json.loads(TEXT) == ROWS
    assert json.loads(format_records([], "json")) == []
    assert TEXT.isascii()


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        "```json\n" + json.dumps(ROWS, indent=2) + "\n```\n",
        "\n\n".join(json.dumps(row, indent=4) for row in ROWS),  # as jq writes JSON Lines
    ],
)
def test_documents_as_programs_write_them(text):
    result = read_text(text)
    assert result.notation == "json"
    assert result.refused == ()
    assert result.records == RECORDS


def test_one_round_without_a_list():
    result = read_text(json.dumps(ROWS[0], indent=2))
    assert (result.notation, result.records) == ("json", RECORDS[:1])


def test_json_lines_are_no_document():
    text = format_records(RECORDS, "jsonl")
    assert read_text(text).notation == "jsonl"
    assert read_text(text.splitlines()[0]).notation == "jsonl"


def test_a_faulty_round_costs_no_other():
    bad = {**ROWS[0], "bids": [3, 3, 3, 99]}
    text = json.dumps([ROWS[0], bad, ROWS[1]], indent=1)
    result = document.parse(text)
    assert result.records == RECORDS
    (refusal,) = result.refused
    lines = text.split("\n")
    assert refusal.line == [i for i, line in enumerate(lines, 1) if line == " {"][1]
    assert refusal.reason == "bids[3] is 99; -1 to 13 are legal"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "no record of the json notation"),
        ("[1, 2]", "line 1: '1,' between rounds; objects {...} in a list are legal"),
        ("[\n{}\n{}]", "line 3: '{' between rounds"),
        ("\n{,}", "line 2: no valid JSON"),
        ("{}", "line 1: the column schema_version is missing"),
        ('{"rounds": []}', "line 1: the column schema_version is missing"),
        ('{"a": 1, "a": 2}', "line 1: the key 'a' comes twice"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "line 1: JSON nested too deep"),
        ('{"a": NaN}', "line 1: NaN is no JSON number"),
        ('{"a": ' + "9" * 500 + "}", "line 1: no valid JSON: a whole number of"),
        ("\n{", "line 2: the text is cut off inside this round"),
        ('{"a": "}"', "line 1: the text is cut off inside this round"),
        ('{"a": "\n}', "line 1: no valid JSON"),
        ("[", "the list of rounds isn't closed: the text is cut off"),
        ('{"a":\0}', "line 1: binary data"),
    ],
)
def test_refusals(text, says):
    assert refusal_of(text).startswith(says)


@pytest.mark.parametrize("text", ["[{}, {}", "[{},", "{}]", "{}, {}", "[{}] {}", "[{}]]"])
def test_text_that_lost_its_beginning_or_end_is_remarked_on(text):
    *_, last = document.parse(text).refused
    assert "cut off" in last.reason or "between rounds" in last.reason


@pytest.mark.parametrize("n_characters", range(2, len(TEXT) - 2, 97))
def test_half_a_file(n_characters):
    result = document.parse(TEXT[:n_characters])
    assert result.refused
    assert result.records in ((), RECORDS[:1], RECORDS)
    assert "cut off" in result.refused[-1].reason


def test_a_huge_round_is_not_kept(monkeypatch):
    monkeypatch.setattr("spades.notation.notations.json_document.MAX_LINE", 100)
    assert "over 100 characters" in refusal_of("[{" + '"a": [],\n' * 20)
    monkeypatch.setattr(reading, "MAX_LINE", 100)
    assert "a line of over 100 characters" in refusal_of("[" * 101)


def test_files_of_any_size_are_read_in_parts(tmp_path, monkeypatch):
    records = tuple(random_log(30, p_cut=0.5).records())
    monkeypatch.setattr("spades.notation.MAX_TEXT_BYTES", 1000)
    monkeypatch.setattr(reading, "ROUNDS_AT_ONCE", 7)
    path = tmp_path / "big.json"
    path.write_text("\ufeff" + format_records(records, "json"))
    parts = list(read_parts(path))
    assert [len(part.records) for part in parts] == [7, 7, 7, 7, 2]
    assert sum((part.records for part in parts), ()) == records
    monkeypatch.undo()
    assert read_path(path).records == records
