"""The programs that run in this process: one for each seat that a listed program plays.

A process a seat: partners can't tell each other their cards. It lives on from round to round, and
is ended when nobody has asked it for a while, when too many run, and with this process.
"""

import atexit
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from spades.programs.connection import SeatedProgram
from spades.programs.session import Session

MOST = 16  # programs at once
IDLE_SECONDS = 60.0
LOOK_EVERY = 10.0  # seconds, for idle ones

Key = tuple[SeatedProgram, int]


class _Seats:
    """Sessions by program and seat, the last used at the end, each with the lock of its user."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[Key, tuple[Session, threading.Lock]] = OrderedDict()
        self._used_at: dict[Key, float] = {}
        self._janitor: threading.Thread | None = None

    @contextmanager
    def use(self, program: SeatedProgram, seat: int) -> Iterator[Session]:
        """The session of a program in a seat, for this thread alone."""
        key = (program, seat)
        while True:
            with self._lock:
                if key not in self._sessions:
                    self._sessions[key] = (Session(program), threading.Lock())
                session, lock = self._sessions[key]
                self._sessions.move_to_end(key)
                self._used_at[key] = time.monotonic()
            with lock:
                if self._sessions.get(key, (None,))[0] is not session:
                    continue  # it was ended while this thread waited
                self._end_some(MOST, time.monotonic() - IDLE_SECONDS)
                self._start_janitor()
                try:
                    yield session
                finally:
                    self._used_at[key] = time.monotonic()
                return

    def end_all(self) -> None:
        """End every program that no thread is asking."""
        self._end_some(0, float("inf"))

    def _end_some(self, most: int, idle_since: float) -> None:
        """End programs, the longest unused first, until ``most`` are left, and those not used
        since. One that is being asked stays."""
        with self._lock:
            keys = list(self._sessions)
            ended = []
            for i, key in enumerate(keys):
                session, lock = self._sessions[key]
                is_too_many = len(keys) - i > most
                is_idle = self._used_at[key] < idle_since
                if (is_too_many or is_idle) and lock.acquire(blocking=False):
                    del self._sessions[key]
                    del self._used_at[key]
                    ended.append((session, lock))
        for session, lock in ended:
            session.close()
            lock.release()

    def _start_janitor(self) -> None:
        with self._lock:
            if self._janitor is None:
                self._janitor = threading.Thread(
                    target=self._tidy, name="idle programs", daemon=True
                )
                self._janitor.start()

    def _tidy(self) -> None:
        """End idle programs, as long as there are any."""
        while True:
            time.sleep(LOOK_EVERY)
            self._end_some(MOST, time.monotonic() - IDLE_SECONDS)
            with self._lock:
                if not self._sessions:
                    self._janitor = None
                    return


_SEATS = _Seats()
atexit.register(_SEATS.end_all)


def with_seat(program: SeatedProgram, seat: int) -> AbstractContextManager[Session]:
    """The session of a program in a seat of this process, as a context; started when asked."""
    return _SEATS.use(program, seat)


def close_programs() -> None:
    """End the programs that this process runs; the next question starts them anew."""
    _SEATS.end_all()
