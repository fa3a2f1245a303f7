"""The rounds of a table as a log in the store of logs, for Replay and every other page."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import LogEntry, list_logs, open_log, safe_name, store_log
from spades.tables.setup import Setup, TableError

_ONE = Lock()
_DIGITS = 16  # of a name's digest
_LONGEST = len(safe_name("a" * 1_000))


def log_name(game: str) -> str:
    """What the store of logs calls the rounds of a game."""
    return f"played-{game}"


def games_of(person: str) -> str:
    """What the store of logs calls all games of a person, who is known by name. Names of logs have
    few letters: where that changes a name, the exact one's digest follows, so that no two people
    share a log.

    >>> games_of("ann"), games_of("Ann")
    ('games-of-ann', 'games-of-ann-17239b6e25011033')
    """
    exact = unicodedata.normalize("NFC", person)
    plain = _plain_games_of(exact)
    is_changed = plain != f"games-of-{exact}"
    has_digest = re.search(rf"-[0-9a-f]{{{_DIGITS}}}$", plain) is not None
    if not is_changed and not has_digest:
        return plain
    digest = hashlib.sha256(exact.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    begin = plain[: _LONGEST - _DIGITS - 1].rstrip("-")
    return f"{begin}-{digest}"


def _plain_games_of(person: str) -> str:
    """What the log was called before names had digests: several people's may have been one."""
    return safe_name(f"games-of-{person}")


def store_played(
    game: str, setup: Setup, records: Sequence[RoundRecord], people: Iterable[str] = ()
) -> str:
    """Put the finished rounds of a game, those before them too, into the store of logs, as a log of
    their own, whose name it is, and in the logs of all games of ``people``. Where they are already,
    nothing is read but the list of logs. ``TableError`` for a game of a study."""
    if setup.is_sealed:
        raise TableError("a study's rounds are its owner's: the study's export has them")
    name = log_name(game)
    records = [replace(record, game_id=game) for record in records]
    with _ONE:
        entries = {entry.name: entry for entry in list_logs()}
        if name in entries and entries[name].n_rounds >= len(records):
            return name
        for person in people:
            before = [one for one in _rounds_of(person, entries) if one.game_id != game]
            facts = {"command": f"all games of {person} on the Play page"}
            log = Log.from_records([*before, *records])
            store_log(log, games_of(person), facts, replaces=True)
        facts = {"command": "a game on the Play page", "game": game}
        store_log(Log.from_records(records), name, facts, replaces=True)
    return name


def _rounds_of(person: str, entries: Mapping[str, LogEntry]) -> list[RoundRecord]:
    """The rounds in the log of all games of a person; before there is one, those of that very name
    in the log that it may have shared with others."""
    own = games_of(person)
    shared = _plain_games_of(person)
    if own in entries:
        return list(open_log(own).records()) if entries[own].is_readable else []
    if shared in entries and entries[shared].is_readable:
        return [one for one in open_log(shared).records() if person in one.players]
    return []
