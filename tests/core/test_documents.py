"""What comes from outside is read within bounds: numbers, files, JSON, TOML."""

import os
from pathlib import Path

import pytest

from spades.core.documents import (
    MAX_DEPTH,
    MAX_INT,
    load_json,
    load_object,
    load_toml,
    parse_integer,
    read_file,
    read_json,
)
from spades.core.errors import InvalidRecordError, shown


@pytest.mark.parametrize(("text", "number"), [("7", 7), (" -3 ", -3), ("+05", 5), ("9" * 18, None)])
def test_whole_numbers(text, number):
    assert parse_integer(text) == (int(text) if number is None else number)
    assert parse_integer(str(MAX_INT)) == MAX_INT


@pytest.mark.parametrize("text", ["", "x", "1.5", "1_0", "²", "٣", "1 2", "13", "9" * 5000])
def test_what_is_no_whole_number_of_the_range_is_refused(text):
    with pytest.raises(InvalidRecordError, match="whole number from -5 to 12 is legal") as refused:
        parse_integer(text, -5, 12)
    assert len(str(refused.value)) < 150


def test_files_of_up_to_a_limit_are_read(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(InvalidRecordError, match="more than 4 bytes"):
        read_file(path, 4)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none")


@pytest.mark.timeout(10)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(InvalidRecordError, match="not a regular file"):
            read_file(path)
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path)


def test_files_that_are_no_json_are_refused(tmp_path):
    path = tmp_path / "plan.json"
    for data, reason in (
        (b"[1", "no valid JSON"),
        (b"\xff", "not UTF-8: invalid start byte at byte 0"),
        (b"[" * 3000, "JSON nested too deep"),
    ):
        path.write_bytes(data)
        with pytest.raises(InvalidRecordError, match=reason):
            read_json(path)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 300, 3000, 1_000_000])
def test_deep_texts_are_refused_whatever_the_stack(depth):
    for load, text in (
        (load_json, "[" * depth + "]" * depth),
        (load_json, '{"a":' * depth + "1" + "}" * depth),
        (load_toml, "a = " + "[" * depth + "]" * depth),
    ):
        with pytest.raises(InvalidRecordError, match="nested too deep"):
            load(text)


def test_what_is_not_too_deep_is_read():
    depth = MAX_DEPTH
    assert load_json("[" * depth + "]" * depth)
    assert load_object('{"a": [1, "[[["]}') == {"a": [1, "[[["]}


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (load_json, '{"a": %s}' % ("9" * 5000)),
        (load_json, '{"a": [%s]}' % ("9" * 400)),
        (load_toml, "a = " + "9" * 5000),
        (load_toml, "a = 0x" + "f" * 5000),
        (load_toml, "[[grid]]\nk = [1, 0b" + "1" * 2000 + "]"),
    ],
)
def test_numbers_that_no_float_holds_are_refused(load, text):
    with pytest.raises(InvalidRecordError, match="no valid"):
        load(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": 1, "a": 2}', "the key 'a' comes twice"),
        ("[1]", r"\[1\] where a JSON object"),
    ],
)
def test_what_json_does_not_mean_is_refused(text, reason):
    with pytest.raises(InvalidRecordError, match=reason):
        load_object(text)


def test_whatever_was_found_can_be_shown():
    assert shown("a" * 5000).endswith("a...")
    assert shown(10**5000) == "a huge int"
