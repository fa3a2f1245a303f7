"""Tournaments that programs ask for over HTTP: every two agents against each other, on common deals
from both sides.

They are the matches of ``analysis.matches``: stored part by part, so that nothing is played twice,
and in the league of the Agents page. One is played at a time, a few may wait. The same request
again starts nothing: it says how far the tournament is, and at last its results; with ``"stop":
true`` it ends it, and what was played stays.
"""

import logging
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache, partial
from threading import Lock, Thread
from typing import Any

from analysis.matches.match import (
    MAX_AGENTS,
    MatchPlan,
    play_round_robin,
    round_robin,
    round_robin_key,
    stored_games,
    stored_match,
)
from spades.core.documents import Document
from spades.core.errors import BusyError, SpadesError, shown
from spades.core.rules import Rules

MAX_GAMES = 10_000  # of a match
MAX_WAITING = 4
RETRY_SECONDS = 10.0
FAILED_KEPT = 100
FAILED = "it failed; the server's log says why"
_KEYS = ("agents", "games", "seed", "nil_only", "rules", "stop")
_log = logging.getLogger(__name__)


class Tournaments:
    """Those of this server, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Sequence[MatchPlan]] = OrderedDict()
        self._failed: OrderedDict[str, str] = OrderedDict()
        self._stopped = set[str]()
        self._lock = Lock()
        self._thread: Thread | None = None

    def play(self, document: Document) -> Document:
        """Start what a request asks for, or say how far it is.

        ``state``: ``done``, ``playing``, ``waiting``, ``stopped`` or ``failed``, with the
        ``error``; ``games`` that are stored, ``of`` how many; ``matches``: the results, once all
        are done, as ``spades match --json`` prints them. A failed one starts anew. ``SpadesError``
        for what can't be played, ``BusyError`` where too many wait."""
        plans = plans_of(document)
        key = round_robin_key(plans)
        results = [stored_match(plan) for plan in plans]
        total = sum(plan.games for plan in plans)
        answer: Document = {"tournament": key, "games": total, "of": total}
        if all(results):
            matches = [result.document() for result in results if result is not None]
            return {**answer, "state": "done", "matches": matches}
        if document.get("stop") is True:
            self._stop(key)
            return {**answer, "games": sum(map(stored_games, plans)), "state": "stopped"}
        error = self._start(key, plans)
        answer["games"] = sum(map(stored_games, plans))
        if error:
            return {**answer, "state": "failed", "error": error}
        return {**answer, "state": "playing" if self._is_first(key) else "waiting"}

    def _start(self, key: str, plans: Sequence[MatchPlan]) -> str:
        """Let it wait for its turn, unless it does; the error of one that has just failed."""
        with self._lock:
            if key in self._failed:
                return self._failed.pop(key)
            if key in self._waiting:
                return ""
            if len(self._waiting) > MAX_WAITING:
                raise BusyError(f"{MAX_WAITING} tournaments wait already", RETRY_SECONDS)
            self._waiting[key] = plans
            if self._thread is None:
                self._thread = Thread(target=self._play_all, name="tournaments", daemon=True)
                self._thread.start()
        return ""

    def _stop(self, key: str) -> None:
        """End a tournament that is played, and take one that waits out of the queue."""
        with self._lock:
            if next(iter(self._waiting), None) == key:
                self._stopped.add(key)
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
                key, plans = next(iter(self._waiting.items()))
            error = ""
            try:
                play_round_robin(plans, is_cancelled=partial(self._stopped.__contains__, key))
            except SpadesError as refusal:
                error = str(refusal)
            except Exception:  # it is told, and the next one is played
                _log.exception("tournament %s", key)
                error = FAILED
            with self._lock:
                del self._waiting[key]
                self._stopped.discard(key)
                if error:
                    self._failed[key] = error
                while len(self._failed) > FAILED_KEPT:
                    self._failed.popitem(last=False)


def plans_of(document: Document) -> list[MatchPlan]:
    """The matches of a request; ``SpadesError`` says what is wrong, and what would be legal."""
    unknown = sorted(set(document) - set(_KEYS))
    if unknown:
        raise SpadesError(f"unknown {shown(', '.join(unknown))}; known: {', '.join(_KEYS)}")
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
