"""Rounds that pages open: logs of the store, shipped hands, opened files, hands in links."""

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
from spades.notation import NOTATIONS, read_path, read_text
from spades.notation.log_store import LogEntry, list_logs, open_log, path_of
from spades.notation.schema import row_of

if TYPE_CHECKING:  # pandas takes a quarter of a second, which Replay's first look doesn't have
    import pandas as pd

ENDINGS = [ending[1:] for notation in NOTATIONS.values() for ending in notation.endings]
ENDINGS += ["log", "txt", "md"]
LOG_PREFIX, USUAL_LOG = "log.", "human-south"
KEPT = 3  # a log of 100,000 rounds takes about 30 MB
SHIPPED = DATA / "hands"
DEFAULT_HAND = "bug-report-335"
PACKED_PREFIX = "z."
MAX_PACKED, MAX_UNPACKED = 4_000, 64_000
ROWS_BESIDE = 20  # to each side of a listed one: an address has to stay short
MAX_PLACE = 10_000_000
LEGAL_ROWS = (
    "legal is as 1@12.5_8.40@log: which of the places, round and ply of each, and their log"
)


def readable_logs() -> dict[str, LogEntry]:
    """Those of the store that have a round, by name."""
    return {entry.name: entry for entry in list_logs() if entry.is_readable and entry.n_rounds}


def log_shown_first(usual: str = USUAL_LOG) -> str:
    """The name of the usual one where it is there, else of any; '' of none."""
    names = list(readable_logs())
    return usual if usual in names or not names else names[0]


class LogKey(NamedTuple):
    """A stored log as it is now: another file under the same name is another log."""

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
    """Rounds of a log that repeat another of it, and so aren't counted."""
    return _n_repeated(name, _changed(name))


@st.cache_resource(max_entries=64, show_spinner=False)
def _n_repeated(name: str, modified: float) -> int:
    return int(repeated_rounds([_opened(name, modified)])[0].sum())


def n_shared(names: Sequence[str]) -> list[int]:
    """Rounds of each log that an earlier one of these has too."""
    return _n_shared(tuple((name, _changed(name)) for name in names))


@st.cache_resource(max_entries=64, show_spinner=False)
def _n_shared(logs: tuple[tuple[str, float], ...]) -> list[int]:
    found = repeated_rounds([_opened(*one).distinct() for one in logs])
    return [int(repeated.sum()) for repeated in found]


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
    name, index = _named(hand)
    log = opened(name)
    try:
        at = parse_integer(index, 0, len(log) - 1)
    except InvalidRecordError:
        legal = f"0 to {len(log) - 1} are there" if len(log) else "it is empty"
        raise InvalidRecordError(f"log {name} has no round {index[:20]}; {legal}") from None
    return log.record(at)


def nearest_round(hand: str) -> str:
    """What the address calls the round nearest to one that isn't there; empty without its log."""
    name, index = _named(hand)
    n_rounds = 0
    with suppress(SpadesError):
        n_rounds = len(opened(name)) if hand.startswith(LOG_PREFIX) else 0
    return hand_name(name, n_rounds - 1 if index.isdecimal() else 0) if n_rounds else ""


def _named(hand: str) -> tuple[str, str]:
    name, _, index = hand.removeprefix(LOG_PREFIX).rpartition(".")
    return name, index


@lru_cache(maxsize=1)
def shipped_hands() -> dict[str, Record]:
    """The hands under ``data/hands`` by name, the default first."""
    paths = sorted(SHIPPED.glob("*.jsonl"), key=lambda path: (path.stem != DEFAULT_HAND, path.stem))
    return {path.stem: read_path(path).records[0] for path in paths}


def pack(record: Record) -> str:
    """A hand as a query value, so that a link carries it whole; names and source stay behind."""
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
    if (found := shipped_hands().get(value)) is not None:
        return found
    names = ", ".join(shipped_hands())
    raise SpadesError(f"there is no hand {value[:40]!r} here; {names} are")


def rounds_from(hand: str, n: int) -> list[Record]:
    """The round that a link means and the next ones of its log, ``n`` in all; of a hand that is in
    no log that one alone."""
    first = find_hand(hand)
    if not hand.startswith(LOG_PREFIX):
        return [first]
    name, index = _named(hand)
    return [first, *(round_of(hand_name(name, int(index) + i)) for i in range(1, n))]


def title_of(record: Record) -> str:
    """A line that says which hand this is."""
    bids = " ".join(
        f"{seat}{'–' if bid < 0 else 'nil' if bid == 0 and record.rules.nil is not None else bid}"
        for seat, bid in zip(SEATS, record.bids, strict=True)
    )
    name = record.game_id or "Opened hand"
    kind = "" if record.is_complete else " · deal only" if not record.plays else " · cut short"
    return f"{name} · {bids}{kind}"


class ListedRows(NamedTuple):
    """A list of decisions that a link to Replay carries: the rows beside the one it opens.
    ``places``: round and ply of each row, in the list's order; ``at``: the row that is open."""

    at: int
    places: tuple[tuple[int, int], ...]
    log: str

    @classmethod
    def around(cls, i: int, places: Sequence[tuple[int, int]], log: str) -> Self:
        """The rows around row ``i`` of a list."""
        first = max(0, i - ROWS_BESIDE)
        return cls(i - first, tuple(places[first : i + ROWS_BESIDE + 1]), log)

    @classmethod
    def parse(cls, text: str) -> Self:
        try:
            at, places, log = text.split("@", 2)
            pairs = [place.split(".") for place in places.split("_")]
            found = tuple(
                (parse_integer(index, 0, MAX_PLACE), parse_integer(ply, 0, 51))
                for index, ply in pairs
            )
            return cls(parse_integer(at, 0, len(found) - 1), found, log)
        except ValueError:
            raise ValueError(LEGAL_ROWS) from None

    def __str__(self) -> str:
        return f"{self.at}@{'_'.join(f'{index}.{ply}' for index, ply in self.places)}@{self.log}"
