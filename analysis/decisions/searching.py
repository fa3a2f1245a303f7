"""Searches in the background: all decisions of a round, and one decision at length.

Two visitors who open the same link read the same search, and a reload finds it where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial

from analysis.decisions.decision import AnalysisSettings, Decision, compare, new_search
from analysis.runs.jobs import Desk, Job, Turns
from analysis.runs.store import model_hash
from spades.core.behaviour import behaviour_of_searches
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.notation.schema import row_of
from spades.search import Search, SearchResult
from spades.search.search import CHUNK

MAX_ROUNDS = 64
MAX_LIVE = 4
MAX_LIVE_ITERATIONS = 250_000  # a seed; five such trees take about 200 MB


def search_in_slices(search: Search, iterations: int) -> Generator[None, None, SearchResult]:
    """Search up to so many iterations in all, yielding after each slice."""
    while left := iterations - search.iterations:
        search.run(min(left, CHUNK))
        yield
    return search.result()


class RoundSearch:
    """Every play decision of a round, the one in ``focus`` (a ply) and what follows it first.

    ``decisions[ply]`` is None until that decision's search is complete: a search cut short is
    never shown as a result.
    """

    def __init__(self, record: RoundRecord, settings: AnalysisSettings, focus: int = 0) -> None:
        self.record, self.settings, self.focus = record, settings, focus
        self.decisions: list[Decision | None] = [None] * len(record.plays)

    @property
    def n_done(self) -> int:
        return sum(decision is not None for decision in self.decisions)

    def steps(self) -> Iterator[None]:
        seen = [self.record.observe(state) for state in self.record.positions()]
        while pending := [ply for ply, found in enumerate(self.decisions) if found is None]:
            ply = min(pending, key=lambda ply: (ply < self.focus, ply))
            yield from self._search(ply, seen[ply])

    def _search(self, ply: int, observation: Observation) -> Iterator[None]:
        settings, results = self.settings, []
        for how in settings.searches:
            run = new_search(observation, settings, how)
            results.append((yield from search_in_slices(run, settings.iterations)))
        self.decisions[ply] = compare(self.record, ply, observation, results, settings.models)


class LiveSearch:
    """One decision searched at length with several seeds in step; ``results`` has one a seed."""

    def __init__(
        self, record: RoundRecord, ply: int, settings: AnalysisSettings, n_seeds: int
    ) -> None:
        self.target = 0
        observation = record.observation(ply)
        self._searches = [new_search(observation, settings, offset=i) for i in range(n_seeds)]
        self.results: tuple[SearchResult, ...] = ()

    @property
    def iterations(self) -> int:
        """Iterations that every seed has done."""
        return min((result.iterations for result in self.results), default=0)

    def extend(self, iterations: int) -> None:
        """Ask for more iterations a seed, up to ``MAX_LIVE_ITERATIONS`` in all."""
        self.target = min(MAX_LIVE_ITERATIONS, self.iterations + iterations)

    def steps(self) -> Iterator[None]:
        while self.iterations < self.target:
            for search in self._searches:
                search.run(min(CHUNK, self.target - search.iterations))
                yield
            self.results = tuple(search.result() for search in self._searches)


class SearchDesk:
    """Hands out the searches under way and done, by key; shared by every session of a server."""

    def __init__(self) -> None:
        self.turns = Turns()  # other jobs may take turns with the searches
        self._rounds: Desk[RoundSearch] = Desk(self.turns, MAX_ROUNDS)
        self._live: Desk[LiveSearch] = Desk(self.turns, MAX_LIVE)

    def search_round(
        self,
        record: RoundRecord,
        settings: AnalysisSettings,
        *,
        focus: int = 0,
        again: bool = False,
    ) -> tuple[RoundSearch, Job]:
        """The round's search, started if it is new; ``focus`` moves to the front.

        ``again``: go on with one that was stopped.
        """
        new = partial(RoundSearch, record, settings, focus)
        work, job = self._rounds.start(search_key(record, settings), new, again=again)
        work.focus = focus
        return work, job

    def live(self, key: str) -> tuple[LiveSearch, Job | None] | None:
        """The long search of a key, None if there is none yet."""
        return self._live.find(key)

    def start_live(self, key: str, search: LiveSearch, iterations: int) -> None:
        """Start a long search, or go on with the one that the key already has."""
        self._live.start(key, lambda: search, lambda known: known.extend(iterations))


def search_key(
    record: RoundRecord, settings: AnalysisSettings, *, ply: int | None = None, n_seeds: int = 1
) -> str:
    """Key of a result: everything it depends on, the code and the models' numbers included."""
    models = map(model_hash, settings.models_asked)
    parts = [record_key(record), repr(settings), repr(ply), repr(n_seeds), *models]
    return hashlib.sha256("\n".join([*parts, behaviour_of_searches()]).encode()).hexdigest()[:20]


def record_key(record: RoundRecord) -> str:
    """Hash of what a round is: rules, deal, bids, plays and scores, without names and source."""
    bare = replace(record, players=("",) * 4, game_id="", round_index=0, source="")
    text = json.dumps(row_of(bare), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
