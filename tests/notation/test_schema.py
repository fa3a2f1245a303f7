import json

import pytest

from spades.core.records import HUMAN, SIMULATED_HUMAN
from spades.notation import NOTATIONS, format_records
from tests.notation.texts import STANDARD_PTN

jsonl = NOTATIONS["jsonl"]
(RECORD,) = NOTATIONS["ptn"].parse(STANDARD_PTN).records
ROW = json.loads(format_records([RECORD], "jsonl"))


def with_columns(**columns):
    return json.dumps({**ROW, **columns})


def refusal_of(text):
    reading = jsonl.parse(text)
    assert reading.records == ()
    (refusal,) = reading.refused
    return refusal.reason


def test_columns_of_the_log_schema():
    assert ROW["plays"][:4] == ["CQ", "C4", "CK", "CT"]
    assert ROW["hands"][0][:3] == ["SK", "ST", "S7"]
    assert ROW["bids"] == [6, 2, 5, 3]
    assert ROW["kind"] == ["bot", "bot", HUMAN, "bot"]
    assert ROW["score_before"] == [200, 100]
    assert "complete" not in ROW
    assert jsonl.parse(json.dumps(ROW)).records == (RECORD,)


def test_only_what_a_round_needs():
    row = {name: ROW[name] for name in ("schema_version", "dealer", "hands")}
    (record,) = jsonl.parse(json.dumps(row)).records
    assert record.hands == RECORD.hands
    assert record.plays == ()


def test_source_is_kept_or_made():
    text = with_columns() + "\n\n" + with_columns(source="a log")
    assert [r.source for r in jsonl.parse(text, name="b.jsonl").records] == ["b.jsonl:1", "a log"]


def test_the_rest_of_the_file_is_read():
    reading = jsonl.parse("\n".join([with_columns(), "{oops", with_columns(kind=[HUMAN] * 4)]))
    assert len(reading.records) == 2
    assert [refusal.line for refusal in reading.refused] == [2]


def test_unknown_columns_are_noted():
    reading = jsonl.parse(with_columns(shoe_size=44, kind=[SIMULATED_HUMAN] * 4))
    assert len(reading.records) == 1
    assert "shoe_size" in reading.notes[0].text


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"schema_version": 2}, "1 is legal"),
        ({"schema_version": True}, "1 is legal"),
        ({"dealer": 4}, "0 to 3"),
        ({"dealer": True}, "0 to 3"),
        ({"dealer": 1.0}, "0 to 3"),
        ({"dealer": "N"}, "0 to 3"),
        ({"round": -1}, "round is -1"),
        ({"round": 10**30}, "round is 1000"),
        ({"hands": ROW["hands"][:3]}, "list of 4"),
        ({"hands": [["SA"], [], [], []]}, "N holds 1 cards"),
        ({"hands": [["SA", "SA"], [], [], []]}, "SA comes twice"),
        ({"hands": [["XX"], [], [], []]}, "no card"),
        ({"hands": [[1], [], [], []]}, "list of cards"),
        ({"hands": None}, "list of 4"),
        ({"bids": [1, 2, 3]}, "list of 4"),
        ({"bids": [1, 2, 3, 14]}, "bids[3] is 14"),
        ({"bids": [1, 2, 3, None]}, "bids[3] is None"),
        ({"blind": [0, 0, 0, 0]}, "true or false"),
        ({"blind": [True, False, False, False]}, "only nil may be blind"),
        ({"bids": [-1] * 4, "blind": [True] * 4}, "blind[0] is true"),
        ({"plays": ["CQ", "S2"]}, "doesn't hold it"),
        ({"plays": ["C4"]}, "doesn't hold it; legal"),
        ({"plays": ["CQ"] * 53}, "53 cards"),
        ({"plays": "CQ"}, "list of cards"),
        ({"score_before": [1]}, "list of 2"),
        ({"bags_before": [-1, 0]}, "bags_before[0]"),
        ({"kind": ["cat"] * 4}, "human, bot, simulated-human"),
        ({"kind": [["bot"]] * 4}, "human, bot"),
        ({"player": [1] * 4}, "a text is legal"),
        ({"player": ["\ud800"] * 4}, "Unicode"),
        ({"agent": ["x" * 20_000] * 4}, "10,000"),
        ({"seed": 2**63}, "seed is"),
        ({"seed": -(2**63)}, "seed is"),
        ({"seed": "1"}, "seed is"),
        ({"deck": "tarot"}, "standard, joker"),
        ({"deck": ["standard"]}, "standard, joker"),
        ({"deck": "joker-joker-ace"}, "no card of the joker-joker-ace"),
        ({"rules": {"deck": "joker-joker-ace"}}, "rules say"),
        ({"rules": {"nils": 3}}, "unknown rule"),
        ({"rules": {"target": "500"}}, "target"),
        ({"rules": {"target": 10**12}}, "target is 1000000000000; -1,000,000 to 1,000,000 are"),
        ({"rules": []}, "an object of options"),
        ({"rules": {"spades_lead": "never"}}, "broken, any"),
    ],
)
def test_refused(columns, says):
    assert says in refusal_of(with_columns(**columns))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "JSON object"),
        ("{}", "schema_version is missing"),
        ('{"schema_version": NaN}', "NaN"),
        ('{"schema_version": Infinity}', "Infinity"),
        ('{"dealer": 1, "dealer": 2}', "comes twice"),
        ('{"x": ' + "[" * 100_000, "nested too deep"),
        ('{"x": ' + "9" * 100_000 + "}", "no valid JSON"),
        ('{"schema_version": 1, "hands": ' + "[" * 900 + "]" * 900 + ', "dealer": 0}', "too deep"),
        ('{"schema_version": 1, "hands": ' + "[" * 40 + "]" * 40 + ', "dealer": 0}', "list of 4"),
        (with_columns()[:-40], "no valid JSON"),
        ("", "no record"),
    ],
)
def test_refused_json(text, says):
    assert says in refusal_of(text)
