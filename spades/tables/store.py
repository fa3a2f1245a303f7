"""Tables on disk: one SQLite file with set-ups, seats and moves.

A move is stored once, under its game and number, as soon as it is made. The digests of a game's
moves form a chain that begins with the game's own digest; ``ends`` holds their number and the last
digest. So whoever reads a game notices a move that was changed, removed or exchanged.
"""

import json
import secrets
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from spades.core.cards import four, seat_name
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.errors import SpadesError, shown
from spades.core.paths import file_of
from spades.tables.game import COMPUTER, Move
from spades.tables.setup import PREDICTABLE, Setup, TableError

FILE_NAME = "tables.sqlite"
GAMES = CheckedTable("games", ("id", "setup", "created"), "game")
SEATS = CheckedTable(
    "seats", ("token", "game", "seat", "name", "about", "joined"), "a seat of game", named_by=1
)
MOVES = CheckedTable(
    "moves", ("game", "n", "seat", "kind", "value", "blind", "ms", "made"), "a move of game"
)
ENDS = CheckedTable("ends", ("game", "n", "last"), "the end of game")
# Columns of a move.
GAME = 0
NUMBER = 1
MADE = 7
_T = TypeVar("_T")
NO_SEAT = "no table has this seat: its link is wrong, or its store is another"


class TableStoreError(DatabaseError):
    """A store of tables that can't be read or written."""


class Seat(NamedTuple):
    """The seat of a person: the game's id, and the seat, 0 to 3."""

    game: str
    seat: int


class _Game(NamedTuple):
    """A checked row of a game. ``n``: number of its moves; ``last``: digest of the last one, or the
    game's own before the first."""

    id: str
    setup: Mapping[str, Any]
    digest: str
    n: int
    last: str


