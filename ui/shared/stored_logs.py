"""Logs of the store, opened once for all sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import LogEntry, list_logs, open_log, path_of

if TYPE_CHECKING:  # pandas takes a quarter of a second, which Replay's first look doesn't have
    import pandas as pd

LOG_PREFIX = "log."
KEPT = 3  # a log of 100,000 rounds takes about 30 MB


@dataclass(frozen=True)
class LogKey:
    """A stored log as it is now: another file under the same name is another log."""

    name: str
    stamp: str


def log_key(entry: LogEntry) -> LogKey:
    return LogKey(entry.name, f"{entry.modified}-{entry.size}")


def opened(name: str) -> Log:
    """A log by name; ``InvalidRecordError`` where there is none or it can't be read."""
    path = path_of(name)
    try:
        modified = path.stat().st_mtime
    except OSError:
        names = ", ".join(entry.name for entry in list_logs()) or "none"
        raise InvalidRecordError(f"there is no log {name!r} here; there are: {names}") from None
    return _opened(name, modified)


@st.cache_resource(max_entries=KEPT, show_spinner="Opening the log")
def _opened(name: str, modified: float) -> Log:
    return open_log(name)


def rounds_of(name: str) -> pd.DataFrame:
    """A row a round: game, bids, tricks, points, nils."""
    return _rounds_of(name, path_of(name).stat().st_mtime)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _rounds_of(name: str, modified: float) -> pd.DataFrame:
    from analysis.logs.tables import round_table

    return round_table(_opened(name, modified))


def hand_name(log: str, index: int | str) -> str:
    """What the address calls a round of a log."""
    return f"{LOG_PREFIX}{log}.{index}"


def round_of(hand: str) -> RoundRecord:
    """The round that ``hand_name`` names; ``InvalidRecordError`` if it isn't there."""
    name, index = _named(hand)
    log = opened(name)
    if not (index.isdecimal() and int(index) < len(log)):
        legal = f"0 to {len(log) - 1} are there"
        raise InvalidRecordError(f"log {name} has no round {index[:20]}; {legal}")
    return log.record(int(index))


def nearest_round(hand: str) -> str:
    """What the address calls the round nearest to one that isn't there; empty without its log."""
    name, index = _named(hand)
    try:
        last = len(opened(name)) - 1 if hand.startswith(LOG_PREFIX) else -1
    except SpadesError:
        last = -1
    return hand_name(name, last if index.isdecimal() else 0) if last >= 0 else ""


def _named(hand: str) -> tuple[str, str]:
    name, _, index = hand.removeprefix(LOG_PREFIX).rpartition(".")
    return name, index
