"""Replays of Spades-AI, written here by hand from shipped rounds."""

import json

import pytest

import spades
from spades.cli.main import main
from spades.notation import NOTATIONS, read_bytes, read_text, written_notations

RECORD = spades.shipped("south-nil")
REPLAYS = NOTATIONS["spades-ai-replay"]
NAMES = ["North", "East", "South", "West"]


def replay_of(record):
    """What the program's window exports of a round."""
    winners = record.final().table.winners
    tricks = []
    leader = (record.dealer + 1) % 4
    for i, winner in enumerate(winners):
        cards = record.plays[4 * i : 4 * i + 4]
        plays = [
            {"seat": (leader + place) % 4, "card": f"{card}"[::-1]}
            for place, card in enumerate(cards)
        ]
        tricks.append({"trickNumber": i + 1, "leader": leader, "winner": winner, "plays": plays})
        leader = winner
    deck = record.rules.cards
    return {
        "format": "spades-ai-replay",
        "version": 1,
        "seed": 42,
        "viewSeat": 2,
        "seats": NAMES,
        "bids": [{"value": bid, "type": "normal" if bid else "nil"} for bid in record.bids],
        "initialHands": [
            [card[::-1] for card in deck.format_cards(hand).split()] for hand in record.hands
        ],
        "tricks": tricks,
        "tricksWon": list(map(winners.count, range(4))),
        "score": None,
    }


def see_the_round(reading):
    (read,) = reading.records
    assert reading.notation == "spades-ai-replay"
    assert (read.hands, read.bids, read.plays) == (RECORD.hands, RECORD.bids, RECORD.plays)
    assert read.dealer == RECORD.dealer
    assert list(read.players) == NAMES
    assert "bots assumed" in str(reading.notes[0])


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["", "replay.json"])
def test_a_replay_is_read_pasted_and_uploaded(indent, name):
    see_the_round(read_bytes(json.dumps(replay_of(RECORD), indent=indent).encode(), name=name))


def test_bids_as_the_server_writes_them():
    bids = ["nil" if bid == 0 else f"bid_{bid}" for bid in RECORD.bids]
    assert "nil" in bids
    see_the_round(read_text(json.dumps(replay_of(RECORD) | {"bids": bids})))


@pytest.mark.parametrize("list_name", ["records", "replay_records"])
def test_a_faulty_round_of_a_bundle_costs_no_other(list_name):
    good = replay_of(RECORD)
    bad = good | {"bids": good["bids"][:3]}
    bundle = {"format": "spades-ai-replay-bundle", "version": 1, list_name: [bad, good]}
    reading = read_text(json.dumps(bundle))
    see_the_round(reading)
    (refusal,) = reading.refused
    assert "a list of 4 bids is legal" in refusal.reason


def changed(replay, place, value):
    text = json.loads(json.dumps(replay))
    *way, last = place
    inner = text
    for step in way:
        inner = inner[step]
    inner[last] = value
    return text


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        (["version"], 2, "version is 2; 1 is legal"),
        (["tricks"], [], "tricks is []; a list of 13 tricks is legal"),
        (["tricks", 0], 7, "tricks[0] is 7; an object with leader is legal"),
        (["tricks", 0, "leader"], 4, "tricks[0].leader is 4; 0 to 3 are legal"),
        (["tricks", 4, "winner"], 9, "tricks[4].winner is 9; "),
        (["bids", 1], "bid_14", "bids[1].value is 14; 1 to 13 are legal"),
        (["bids", 1], "seven", "bids[1] is 'seven'; nil and bid_1 to bid_13 are legal"),
        (["bids", 1, "type"], "blind", "bids[1].type is 'blind'; nil and normal are legal"),
        (["initialHands", 0], 5, "hands[0] is 5; a list of cards"),
        (["initialHands", 0, 0], "1X", "'X1'"),
        (["tricks", 12, "plays", 0, "card"], None, "a list of cards"),
        (["seats"], "NESW", "player is 'NESW'; a list of 4 is legal"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_legal(place, value, says):
    reading = read_text(json.dumps(changed(replay_of(RECORD), place, value)))
    assert reading.records == ()
    assert says in reading.refused[0].reason


def test_plays_out_of_turn_are_refused():
    replay = replay_of(RECORD)
    second = replay["tricks"][2]["plays"][1]["seat"]
    replay["tricks"][2]["plays"].reverse()
    reason = read_text(json.dumps(replay)).refused[0].reason
    assert reason.startswith("tricks[2].plays[0] is by ")
    assert "NESW"[second] not in reason.partition("by ")[2][:1]


def test_replays_are_not_written():
    assert REPLAYS not in written_notations()
    with pytest.raises(spades.core.errors.InvalidRecordError, match="can't write"):
        spades.notation.format_records([RECORD], "spades-ai-replay")


def test_a_file_is_converted_by_command(tmp_path, capsys):
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(replay_of(RECORD)))
    assert main(["convert", str(file), str(tmp_path / "hand.json.ptn")]) == 0
    (read,) = spades.read(tmp_path / "hand.json.ptn")
    assert read.plays == RECORD.plays
