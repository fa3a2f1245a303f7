"""Tables in play: people's moves come in, agents answer, everything is stored.

A server may be killed at any moment: what has been answered is stored, and a table is rebuilt from
its moves when it is next asked for. Any number of threads may ask at once. Agents think in a pool
of threads of their own (``spades.tables.pool``), as long as somebody looks at their table; a game's
lock is never held meanwhile.
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

from spades.core.errors import SpadesError
from spades.core.steps import Steps
from spades.tables.game import LEAVE, Game, Move, Setup, TableError, replay
from spades.tables.pool import ANYBODY, Order, Pool, PoolFullError, shared_pool
from spades.tables.store import Seat, TableStore

MAX_KEPT = 500  # games in memory
AWAY_SECONDS = 120.0
DECISION_SECONDS = 30.0
"""CPU time of one decision; for an agent that takes longer ``STAND_IN`` plays on."""
UNCOUNTED_STEPS = 2  # of a decision: kernels may be compiled in them
RETRY_SECONDS = 10.0  # after an agent failed
FAILED = "its agent failed; the server's log says why"
_log = logging.getLogger(__name__)


class _Kept:
    """A game in memory, None until it is loaded, and its id. ``lock``: of who reads or changes
    it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.game: Game | None = None
        self.is_ahead = False  # of the store, by a move that is being stored
        self.moved = time.monotonic()  # when it last went on
        self.lock = Lock()
        self.thinking: Future[Any] | None = None
        self.problem = ""  # why its agents don't go on
        self.failed = -RETRY_SECONDS  # when


