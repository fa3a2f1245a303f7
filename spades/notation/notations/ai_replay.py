"""Replays of Spades-AI, version 1: finished hands of its window, and bundles of them.

An object with ``format`` ``spades-ai-replay`` holds ``initialHands``, ``bids`` and ``tricks`` by
seat, 0 to 3 clockwise; one with ``spades-ai-replay-bundle`` holds several in ``records`` or
``replay_records``. The format is that of the program's own export, read from its public source
(github.com/loddyluo/Spades-AI).
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from spades.core.cards import HAND_SIZE, N_SEATS, SEATS
from spades.core.documents import load_object
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import SCHEMA_VERSION, Record
from spades.core.rules import MAX_BID
from spades.notation.notations.json_document import JsonDocument
from spades.notation.reading import Draft, Intake
from spades.notation.schema import integer, read_row

FORMAT = "spades-ai-replay"
BUNDLE = "spades-ai-replay-bundle"
VERSION = 1
_BUNDLED = ("records", "replay_records")
_SAYS_FORMAT = re.compile(rf'"format"\s*:\s*"(?:{BUNDLE}|{FORMAT})"')
_BID_TEXT = re.compile(r"bid_(\d{1,2})")
_seat = integer(0, N_SEATS - 1)
_bid = integer(1, MAX_BID)


class AiReplay(JsonDocument):
    """Finished hands of the program Spades-AI; read only."""

    name = "spades-ai-replay"
    label = "Spades-AI replay"
    place = 25
    can_be_written = False

    def recognises(self, lines: Sequence[str]) -> bool:
        return lines[0].startswith(("{", "[")) and any(map(_SAYS_FORMAT.search, lines))

    def drafts_of_object(self, line: int, text: str) -> Iterator[Draft]:
        document = load_object(text)
        if document.get("format") != BUNDLE:
            yield line, partial(_read, line, document)
            return
        _check_version(document)
        for replay in _replays_of(document):
            yield line, partial(_read, line, replay)


def _replays_of(bundle: dict[str, Any]) -> list[Any]:
    for name in _BUNDLED:
        if isinstance(bundle.get(name), list):
            return list(bundle[name])
    raise InvalidRecordError(f"the bundle has no list {' or '.join(_BUNDLED)}")


def _check_version(document: dict[str, Any]) -> None:
    version = document.get("version")
    if version != VERSION or version is True:
        raise InvalidRecordError(f"version is {shown(version)}; {VERSION} is legal")


def _read(line: int, replay: Any, intake: Intake) -> Record:
    if not isinstance(replay, dict) or replay.get("format") != FORMAT:
        raise InvalidRecordError(f"an object whose format is {FORMAT} is due: {shown(replay)}")
    _check_version(replay)
    tricks = _list(replay, "tricks", "tricks", HAND_SIZE)
    leader = _seat(_of(tricks[0], "leader", "tricks[0]"), "tricks[0].leader")
    row = {
        "schema_version": SCHEMA_VERSION,
        "dealer": (leader - 1) % N_SEATS,
        "hands": [_cards(hand) for hand in _list(replay, "initialHands", "hands", N_SEATS)],
        "bids": [
            _read_bid(bid, f"bids[{seat}]")
            for seat, bid in enumerate(_list(replay, "bids", "bids", N_SEATS))
        ],
        "plays": [
            card for i, trick in enumerate(tricks) for card in _played(trick, f"tricks[{i}]")
        ],
    }
    if "seats" in replay:
        row["player"] = replay["seats"]
    record = read_row(row, intake, line)
    _check_winners(record, tricks)
    intake.note(line, "kinds of players not given; bots assumed")
    return record


def _of(value: Any, name: str, what: str) -> Any:
    """A value of an object that has it."""
    if not isinstance(value, dict) or name not in value:
        raise InvalidRecordError(f"{what} is {shown(value)}; an object with {name} is legal")
    return value[name]


def _list(replay: dict[str, Any], name: str, what: str, n: int) -> list[Any]:
    value = replay.get(name)
    if not isinstance(value, list) or len(value) != n:
        raise InvalidRecordError(f"{name} is {shown(value)}; a list of {n} {what} is legal")
    return value


def _cards(codes: object) -> object:
    """The cards of a hand; what is no list is refused by the log schema."""
    return [_card(code) for code in codes] if isinstance(codes, list) else codes


def _card(code: object) -> object:
    """A card as the log schema has it, suit first."""
    return code[::-1] if isinstance(code, str) else code


def _read_bid(bid: Any, name: str) -> int:
    """A bid as the window writes it, an object, or as the program's server does, a text."""
    if isinstance(bid, str):
        number = _BID_TEXT.fullmatch(bid)
        if number is None and bid != "nil":
            raise InvalidRecordError(f"{name} is {shown(bid)}; nil and bid_1 to bid_13 are legal")
        bid = {"type": "normal", "value": int(number[1])} if number else {"type": "nil"}
    kind = _of(bid, "type", name)
    if kind == "nil":
        return 0
    if kind != "normal":
        raise InvalidRecordError(f"{name}.type is {shown(kind)}; nil and normal are legal")
    return int(_bid(_of(bid, "value", name), f"{name}.value"))


def _played(trick: Any, what: str) -> Iterator[object]:
    """The cards of a trick in order, each by the seat whose turn it is."""
    leader = _seat(_of(trick, "leader", what), f"{what}.leader")
    plays = _list(trick, "plays", "plays", N_SEATS)
    for place, play in enumerate(plays):
        seat = _seat(_of(play, "seat", f"{what}.plays[{place}]"), f"{what}.plays[{place}].seat")
        due = (leader + place) % N_SEATS
        if seat != due:
            raise InvalidRecordError(
                f"{what}.plays[{place}] is by {SEATS[seat]}; it is the turn of {SEATS[due]}"
            )
        yield _card(_of(play, "card", f"{what}.plays[{place}]"))


def _check_winners(record: Record, tricks: Sequence[dict[str, Any]]) -> None:
    """Refuse a replay whose winners aren't those of its cards: it was played by other rules."""
    for i, winner in enumerate(record.final().table.winners):
        said = tricks[i].get("winner")
        if said != winner:
            raise InvalidRecordError(
                f"tricks[{i}].winner is {shown(said)}; {winner}, {SEATS[winner]}, takes it"
            )
