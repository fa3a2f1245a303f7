"""``spades engine``: what it answers, in which order, and that its visits are those of analyze."""

import io
import json
import threading

import pytest

import spades
from analysis.engine.server import Server, chosen_card
from spades.agents import parse_agent
from spades.cli.main import main
from spades.notation import format_records
from spades.programs.messages import known_of, news, play_request

AGENT = parse_agent("ismcts:iterations=600+bis")


def answers(*messages, agent=AGENT, threads=1):
    """What a server answers to messages, objects or raw lines, before the end of its input."""
    lines = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
    sink = io.BytesIO()
    Server(agent, io.BytesIO(b"\n".join(lines) + b"\n"), sink, threads=threads).run()
    return [json.loads(line) for line in sink.getvalue().splitlines()]


@pytest.fixture(scope="module")
def record():
    return spades.shipped("bug-report-335")


@pytest.fixture(scope="module")
def text(record):
    return format_records([record], "jsonl")


def position(record, ply):
    """A query's position: what the seat to play sees."""
    seen = record.observation(ply)
    newround, *_ = news(None, known_of(seen), seen)
    bids = dict(zip("NESW", record.bids, strict=True))
    return {**newround, "bids": bids, "plays": [str(card) for card in record.plays[:ply]]}


def test_hello():
    (hello,) = answers({"type": "hello", "id": 0, "protocol": 1})
    assert hello == {
        "id": 0,
        "protocol": 1,
        "name": "ismcts:iterations=600+bis",
        "version": spades.__version__,
    }


def test_visits_are_those_of_analyze(text, record, tmp_path, capsys):
    """The very numbers that the command prints, whole; from the record and from the position."""
    file = tmp_path / "hand.jsonl"
    file.write_text(text)
    main(["analyze", str(file), "--ply", "24", "--iterations", "1300", "--seed", "4", "--json"])
    (expected,) = json.loads(capsys.readouterr().out)["rounds"][0]["decisions"]
    query = {"type": "analyse", "id": "a", "iterations": 1300, "seed": 4}
    by_record, by_position = answers(
        {**query, "record": text, "ply": 24},
        {**query, "id": "b", "position": position(record, 24)},
        agent=parse_agent("ismcts"),
    )
    assert by_record["agent"] == "ismcts:iterations=1300"
    assert {name: by_record[name] for name in expected} == expected
    visits = [card["visits"] for card in by_position["cards"]]
    assert visits == [card["visits"] for card in expected["cards"]]
    assert sum(visits) == 1300
    assert by_position["played"] is None


def test_answers_come_as_they_are_done(text):
    """A quick query overtakes a long one that was asked first."""
    long = {"type": "analyse", "id": "long", "record": text, "ply": 24, "iterations": 60_000}
    quick = {"type": "analyse", "id": "quick", "record": text, "ply": 24, "iterations": 10}
    found = answers(long, quick, threads=2)
    assert [answer["id"] for answer in found] == ["quick", "long"]


def test_terminate_ends_what_runs_with_what_it_has(text):
    query = {"type": "analyse", "record": text, "ply": 24, "iterations": 1_000_000}
    found = answers(
        {**query, "id": 1},
        {**query, "id": 2},
        {"type": "terminate", "id": 3},
    )
    assert found[0] == {"id": 3, "terminated": [1, 2]}
    by_id = {answer["id"]: answer for answer in found}
    assert by_id[2] == {
        "id": 2, "agent": "ismcts:iterations=1000000+bis", "seed": 0, "terminated": True,
        "no_results": True,
    }  # fmt: skip
    assert by_id[1]["terminated"] is True
    assert by_id[1].get("no_results") or 0 < by_id[1]["iterations"] < 1_000_000


def test_a_card_is_that_of_the_agent(record):
    seen = record.observation(24)
    messages = news(None, known_of(seen), seen)
    request = play_request(seen, 5, 10.0, 99)
    (answer,) = answers(*messages, request)
    expected = AGENT.player.play(seen, request["seed"])
    assert answer == {"id": 5, "card": seen.rules.cards.card(expected)}


def test_stopped_a_search_plays_what_it_has(record):
    seen = record.observation(24)
    agent = parse_agent("ismcts:iterations=1000000")
    looks = iter([False, False, True])
    card = chosen_card(agent, seen, 3, lambda: next(looks))
    assert card == spades.search(seen, iterations=1000, seed=3).best.card.code
    by_rules = parse_agent("srp").player.play(seen, 3)
    assert chosen_card(agent, seen, 3, lambda: True) == by_rules
    flat = parse_agent("pimc")
    assert chosen_card(flat, seen, 3, lambda: True) == by_rules
    assert chosen_card(flat, seen, 3, lambda: False) == flat.player.play(seen, 3)


