"""Tournaments that programs ask for over HTTP: every two agents against each other, on common deals
from both sides.

They are the matches of ``analysis.matches``: stored part by part, so that nothing is played twice,
and in the league of the Agents page. One is played at a time, a few may wait, and they take turns:
one that is long, or has a slow program, goes on after those that wait. The same request again
starts nothing: it says how far the tournament is, and at last its results; with ``"stop": true``
it ends it, and what was played stays. With ``"log": true`` the first games of each match become a
log.
"""

import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from analysis.matches.match import (
    MAX_AGENTS,
    MatchPlan,
    has_log,
    log_name,
    play_round_robin,
    round_robin,
    round_robin_key,
    store_first_games,
    stored_games,
    stored_match,
)
from analysis.runs.store import programs_of
from spades.core.documents import Document, check_keys
from spades.core.errors import BusyError, SpadesError, shown
from spades.core.programs import ProgramError
from spades.core.rules import Rules
from spades.programs.connected import ConnectedProgram

MAX_GAMES = 10_000  # of a match
MAX_WAITING = 4
TURN_VARIABLE = "SPADES_TOURNAMENT_MINUTES"
TURN_MINUTES = 60.0  # after which a tournament lets those go first that wait
LOOK_SECONDS = 2.0  # how often it is looked whether the turn is over
RETRY_SECONDS = 10.0
FAILED_KEPT = 100
FAILED = "it failed; the server's log says why"
_KEYS = ("agents", "games", "seed", "nil_only", "rules", "log", "stop")
_log = logging.getLogger(__name__)


class _Asked(NamedTuple):
    """Matches to be played, and whether their first games become logs."""

    plans: Sequence[MatchPlan]
    wants_logs: bool

    @property
    def has_logs(self) -> bool:
        return not self.wants_logs or all(has_log(plan.key) for plan in self.plans)

    def interrupt(self) -> None:
        """Wait for no program that thinks: a slow one would hold up the tournaments that wait."""
        for program in programs_of(*(text for plan in self.plans for text in (plan.ns, plan.ew))):
            if isinstance(program, ConnectedProgram):
                with suppress(ProgramError):  # it has gone
                    program.interrupt()

    def play(self, is_cancelled: Callable[[], bool]) -> None:
        """Play what the stores lack."""
        results = play_round_robin(self.plans, is_cancelled=is_cancelled)
        if results is None or not self.wants_logs:
            return
        for plan, result in zip(self.plans, results, strict=True):
            if not has_log(plan.key):
                store_first_games(plan, result, is_cancelled=is_cancelled)