class TableStore(CheckedDatabase):
    """The tables in ``$SPADES_GAMES`` or the user's folder, or in the file given."""

    kind = "store of tables"
    variable = "SPADES_GAMES"
    error = TableStoreError
    application = 0x53505442
    version = 2  # "SPTB"
    checked = (GAMES, ENDS, SEATS, MOVES)
    schema = (
        "CREATE TABLE games (id TEXT PRIMARY KEY, setup TEXT NOT NULL, created REAL NOT NULL, "
        "digest TEXT NOT NULL)",
        "CREATE TABLE ends (game TEXT PRIMARY KEY REFERENCES games ON DELETE CASCADE, "
        "n INTEGER NOT NULL, last TEXT NOT NULL, digest TEXT NOT NULL)",
        "CREATE TABLE seats (token TEXT PRIMARY KEY, game TEXT NOT NULL REFERENCES games "
        "ON DELETE CASCADE, seat INTEGER NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL, "
        "joined REAL, digest TEXT NOT NULL)",
        "CREATE INDEX seats_of_games ON seats (game)",
        "CREATE TABLE moves (game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, "
        "n INTEGER NOT NULL, seat INTEGER NOT NULL, kind TEXT NOT NULL, value INTEGER NOT NULL, "
        "blind INTEGER NOT NULL, ms INTEGER, made REAL NOT NULL, digest TEXT NOT NULL, "
        "PRIMARY KEY (game, n)) WITHOUT ROWID",
    )

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or file_of("games", FILE_NAME))

    def open_table(self, setup: Setup) -> dict[int, str]:
        """Store a new game; returns the tokens of its people by seat. A token's owner may play
        there, whether or not the seat is taken. A table with people gets a key if it has none."""
        setup = setup.to_open()
        game = secrets.token_hex(8)
        text = json.dumps(setup.document())
        tokens = {seat: secrets.token_urlsafe(16) for seat in _people(setup.agents)}
        seats = []
        for seat, token in tokens.items():
            values = (token, game, seat, setup.players[seat], "", None)
            seats.append(SEATS.with_digest(values))

        def store(connection: sqlite3.Connection) -> None:
            row = GAMES.with_digest((game, text, time.time()))
            end = ENDS.with_digest((game, 0, row[-1]))
            self.insert(connection, GAMES, [row])
            self.insert(connection, ENDS, [end])
            self.insert(connection, SEATS, seats)

        self.run(store, writes=True)
        return tokens

    def seat_of(self, token: str) -> Seat:
        """The seat of a token; ``TableError`` if there is none."""
        if not self.path.exists():
            raise TableError(NO_SEAT)

        def read(connection: sqlite3.Connection) -> list[Row]:
            return self.sound_rows(connection, SEATS, "token = ?", (token,))

        rows = self.run(read)
        if not rows:
            raise TableError(NO_SEAT)
        _, game, seat, *_ = rows[0]
        return Seat(game, seat)

    def join(self, game: str, name: str, seat: int | None = None, about: str = "") -> str:
        """Take a person's free seat, ``seat`` or the first, for ``name``; returns its token.
        ``about``: a remark of the person. ``TableError`` if no seat is free."""

        def take(connection: sqlite3.Connection) -> str:
            seats = self._seats(connection, self._game(connection, game))
            for number, row in sorted(seats.items()):
                token, *_, joined = row
                if joined is None and seat in (None, number):
                    values = (token, game, number, name, about, time.time())
                    self.change(connection, SEATS, values)
                    return str(token)
            raise TableError("no seat is free at this table")

        return self.run(take, writes=True)

    def sit(self, token: str, name: str) -> None:
        """Give the seat of a token its player's name, once. ``TableError`` for a seat that isn't
        there, or that another name has taken."""

        def take(connection: sqlite3.Connection) -> None:
            rows = self.sound_rows(connection, SEATS, "token = ?", (token,))
            if not rows:
                raise TableError(NO_SEAT)
            _, game, seat, known, about, joined, *_ = rows[0]
            if joined is not None and known != name:
                raise TableError(f"{seat_name(seat)}'s seat is taken, by {shown(known)}")
            if joined is None:
                self.change(connection, SEATS, (token, game, seat, name, about, time.time()))

        self.run(take, writes=True)

    def has(self, game: str) -> bool:
        return bool(self.read("SELECT 1 FROM games WHERE id = ?", (game,)))

    def people_of(self, game: str) -> dict[int, tuple[str, bool]]:
        """Name and whether taken, of each person's seat; ``TableError`` for an unknown game."""
        _, seats = self._game_and_seats(game)
        people = {}
        for seat, (*_, name, _, joined) in seats.items():
            people[seat] = name, joined is not None
        return people

    def setup_of(self, game: str) -> Setup:
        """The set-up with the names of the people; ``TableError`` for an unknown game."""
        stored, seats = self._game_and_seats(game)
        setup = Setup.from_document(stored.setup)
        players = list(setup.players)
        about = list(setup.about)
        for seat, (*_, name, remark, _) in seats.items():
            players[seat] = name
            about[seat] = remark or about[seat]
        return replace(setup, players=four(players), about=four(about))

    def moves_of(self, game: str) -> list[Move]:
        """The moves in order; ``TableError`` for an unknown game."""
        moves = []
        for _, _, seat, kind, value, blind, ms, _, _ in self._rows_of(game):
            moves.append(Move(seat, kind, value, bool(blind), ms))
        return moves

    def times_of(self, game: str) -> list[float]:
        """Time of each move, seconds since 1970."""
        return [row[MADE] for row in self._rows_of(game)]

    def delete(self, game: str) -> None:
        """Remove a game; its tokens become invalid."""

        def remove(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM games WHERE id = ?", (game,))  # cascades

        self.run(remove, writes=True)

    def add(self, game: str, n: int, moves: Sequence[Move], *, token: str | None = None) -> None:
        """Store moves as numbers ``n``, n + 1, ..., all or none. ``TableError`` if one of these
        numbers is taken (another process plays the game), if the game or the seat of ``token`` has
        been deleted, or if the table can't be played on."""
        if moves:
            self.run(lambda opened: self._add(opened, game, n, moves, token), writes=True)

    def _add(
        self,
        connection: sqlite3.Connection,
        game: str,
        n: int,
        moves: Sequence[Move],
        token: str | None,
    ) -> None:
        stored = self._game(connection, game)
        if None in stored.setup["agents"] and not stored.setup.get("key"):
            raise TableError(PREDICTABLE)
        where = "token = ? AND game = ?"
        if token is not None and not self.sound_rows(connection, SEATS, where, (token, game)):
            raise TableError("this seat has been deleted: its link leads nowhere any more")
        query = "SELECT n, digest FROM moves WHERE game = ? ORDER BY n DESC LIMIT 1"
        row = connection.execute(query, (game,)).fetchone()
        last, before = row or (-1, stored.digest)
        if last + 1 != stored.n or before != stored.last:
            raise self._broken(game, last + 1)
        if n > stored.n:
            raise TableError(f"move {n} isn't due: the game has {stored.n} moves. Look again")
        if n < stored.n:
            raise TableError(
                f"move {n} of the game, or one after it, has been made elsewhere: look again"
            )
        now = time.time()
        rows = list[Row]()
        for number, (seat, kind, value, blind, ms) in enumerate(moves, n):
            rows.append((game, number, seat, kind, value, int(blind), ms, now))
        chain = MOVES.chained(rows, before)
        self.insert(connection, MOVES, chain)
        self.change(connection, ENDS, (game, n + len(chain), _last_digest(chain, before)))

    # Reading: rows are sound, or refused.

    def _game(self, connection: sqlite3.Connection, game: str) -> _Game:
        rows = self.sound_rows(connection, GAMES, "id = ?", (game,))
        if not rows:
            raise TableError(f"no game {game}")
        _, text, _ = rows[0]
        try:
            setup = json.loads(text)
        except ValueError:  # damaged before rows had digests
            raise self.damage(f"the set-up of game {game}") from None
        ends = self.sound_rows(connection, ENDS, "game = ?", (game,))
        if not ends or not isinstance(setup, dict):
            raise self.damage(f"game {game}")
        _, n, last = ends[0]
        return _Game(game, setup, GAMES.digest(rows[0]), n, last)

    def _seats(self, connection: sqlite3.Connection, game: _Game) -> dict[int, Row]:
        """The rows of a game's people by seat."""
        rows = self.sound_rows(connection, SEATS, "game = ?", (game.id,))
        seats = {row[2]: row for row in rows}
        if sorted(seats) != _people(game.setup["agents"]):
            raise self.damage(f"a seat of game {game.id}")
        return seats

    def _game_and_seats(self, game: str) -> tuple[_Game, dict[int, Row]]:
        def read(connection: sqlite3.Connection) -> tuple[_Game, dict[int, Row]]:
            stored = self._game(connection, game)
            return stored, self._seats(connection, stored)

        return self._read_game(game, read)

    def _rows_of(self, game: str) -> list[Row]:
        """The rows of a game's moves in order, the chain checked."""

        def read(connection: sqlite3.Connection) -> list[Row]:
            stored = self._game(connection, game)
            query = f"SELECT {MOVES.all_columns} FROM moves WHERE game = ? ORDER BY n"
            rows = connection.execute(query, (game,)).fetchall()
            chain = _chain(stored.digest, rows)
            last = _last_digest(chain, stored.digest)
            is_broken = len(chain) < len(rows)
            if is_broken or len(chain) != stored.n or last != stored.last:
                raise self._broken(game, len(chain))
            return chain

        return self._read_game(game, read)

    def _read_game(self, game: str, read: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run ``read`` on the store; reading a game doesn't create the file."""
        if not self.path.exists():
            raise TableError(f"no game {game}")
        return self.run(read)

    def _broken(self, game: str, n: int) -> DatabaseError:
        where = f"game {game}, move {n}, or one after it,"
        return self.damage(where, f"keeps the {n} moves before it")

    # Migration and repair.

    def upgraded(self, rows: Rows) -> Rows:
        upgraded = Rows(games=[], ends=[], seats=[], moves=[])
        moves = _by_game(rows["moves"])
        for game, setup, created in rows["games"]:
            row = GAMES.with_digest((game, _sealed(setup), created))
            in_order = sorted(moves[game], key=lambda move: move[NUMBER])
            chain = MOVES.chained(in_order, row[-1])
            last = _last_digest(chain, row[-1])
            upgraded["games"].append(row)
            upgraded["moves"] += chain
            upgraded["ends"].append(ENDS.with_digest((game, len(chain), last)))
        known = {row[0] for row in upgraded["games"]}
        for token, game, seat, name, joined in rows["seats"]:
            if game in known:
                seat_row = SEATS.with_digest((token, game, seat, name, "", joined))
                upgraded["seats"].append(seat_row)
        return upgraded

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        kept = Rows(games=[], ends=[], seats=[], moves=[])
        findings = list[Finding]()
        moves = _by_game(rows["moves"])
        ends = _by_game(rows["ends"])
        seats = _by_game(rows["seats"], SEATS.named_by)
        known = set[str]()
        for row in rows["games"]:
            game = row[0]
            if not _is_game(row):
                problem = "its set-up is damaged: the game is removed"
                findings.append(Finding(f"game {game}", problem))
            elif game not in known:
                known.add(game)
                kept["games"].append(row)
                chain, move_findings = _sound_moves(row, moves[game], ends[game])
                kept["moves"] += chain
                last = _last_digest(chain, row[-1])
                kept["ends"].append(ENDS.with_digest((game, len(chain), last)))
                own_seats, seat_findings = _sound_seats(row, seats[game])
                kept["seats"] += own_seats
                findings += move_findings + seat_findings
        for by_game in (moves, seats, ends):
            for game in by_game.keys() - known:
                problem = f"{len(by_game[game])} rows of a game that isn't there: they are removed"
                findings.append(Finding(f"game {game}", problem))
        return kept, findings


def _by_game(rows: Sequence[Row], column: int = GAME) -> defaultdict[Any, list[Row]]:
    by_game = defaultdict[Any, list[Row]](list)
    for row in rows:
        by_game[row[column]].append(row)
    return by_game


def _people(agents: Sequence[str | None]) -> list[int]:
    """The seats without an agent."""
    return [seat for seat, agent in enumerate(agents) if agent is None]


def _sealed(setup: str) -> str:
    """A set-up of version 1: one of a study, whose agents are all named computer, is sealed."""
    try:
        document = json.loads(setup)
        seats = zip(document["agents"], document["players"], strict=True)
        if all(agent is None or name == COMPUTER for agent, name in seats):
            return json.dumps({**document, "is_sealed": True})
    except (ValueError, TypeError, KeyError):  # damaged, and left as it is
        pass
    return setup


def _is_game(row: Row) -> bool:
    """Whether a game's row is sound and its set-up legal."""
    if not GAMES.is_sound(row):
        return False
    try:
        Setup.from_document(json.loads(row[1]))
    except (SpadesError, ValueError):  # damaged before rows had digests
        return False
    return True


def _chain(before: str, rows: Sequence[Row]) -> list[Row]:
    """The moves of a game, given in any order, from the first to the last of the intact chain."""
    numbered = defaultdict[Any, list[Row]](list)
    for row in rows:
        numbered[row[NUMBER]].append(row)
    chain = list[Row]()
    while True:
        candidates = numbered[len(chain)]
        following = [row for row in candidates if MOVES.is_sound(row, before)]
        if not following:
            return chain
        chain.append(following[0])
        before = following[0][-1]


def _last_digest(chain: Sequence[Row], game: str) -> str:
    """The digest of the last move; that of the game before the first."""
    return str(chain[-1][-1]) if chain else game


def _sound_moves(
    game: Row, moves: Sequence[Row], ends: Sequence[Row]
) -> tuple[list[Row], list[Finding]]:
    """The moves of a game that can be kept, and a finding if some are lost."""
    chain = _chain(game[-1], moves)
    last = _last_digest(chain, game[-1])
    n = len(chain)
    where = f"game {game[0]}, move {n}"
    if n < len(moves):
        problem = f"it, or one after it, is damaged: the {n} moves before it are kept"
        return chain, [Finding(where, problem)]
    if ENDS.with_digest((game[0], n, last)) not in ends:
        problem = f"it is missing, or the game's end is damaged: the {n} moves there are are kept"
        return chain, [Finding(where, problem)]
    return chain, []


def _sound_seats(game: Row, seats: Sequence[Row]) -> tuple[list[Row], list[Finding]]:
    """The seats of a game's people; a damaged one is replaced, with a new token."""
    setup = Setup.from_document(json.loads(game[1]))
    sound = {row[2]: row for row in seats if SEATS.is_sound(row)}
    kept = list[Row]()
    findings = list[Finding]()
    for seat in _people(setup.agents):
        if seat in sound:
            kept.append(sound[seat])
        else:
            token = secrets.token_urlsafe(16)
            values = (token, game[0], seat, setup.players[seat], "", None)
            kept.append(SEATS.with_digest(values))
            problem = "it is damaged: it gets a new token, and its link leads nowhere"
            where = f"game {game[0]}, {seat_name(seat)}'s seat"
            findings.append(Finding(where, problem))
    if len(kept) < len(seats):
        problem = f"{len(seats) - len(kept)} rows of seats that it hasn't: they are removed"
        findings.append(Finding(f"game {game[0]}", problem))
    return kept, findings
