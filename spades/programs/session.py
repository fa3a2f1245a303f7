"""A conversation with a program that plays one seat.

A program is told what is new since it was last asked, then asked. Whoever asks passes the whole
observation: a round that isn't the one told so far, played on, is told from its beginning. So the
answers don't depend on what was asked before, if the program keeps nothing from round to round.
"""

from typing import Any, NamedTuple

from spades import __version__
from spades.core.cards import SEATS
from spades.core.documents import load_object
from spades.core.errors import SpadesError, shown
from spades.core.observation import Observation
from spades.core.programs import ProgramError, ProgramFaultError
from spades.programs.connection import Connection, SeatedProgram
from spades.programs.messages import (
    PROTOCOL,
    Known,
    bid_request,
    known_of,
    line_of,
    news,
    play_request,
)

START_SECONDS = 10.0  # for the first answer
GRACE_SECONDS = 1.0  # between the message "stop" and the end
MAX_SHOWN = 200  # letters of a wrong answer
QUIT = line_of({"type": "quit"})


class Request(NamedTuple):
    """What a program is asked: a ``bid`` or a ``card`` for an observation's seat."""

    wanted: str
    observation: Observation
    number: int

    @property
    def place(self) -> str:
        """Where in the game it is asked."""
        seat = SEATS[self.observation.seat]
        if self.wanted == "bid":
            return f"{seat} to bid"
        return f"ply {len(self.observation.table.plays)}, {seat} to play"

    @property
    def example(self) -> str:
        """An answer in the right form."""
        value = "3" if self.wanted == "bid" else '"HT"'
        return f'{{"id": {self.number}, "{self.wanted}": {value}}} is legal'

    def line(self, seconds: float, seed: int) -> bytes:
        request = bid_request if self.wanted == "bid" else play_request
        return line_of(request(self.observation, self.number, seconds, seed))


