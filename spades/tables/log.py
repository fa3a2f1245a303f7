"""The rounds of a table as a log in the store of logs, for Replay and every other page."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import extend_log, list_logs, open_log, safe_name

_ONE = Lock()


def log_name(game: str) -> str:
    """What the store of logs calls the rounds of a game."""
    return f"played-{game}"


def store_played(game: str, records: Sequence[RoundRecord]) -> str:
    """Put the finished rounds of a game into the store of logs, those before them too; the log's
    name."""
    name, records = log_name(game), [replace(record, game_id=game) for record in records]
    stored = next((one.n_rounds for one in list_logs() if one.name == name), 0)
    if stored < len(records):
        facts = {"command": "a game on the Play page", "game": game}
        extend_log(Log.from_records(records), name, facts)
    return name


def store_person(person: str, game: str, records: Sequence[RoundRecord]) -> str:
    """Put the finished rounds of a game into the log of all games of a person, known by name; the
    log's name."""
    name = safe_name(f"games-of-{person}")
    with _ONE:
        there = any(one.name == name and not one.problem for one in list_logs())
        before = list(open_log(name).records()) if there else []
        others = [record for record in before if record.game_id != game]
        if len(before) < len(others) + len(records):
            rounds = [*others, *(replace(record, game_id=game) for record in records)]
            facts = {"command": f"all games of {person} on the Play page"}
            extend_log(Log.from_records(rounds), name, facts)
    return name
