"""Tables on disk: one SQLite file with set-ups, seats and moves.

A move is there once, under its game and number, from the moment that it is made.
"""

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from spades.core.cards import four
from spades.core.database import Database, DatabaseError
from spades.core.paths import folders_of
from spades.tables.game import Move, Setup, TableError

FILE_NAME = "tables.sqlite"


class TableStoreError(DatabaseError):
    """A store of tables that can't be read or written."""


class Seat(NamedTuple):
    """A person's place: the game's id, and the seat, 0 to 3."""

    game: str
    seat: int


class TableStore(Database):
    """The tables in ``$SPADES_GAMES`` or ``data/games``, or in the file given."""

    kind, variable, error = "store of tables", "SPADES_GAMES", TableStoreError
    application, version = 0x53505442, 1  # "SPTB"
    schema = (
        "CREATE TABLE games (id TEXT PRIMARY KEY, setup TEXT NOT NULL, created REAL NOT NULL)",
        "CREATE TABLE seats (token TEXT PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL, "
        "name TEXT NOT NULL, joined REAL)",
        "CREATE TABLE moves (game TEXT, n INTEGER, seat INTEGER NOT NULL, kind TEXT NOT NULL, "
        "value INTEGER NOT NULL, blind INTEGER NOT NULL, ms INTEGER, made REAL NOT NULL, "
        "PRIMARY KEY (game, n)) WITHOUT ROWID",
    )

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or folders_of("games")[0] / FILE_NAME)

    def open_table(self, setup: Setup) -> dict[int, str]:
        """Store a new game; the tokens of its people by seat: who has one may play there, whether
        or not the seat is taken."""
        game, now = secrets.token_hex(8), time.time()
        tokens = {i: secrets.token_urlsafe(16) for i, who in enumerate(setup.agents) if who is None}
        # The game last: a seat without one can be asked for, a game without seats can't.
        seats = [(token, game, seat, setup.players[seat]) for seat, token in tokens.items()]
        self.execute("INSERT INTO seats VALUES (?, ?, ?, ?, NULL)", *seats)
        self.execute(
            "INSERT INTO games VALUES (?, ?, ?)", (game, json.dumps(setup.document()), now)
        )
        return tokens

    def seat_of(self, token: str) -> Seat:
        """Whose token it is; ``TableError`` if nobody's."""
        found = self.read("SELECT game, seat FROM seats WHERE token = ?", (token,))
        if not found:
            raise TableError("no table has this seat: its link is wrong, or its store is another")
        return Seat(*found[0])

    def join(self, game: str, name: str, seat: int | None = None, about: str = "") -> str:
        """The token of a person's seat that nobody has taken, from now on taken by ``name``: of
        ``seat``, or the first; ``about``: what they say of themselves. ``TableError`` if there is
        none."""
        taken = self.execute(
            "UPDATE seats SET joined = ?, name = ? WHERE token = (SELECT token FROM seats WHERE "
            "game = ? AND joined IS NULL AND (? IS NULL OR seat = ?) ORDER BY seat LIMIT 1) "
            "RETURNING token, seat",
            (time.time(), name, game, seat, seat),
        )
        if not taken:
            raise TableError("no seat is free at this table")
        ((token, seat),) = taken
        if about:
            whole = "json_insert(setup, '$.about', json_array('', '', '', ''))"  # not in old ones
            text = f"UPDATE games SET setup = json_set({whole}, ?, ?) WHERE id = ?"
            self.execute(text, (f"$.about[{seat}]", about, game))
        return str(token)

    def people_of(self, game: str) -> dict[int, tuple[str, bool]]:
        """Name and whether the seat is taken, of every person's seat."""
        rows = self.read("SELECT seat, name, joined FROM seats WHERE game = ?", (game,))
        return {seat: (name, joined is not None) for seat, name, joined in rows}

    def setup_of(self, game: str) -> Setup:
        found = self.read("SELECT setup FROM games WHERE id = ?", (game,))
        if not found:
            raise TableError(f"no game {game}")
        setup, names = Setup.from_document(json.loads(found[0][0])), self.people_of(game)
        shown = (names[i][0] if i in names else name for i, name in enumerate(setup.players))
        return replace(setup, players=four(shown))

    def moves_of(self, game: str) -> list[Move]:
        """In the order made."""
        rows = self.read(
            "SELECT seat, kind, value, blind, ms FROM moves WHERE game = ? ORDER BY n", (game,)
        )
        return [Move(seat, kind, value, bool(blind), ms) for seat, kind, value, blind, ms in rows]

    def times_of(self, game: str) -> list[float]:
        """When each move was made, in seconds since 1970."""
        text = "SELECT made FROM moves WHERE game = ? ORDER BY n"
        return [made for (made,) in self.read(text, (game,))]

    def delete(self, game: str) -> None:
        """Remove a game; its tokens lead nowhere."""
        for text in ("seats WHERE game", "moves WHERE game", "games WHERE id"):
            self.execute(f"DELETE FROM {text} = ?", (game,))

    def add(self, game: str, n: int, moves: Sequence[Move]) -> None:
        """Store moves as numbers ``n``, n + 1, ..., all or none; ``TableError`` where one of these
        numbers is taken: another process plays the game."""
        now = time.time()
        rows = [(game, i, *move, now) for i, move in enumerate(moves, n)]
        try:
            self.execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *rows)
        except sqlite3.IntegrityError:
            raise TableError(
                f"move {n} of the game, or one after it, has been made elsewhere: look again"
            ) from None
