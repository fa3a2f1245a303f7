"""Rounds that pages open: of the store's logs, shipped hands, and hands packed into links."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Self

import streamlit as st

from spades.core.cards import SEATS
from spades.core.documents import parse_integer
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log, repeated_rounds
from spades.core.paths import DATA
from spades.core.records import Record
from spades.core.rules import NIL_BID, NO_BID
from spades.notation import NOTATIONS, read_path, read_text
from spades.notation.log_store import LogEntry, list_logs, open_log, path_of
from spades.notation.schema import row_of

if TYPE_CHECKING:  # pandas takes a quarter of a second, which Replay's first look doesn't have
    import pandas as pd

ENDINGS = [ending[1:] for notation in NOTATIONS.values() for ending in notation.endings]
ENDINGS += ["log", "txt", "md"]
LOG_PREFIX = "log."
KEPT = 3  # a log of 100,000 rounds takes about 30 MB
SHIPPED = DATA / "hands"
DEFAULT_HAND = "bug-report-335"  # of links that name none
PACKED_PREFIX = "z."
MAX_PACKED = 4_000  # characters
MAX_UNPACKED = 64_000  # bytes
MAX_PLACE = 10_000_000
LEGAL_ROWS = (
    "legal is, as in 1@12.5_8.40@log, a row's number from 0, round.ply of each row, and the log"
)


def readable_logs() -> dict[str, LogEntry]:
    """The store's logs that have a round, by name."""
    return {entry.name: entry for entry in list_logs() if entry.is_readable and entry.n_rounds}


class LogKey(NamedTuple):
    """A log's name, and a stamp that changes with its file."""

    name: str
    stamp: str


def log_key(entry: LogEntry) -> LogKey:
    return LogKey(entry.name, f"{entry.modified}-{entry.size}")


def opened(name: str) -> Log:
    """A log by name; ``InvalidRecordError`` where there is none or it can't be read."""
    return _opened(name, _changed(name))


def _changed(name: str) -> float:
    try:
        return path_of(name).stat().st_mtime
    except OSError as error:  # deleted in the meantime
        raise InvalidRecordError(f"log {name} can't be read: {error.strerror}") from None


@st.cache_resource(max_entries=KEPT, show_spinner="Opening the log")
def _opened(name: str, modified: float) -> Log:
    return open_log(name)


def n_repeated(name: str) -> int:
    """Number of rounds that repeat an earlier one of the log, and so aren't counted."""
    return _n_repeated(name, _changed(name))


@st.cache_resource(max_entries=64, show_spinner=False)
def _n_repeated(name: str, modified: float) -> int:
    return int(repeated_rounds([_opened(name, modified)])[0].sum())


def n_shared(names: Sequence[str]) -> list[int]:
    """Number of rounds of each log that an earlier one of these logs has too."""
    return _n_shared(tuple((name, _changed(name)) for name in names))


@st.cache_resource(max_entries=64, show_spinner=False)
def _n_shared(logs: tuple[tuple[str, float], ...]) -> list[int]:
    distinct = [_opened(name, modified).distinct() for name, modified in logs]
    return [int(is_repeated.sum()) for is_repeated in repeated_rounds(distinct)]


def rounds_of(name: str) -> pd.DataFrame:
    """A row a round: game, bids, tricks, points, nils."""
    return _rounds_of(name, _changed(name))


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _rounds_of(name: str, modified: float) -> pd.DataFrame:
    from analysis.logs.tables import round_table

    return round_table(_opened(name, modified))


def hand_name(log: str, index: int | str) -> str:
    """What the address calls a round of a log."""
    return f"{LOG_PREFIX}{log}.{index}"


def round_of(hand: str) -> Record:
    """The round that ``hand_name`` names; ``InvalidRecordError`` if it isn't there."""
    name, index = _log_and_index(hand)
    log = opened(name)
    try:
        row = parse_integer(index, 0, len(log) - 1)
    except InvalidRecordError:
        legal = f"0 to {len(log) - 1} are there" if len(log) else "it is empty"
        raise InvalidRecordError(f"log {name} has no round {index[:20]}; {legal}") from None
    return log.record(row)


