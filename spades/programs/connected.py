"""Programs that have connected to this process over HTTP: ``external:http=NAME``.

Nothing is started here. A program says its name and version and gets a token for each seat; with it
the program fetches that seat's messages, the lines of the engine protocol, and answers. Each seat
is told what its own hand may know, and nothing of its partner's. It plays in the process that it
connected to, and is asked no faster than ``QUESTIONS_A_SECOND``.
"""

import json
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from spades.core.cards import N_SEATS, SEATS
from spades.core.documents import Document
from spades.core.errors import BusyError, shown
from spades.core.programs import ProgramError, ProgramFaultError
from spades.programs.connection import MAX_UNSENT, UNREAD, SeatedProgram
from spades.programs.listed import DEFAULT_SECONDS, check_name, check_seconds

MOST = 20  # programs that are known at a time
MOST_SECONDS = 30.0  # for one answer
MOST_LATE = 3  # questions in a row, of all its seats, that it may let pass
QUESTIONS_A_SECOND = 150.0  # to all seats of a program
RETRY_SECONDS = 5.0
CONNECTED = "external:http="  # before its name, in agents' texts
REPLACED = "it has connected anew"


@dataclass(frozen=True)
class ConnectedProgram(SeatedProgram):
    """A program that has connected, as it says itself."""

    runs_anywhere: ClassVar[bool] = False

    seconds: float = DEFAULT_SECONDS

    @property
    def key(self) -> str:
        return f"{CONNECTED}{self.name}"

    def admit(self) -> None:
        """``ProgramError`` unless the same version has connected to this process."""
        own = find_connected(self.name)
        if own.version != self.version:
            raise ProgramError(
                f"{self.name} has connected as version {own.version}, not {self.version}: ask for "
                "the games of that version"
            )

    def connect(self, seat: int) -> "ConnectedSeat":
        return _CONNECTIONS.find(self.name).seats[seat]

    def note_answer(self, *, is_late: bool) -> bool:
        return _CONNECTIONS.find(self.name).lateness.note(is_late=is_late)

    def interrupt(self) -> None:
        """Abort the pending question, if any, with ``ProgramError``: the game is neither lost nor
        finished."""
        for seat in _CONNECTIONS.find(self.name).seats:
            seat.interrupt()


class _Pace:
    """Lets through so many a second, evenly."""

    def __init__(self, a_second: float) -> None:
        self._interval = 1 / a_second
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._interval
        time.sleep(at - now)


class _Lateness:
    """Counts the questions in a row that a program has let pass, in any seat."""

    def __init__(self) -> None:
        self._n = 0
        self._lock = threading.Lock()

    def note(self, *, is_late: bool) -> bool:
        """Count an answer; whether it is the ``MOST_LATE``-th late one in a row, after which the
        count begins anew."""
        with self._lock:
            self._n = self._n + 1 if is_late else 0
            if self._n < MOST_LATE:
                return False
            self._n = 0
            return True


