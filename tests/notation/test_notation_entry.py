import dataclasses
import os
from pathlib import Path

import pytest

import spades.notation as entry
from spades.core.errors import InvalidRecordError
from spades.notation import (
    format_records,
    notation_of,
    read_bytes,
    read_path,
    read_text,
    reading,
    write_path,
)
from spades.notation.reading import lacks, summarise
from tests.notation.texts import JOKER_PTN, STANDARD_PTN, edited

RECORDS = read_text(STANDARD_PTN + JOKER_PTN).records
SHARED = Path(__file__).resolve().parents[3] / "shared" / "records"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared records are not here")


def reason_of(result):
    assert result.records == ()
    (refusal,) = result.refused
    return str(refusal)


@pytest.mark.parametrize(
    ("name", "notation"),
    [
        ("a.ptn", "ptn"),
        ("a.PBN", "ptn"),
        ("a.tn", "trick-notation"),
        ("b/a.jsonl", "jsonl"),
        ("a.openspiel", "openspiel"),
    ],
)
def test_notation_by_ending(name, notation):
    assert notation_of(name).name == notation


@pytest.mark.parametrize("name", ["", "a.txt", "a", "ptn"])
def test_notation_by_content(name):
    for notation in ("ptn", "trick-notation", "jsonl"):
        result = read_text(format_records(RECORDS, notation), name=name)
        assert result.notation == notation
        assert len(result.records) == 2
    assert read_text(" ".join(map(str, range(52)))).notation == "openspiel"
    assert read_text(f"~~~\n{STANDARD_PTN}~~~\n").notation == "ptn"


@pytest.mark.parametrize("ending", ["ptn", "tn", "jsonl"])
def test_files_round_trip(tmp_path, ending):
    path = tmp_path / f"log.{ending}"
    write_path(RECORDS, path)
    result = read_path(path)
    assert [r.plays for r in result.records] == [r.plays for r in RECORDS]
    assert result.records[0].source.startswith(f"log.{ending}:")
    assert os.listdir(tmp_path) == [path.name]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"
    path.write_text("old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_path(RECORDS, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(InvalidRecordError, match="trick-notation, ptn, json, jsonl"):
        format_records(RECORDS, "openspiel")
    with pytest.raises(InvalidRecordError, match="legal"):
        write_path(RECORDS, tmp_path / "log.doc")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"PK\x03\x04....", "zip"),
        (b"\x1f\x8b....", "gzip"),
        (b"PAR1....", "Parquet"),
        ("[Event".encode("utf-16"), "UTF-16"),
        (b'[Event "x"]\n\xff', "line 2: not UTF-8: byte 0xff"),
        (b'[Event "\0"]', "binary"),
        (b"hello", "no known notation"),
    ],
)
def test_bytes_that_are_no_text(data, says):
    assert says in reason_of(read_bytes(data))


def test_byte_order_mark_is_skipped():
    assert len(read_bytes(b"\xef\xbb\xbf" + STANDARD_PTN.encode()).records) == 1


def test_lone_surrogates_are_refused():
    assert "Unicode" in reason_of(read_text('[Event "\ud800"]'))


def test_too_big_a_file_is_refused_unread(tmp_path):
    path = tmp_path / "big.ptn"
    with path.open("wb") as file:
        file.truncate(reading.MAX_TEXT_BYTES + 1)
    with pytest.raises(InvalidRecordError, match="more than 64 MB"):
        read_path(path)


def test_too_big_a_text_is_refused(monkeypatch):
    monkeypatch.setattr(entry, "MAX_TEXT_BYTES", 100)
    assert "at most" in reason_of(read_text(STANDARD_PTN))
    assert "at most" in reason_of(read_bytes(STANDARD_PTN.encode()))


