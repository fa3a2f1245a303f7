"""Tables on disk: one SQLite file with set-ups, seats and moves.

A move is there once, under its game and number, from the moment that it is made. The moves of a
game are a chain of digests that begins with the game's own; how many there are, and the last one's
digest, stand in ``ends``. A move that is changed, missing or another's is noticed by whoever reads
the game.
"""

import json
import secrets
import sqlite3
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from spades.core.cards import four, seat_name
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.errors import SpadesError
from spades.core.paths import folders_of
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
GAME = 0
NUMBER = 1
MADE = 7  # columns of a move
NO_SEAT = "no table has this seat: its link is wrong, or its store is another"


class TableStoreError(DatabaseError):
    """A store of tables that can't be read or written."""


class Seat(NamedTuple):
    """A person's place: the game's id, and the seat, 0 to 3."""

    game: str
    seat: int


class _Game(NamedTuple):
    """A game's row, sound; it has had ``n`` moves, the ``last`` one's digest; its own before the
    first."""

    id: str
    setup: Mapping[str, Any]
    digest: str
    n: int
    last: str


class TableStore(CheckedDatabase):
    """The tables in ``$SPADES_GAMES`` or ``data/games``, or in the file given."""

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
        super().__init__(path or folders_of("games")[0] / FILE_NAME)

    def open_table(self, setup: Setup) -> dict[int, str]:
        """Store a new game; the tokens of its people by seat: who has one may play there, whether
        or not the seat is taken. A table with people gets a key of its own, if it has none."""
        setup = setup.to_open()
        game = secrets.token_hex(8)
        text = json.dumps(setup.document())
        tokens = {i: secrets.token_urlsafe(16) for i, who in enumerate(setup.agents) if who is None}
        seats = [
            (token, game, seat, setup.players[seat], "", None) for seat, token in tokens.items()
        ]

        def store(connection: sqlite3.Connection) -> None:
            row = GAMES.with_digest((game, text, time.time()))
            self.insert(connection, GAMES, [row])
            self.insert(connection, ENDS, [ENDS.with_digest((game, 0, row[-1]))])
            self.insert(connection, SEATS, map(SEATS.with_digest, seats))

        self.run(store, writes=True)
        return tokens

    def seat_of(self, token: str) -> Seat:
        """Whose token it is; ``TableError`` if nobody's."""
        if not self.path.exists():
            raise TableError(NO_SEAT)
        found = self.run(lambda opened: self.sound_rows(opened, SEATS, "token = ?", (token,)))
        if not found:
            raise TableError(NO_SEAT)
        _, game, seat, *_ = found[0]
        return Seat(game, seat)

    def join(self, game: str, name: str, seat: int | None = None, about: str = "") -> str:
        """The token of a person's seat that nobody has taken, from now on taken by ``name``: of
        ``seat``, or the first; ``about``: what they say of themselves. ``TableError`` if there is
        none."""

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

    def has(self, game: str) -> bool:
        return bool(self.read("SELECT 1 FROM games WHERE id = ?", (game,)))

    def people_of(self, game: str) -> dict[int, tuple[str, bool]]:
        """Name and whether the seat is taken, of every person's seat; ``TableError`` if there is no
        such game."""
        seats = self._look(game)[1]
        return {seat: (name, joined is not None) for seat, (*_, name, _, joined) in seats.items()}

    def setup_of(self, game: str) -> Setup:
        """With the names of who sits there; ``TableError`` if there is no such game."""
        found, seats = self._look(game)
        setup = Setup.from_document(found.setup)
        players = list(setup.players)
        about = list(setup.about)
        for seat, (*_, name, said, _) in seats.items():
            players[seat] = name
            about[seat] = said or about[seat]
        return replace(setup, players=four(players), about=four(about))

    def moves_of(self, game: str) -> list[Move]:
        """In the order made; ``TableError`` if there is no such game."""
        rows = [row[2:MADE] for row in self._rows_of(game)]
        return [Move(seat, kind, value, bool(blind), ms) for seat, kind, value, blind, ms in rows]

    def times_of(self, game: str) -> list[float]:
        """When each move was made, in seconds since 1970."""
        return [row[MADE] for row in self._rows_of(game)]

    def delete(self, game: str) -> None:
        """Remove a game; its tokens lead nowhere."""

        def remove(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM games WHERE id = ?", (game,))  # and all that is its own

        self.run(remove, writes=True)

    def add(self, game: str, n: int, moves: Sequence[Move], *, token: str | None = None) -> None:
        """Store moves as numbers ``n``, n + 1, ..., all or none. ``TableError`` where one of these
        numbers is taken (another process plays the game), where the game, or the seat of ``token``,
        has been deleted, and where the table can't be played on."""
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
        found = self._game(connection, game)
        if None in found.setup["agents"] and not found.setup.get("key"):
            raise TableError(PREDICTABLE)
        where = "token = ? AND game = ?"
        if token is not None and not self.sound_rows(connection, SEATS, where, (token, game)):
            raise TableError("this seat has been deleted: its link leads nowhere any more")
        text = "SELECT n, digest FROM moves WHERE game = ? ORDER BY n DESC LIMIT 1"
        last, before = connection.execute(text, (game,)).fetchone() or (-1, found.digest)
        if (last + 1, before) != (found.n, found.last):
            raise self._broken(game, last + 1)
        if n > found.n:
            raise TableError(f"move {n} isn't due: the game has {found.n} moves. Look again")
        if n < found.n:
            raise TableError(
                f"move {n} of the game, or one after it, has been made elsewhere: look again"
            )
        now = time.time()
        rows = list[Row]()
        for number, move in enumerate(moves, n):
            seat, kind, value, blind, ms = move
            values = (game, number, seat, kind, value, int(blind), ms, now)
            rows.append(MOVES.with_digest(values, before))
            before = rows[-1][-1]
        self.insert(connection, MOVES, rows)
        self.change(connection, ENDS, (game, n + len(rows), before))

    # Rows as they are read: sound, or refused.

    def _game(self, connection: sqlite3.Connection, game: str) -> _Game:
        found = self.sound_rows(connection, GAMES, "id = ?", (game,))
        if not found:
            raise TableError(f"no game {game}")
        ((_, text, _),) = found
        try:
            setup = json.loads(text)
        except ValueError:  # it was so before there were digests
            raise self.damage(f"the set-up of game {game}") from None
        ends = self.sound_rows(connection, ENDS, "game = ?", (game,))
        if not ends or not isinstance(setup, dict):
            raise self.damage(f"game {game}")
        ((_, n, last),) = ends
        return _Game(game, setup, GAMES.digest(found[0]), n, last)

    def _seats(self, connection: sqlite3.Connection, game: _Game) -> dict[int, Row]:
        """The rows of a game's people by seat."""
        rows = self.sound_rows(connection, SEATS, "game = ?", (game.id,))
        seats = {row[2]: row for row in rows}
        if sorted(seats) != _people(game.setup):
            raise self.damage(f"a seat of game {game.id}")
        return seats

    def _look(self, game: str) -> tuple[_Game, dict[int, Row]]:
        def look(connection: sqlite3.Connection) -> tuple[_Game, dict[int, Row]]:
            found = self._game(connection, game)
            return found, self._seats(connection, found)

        if not self.path.exists():
            raise TableError(f"no game {game}")
        return self.run(look)

    def _rows_of(self, game: str) -> list[Row]:
        """The rows of a game's moves in order, the chain checked."""

        def look(connection: sqlite3.Connection) -> list[Row]:
            found = self._game(connection, game)
            text = f"SELECT {MOVES.all_columns} FROM moves WHERE game = ? ORDER BY n"
            rows = connection.execute(text, (game,)).fetchall()
            chain = _chain(found.digest, rows)
            last = chain[-1][-1] if chain else found.digest
            if len(chain) < len(rows) or (len(chain), last) != (found.n, found.last):
                raise self._broken(game, len(chain))
            return chain

        if not self.path.exists():
            raise TableError(f"no game {game}")
        return self.run(look)

    def _broken(self, game: str, n: int) -> DatabaseError:
        where = f"game {game}, move {n}, or one after it,"
        return self.damage(where, f"keeps the {n} moves before it")

    # Migration and repair.

    def upgraded(self, rows: Rows) -> Rows:
        found = Rows(games=[], ends=[], seats=[], moves=[])
        moves = _by_game(rows["moves"])
        for game, setup, created in rows["games"]:
            row = GAMES.with_digest((game, _sealed(setup), created))
            found["games"].append(row)
            before = row[-1]
            for move in sorted(moves[game], key=lambda move: move[NUMBER]):
                found["moves"].append(MOVES.with_digest(move, before))
                before = found["moves"][-1][-1]
            found["ends"].append(ENDS.with_digest((game, len(moves[game]), before)))
        known = {row[0] for row in found["games"]}
        for token, game, seat, name, joined in rows["seats"]:
            if game in known:
                found["seats"].append(SEATS.with_digest((token, game, seat, name, "", joined)))
        return found

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        kept = Rows(games=[], ends=[], seats=[], moves=[])
        wrong = list[Finding]()
        moves = _by_game(rows["moves"])
        ends = _by_game(rows["ends"])
        seats = _by_game(rows["seats"], SEATS.named_by)
        known = set[str]()
        for row in rows["games"]:
            game = row[0]
            if not _is_game(row):
                what = "its set-up is damaged: the game is removed"
                wrong.append(Finding(f"game {game}", what, is_repaired=False))
            elif game not in known:
                known.add(game)
                kept["games"].append(row)
                chain, found = _sound_moves(row, moves[game], ends[game])
                kept["moves"] += chain
                last = chain[-1][-1] if chain else row[-1]
                kept["ends"].append(ENDS.with_digest((game, len(chain), last)))
                own, found_seats = _sound_seats(row, seats[game])
                kept["seats"] += own
                wrong += found + found_seats
        for of in (moves, seats, ends):
            for game in of.keys() - known:
                what = f"{len(of[game])} rows of a game that isn't there: they are removed"
                wrong.append(Finding(f"game {game}", what, is_repaired=False))
        return kept, wrong


def _by_game(rows: Sequence[Row], column: int = GAME) -> defaultdict[Any, list[Row]]:
    found = defaultdict[Any, list[Row]](list)
    for row in rows:
        found[row[column]].append(row)
    return found


def _people(setup: Mapping[str, Any]) -> list[int]:
    """The seats without an agent."""
    return [seat for seat, agent in enumerate(setup["agents"]) if agent is None]


def _sealed(setup: str) -> str:
    """A set-up of version 1: a study's, whose agents are all called computers, becomes sealed."""
    try:
        found = json.loads(setup)
        named = zip(found["agents"], found["players"], strict=True)
        if all(agent is None or name == COMPUTER for agent, name in named):
            return json.dumps({**found, "is_sealed": True})
    except (ValueError, TypeError, KeyError):  # it is damaged, and stays so
        pass
    return setup


def _is_game(row: Row) -> bool:
    """Whether a game's row is sound, and its set-up one."""
    if not GAMES.is_sound(row):
        return False
    try:
        Setup.from_document(json.loads(row[1]))
    except (SpadesError, ValueError):  # it was so before there were digests
        return False
    return True


def _chain(before: str, rows: Sequence[Row]) -> list[Row]:
    """The moves of a game, in any order, from the first on to the last that is sound."""
    numbered = defaultdict[Any, list[Row]](list)
    for row in rows:
        numbered[row[NUMBER]].append(row)
    chain = list[Row]()
    while True:
        following = [row for row in numbered[len(chain)] if MOVES.is_sound(row, before)]
        if not following:
            return chain
        chain.append(following[0])
        before = following[0][-1]


def _sound_moves(
    game: Row, moves: Sequence[Row], ends: Sequence[Row]
) -> tuple[list[Row], list[Finding]]:
    """The moves of a game that can be kept, and what is wrong with those that follow."""
    chain = _chain(game[-1], moves)
    last = chain[-1][-1] if chain else game[-1]
    n = len(chain)
    where = f"game {game[0]}, move {n}"
    if n < len(moves):
        what = f"it, or one after it, is damaged: the {n} moves before it are kept"
        return chain, [Finding(where, what, is_repaired=False)]
    if ENDS.with_digest((game[0], n, last)) not in ends:
        what = f"it is missing, or the game's end is damaged: the {n} moves there are are kept"
        return chain, [Finding(where, what, is_repaired=False)]
    return chain, []


def _sound_seats(game: Row, seats: Sequence[Row]) -> tuple[list[Row], list[Finding]]:
    """The seats of a game's people: of one that is damaged another, with a new token."""
    setup = Setup.from_document(json.loads(game[1]))
    sound = {row[2]: row for row in seats if SEATS.is_sound(row)}
    kept = list[Row]()
    wrong = list[Finding]()
    for seat, agent in enumerate(setup.agents):
        if agent is None and seat in sound:
            kept.append(sound[seat])
        elif agent is None:
            token = secrets.token_urlsafe(16)
            values = (token, game[0], seat, setup.players[seat], "", None)
            kept.append(SEATS.with_digest(values))
            what = "it is damaged: it gets a new token, and its link leads nowhere"
            where = f"game {game[0]}, {seat_name(seat)}'s seat"
            wrong.append(Finding(where, what, is_repaired=False))
    if len(kept) < len(seats):
        what = f"{len(seats) - len(kept)} rows of seats that it hasn't: they are removed"
        wrong.append(Finding(f"game {game[0]}", what, is_repaired=False))
    return kept, wrong
