"""Tables in play: people's moves come in, agents answer, everything is stored.

A server may be killed at any moment: what has been answered is stored, and a table is rebuilt from
its moves when it is next asked for. Any number of threads may ask at once.
"""

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from spades.tables.game import LEAVE, Game, Move, Setup, TableError, replay
from spades.tables.store import Seat, TableStore

MAX_KEPT = 500  # games in memory
AWAY_SECONDS = 120.0


class _Kept:
    """A game in memory, None until it is loaded; ``lock`` is held by who reads or changes it."""

    def __init__(self) -> None:
        self.game: Game | None = None
        self.moved = time.monotonic()  # when it last went on
        self.lock = Lock()


class LiveTables:
    """The tables of a store, those asked for last kept in memory."""

    def __init__(self, store: TableStore | None = None) -> None:
        self.store = store or TableStore()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._seats: dict[str, Seat] = {}
        self._lock = Lock()

    def open_table(self, setup: Setup) -> dict[int, str]:
        """A new game: the tokens of its people by seat."""
        return self.store.open_table(setup)

    def seat_of(self, token: str) -> Seat:
        """As the store's; known ones without looking there."""
        if (found := self._seats.get(token)) is None:
            found = self._seats[token] = self.store.seat_of(token)
        return found

    @contextmanager
    def playing(self, game: str) -> Iterator[Game]:
        """A game as it stands, nobody else's for the block; ``TableError`` if there is none."""
        with self._held(game) as (_, playing):
            yield playing

    @contextmanager
    def _held(self, game: str) -> Iterator[tuple[_Kept, Game]]:
        with self._lock:
            kept = self._kept.setdefault(game, _Kept())
            self._kept.move_to_end(game)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        with kept.lock:
            try:
                if kept.game is None:
                    kept.game = replay(self.store.setup_of(game), self.store.moves_of(game))
                    self._answer(game, kept, kept.game)
                yield kept, kept.game
            except BaseException:
                kept.game = None  # memory may be ahead of the store: the next one loads it anew
                raise

    def n_moves(self, game: str) -> int:
        """How many moves a game has had, without waiting for agents that think."""
        kept = self._kept.get(game)
        if kept is not None and kept.game is not None:
            return len(kept.game.moves)
        with self.playing(game) as playing:
            return len(playing.moves)

    def move(self, token: str, n: int, move: Move, *, of: int | None = None) -> None:
        """Make a person's move as the game's number ``n``, and let agents answer. The same move
        sent again changes nothing. ``TableError``, or what the rules raise, where it can't be made;
        its ``seat`` is the token's, or ``of``."""
        game, seat = self.seat_of(token)
        move = move._replace(seat=seat if of is None else of)
        with self._held(game) as (kept, playing):
            made = playing.moves
            if n < len(made) and made[n][:4] == move[:4]:
                return
            if n != len(made):
                raise TableError(f"move {n} isn't due: the game has {len(made)} moves. Look again")
            if not playing.setup.is_timed:
                move = move._replace(ms=None)
            playing.make(move)
            self.store.add(game, n, [move])
            self._answer(game, kept, playing)

    def join(self, game: str, name: str, seat: int | None = None, about: str = "") -> str:
        """As the store's."""
        token = self.store.join(game, name, seat, about)
        with self.playing(game) as playing:
            playing.setup = self.store.setup_of(game)
        return token

    def delete(self, game: str) -> None:
        """As the store's."""
        with self._held(game) as (kept, _):
            self.store.delete(game)
            kept.game = None
        self._seats = {token: seat for token, seat in self._seats.items() if seat.game != game}

    def stand_in(self, token: str, n: int, seat: int) -> None:
        """Let the agent play for a person from move ``n`` on: for oneself, or for another whose
        turn it has been for ``AWAY_SECONDS``. ``TableError`` otherwise."""
        game, own = self.seat_of(token)
        with self._held(game) as (kept, playing):
            waited = time.monotonic() - kept.moved
            is_due = playing.turn == seat and waited >= AWAY_SECONDS
            if n == len(playing.moves) and seat != own and not is_due:
                raise TableError(
                    f"an agent stands in once a person has been due for {AWAY_SECONDS:g} s"
                )
        self.move(token, n, Move(seat, LEAVE), of=seat)

    def _answer(self, game: str, kept: _Kept, playing: Game) -> None:
        """Let agents move until a person is due."""
        n = len(playing.moves)
        while (found := playing.agents_move()) is not None:
            playing.make(found)
        self.store.add(game, n, playing.moves[n:])
        kept.moved = time.monotonic()
