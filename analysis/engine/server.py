"""``spades engine``: an agent of ours as a program, and analyses on demand, over two streams.

Moves are made one after the other, analyses beside them, several at a time; each request is
answered when it is done, in any order. The thread that reads only notes and queues, so that
``stop`` and ``terminate`` are seen while others search.
"""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

from analysis.decisions.settings import new_search, settings_of_agent
from analysis.engine.queries import SLICE, Query
from analysis.engine.seat import Seat
from spades import __version__
from spades.agents import Agent, IsmctsPlayer, parse_agent
from spades.core.documents import MAX_INT, Document, load_object
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.observation import Observation
from spades.programs.messages import PROTOCOL

MAX_LINE = 8 << 20  # bytes
MAX_QUEUED = 1000  # analyses
TYPES = (
    "hello", "newround", "event", "bid", "play", "stop", "analyse", "terminate", "quit",
)  # fmt: skip
STOPPED_BY = parse_agent("srp").player
"""Plays where a player that has found nothing yet is stopped."""

Id = Any  # of a request: a text or a number


class Server:
    """Answers the messages of one source, on one sink."""

    def __init__(self, agent: Agent, source: BinaryIO, sink: BinaryIO, *, threads: int = 1) -> None:
        self._agent = agent
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._seat: Seat | None = None
        self._moves = ThreadPoolExecutor(1, "moves")
        self._analyses = ThreadPoolExecutor(threads, "analyses")
        self._open: dict[Id, threading.Event] = {}  # set: to be ended early
        self._noting = threading.Lock()

    def run(self) -> None:
        """Answer until ``quit`` or the end of the source; after the end what is open is finished,
        after ``quit`` it is dropped."""
        has_quit = False
        while not has_quit:
            line = self._source.readline(MAX_LINE + 1)
            if not line:
                break
            if len(line) > MAX_LINE:
                self._refuse(None, f"a line of over {MAX_LINE >> 20} MB")
                break
            if line.strip():
                has_quit = self._take(line)
        if has_quit:
            self._end_early(list(self._open))
        self._moves.shutdown(cancel_futures=has_quit)
        self._analyses.shutdown(cancel_futures=has_quit)

    def _take(self, line: bytes) -> bool:
        """Take one message; whether it is ``quit``."""
        number: Id = None
        try:
            message = load_object(line.decode("utf-8", "replace"))
            number = message.get("id")
            if not isinstance(number, int | str | None):
                raise InvalidRecordError(f"id is {shown(number)}; a number or a text is legal")
            kind = message.get("type")
            if kind not in TYPES:
                raise InvalidRecordError(f"type {shown(kind)}; {', '.join(TYPES)} are legal")
            if kind == "quit":
                return True
            getattr(self, f"_take_{kind}")(number, message)
        except SpadesError as error:
            self._refuse(number, str(error))
        return False

    def _take_hello(self, number: Id, message: Document) -> None:
        if message.get("protocol") != PROTOCOL:
            found = shown(message.get("protocol"))
            raise InvalidRecordError(f"protocol {found}; {PROTOCOL} is spoken here")
        self._answer(
            number, {"protocol": PROTOCOL, "name": str(self._agent), "version": __version__}
        )

    def _take_newround(self, number: Id, message: Document) -> None:
        self._seat = None  # if this one is refused, there is none
        self._seat = Seat.of(message)

    def _take_event(self, number: Id, message: Document) -> None:
        seat = self._known_seat()
        try:
            seat.follow(message)
        except SpadesError:
            self._seat = None  # what follows would be of another round
            raise

    def _take_bid(self, number: Id, message: Document) -> None:
        seen = self._known_seat().observation
        if not seen.legal_bids:
            raise InvalidRecordError(f"the seat has bid {seen.table.bids[seen.seat]} already")
        seed = _seed_of(message)
        self._begin(self._moves, number, lambda end: {"bid": self._agent.bidder.bid(seen, seed)})

    def _take_play(self, number: Id, message: Document) -> None:
        seen = self._known_seat().observation
        if not seen.legal_mask or seen.table.is_over:
            raise InvalidRecordError(f"another seat is to play | {seen.text()}")
        seed = _seed_of(message)
        deck = seen.rules.cards

        def play(end: threading.Event) -> Document:
            return {"card": deck.format_card(chosen_card(self._agent, seen, seed, end.is_set))}

        self._begin(self._moves, number, play)

    def _take_stop(self, number: Id, message: Document) -> None:
        self._end_early([number])

    def _take_analyse(self, number: Id, message: Document) -> None:
        query = Query.of(message, self._agent)
        with self._noting:
            if len(self._open) >= MAX_QUEUED:
                raise InvalidRecordError(f"{MAX_QUEUED:,} requests are open, and no more may be")
        self._begin(self._analyses, number, lambda end: query.answer(end.is_set))

    def _take_terminate(self, number: Id, message: Document) -> None:
        """End one query early, or all: those that have begun answer with what they have."""
        query = message.get("query")
        with self._noting:
            found = [name for name in self._open if query in (None, name)]
        self._end_early(found)
        self._answer(number, {"terminated": found})

    def _known_seat(self) -> Seat:
        if self._seat is None:
            raise InvalidRecordError("no round is known; newround is due first")
        return self._seat

    def _begin(
        self,
        pool: ThreadPoolExecutor,
        number: Id,
        work: Callable[[threading.Event], Document],
    ) -> None:
        """Queue what a request asks for. Its id must be its own while it is open."""
        if number is None:
            raise InvalidRecordError("a request needs an id, a number or a text")
        end = threading.Event()
        with self._noting:
            if number in self._open:
                raise InvalidRecordError(f"id {shown(number)} is open already")
            self._open[number] = end
        pool.submit(self._do, number, work, end)

    def _do(
        self, number: Id, work: Callable[[threading.Event], Document], end: threading.Event
    ) -> None:
        try:
            answer = work(end)
        except SpadesError as error:
            answer = {"error": str(error)}
        except Exception as error:  # whatever fails, its request gets an answer
            answer = {"error": f"internal error: {type(error).__name__}: {error}"}
        with self._noting:
            del self._open[number]
        self._answer(number, answer)

    def _end_early(self, numbers: list[Id]) -> None:
        with self._noting:
            for number in numbers:
                if number in self._open:
                    self._open[number].set()

    def _refuse(self, number: Id, reason: str) -> None:
        self._answer(number, {"error": reason})

    def _answer(self, number: Id, answer: Document) -> None:
        line = json.dumps({"id": number, **answer}).encode() + b"\n"
        with self._writing, suppress(BrokenPipeError, ValueError):  # the reader has closed its end
            self._sink.write(line)
            self._sink.flush()


def chosen_card(agent: Agent, seen: Observation, seed: int, is_stopped: Callable[[], bool]) -> int:
    """The card (code) that an agent plays. Stopped, a search plays what it has found so far;
    another player, or a search that has found nothing, plays by rules."""
    player = agent.player
    legal = seen.legal_mask
    if legal & (legal - 1) == 0:
        return player.play(seen, seed)
    if isinstance(player, IsmctsPlayer):
        settings = replace(settings_of_agent(player.text), seed=seed)
        search = new_search(seen, settings)
        while search.iterations < settings.iterations and not is_stopped():
            search.run(min(SLICE, settings.iterations - search.iterations))
        if search.iterations:
            return search.result().best.card.code
        return STOPPED_BY.play(seen, seed)
    steps = player.play_in_steps(seen, seed)
    while not is_stopped():
        try:
            next(steps)
        except StopIteration as end:
            return int(end.value)
    steps.close()
    return STOPPED_BY.play(seen, seed)


def _seed_of(message: Document) -> int:
    seed = message.get("seed", 0)
    if type(seed) is not int or not 0 <= seed <= MAX_INT:
        raise InvalidRecordError(f"seed is {shown(seed)}; a whole number from 0 is legal")
    return seed