class LiveTables:
    """The tables of a store, those asked for last kept in memory."""

    def __init__(self, store: TableStore | None = None, pool: Pool | None = None) -> None:
        self.store = store or TableStore()
        self.pool = pool or shared_pool()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._listeners: defaultdict[str, set[Callable[[], None]]] = defaultdict(set)
        self._lock = Lock()

    def open_table(self, setup: Setup) -> dict[int, str]:
        """A new game: the tokens of its people by seat."""
        return self.store.open_table(setup)

    def seat_of(self, token: str) -> Seat:
        """As the store's, which is asked each time: another process may have deleted the game."""
        return self.store.seat_of(token)

    @contextmanager
    def playing(self, game: str) -> Iterator[Game]:
        """A game as it stands, nobody else's for the block; ``TableError`` if there is none."""
        with self._held(game) as (_, playing):
            yield playing

    @contextmanager
    def _held(self, game: str, *, is_fresh: bool = False) -> Iterator[tuple[_Kept, Game]]:
        """``is_fresh``: with the moves that other processes have made."""
        with self._lock:
            kept = self._kept.setdefault(game, _Kept(game))
            self._kept.move_to_end(game)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        with kept.lock:
            try:
                if is_fresh and kept.game and len(kept.game.moves) < self._n_stored(game):
                    kept.game = None
                if kept.game is None:
                    kept.game = replay(self.store.setup_of(game), self.store.moves_of(game))
                yield kept, kept.game
            except BaseException as error:
                if kept.is_ahead or not isinstance(error, SpadesError):
                    kept.game = None  # the next one loads it anew
                kept.is_ahead = False
                raise

    def _n_stored(self, game: str) -> int:
        ((n,),) = self.store.read("SELECT count(*) FROM moves WHERE game = ?", (game,)) or [(0,)]
        return int(n)

    def look(self, game: str, client: str = ANYBODY) -> Future[Any] | None:
        """Somebody looks at a game: agents that are due begin to think, or think on. What they
        come to, None where none is due. ``PoolFullError`` where they have to wait outside."""
        with self._held(game, is_fresh=True) as (kept, playing):
            if playing.agents_decision() is None:
                kept.problem = ""
                return None
            if kept.problem and time.monotonic() - kept.failed < RETRY_SECONDS:
                return kept.thinking
        try:
            thinking = self.pool.ask(Order(game, game, client, partial(self._answer, game)))
        except PoolFullError as error:
            kept.problem = str(error)
            raise
        kept.problem = ""
        if thinking is not kept.thinking:
            kept.thinking = thinking
            thinking.add_done_callback(partial(self._note_end, game, kept))
        return thinking

    def _note_end(self, game: str, kept: _Kept, thinking: Future[Any]) -> None:
        error = None if thinking.cancelled() else thinking.exception()
        if error is not None:
            kept.problem = str(error) if isinstance(error, SpadesError) else FAILED
            kept.failed = time.monotonic()
        self._tell(game)

    def wait(self, game: str, seconds: float = 60.0) -> bool:
        """Wait until no agent of a game is due; whether that is so. Raises what an agent's decision
        raised."""
        until = time.monotonic() + seconds
        while (thinking := self.look(game)) is not None:
            left = until - time.monotonic()
            if left <= 0:
                return False
            try:
                thinking.result(min(left, 1.0))
            except (TimeoutError, CancelledError):
                continue
        return True

    def thinking(self, game: str, playing: Game) -> dict[str, Any] | None:
        """``seat``: the agent that is due; ``place`` in the queue, 0 while it thinks, None where it
        isn't in it, and then the ``problem``; ``waiting``: tables in the queue. None where no
        agent is due."""
        if playing.agents_decision() is None:
            return None
        place = self.pool.place(game)
        found: dict[str, Any] = {
            "seat": playing.turn,
            "place": place.place if place else None,
            "waiting": place.waiting if place else 0,
        }
        kept = self._kept.get(game)
        if place is None and kept is not None and kept.problem:
            found["problem"] = kept.problem
        return found

    @contextmanager
    def listening(self, game: str, told: Callable[[], None]) -> Iterator[None]:
        """Call ``told``, from any thread, each time that a game goes on."""
        with self._lock:
            self._listeners[game].add(told)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[game].discard(told)
                if not self._listeners[game]:
                    del self._listeners[game]

    def _tell(self, game: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(game, ()))
        for told in listeners:
            told()

    def n_moves(self, game: str) -> int:
        """How many moves a game has had."""
        kept = self._kept.get(game)
        if kept is not None and kept.game is not None:
            return len(kept.game.moves)
        with self.playing(game) as playing:
            return len(playing.moves)

    def move(
        self, token: str, n: int, move: Move, *, of: int | None = None, client: str = ANYBODY
    ) -> str:
        """Make a person's move as the game's number ``n``; agents begin to answer. The game's id.
        The same move sent again changes nothing. ``TableError``, or what the rules raise, where it
        can't be made, ``PoolFullError`` where agents couldn't answer; its ``seat`` is the token's,
        or ``of``."""
        game, seat = self.seat_of(token)
        move = move._replace(seat=seat if of is None else of)
        with self._held(game, is_fresh=True) as (kept, playing):
            made = playing.moves
            if not (n < len(made) and made[n][:4] == move[:4]):
                if n != len(made):
                    raise TableError(
                        f"move {n} isn't due: the game has {len(made)} moves. Look again"
                    )
                if any(playing.setup.agents):
                    self.pool.check(client, game)
                if not playing.setup.is_timed:
                    move = move._replace(ms=None)
                self._store(kept, playing, move, token)
        self._tell(game)
        with suppress(PoolFullError):  # since the check; the next look asks again
            self.look(game, client)
        return game

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
        self.pool.drop(game)
        self._tell(game)

    def stand_in(self, token: str, n: int, seat: int, client: str = ANYBODY) -> str:
        """Let the agent play for a person from move ``n`` on: for oneself, or for another whose
        turn it has been for ``AWAY_SECONDS``. ``TableError`` otherwise. The game's id."""
        game, own = self.seat_of(token)
        with self._held(game) as (kept, playing):
            waited = time.monotonic() - kept.moved
            is_person = playing.setup.agents[seat] is None
            is_due = playing.turn == seat and waited >= AWAY_SECONDS
            if n == len(playing.moves) and seat != own and not (is_person and is_due):
                raise TableError(
                    f"an agent stands in once a person has been due for {AWAY_SECONDS:g} s"
                )
        return self.move(token, n, Move(seat, LEAVE), of=seat, client=client)

    def _store(self, kept: _Kept, playing: Game, move: Move, token: str | None = None) -> None:
        """Make a move in memory and in the store, where ``token`` still has its seat."""
        n = len(playing.moves)
        playing.make(move)
        kept.is_ahead = True
        self.store.add(kept.name, n, [move], token=token)
        kept.is_ahead = False
        kept.moved = time.monotonic()

    def _answer(self, game: str) -> Steps[None]:
        """Let agents move until a person is due."""
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
                # A participant isn't told which agent it is.
                _log.error("an agent of game %s failed: %s", game, error)
                raise TableError(FAILED) from None
            self._add(game, n, move or Move(seat, LEAVE))
            yield

    def _in_time(self, decision: Steps[Move]) -> Steps[Move | None]:
        """A decision; None where it takes longer than ``DECISION_SECONDS``."""
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
            with self._held(game) as (kept, playing):
                if len(playing.moves) != n:
                    return
                self._store(kept, playing, move)
        except TableError:
            return  # made in another process: the next decision is of the game as stored
        self._tell(game)