@pytest.mark.parametrize("notation", ["ptn", "trick-notation", "jsonl"])
def test_too_many_records_are_refused_whole(monkeypatch, notation):
    monkeypatch.setattr(reading, "MAX_RECORDS", 3)
    assert "over 3 rounds in one text" in reason_of(
        read_text(format_records(RECORDS * 2, notation))
    )


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_path(tmp_path / "none.ptn")


def test_no_regular_file_is_refused():
    with pytest.raises(InvalidRecordError, match="regular"):
        read_path("/dev/null")
    with pytest.raises(InvalidRecordError, match="a folder"):
        read_path("/dev")


def test_summary():
    broken = edited(STANDARD_PTN, "D7 D8 D3 D5", "D7 S3 D3 D5")
    summary = summarise([read_text(broken + JOKER_PTN + STANDARD_PTN)])
    (refused,) = summary.pop("refused")
    assert refused["line"] == 16
    assert "must follow D" in refused["reason"]
    assert [set(note) for note in summary.pop("notes")][:1] == [{"line", "text"}]
    assert summary == {
        "notation": "ptn",
        "rounds": 2,
        "complete": 2,
        "incomplete": [],
        "seats": {"N": {"bot": 2}, "E": {"bot": 2}, "S": {"human": 2}, "W": {"bot": 2}},
        "played_by": {
            seat: [{"kind": "human" if seat == "S" else "bot", "agent": "", "rounds": 2}]
            for seat in "NESW"
        },
        "decks": {"joker-joker-deuce-deuce": 1, "standard": 1},
    }


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        ({}, ""),
        ({"plays": ()}, "all plays"),
        ({"plays": (), "bids": (-1,) * 4}, "the auction, all plays"),
        ({"bids": (-1, 3, 3, 3)}, "the bid of N"),
    ],
)
def test_what_a_record_lacks(change, lacking):
    record = read_text(STANDARD_PTN).records[0]
    assert lacks(dataclasses.replace(record, **change)) == lacking


@needs_shared
@pytest.mark.parametrize(
    ("name", "tricks", "points"),
    [("trickster_335.ptn", [6, 2, 1, 4], (-80, 51)), ("standard_bots.ptn", [5, 5, 3, 0], (80, 41))],
)
def test_shared_records(name, tricks, points):
    (record,) = read_path(SHARED / name).records
    assert record.final().table.tricks_taken == tricks
    assert record.score().points == points


@needs_shared
def test_shared_record_scores_and_notes():
    result = read_path(SHARED / "trickster_335.ptn")
    (record,) = result.records
    assert record.rules.deck == "joker-joker-deuce-deuce"
    assert record.kinds == ("bot", "bot", "human", "bot")
    assert record.score_before == (162 + 80, 527 - 51)
    assert any("blindNonNilBids" in note.text for note in result.notes)
    assert any("no closing bracket" in note.text for note in result.notes)


@needs_shared
def test_shared_deal_only():
    result = read_path(SHARED / "trickster_231_deal_only.ptn")
    assert result.refused == ()
    (record,) = result.records
    assert record.plays == ()
    assert record.rules.spades_lead == "any"
    assert (record.rules.target, record.rules.losing_floor) == (350, -200)
    assert record.rules.bag_limit == 0


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("name", ["a.csv", "a.ptn", "a.tn", "a.json", "a.jsonl", "a.openspiel"])
def test_too_many_lines_are_refused_whichever_way_they_end(monkeypatch, name, end):
    monkeypatch.setattr(reading, "MAX_LINES", 1000)
    text = f"x{end}" * 1001
    assert "1,001 lines, at most 1,000 are read" in reason_of(read_text(text, name=name))
    assert "1,001 lines" in reason_of(read_bytes(text.encode(), name=name))
    assert "lines, at most" not in str(read_text(f"x{end}" * 1000, name=name).refused[0])


@pytest.mark.timeout(10)
@pytest.mark.parametrize("name", ["a.ptn", "a.csv", "a.parquet", "a"])
def test_a_pipe_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(InvalidRecordError, match="not a regular file"):
        read_path(tmp_path / name)
