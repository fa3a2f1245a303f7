"""The rounds of a table as a log in the store of logs, for Replay and every other page."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Lock

from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import list_logs, open_log, safe_name, store_log

_ONE = Lock()


def log_name(game: str) -> str:
    """What the store of logs calls the rounds of a game."""
    return f"played-{game}"


def games_of(person: str) -> str:
    """What the store of logs calls all games of a person, who is known by name."""
    return safe_name(f"games-of-{person}")


def store_played(game: str, records: Sequence[RoundRecord], people: Iterable[str] = ()) -> str:
    """Put the finished rounds of a game, those before them too, into the store of logs, as a log of
    their own, whose name it is, and in the logs of all games of ``people``. Where they are already,
    nothing is read but the list of logs."""
    name, records = log_name(game), [replace(record, game_id=game) for record in records]
    with _ONE:
        entries = {entry.name: entry for entry in list_logs()}
        if name in entries and entries[name].n_rounds >= len(records):
            return name
        for person in people:
            own, rounds = games_of(person), list[RoundRecord]()
            if own in entries and entries[own].is_readable:
                rounds = [one for one in open_log(own).records() if one.game_id != game]
            facts = {"command": f"all games of {person} on the Play page"}
            store_log(Log.from_records([*rounds, *records]), own, facts, replaces=True)
        facts = {"command": "a game on the Play page", "game": game}
        store_log(Log.from_records(records), name, facts, replaces=True)
    return name