def nearest_round(hand: str) -> str:
    """The name of the round nearest to one that isn't there; empty where its log is missing."""
    if not hand.startswith(LOG_PREFIX):
        return ""
    name, index = _log_and_index(hand)
    n_rounds = 0
    with suppress(SpadesError):
        n_rounds = len(opened(name))
    if not n_rounds:
        return ""
    return hand_name(name, n_rounds - 1 if index.isdecimal() else 0)


def log_of(hand: str) -> str:
    """The log of a hand, '' for one of no log."""
    return _log_and_index(hand)[0] if hand.startswith(LOG_PREFIX) else ""


def _log_and_index(hand: str) -> tuple[str, str]:
    name, _, index = hand.removeprefix(LOG_PREFIX).rpartition(".")
    return name, index


@lru_cache(maxsize=1)
def shipped_hands() -> dict[str, Record]:
    """The hands under ``data/hands`` by name."""
    paths = sorted(SHIPPED.glob("*.jsonl"))
    return {path.stem: read_path(path).records[0] for path in paths}


def pack(record: Record) -> str:
    """A whole hand as a query value, without names and source."""
    bare = replace(record, players=("",) * 4, source="", game_id="", round_index=0)
    row = {name: value for name, value in row_of(bare).items() if value not in ("", None, [""] * 4)}
    packed = zlib.compress(json.dumps(row, separators=(",", ":")).encode(), level=9)
    return PACKED_PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(value: str) -> Record:
    """The hand that ``pack`` put into a link; ``SpadesError`` if it is damaged."""
    if len(value) > MAX_PACKED:
        raise SpadesError(f"the hand in this link has {len(value)} characters, too many")
    body = value.removeprefix(PACKED_PREFIX)
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        text = zlib.decompressobj().decompress(packed, MAX_UNPACKED).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise SpadesError("the hand in this link is damaged; ask for the link again") from None
    reading = read_text(text, name="link.jsonl")
    if not reading.records:
        raise SpadesError(f"the hand in this link is refused: {reading.refused[0].reason}")
    return reading.records[0]


def find_hand(value: str) -> Record:
    """The hand a link means: a shipped one by name, one that it carries, a round of a log."""
    if value.startswith(PACKED_PREFIX):
        return unpack(value)
    if value.startswith(LOG_PREFIX):
        return round_of(value)
    if value in shipped_hands():
        return shipped_hands()[value]
    names = ", ".join(shipped_hands())
    raise SpadesError(f"there is no hand {value[:40]!r} here; {names} are")


def rounds_from(hand: str, n: int) -> list[Record]:
    """``n`` rounds of a log from a link's round on; of a hand that is in no log that one alone."""
    rounds = [find_hand(hand)]
    if hand.startswith(LOG_PREFIX):
        name, index = _log_and_index(hand)
        for i in range(1, n):
            rounds.append(round_of(hand_name(name, int(index) + i)))
    return rounds


def title_of(record: Record) -> str:
    """A hand's name and bids on one line."""
    parts = [record.game_id or "Opened hand", _bids_text(record)]
    if not record.plays:
        parts.append("deal only")
    elif not record.is_complete:
        parts.append("cut short")
    return " · ".join(parts)


def _bids_text(record: Record) -> str:
    texts = []
    for seat, bid in zip(SEATS, record.bids, strict=True):
        text = str(bid)
        if bid == NO_BID:
            text = "–"
        elif bid == NIL_BID and record.rules.nil is not None:
            text = "nil"
        texts.append(f"{seat}{text}")
    return " ".join(texts)


class ListedRows(NamedTuple):
    """Some rows of a list of decisions, as links to Replay once had them.

    ``places``: (round, ply) of each row, in the list's order; ``at``: the row that is open."""

    at: int
    places: tuple[tuple[int, int], ...]
    log: str

    @classmethod
    def parse(cls, text: str) -> Self:
        try:
            at, places, log = text.split("@", 2)
            parsed = []
            for place in places.split("_"):
                index, ply = place.split(".")
                parsed.append((parse_integer(index, 0, MAX_PLACE), parse_integer(ply, 0, 51)))
            return cls(parse_integer(at, 0, len(parsed) - 1), tuple(parsed), log)
        except ValueError:
            raise ValueError(LEGAL_ROWS) from None

    def __str__(self) -> str:
        places = "_".join(f"{index}.{ply}" for index, ply in self.places)
        return f"{self.at}@{places}@{self.log}"
