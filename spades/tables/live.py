"""Tables in play: people move, agents answer, everything is stored.

A server may be killed at any moment: every acknowledged move is stored, and a table is rebuilt from
its moves at the next request. Any number of threads may call. Agents think in a thread pool of
their own (``spades.tables.pool``) as long as their table gets heartbeats; the game's lock isn't
held meanwhile.
"""

import logging
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any

from spades.core.cards import seat_name
from spades.core.errors import SpadesError
from spades.core.steps import Steps
from spades.tables.game import CARD, LEAVE, SIT, Game, Move, Setup, TableError, replay
from spades.tables.log import LogKeeper
from spades.tables.pool import ANYBODY, Pool, PoolFullError, Request, shared_pool
from spades.tables.setup import check_player
from spades.tables.store import Seat, TableStore

MAX_LOADED = 500  # games in memory
AWAY_SECONDS = 120.0
DECISION_SECONDS = 30.0
"""Limit of the CPU time of one decision; ``STAND_IN`` takes over from an agent that exceeds it."""
UNCOUNTED_STEPS = 2  # first steps of a decision, in which kernels may be compiled
RETRY_SECONDS = 10.0  # after an agent failed
FAILED = "its agent failed; the server's log says why"
_log = logging.getLogger(__name__)


class _LoadedGame:
    """A game in memory; ``game`` is None until loaded. ``lock``: held to read or change it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.game: Game | None = None
        self.is_ahead = False  # of the store, while a move is being stored
        self.moved = time.monotonic()  # time of the last move
        self.lock = Lock()
        self.thinking: Future[Any] | None = None
        self.problem = ""  # why its agents don't play
        self.failed = -RETRY_SECONDS  # time of the last failure


class LiveTables:
    """The tables of a store; the most recently used ones are kept in memory."""

    def __init__(
        self,
        store: TableStore | None = None,
        pool: Pool | None = None,
        keeper: LogKeeper | None = None,
    ) -> None:
        """``keeper``: stores finished rounds as logs; without one nothing does."""
        self.store = store or TableStore()
        self.pool = pool or shared_pool()
        self.keeper = keeper
        self._loaded: OrderedDict[str, _LoadedGame] = OrderedDict()
        self._listeners: defaultdict[str, set[Callable[[], None]]] = defaultdict(set)
        self._lock = Lock()

    def open_table(self, setup: Setup) -> dict[int, str]:
        """Open a new game; returns the tokens of its people by seat."""
        return self.store.open_table(setup)

    def seat_of(self, token: str) -> Seat:
        """The seat of a token, always from the store, as another process may have deleted the
        game."""
        return self.store.seat_of(token)

    @contextmanager
    def playing(self, game: str) -> Iterator[Game]:
        """A game, locked for the block; ``TableError`` if there is none."""
        with self._held(game) as (_, playing):
            yield playing

    @contextmanager
    def _held(self, game: str, *, is_fresh: bool = False) -> Iterator[tuple[_LoadedGame, Game]]:
        """A loaded game, locked for the block. ``is_fresh``: with moves made by other processes."""
        with self._lock:
            loaded = self._loaded.setdefault(game, _LoadedGame(game))
            self._loaded.move_to_end(game)
            while len(self._loaded) > MAX_LOADED:
                self._loaded.popitem(last=False)
        with loaded.lock:
            try:
                if is_fresh and loaded.game and len(loaded.game.moves) < self._n_stored(game):
                    loaded.game = None
                if loaded.game is None:
                    setup = self.store.setup_of(game)
                    loaded.game = replay(setup, self.store.moves_of(game))
                yield loaded, loaded.game
            except BaseException as error:
                if loaded.is_ahead or not isinstance(error, SpadesError):
                    loaded.game = None  # the next call loads it again
                loaded.is_ahead = False
                raise

    def _n_stored(self, game: str) -> int:
        rows = self.store.read("SELECT count(*) FROM moves WHERE game = ?", (game,))
        return int(rows[0][0]) if rows else 0

    def heartbeat(self, game: str, client: str = ANYBODY) -> Future[Any] | None:
        """Keep a game's agents thinking: whoever watches the table calls this again and again.
        Returns the future of their moves, None if it is no agent's turn. ``PoolFullError`` if the
        pool is full."""
        with self._held(game, is_fresh=True) as (loaded, playing):
            if playing.agents_decision() is None:
                loaded.problem = ""
                return None
            if loaded.problem and time.monotonic() - loaded.failed < RETRY_SECONDS:
                return loaded.thinking
        request = Request(game, game, client, begin=partial(self._answer, game))
        try:
            thinking = self.pool.submit(request)
        except PoolFullError as error:
            loaded.problem = str(error)
            raise
        loaded.problem = ""
        if thinking is not loaded.thinking:
            loaded.thinking = thinking
            thinking.add_done_callback(partial(self._note_end, game, loaded))
        return thinking

    def _note_end(self, game: str, loaded: _LoadedGame, thinking: Future[Any]) -> None:
        error = None if thinking.cancelled() else thinking.exception()
        if error is not None:
            loaded.problem = str(error) if isinstance(error, SpadesError) else FAILED
            loaded.failed = time.monotonic()
        self._notify(game)

    def wait(self, game: str, seconds: float = 60.0) -> bool:
        """Wait until it is no agent's turn; False after ``seconds``. Raises the error of an agent's
        decision."""
        until = time.monotonic() + seconds
        while True:
            thinking = self.heartbeat(game)
            if thinking is None:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            with suppress(TimeoutError, CancelledError):
                thinking.result(min(left, 1.0))

    def thinking(self, game: str, playing: Game) -> dict[str, Any] | None:
        """The status of the agent whose turn it is, None if it is no agent's turn. ``seat``;
        ``place`` in the queue, 0 while it thinks, None if it isn't in it; ``problem``: then the
        reason, if known; ``waiting``: tables in the queue."""
        if playing.agents_decision() is None:
            return None
        place = self.pool.place(game)
        status: dict[str, Any] = {
            "seat": playing.turn,
            "place": place.place if place else None,
            "waiting": place.waiting if place else 0,
        }
        loaded = self._loaded.get(game)
        if place is None and loaded is not None and loaded.problem:
            status["problem"] = loaded.problem
        return status

    @contextmanager
    def listening(self, game: str, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener``, from any thread, after every change of a game."""
        with self._lock:
            self._listeners[game].add(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[game].discard(listener)
                if not self._listeners[game]:
                    del self._listeners[game]

    def _notify(self, game: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(game, ()))
        for listener in listeners:
            listener()

    def n_moves(self, game: str) -> int:
        """Number of moves of a game."""
        loaded = self._loaded.get(game)
        if loaded is not None and loaded.game is not None:
            return len(loaded.game.moves)
        with self.playing(game) as playing:
            return len(playing.moves)

    def move(
        self, token: str, n: int, move: Move, *, of: int | None = None, client: str = ANYBODY
    ) -> str:
        """Make a person's move number ``n`` of the game; agents begin to answer. Returns the game's
        id. Sending the same move again changes nothing. The ``seat`` is the token's, or ``of``.
        ``TableError``, or the rules' errors, for an illegal move; ``PoolFullError`` if agents
        couldn't answer."""
        game, seat = self.seat_of(token)
        move = move._replace(seat=seat if of is None else of)
        with self._held(game, is_fresh=True) as (loaded, playing):
            made = playing.moves
            is_repeated = n < len(made) and made[n][:4] == move[:4]
            if not is_repeated:
                if n != len(made):
                    raise TableError(
                        f"move {n} isn't due: the game has {len(made)} moves. Look again"
                    )
                if any(playing.setup.agents):
                    self.pool.check(client, game)
                if not playing.setup.is_timed:
                    move = move._replace(ms=None)
                self._store(loaded, playing, move, token)
        self._notify(game)
        with suppress(PoolFullError):  # full since the check: the next heartbeat tries again
            self.heartbeat(game, client)
        return game

    def sit(self, token: str, name: str, *, is_program: bool) -> str:
        """Say who sits in the seat of a token, before its first bid; returns the game's id. Said
        again, it changes nothing. ``TableError`` where it is too late, or where another name or
        kind was said."""
        name = check_player(name)
        game, seat = self.seat_of(token)
        with self._held(game, is_fresh=True) as (loaded, playing):
            is_said = seat in playing.programs and playing.setup.players[seat] == name
            if is_program and is_said:
                return game
            if seat in playing.programs and not is_program:
                raise TableError(f"{seat_name(seat)}'s seat is a program's")
            playing.check_may_sit(seat)
            self.store.sit(token, name)
            playing.setup = self.store.setup_of(game)
            if is_program:
                self._store(loaded, playing, Move(seat, SIT), token)
        self._notify(game)
        return game

    def join(self, game: str, name: str, seat: int | None = None, about: str = "") -> str:
        """Take a free seat, as in ``TableStore.join``."""
        token = self.store.join(game, name, seat, about)
        with self.playing(game) as playing:
            playing.setup = self.store.setup_of(game)
        return token

    def delete(self, game: str) -> None:
        """Remove a game from store, memory and pool."""
        with self._held(game) as (loaded, _):
            self.store.delete(game)
            loaded.game = None
        self.pool.cancel(game)
        self._notify(game)

    def stand_in(self, token: str, n: int, seat: int, client: str = ANYBODY) -> str:
        """Let the stand-in play for a person from move ``n`` on: for oneself, or for a person whose
        turn it has been for ``AWAY_SECONDS``; otherwise ``TableError``. Returns the game's id."""
        game, own = self.seat_of(token)
        with self._held(game) as (loaded, playing):
            waited = time.monotonic() - loaded.moved
            is_person = playing.setup.agents[seat] is None
            is_due = playing.turn == seat and waited >= AWAY_SECONDS
            if n == len(playing.moves) and seat != own and not (is_person and is_due):
                raise TableError(
                    f"an agent stands in once a person has been due for {AWAY_SECONDS:g} s"
                )
        return self.move(token, n, Move(seat, LEAVE), of=seat, client=client)

    def _store(
        self, loaded: _LoadedGame, playing: Game, move: Move, token: str | None = None
    ) -> None:
        """Make a move in memory and store; refused if the seat of ``token`` has been deleted."""
        n = len(playing.moves)
        playing.make(move)
        loaded.is_ahead = True
        self.store.add(loaded.name, n, [move], token=token)
        loaded.is_ahead = False
        has_ended_round = move.kind == CARD and playing.round.table.is_over
        if self.keeper is not None and has_ended_round:
            self.keeper.note(loaded.name, playing)
        loaded.moved = time.monotonic()

    def _answer(self, game: str) -> Steps[None]:
        """Let agents move until it is a person's turn."""
        while True:
            with self.playing(game) as playing:
                n = len(playing.moves)
                seat = playing.turn
                is_sealed = playing.setup.is_sealed
                decision = playing.agents_decision()
            if decision is None or seat is None:
                return
            try:
                move = yield from self._in_time(decision)
            except SpadesError as error:
                if not is_sealed:
                    raise
                # The error would tell a participant which agent plays.
                _log.error("an agent of game %s failed: %s", game, error)
                raise TableError(FAILED) from None
            self._add(game, n, move or Move(seat, LEAVE))
            yield

    def _in_time(self, decision: Steps[Move]) -> Steps[Move | None]:
        """The result of a decision; None if it takes longer than ``DECISION_SECONDS``."""
        spent = 0.0
        n_steps = 0
        while spent < DECISION_SECONDS:
            started = self.pool.cpu()
            try:
                next(decision)
            except StopIteration as end:
                move: Move = end.value
                return move
            n_steps += 1
            if n_steps > UNCOUNTED_STEPS:
                spent += self.pool.cpu() - started
            yield
        decision.close()
        return None

    def _add(self, game: str, n: int, move: Move) -> None:
        """Make and store an agent's move, unless the game has gone on without it."""
        try:
            with self._held(game) as (loaded, playing):
                if len(playing.moves) != n:
                    return
                self._store(loaded, playing, move)
        except TableError:
            return  # another process has moved: the next decision uses the stored game
        self._notify(game)