class Session:
    """A program in one seat, started when it is first needed and again after a fault.

    Not to be used by two threads at once."""

    def __init__(self, program: SeatedProgram) -> None:
        self.program = program
        self._process: Connection | None = None
        self._known: Known | None = None
        self._n_asked = 0

    def bid(self, observation: Observation, seed: int) -> int:
        """The program's bid. ``ProgramFaultError`` for one that isn't legal, or comes late."""
        request = self._request("bid", observation)
        answer, line = self._ask(request, seed)
        legal = observation.legal_bids
        if type(answer) is not int or answer not in legal:
            legal_text = f"a whole number from {legal[0]} to {legal[-1]} is legal"
            raise self._fault(request, f"it bid {shown(answer)}", line, legal_text)
        return answer

    def play(self, observation: Observation, seed: int) -> int:
        """The code of the card that the program plays. ``ProgramFaultError`` as ``bid``."""
        request = self._request("card", observation)
        answer, line = self._ask(request, seed)
        deck = observation.rules.cards
        legal = deck.format_cards(observation.legal_mask).split()
        if answer not in legal:
            legal_text = f"legal: {' '.join(legal)}"
            raise self._fault(request, f"it played {shown(answer)}", line, legal_text)
        return deck.parse_card(answer)

    def follow(self, observation: Observation) -> None:
        """Tell the program what is new, the end of a round above all; it has no answer to give."""
        if self._process is None:
            return
        try:
            self._tell(self._process, observation)
            self._process.flush()
        except ProgramFaultError:
            self.close()  # it is asked nothing now; whoever asks next finds it started anew

    def close(self) -> None:
        """End the program; it is told first."""
        self._end(QUIT)

    def _end(self, last_words: bytes = b"") -> None:
        if self._process is not None:
            self._process.close(last_words)
            self._process = None
        self._known = None

    def _tell(self, process: Connection, observation: Observation) -> None:
        now = known_of(observation)
        for message in news(self._known, now, observation):
            process.send(line_of(message))
        self._known = now

    def _request(self, wanted: str, observation: Observation) -> Request:
        self._n_asked += 1
        return Request(wanted, observation, self._n_asked)

    def _ask(self, request: Request, seed: int) -> tuple[Any, str]:
        """What the program answers, and the line that it wrote."""
        process = self._started(request.observation.seat)
        try:
            line = self._line_for(process, request, seed)
        except ProgramFaultError as error:
            raise self._fault(request, str(error)) from None
        text = line.decode("utf-8", "replace")
        try:
            answer = load_object(text)
        except SpadesError as error:
            raise self._fault(request, f"that is {error}", text, request.example) from None
        number = answer.get("id")
        if type(number) is not int or number != request.number:
            found = f"id {shown(number)} answers no question"
            raise self._fault(request, found, text, request.example)
        if request.wanted not in answer:
            found = f"no {request.wanted!r} in the answer"
            raise self._fault(request, found, text, request.example)
        return answer[request.wanted], text

    def _line_for(self, process: Connection, request: Request, seed: int) -> bytes:
        """The line that the program writes when it is asked; ``ProgramFaultError`` for none."""
        seconds = self.program.seconds
        self._tell(process, request.observation)
        process.send(request.line(seconds, seed))
        line = process.read_line(seconds)
        if line is None:
            process.send(line_of({"type": "stop", "id": request.number}))
            line = process.read_line(GRACE_SECONDS)
        is_given_up = self.program.note_answer(is_late=line is None)
        if line is None:
            late = f"it didn't answer within {seconds:g} s, nor {GRACE_SECONDS:g} s after stop"
            if is_given_up:
                self._end()
                raise ProgramError(
                    f"{self.program}, {request.place}: {late}, again and again: it is asked no more"
                )
            raise ProgramFaultError(late)
        return line

    def _fault(
        self, request: Request, reason: str, line: str = "", legal: str = ""
    ) -> ProgramFaultError:
        """The fault with its place, the line that was written and what would be legal; the program
        is ended."""
        text = f"{self.program}, {request.place}: {reason}"
        if line:
            text += f"; it wrote {_quoted(line)}"
        elif self._process is not None:
            text += _last_error(self._process)
        if legal:
            text += f"; {legal}"
        self._end()
        observation = request.observation
        return ProgramFaultError(f"{text} | {observation.text()}", observation.seat)

    def _started(self, seat: int) -> Connection:
        if self._process is None:
            process = self.program.connect(seat)
            try:
                self._greet(process)
            except BaseException:
                process.close()
                raise
            self._process = process
            self._known = None
        return self._process

    def _greet(self, process: Connection) -> None:
        """Exchange names and versions. ``ProgramError`` where the program says another version than
        the list, speaks another protocol, or doesn't answer."""
        hello = {
            "type": "hello",
            "id": 0,
            "protocol": PROTOCOL,
            "name": "spades",
            "version": __version__,
            "seconds": START_SECONDS,
        }
        example = f'{{"id": 0, "protocol": {PROTOCOL}, "name": ..., "version": ...}}'
        process.send(line_of(hello))
        try:
            line = process.read_line(START_SECONDS)
        except ProgramFaultError as error:
            raise self._no_start(process, str(error)) from None
        if line is None:
            raise self._no_start(process, f"it didn't answer hello in {START_SECONDS:g} s")
        text = line.decode("utf-8", "replace")
        try:
            answer = load_object(text)
        except SpadesError:
            answer = {}
        if answer.get("id") != 0 or answer.get("protocol") != PROTOCOL:
            found = f"it answered hello by {_quoted(text)}; {example} is legal"
            raise self._no_start(process, found)
        if answer.get("version") != self.program.version:
            raise self._no_start(
                process,
                f"it says that it is version {shown(answer.get('version'))}, the list of programs "
                f"says {self.program.version!r}: results are stored under one of them",
            )

    def _no_start(self, process: Connection, reason: str) -> ProgramError:
        return ProgramError(f"{self.program} can't play: {reason}{_last_error(process)}")


def _last_error(process: Connection) -> str:
    """The last line of a program's error output, to be appended to a message."""
    last = process.last_error_line()
    return f"; its last error line: {_quoted(last)}" if last else ""


def _quoted(line: str) -> str:
    """A line from outside on one line, not too long."""
    shown_part = line[:MAX_SHOWN].encode("unicode_escape").decode()
    return f"{shown_part}..." if len(line) > MAX_SHOWN else shown_part