class Tournaments:
    """Those of this server, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, _Asked] = OrderedDict()
        self._failed: OrderedDict[str, str] = OrderedDict()
        self._stopped = set[str]()
        self._giving_way = set[str]()
        self._turn_seconds = turn_seconds()
        self._lock = Lock()
        self._thread: Thread | None = None

    def play(self, document: Document) -> Document:
        """Start what a request asks for, or say how far it is.

        ``state``: ``done``, ``playing``, ``waiting``, ``stopped`` or ``failed``, with the
        ``error``; ``games`` that are stored, ``of`` how many; ``matches``: the results, once all
        are done, as ``spades match --json`` prints them; ``logs``: the names of the logs that were
        asked for. A failed one starts anew. ``SpadesError`` for what can't be played, ``BusyError``
        where too many wait."""
        plans = plans_of(document)
        asked = _Asked(plans, document.get("log") is True)
        key = round_robin_key(plans)
        results = [stored_match(plan) for plan in plans]
        total = sum(plan.games for plan in plans)
        answer: Document = {"tournament": key, "games": total, "of": total}
        if all(results) and asked.has_logs:
            answer["matches"] = [result.document() for result in results if result is not None]
            if asked.wants_logs:
                answer["logs"] = [log_name(plan.key) for plan in plans]
            return {**answer, "state": "done"}
        if document.get("stop") is True:
            self._stop(key)
            return {**answer, "games": sum(map(stored_games, plans)), "state": "stopped"}
        error = self._start(key, asked)
        answer["games"] = sum(map(stored_games, plans))
        if error:
            return {**answer, "state": "failed", "error": error}
        return {**answer, "state": "playing" if self._is_first(key) else "waiting"}

    def _start(self, key: str, asked: _Asked) -> str:
        """Let it wait for its turn, unless it does; the error of one that has just failed."""
        with self._lock:
            if key in self._failed:
                return self._failed.pop(key)
            if key in self._waiting:
                return ""
            if len(self._waiting) > MAX_WAITING:
                raise BusyError(f"{MAX_WAITING} tournaments wait already", RETRY_SECONDS)
            self._waiting[key] = asked
            if self._thread is None:
                self._thread = Thread(target=self._play_all, name="tournaments", daemon=True)
                self._thread.start()
        return ""

    def _stop(self, key: str) -> None:
        """End a tournament that is played, and take one that waits out of the queue."""
        with self._lock:
            if next(iter(self._waiting), None) == key:
                self._stopped.add(key)
                self._waiting[key].interrupt()
            else:
                self._waiting.pop(key, None)

    def _is_first(self, key: str) -> bool:
        with self._lock:
            return next(iter(self._waiting), key) == key

    def _play_all(self) -> None:
        """Play one after the other, as long as there are any."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                key, asked = next(iter(self._waiting.items()))
            error = ""
            is_ended = Event()
            Thread(target=self._watch, args=(key, asked, is_ended), daemon=True).start()
            try:
                asked.play(partial(self._is_interrupted, key))
            except SpadesError as refusal:
                error = str(refusal)
            except Exception:  # it is told, and the next one is played
                _log.exception("tournament %s", key)
                error = FAILED
            is_ended.set()
            with self._lock:
                self._end(key, error)

    def _is_interrupted(self, key: str) -> bool:
        return key in self._stopped or key in self._giving_way

    def _watch(self, key: str, asked: _Asked, is_ended: Event) -> None:
        """Let others go first once the turn of a tournament is over and there are any."""
        is_over_at = time.monotonic() + self._turn_seconds
        while not is_ended.wait(LOOK_SECONDS):
            if time.monotonic() < is_over_at:
                continue
            with self._lock:
                if is_ended.is_set() or len(self._waiting) < 2:
                    continue
                self._giving_way.add(key)
                asked.interrupt()

    def _end(self, key: str, error: str) -> None:
        """A tournament is played to its end, or has failed, or was interrupted."""
        if key in self._giving_way and key not in self._stopped:
            self._waiting.move_to_end(key)
        else:
            del self._waiting[key]
            if error and key not in self._stopped:
                self._failed[key] = error
        self._stopped.discard(key)
        self._giving_way.discard(key)
        while len(self._failed) > FAILED_KEPT:
            self._failed.popitem(last=False)


def turn_seconds() -> float:
    """How long a tournament is played while others wait; a server may say another time."""
    given = os.environ.get(TURN_VARIABLE, str(TURN_MINUTES))
    try:
        minutes = float(given)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise SpadesError(f"{TURN_VARIABLE} is {given!r}; a number of minutes above 0 is legal")
    return 60 * minutes


def plans_of(document: Document) -> list[MatchPlan]:
    """The matches of a request; ``SpadesError`` says what is wrong, and what would be legal."""
    check_keys(document, _KEYS)
    agents = document.get("agents")
    if not isinstance(agents, list) or not all(isinstance(text, str) for text in agents):
        raise SpadesError(f"agents is {shown(agents)}; a list of agents' texts is legal")
    if len(agents) > MAX_AGENTS:
        raise SpadesError(f"{len(agents)} agents; 2 to {MAX_AGENTS} are legal")
    games = document.get("games")
    if type(games) is not int or not 2 <= games <= MAX_GAMES or games % 2:
        raise SpadesError(
            f"games is {shown(games)}; an even number from 2 to {MAX_GAMES:,} is legal: every deal "
            "is played from both sides"
        )
    seed = document.get("seed", 0)
    if type(seed) is not int:
        raise SpadesError(f"seed is {shown(seed)}; a whole number is legal")
    given = document.get("rules", {})
    if not isinstance(given, dict):
        raise SpadesError(f"rules are {shown(given)}; an object of options is legal")
    options: dict[str, Any] = Rules.from_options(given).non_defaults()
    variant: dict[str, Any] = {"seed": seed, "nil_only": document.get("nil_only", False) is True}
    if "target" in options:
        variant["target"] = options.pop("target")
    if "losing_floor" in options:
        variant["floor"] = options.pop("losing_floor")
    return round_robin(agents, games, rules=options, **variant)


@lru_cache(maxsize=1)
def tournaments() -> Tournaments:
    """Those of this server."""
    return Tournaments()
