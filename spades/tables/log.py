"""The rounds of a table as a log in the store of logs, for Replay and every other page."""

from collections.abc import Sequence
from contextlib import suppress

from spades.core.errors import InvalidRecordError
from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import extend_log, path_of
from spades.notation.parquet import load_log


def log_name(game: str) -> str:
    """What the store of logs calls the rounds of a game."""
    return f"played-{game}"


def store_played(game: str, records: Sequence[RoundRecord]) -> str:
    """Put the finished rounds of a game into the store of logs, those before them too; the log's
    name."""
    name = log_name(game)
    with suppress(InvalidRecordError):
        if len(load_log(path_of(name))) >= len(records):
            return name
    log = Log.from_records(records)
    extend_log(log, name, {"command": "a game on the Play page", "game": game})
    return name
