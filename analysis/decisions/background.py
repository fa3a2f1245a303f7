"""Background searches: of a whole round, and of one decision at length.

They are shared: everybody who opens the same link reads the same search.
"""

from collections.abc import Iterator
from functools import partial

from analysis.decisions.decision import PlayDecision, compare_searches, played_at
from analysis.decisions.settings import (
    AnalysisSettings,
    new_search,
    search_in_slices,
    search_key,
)
from analysis.runs.jobs import IDLE_TIMEOUT, Job
from analysis.runs.registry import JobRegistry
from analysis.runs.scheduler import RoundRobin
from spades.core.records import Record
from spades.search import SearchResult
from spades.search.search import CHUNK

MAX_ROUNDS = 64
MAX_LIVE_ITERATIONS = 250_000  # of each seed
ITERATION_BYTES = 150  # at most; measured: 50 to 150
MAX_TREE_BYTES = 600_000_000  # of all long searches together


class RoundSearch:
    """Searches every play decision of a round, from the ply ``focus`` on, then those before it.
    ``decisions[ply]`` is None until that search is complete: no unfinished search is shown."""

    def __init__(self, record: Record, settings: AnalysisSettings, focus: int = 0) -> None:
        self.record = record
        self.settings = settings
        self.focus = focus
        self.decisions: list[PlayDecision | None] = [None] * len(record.plays)

    @property
    def n_done(self) -> int:
        return sum(decision is not None for decision in self.decisions)

    def steps(self) -> Iterator[None]:
        observations = [self.record.observe(state) for state in self.record.positions()]
        while self.n_done < len(self.decisions):
            ply = self._next_ply()
            results = []
            for settings in self.settings.searches:
                search = new_search(observations[ply], settings)
                result = yield from search_in_slices(search, settings.iterations)
                results.append(result)
            self.decisions[ply] = compare_searches(
                observations[ply], played_at(self.record, ply), results, self.settings.models
            )

    def _next_ply(self) -> int:
        """The first ply without a result from the focus on, else from the start."""
        pending = [ply for ply, decision in enumerate(self.decisions) if decision is None]
        return min(pending, key=lambda ply: (ply < self.focus, ply))


class LiveSearch:
    """A long search of one decision, with several seeds in step; ``results``: one for each seed."""

    def __init__(self, record: Record, ply: int, settings: AnalysisSettings, n_seeds: int) -> None:
        self.target = 0
        observation = record.observation(ply)
        # Room takes memory only as it is filled. Copying a tree to a larger one would leave holes.
        self._searches = [
            new_search(observation, settings, offset=i, room=MAX_LIVE_ITERATIONS)
            for i in range(n_seeds)
        ]
        self.results: tuple[SearchResult, ...] = ()

    @property
    def iterations(self) -> int:
        """Iterations that every seed has done."""
        return min((result.iterations for result in self.results), default=0)

    def extend(self, iterations: int) -> None:
        """Request more iterations for each seed, up to ``MAX_LIVE_ITERATIONS`` in all."""
        self.target = self._target(iterations)

    def bytes_with(self, iterations: int) -> int:
        """Upper bound of the trees' memory after this many more iterations."""
        return ITERATION_BYTES * len(self._searches) * self._target(iterations)

    def _target(self, iterations: int) -> int:
        return min(MAX_LIVE_ITERATIONS, self.iterations + iterations)

    def steps(self) -> Iterator[None]:
        while self.iterations < self.target:
            for search in self._searches:
                search.run(min(CHUNK, self.target - search.iterations))
                yield
            self.results = tuple(search.result() for search in self._searches)


class SearchJobs:
    """The jobs that search decisions, by key; shared by every session of a server."""

    def __init__(self) -> None:
        self.scheduler = RoundRobin()  # other registries share it
        self.rounds: JobRegistry[RoundSearch] = JobRegistry(
            self.scheduler, capacity=MAX_ROUNDS, idle_timeout=IDLE_TIMEOUT
        )
        self.live: JobRegistry[LiveSearch] = JobRegistry(
            self.scheduler, capacity=MAX_TREE_BYTES, idle_timeout=IDLE_TIMEOUT
        )

    def search_round(
        self,
        record: Record,
        settings: AnalysisSettings,
        *,
        focus: int = 0,
        restart: bool = False,
    ) -> Job[RoundSearch]:
        """The search of a round, started if there is none; it searches the decision ``focus`` next.

        ``restart``: start it again if it was cancelled. Raises ``RegistryFullError``.
        """
        key = search_key(record, settings)
        new = partial(RoundSearch, record, settings, focus)
        job = self.rounds.start(key, new, restart=restart)
        job.work.focus = focus
        return job
