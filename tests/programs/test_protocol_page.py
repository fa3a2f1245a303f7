"""The session in ``docs/protocol.md`` is what really goes over the wire."""

import json
import re
from pathlib import Path

from spades.core.cards import parse_hand
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.programs import messages
from spades.programs.process import MAX_LINE

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
HANDS = ["AKQJ.T98.765.432", "T98.765.432.AKQJ", "765.432.AKQJ.T98", "432.AKQJ.T98.765"]


def session():
    """The page's messages to the program and its answers, each in order."""
    block = PAGE.read_text().partition("<!-- session -->")[2].split("```")[1]
    lines = block.strip().splitlines()
    to_program = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    answers = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    assert len(to_program) + len(answers) == len(lines)
    return to_program, answers


def test_the_session_is_what_is_sent():
    told, answers = session()
    deck = Rules().cards
    state = Round.deal(Rules(), 3, [parse_hand(hand, deck) for hand in HANDS])
    known = None
    expected = []

    def ask(request, number, seed):
        nonlocal known
        seen = observe(state, 1, score_before=(120, -30), bags_before=(2, 5))
        now = messages.known_of(seen)
        expected.extend(messages.news(known, now, seen))
        known = now
        expected.append(request(seen, number, 10.0, seed))

    state.table.bid(0, 4)
    ask(messages.bid_request, 1, 5)
    for seat, bid in ((1, answers[1]["bid"]), (2, 0), (3, 2)):
        state.table.bid(seat, bid)
    state.play("HT")
    ask(messages.play_request, 2, 6)
    for card in (answers[2]["card"], "H4", "HA", "C7", "C2"):
        state.play(card)
    ask(messages.play_request, 3, 7)
    assert told[1:-1] == json.loads(json.dumps(expected))
    assert [message["type"] for message in (told[0], told[-1])] == ["hello", "quit"]
    assert answers[3]["card"] in told[-2]["legal"]


def test_every_message_is_described():
    text = PAGE.read_text()
    told, _ = session()
    for message in told:
        name = f"`{message['type']}`"
        if "event" in message:
            name += f", `event`: `{message['event']}`"
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        for field in message.keys() - {"type", "event"}:
            assert f"`{field}`" in row, (name, field)
    assert f"{MAX_LINE:,} bytes" in text


def test_the_bots_are_linked():
    text = PAGE.read_text()
    for target in re.findall(r"\]\((bots/[\w.]+)\)", text):
        assert (PAGE.parent / target).is_file()
