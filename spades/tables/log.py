"""The finished rounds of tables as logs in the log store, for Replay and all other pages."""

import hashlib
import logging
import re
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock

from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.records import Record
from spades.notation.log_store import LogEntry, list_logs, open_log, safe_name, store_log
from spades.tables.game import Game
from spades.tables.setup import Setup, TableError

PREFIX = "played-"
_LOCK = Lock()
_log = logging.getLogger(__name__)
_DIGITS = 16  # of a name's digest
_MAX_PEOPLE = 24  # letters of a log's name
_MAX_LENGTH = len(safe_name("a" * 1_000))


def old_log_name(game: str) -> str:
    """The old name of a game's log, without players and date."""
    return f"{PREFIX}{game}"


def log_name(game: str, people: Iterable[str], entries: Iterable[LogEntry]) -> str:
    """Name of the log of a game: the one that has its rounds, else a new one by who plays and the
    day, as ``played-ann-2026-11-28-3f2a``; the end tells games of a day apart."""
    for entry in entries:
        if entry.name.startswith(PREFIX) and entry.provenance.get("game") == game:
            return entry.name
    who = safe_name("-".join(people))[:_MAX_PEOPLE].strip("-")
    return f"{PREFIX}{who}-{time.strftime('%Y-%m-%d')}-{game[:4]}"


def games_of(person: str) -> str:
    """Name of the log of all games of a person, given by name. Log names allow few characters: if
    that changes a name, a digest of the exact one is appended, so that no two people share a log.

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
    start = plain[: _MAX_LENGTH - _DIGITS - 1].rstrip("-")
    return f"{start}-{digest}"


def _plain_games_of(person: str) -> str:
    """The log's name before names had digests; several people may have shared it."""
    return safe_name(f"games-of-{person}")


def store_played(
    game: str, setup: Setup, records: Sequence[Record], people: Iterable[str] = ()
) -> str:
    """Store all finished rounds of a game as a log of their own, whose name is returned, and add
    them to the logs of all games of ``people``. If they are stored already, only the list of logs
    is read. ``TableError`` for a game of a study."""
    if setup.is_sealed:
        raise TableError("a study's rounds are its owner's: the study's export has them")
    with _LOCK:
        entries = {entry.name: entry for entry in list_logs()}
        name = log_name(game, filter(None, setup.players), entries.values())
        if name in entries and entries[name].n_rounds >= len(records):
            return name
        game_id = game if name == old_log_name(game) else name
        records = [replace(record, game_id=game_id) for record in records]
        for person in people:
            stored = _rounds_of(person, entries)
            others = [record for record in stored if record.game_id not in (game, game_id)]
            facts = {"command": f"all games of {person} at tables with help"}
            log = Log.from_records([*others, *records])
            store_log(log, games_of(person), facts, replaces=True)
        facts = {"command": "a game at a table", "game": game}
        store_log(Log.from_records(records), name, facts, replaces=True)
    return name


class LogKeeper:
    """Stores the finished rounds of tables as logs, whether or not anybody looks, in a thread of
    its own. A table's newest rounds are stored once: of several that wait, the last."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Setup, list[Record], set[str]]] = {}
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "logs of tables")

    def note(self, name: str, game: Game) -> None:
        """Store the rounds that a game has finished. Those of a study are its owner's."""
        if game.setup.is_sealed:
            return
        with self._lock:
            self._waiting[name] = (game.setup, list(game.records), game.people)
        self._thread.submit(self._store_next)

    def wait(self) -> None:
        """Wait until all that was noted is stored."""
        self._thread.submit(lambda: None).result()

    def _store_next(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            name = next(iter(self._waiting))
            setup, records, people = self._waiting.pop(name)
        try:
            store_played(name, setup, records, people)
        except (SpadesError, OSError) as error:  # such as a full disk: the game goes on
            _log.error("the rounds of table %s aren't in the logs: %s", name, error)


def _rounds_of(person: str, entries: Mapping[str, LogEntry]) -> list[Record]:
    """The rounds in the log of all games of a person; if there is none yet, those with exactly this
    name in the log of the old name, which others may have shared."""
    own = games_of(person)
    shared = _plain_games_of(person)
    name = own if own in entries else shared
    if name not in entries or not entries[name].is_readable:
        return []
    records = open_log(name).records()
    return [record for record in records if name == own or person in record.players]
