"""The rounds of a table as a log in the store of logs, for Replay and every other page."""

from collections.abc import Sequence

from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import extend_log, list_logs


def log_name(game: str) -> str:
    """What the store of logs calls the rounds of a game."""
    return f"played-{game}"


def store_played(game: str, records: Sequence[RoundRecord]) -> str:
    """Put the finished rounds of a game into the store of logs, those before them too; the log's
    name."""
    name = log_name(game)
    stored = next((one.n_rounds for one in list_logs() if one.name == name), 0)
    if stored < len(records):
        facts = {"command": "a game on the Play page", "game": game}
        extend_log(Log.from_records(records), name, facts)
    return name