def test_stop_reaches_a_move_that_is_being_made(record):
    """Its search alone would take minutes."""
    seen = record.observation(24)
    messages = news(None, known_of(seen), seen)
    request = play_request(seen, 5, 10.0, 99)
    stop = {"type": "stop", "id": 5}
    (answer,) = answers(
        *messages, request, stop, agent=parse_agent("ismcts:iterations=1000000+bis")
    )
    assert answer["card"] in request["legal"]


def test_quit_drops_what_is_queued(text):
    query = {"type": "analyse", "record": text, "ply": 24, "iterations": 1_000_000}
    found = answers({**query, "id": 1}, {**query, "id": 2}, {"type": "quit"}, {"type": "hello"})
    assert [answer["id"] for answer in found] in ([1], [])


REFUSED = [
    (b"junk", None, "no valid JSON"),
    ({"type": "sing", "id": 4}, 4, "type 'sing'; hello, newround, event, bid, play, stop"),
    ({"type": "hello", "id": 4, "protocol": 9}, 4, "protocol 9; 1 is spoken here"),
    ({"type": "play", "id": 4}, 4, "newround is due first"),
    ({"type": "newround", "seat": "X"}, None, "hand is None; a list of 13 cards is legal"),
    ({"type": "analyse", "id": 4}, 4, 'either "record", a text, with "ply", or "position"'),
    ({"type": "analyse", "id": 4, "record": "x", "ply": 0}, 4, "record: "),
    ({"type": "analyse", "id": 4, "iterations": 0}, 4, "a whole number from 1 is legal"),
    ({"type": "analyse", "id": 4, "models": "x"}, 4, "a list of names is legal"),
    ({"type": "hello", "id": [1]}, [1], "id is [1]; a number or a text is legal"),
]


@pytest.mark.parametrize(("message", "number", "told"), REFUSED)
def test_what_is_wrong_is_said_and_the_rest_is_answered(message, number, told):
    refused, hello = answers(message, {"type": "hello", "id": 7, "protocol": 1})
    assert refused["id"] == number
    assert told in refused["error"]
    assert hello["id"] == 7


def test_an_event_against_the_rules_ends_the_round(record):
    seen = record.observation(24)
    messages = news(None, known_of(seen), seen)
    mine = str(seen.hand.deck.format_cards(seen.hand_mask).split()[0])
    turn = "NESW"[seen.table.turn]
    others = "NESW"[(seen.table.turn + 1) % 4]
    for event, told in [
        ({"event": "card", "seat": others, "card": mine}, f"but {turn} is to play"),
        ({"event": "card", "seat": turn, "card": "H9"}, "can't be played; legal: "),
        ({"event": "bid", "seat": "N", "bid": 3}, "N has bid 6 already"),
        ({"event": "song"}, "event 'song'; bid, card, trick and round are legal"),
    ]:
        found = answers(*messages, {"type": "event", **event}, {"type": "play", "id": 1})
        assert told in found[0]["error"]
        assert found[0]["id"] is None
        assert "newround is due first" in found[1]["error"]


def test_the_same_id_twice_at_once_is_refused(text):
    query = {"type": "analyse", "id": 1, "record": text, "ply": 24, "iterations": 200_000}
    found = answers(query, query, {"type": "terminate", "id": 2})
    assert found[0] == {"id": 1, "error": "id 1 is open already"}


def test_a_reader_that_leaves_harms_nothing(text):
    class Closed(io.BytesIO):
        def write(self, data):
            raise BrokenPipeError

    source = io.BytesIO(b'{"type": "hello", "id": 1, "protocol": 1}\n')
    Server(AGENT, source, Closed()).run()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("moves")]


def test_the_command(monkeypatch, capsys):
    class Stream:
        def __init__(self, data=b""):
            self.buffer = io.BytesIO(data)

    out = Stream()
    monkeypatch.setattr("sys.stdin", Stream(b'{"type": "hello", "id": 1, "protocol": 1}\n'))
    monkeypatch.setattr("spades.cli.engine.sys.stdout", out)
    assert main(["engine", "srp+bis"]) == 0
    assert json.loads(out.buffer.getvalue())["name"] == "srp+bis"


def test_threads_are_limited(capsys):
    assert main(["engine", "srp", "--threads", "0"]) == 1
    assert "--threads is 0; 1 to " in capsys.readouterr().err