class ConnectedSeat:
    """One seat of a connected program: a ``Connection`` for the game, a mailbox for its requests.

    Messages are numbered from 1 and wait until the program says that it has them. The answer to a
    question is the first one that is given by whoever has the question; the same request sent again
    changes nothing, nor does an answer that comes late."""

    def __init__(self, pace: _Pace) -> None:
        self._pace = pace
        self._changed = threading.Condition()
        self._listeners = set[Callable[[], None]]()
        self._messages = deque[bytes]()
        self._n_bytes = 0
        self._n_sent = 0
        self._n_due = 0  # messages that the program should have now
        self._question = 0  # the number of the message that is to be answered, 0 for none
        self._answered_after = -1
        self._answer: bytes | None = None
        self._is_replaced = False
        self._is_interrupted = False

    def send(self, line: bytes) -> None:
        with self._changed:
            if self._n_bytes + len(line) > MAX_UNSENT:
                raise ProgramFaultError(UNREAD)
            self._messages.append(line)
            self._n_bytes += len(line)
            self._n_sent += 1

    def flush(self) -> None:
        """Nothing: events are fetched with the next question."""

    def read_line(self, seconds: float) -> bytes | None:
        self._pace.wait()
        with self._changed:
            if not self._question:
                self._question = self._n_sent
            self._n_due = self._n_sent
            self._tell_listeners()
            self._changed.wait_for(self._is_heard, seconds)
            if self._is_replaced:
                raise ProgramFaultError(REPLACED)
            if self._is_interrupted:
                self._is_interrupted = False
                self._question = 0
                raise ProgramError("it was interrupted")
            line = self._answer
            if line is not None:
                self._answer = None
                self._question = 0
            return line

    def _is_heard(self) -> bool:
        return self._answer is not None or self._is_replaced or self._is_interrupted

    def last_error_line(self) -> str:
        return ""

    def close(self, last_words: bytes = b"") -> None:
        """The seat goes back to waiting; what it hasn't fetched of this conversation is dropped."""
        with self._changed:
            self._messages.clear()
            self._n_bytes = 0
            self._question = 0
            self._answer = None
        if last_words:
            self.send(last_words)
        with self._changed:
            self._n_due = self._n_sent
            self._tell_listeners()

    def replace(self) -> None:
        """The program has reconnected: this seat's token is no longer valid."""
        with self._changed:
            self._is_replaced = True
            self._changed.notify_all()
            self._tell_listeners()

    def interrupt(self) -> None:
        """Abort the pending question, if any."""
        with self._changed:
            self._is_interrupted = self._question != 0
            self._changed.notify_all()

    def take(self, after: int, answer: Document | None) -> None:
        """What a request brings: it has the messages up to number ``after``, and may answer the
        question among them. ``ProgramError`` where that can't be."""
        with self._changed:
            self._check_place()
            if not 0 <= after <= self._n_due:
                raise ProgramError(
                    f"after is {after}; the last answer's, up to {self._n_due}, is legal"
                )
            while self._messages and self._n_sent - len(self._messages) < after:
                self._n_bytes -= len(self._messages.popleft())
            is_first = self._question != 0 and after >= self._question > self._answered_after
            if answer is not None and is_first:
                self._answer = json.dumps(answer).encode()
                self._answered_after = after
                self._changed.notify_all()

    def is_due(self, after: int) -> bool:
        """Whether a program that has the messages up to a number should have others now."""
        return after < self._n_due or self._is_replaced

    def messages(self) -> Document:
        """The messages that the program should have and doesn't, and the ``after`` of its next
        request. A question isn't among them before somebody waits for its answer."""
        with self._changed:
            self._check_place()
            n_early = self._n_sent - self._n_due
            due = list(self._messages)[: len(self._messages) - n_early]
            return {"messages": [json.loads(line) for line in due], "after": self._n_due}

    def _check_place(self) -> None:
        if self._is_replaced:
            raise ProgramError(f"this token is of an earlier connection: {REPLACED}")

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener``, from any thread, when ``is_due`` may have changed."""
        with self._changed:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.discard(listener)

    @property
    def is_listened_to(self) -> bool:
        return bool(self._listeners)

    def _tell_listeners(self) -> None:
        for listener in self._listeners:
            listener()


class _Connection(NamedTuple):
    program: ConnectedProgram
    seats: list[ConnectedSeat]
    tokens: list[str]
    lateness: _Lateness


class _Connections:
    """The programs that have connected, the last at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_name = OrderedDict[str, _Connection]()
        self._by_token: dict[str, ConnectedSeat] = {}

    def connect(self, program: ConnectedProgram) -> dict[str, str]:
        pace = _Pace(QUESTIONS_A_SECOND)
        seats = [ConnectedSeat(pace) for _ in range(N_SEATS)]
        tokens = [secrets.token_urlsafe(24) for _ in range(N_SEATS)]
        with self._lock:
            before = self._by_name.get(program.name)
            if before is not None and _is_here(before):
                raise BusyError(f"a program called {program.name} is connected", RETRY_SECONDS)
            if before is None and len(self._by_name) >= MOST:
                self._forget_one()
            if before is not None:
                self._forget(before)
            self._by_name[program.name] = _Connection(program, seats, tokens, _Lateness())
            self._by_token.update(zip(tokens, seats, strict=True))
        return dict(zip(SEATS, tokens, strict=True))

    def _forget_one(self) -> None:
        """Make room: of those that have gone, the one that connected first goes."""
        for connection in self._by_name.values():
            if not _is_here(connection):
                self._forget(connection)
                return
        raise BusyError(f"{MOST} programs are connected already", RETRY_SECONDS)

    def _forget(self, connection: _Connection) -> None:
        del self._by_name[connection.program.name]
        for token, seat in zip(connection.tokens, connection.seats, strict=True):
            seat.replace()
            del self._by_token[token]

    def find(self, name: str) -> _Connection:
        with self._lock:
            connection = self._by_name.get(name)
            known = ", ".join(self._by_name) or "none"
        if connection is None:
            raise ProgramError(
                f"no program called {shown(name)} has connected to this server; there are: {known}"
            )
        return connection

    def seat(self, token: object) -> ConnectedSeat:
        with self._lock:
            seat = self._by_token.get(token) if isinstance(token, str) else None
        if seat is None:
            raise ProgramError("this is no token of a connected program's seat: connect first")
        return seat


def _is_here(connection: _Connection) -> bool:
    """Whether a program waits for messages; one that thinks in a seat waits in the others."""
    return any(seat.is_listened_to for seat in connection.seats)


_CONNECTIONS = _Connections()


def connect_program(name: Any, version: Any, seconds: Any = DEFAULT_SECONDS) -> dict[str, str]:
    """Let a program take part under a name: its tokens by seat's letter.

    One that has the name and has gone is replaced. ``ProgramError`` for what can't be,
    ``BusyError`` where one of the name is here or too many are."""
    if not isinstance(name, str):
        raise ProgramError(f"name is {shown(name)}; a text is legal")
    check_name(name)
    check_seconds(seconds, MOST_SECONDS)
    return _CONNECTIONS.connect(ConnectedProgram(name, version, float(seconds)))


def find_connected(name: str) -> ConnectedProgram:
    """The program that has connected under a name; ``ProgramError`` says which there are."""
    return _CONNECTIONS.find(name).program


def connected_seat(token: object) -> ConnectedSeat:
    """The seat of a token; ``ProgramError`` for another text."""
    return _CONNECTIONS.seat(token)
