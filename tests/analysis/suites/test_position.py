"""Positions of a suite: what a line may hold, and what is said of one that is none."""

import json
import re
from pathlib import Path

import pytest

from analysis.suites.position import UNLISTED, position_of
from analysis.suites.suite import read_suite, write_suite
from spades.core.errors import InvalidRecordError, SpadesError
from spades.notation import format_records, read
from spades.notation.schema import row_of

HAND = "south-nil"


def row(**changes):
    """A decision of a shipped hand with a choice, its first legal card best."""
    (record,) = read(HAND)
    legal = list(record.observation(20).legal)
    plain = {
        "id": "one",
        "record": HAND,
        "ply": 20,
        "themes": ["nil cover"],
        "best": [str(legal[0])],
        "known": {"by": "opinion"},
    }
    return {**plain, **changes}


def test_a_name_an_object_and_a_text_are_the_same_round():
    (record,) = read(HAND)
    ptn = "".join(format_records([record], "ptn"))
    by_name = position_of(row())
    for source in (row_of(record), ptn):
        other = position_of(row(record=source))
        assert other.observation.text() == by_name.observation.text()
        assert other.verdicts == by_name.verdicts


def test_a_round_of_a_log_is_chosen_by_its_number():
    (first, second) = (position_of(_of_log(i)).record for i in (0, 1))
    assert first.hands != second.hands


def _of_log(number):
    from spades.notation.log_store import open_log

    record = open_log("human-south").record(number)
    for ply in range(52):
        legal = list(record.observation(ply).legal)
        if len(legal) > 4:
            best = [str(legal[0])]
            return row(record="human-south", round=number, ply=ply, best=best)
    raise AssertionError


def test_touching_cards_are_one():
    # North leads, holding touching cards of each suit.
    record = {
        "schema_version": 1,
        "dealer": 3,
        "hands": [
            ["SK", "SQ", "H2", "H3", "H4", "H5", "H6", "D2", "D3", "D4", "C2", "C3", "C4"],
            ["SA", "S2", "S3", "S4", "H7", "H8", "H9", "D5", "D6", "D7", "C5", "C6", "C7"],
            ["S5", "S6", "S7", "HT", "HJ", "HQ", "D8", "D9", "DT", "C8", "C9", "CT", "CJ"],
            ["S8", "S9", "ST", "SJ", "HK", "HA", "DJ", "DQ", "DK", "DA", "CQ", "CK", "CA"],
        ],
        "bids": [3, 3, 3, 3],
    }
    position = position_of(row(record=record, ply=0, best=["H6"], wrong=["D2"]))
    assert position.verdicts["H2"] == "best"  # 6 to 2 of hearts touch
    assert position.verdicts["D4"] == "wrong"
    assert position.verdicts["C3"] == UNLISTED
    assert "SK" not in position.verdicts  # spades aren't broken


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"colour": 1}, "a position has the key 'colour'; id, record, round, ply"),
        ({"id": " "}, "id is empty"),
        ({"id": 7}, "id is 7; a text is legal"),
        ({"record": 7}, "record is 7; an object, a text in any notation, or a shipped name"),
        ({"record": "south-nill"}, "did you mean south-nil"),
        ({"record": {}}, "the column schema_version is missing"),
        ({"round": 1}, "round is 1; 0 to 0 are there"),
        ({"ply": 52}, "ply is 52; 0 to 51 are legal"),
        ({"themes": []}, "themes is empty"),
        ({"themes": "nil"}, "themes is 'nil'; a list of texts is legal"),
        ({"best": []}, "best is empty; one legal card or more"),
        ({"best": ["XX"]}, "'XX'"),
        ({"wrong": ["SA"]}, "wrong has SA, which can't be played;"),
        ({"known": {}}, "known lacks by"),
        ({"known": {"by": "proof"}}, "known lacks n"),
        ({"known": {"by": "luck"}}, "known.by is 'luck'; proof, truth, play-outs, opinion are"),
        ({"known": {"by": "truth", "n": 9}}, "known lacks lead or interval"),
        (
            {"known": {"by": "truth", "n": 9, "lead": 2, "interval": [3, 1]}},
            "low comes first",
        ),
        ({"known": {"by": "opinion", "lead": "much"}}, "known.lead is 'much'"),
    ],
)
def test_what_is_refused(changes, why):
    with pytest.raises(SpadesError) as refusal:
        position_of(row(**changes))
    assert why in str(refusal.value)


def test_a_card_has_one_list_and_one_card_must_fail():
    (record,) = read(HAND)
    legal = [str(card) for card in record.observation(20).legal]
    with pytest.raises(InvalidRecordError, match="in best and in wrong; one list is legal"):
        position_of(row(wrong=row()["best"]))
    with pytest.raises(InvalidRecordError, match="every legal card passes"):
        position_of(row(best=legal))


def test_refused_lines_are_named_and_the_others_are_read(tmp_path):
    path = tmp_path / "mine.jsonl"
    lines = [json.dumps(row()), "", "{", json.dumps(row()), json.dumps(row(id="two", ply=99))]
    path.write_text("\n".join(lines))
    suite = read_suite(path)
    assert suite.name == "mine"
    assert [position.id for position in suite.positions] == ["one"]
    assert [refusal.line for refusal in suite.refused] == [3, 4, 5]
    assert "the id one comes twice" in suite.refused[1].reason


def test_a_written_suite_is_read_as_it_was(tmp_path):
    before = position_of(row(known={"by": "truth", "n": 9, "lead": 2.5, "interval": [1, 4]}))
    write_suite([before], tmp_path / "x.jsonl")
    (after,) = read_suite(tmp_path / "x.jsonl").positions
    assert after.row() == before.row()
    assert len(after.record.plays) == 20  # no further than to the decision


def test_no_file_and_an_empty_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="did you mean sixty"):
        read_suite("sixtty")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InvalidRecordError, match="no position in it"):
        read_suite(tmp_path / "empty.jsonl")


def test_the_example_of_the_docs_is_a_position():
    page = (Path(__file__).parents[3] / "docs" / "suites.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'^\{"id": .*?\}$', page, re.MULTILINE | re.DOTALL)
    position = position_of(json.loads(example))
    assert position.themes == ("setting a nil",)
    assert {position.verdicts["CK"], position.verdicts["C2"]} == {"best", "wrong"}
