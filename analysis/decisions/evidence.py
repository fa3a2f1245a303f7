"""Independent searches of one decision until they settle it, after a proof where there is one.

The searches are stored as a series that only grows; the stability panel shows the same series.

Where all possible deals can be solved, the proof comes first (``analysis.decisions.proof``), and
only what it doesn't settle is searched.

Short or long searches? 100 decisions of shipped logs and hands, each judged twice within 2 s of one
core, were compared with 100 searches of 200,000 iterations. Clear conclusions overturned: 8 of 113
by searches of 500 iterations, 7 of 111 by 1,000, 4 of 107 by 2,500, 4 of 116 by 10,000, 2 of 118 by
25,000; conclusions that lean: 18, 13, 11.5, 11 and 12%. Many searches don't correct an error that
each of them makes. Therefore what is clear by searches as long as the settings say is confirmed by
longer ones, whose conclusion then counts. Of 111 other decisions, judged twice, 4 of 121 clear ones
were overturned without confirmation and 0 of 115 (95%: 0 to 3.2%) with it. A slow test,
``test_repeats``, holds conclusions to that.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import thread_time

import numpy as np

from analysis.decisions.candidates import SEARCHES_A_BLOCK, legal_cards, stability_series
from analysis.decisions.conclusion import (
    LEAST_LONGER,
    LEAST_SEARCHES,
    THRESHOLD,
    Conclusion,
    confirming_iterations,
    judge,
    next_look,
)
from analysis.decisions.proof import agreed, is_provable, prove_in_steps, with_gain
from analysis.decisions.settings import AnalysisSettings
from analysis.runs.series import StoredSeries
from spades.core.records import Record
from spades.core.steps import last_value

BUDGET_SECONDS = 2.0
MOST_SEARCHES = 5000


def made_within(series: StoredSeries, budget: float) -> Generator[None, None, float]:
    """Extend a series to its target in slices, or until ``budget`` is spent. Returns the time
    spent; both are seconds of this thread, without the time between slices."""
    spent = 0.0
    started = thread_time()
    for _ in series.steps():
        spent += thread_time() - started
        if spent > budget:
            break
        yield
        started = thread_time()
    return spent


class Evidence:
    """Searches a decision, in steps, until its conclusion is settled or the budget is spent.

    ``settings``: the judge's (``judge_settings``). ``budget``: seconds of one core; ``threshold``:
    points. ``series``: the stored searches. ``longer``: the longer searches that must confirm a
    clear conclusion; it leans until there are enough of them, and then is theirs. ``conclusion``:
    the latest one, None before there are enough searches or before the proof, where one is due.
    Proofs are in points, so there is none where the objective is to win the game."""

    def __init__(
        self,
        record: Record,
        ply: int,
        settings: AnalysisSettings,
        *,
        budget: float = BUDGET_SECONDS,
        threshold: float = THRESHOLD,
    ) -> None:
        self.observation = record.observation(ply)
        self.series = stability_series(record, ply, settings)
        self.budget = budget
        self.threshold = threshold
        self._record = record
        self._ply = ply
        self._settings = settings
        iterations = confirming_iterations(settings.iterations)
        self._longer_settings = replace(settings, iterations=iterations)
        self._can_be_longer = not settings.agent and self._longer_settings != settings
        is_of_points = settings.search.objective.is_points
        self._lacks_proof = is_of_points and is_provable(self.observation)
        self._proven: Conclusion | None = None
        self._conclude()

    @cached_property
    def longer(self) -> StoredSeries:
        return stability_series(self._record, self._ply, self._longer_settings)

    def _conclude(self) -> None:
        """Conclude from the searches and the proof so far."""
        self._searched = self._conclusion_of_searches()
        if self._lacks_proof:
            self.conclusion = None
        elif self._proven is not None:
            self.conclusion = agreed(self._proven, self._searched)
        else:
            self.conclusion = self._searched

    def _conclusion_of_searches(self) -> Conclusion | None:
        """The conclusion of the searches alone."""
        searched = judge(
            self.series.items,
            self.observation,
            self.threshold,
            iterations=self._settings.iterations,
        )
        self._is_confirming = (
            searched is not None and searched.needs_confirmation and self._can_be_longer
        )
        if searched is None or not self._is_confirming:
            return searched
        longer = judge(
            self.longer.items,
            self.observation,
            self.threshold,
            least=LEAST_LONGER,
            iterations=self._longer_settings.iterations,
        )
        return searched.confirmed(longer)

    @property
    def is_settled(self) -> bool:
        """Whether no more searches are needed."""
        if self._lacks_proof:
            return False
        if self._proven is not None and self._proven.is_proven:
            return True
        return self._searched is not None and self._searched.is_settled

    def prove(self) -> Generator[None, None, None]:
        """Solve all possible deals, where the proof is still due."""
        if self._lacks_proof:
            proven = yield from prove_in_steps(self.observation, self.threshold)
            if proven.is_proven:
                proven = yield from with_gain(self.observation, proven)
            self._proven = proven
            self._lacks_proof = False
            self._conclude()

    def steps(self) -> Generator[None, None, None]:
        yield from self.prove()
        spent = 0.0
        while not self.is_settled and spent < self.budget:
            series = self.longer if self._is_confirming else self.series
            target = self._next_target(series)
            if series.done >= target:
                break
            series.extend(target)
            spent += yield from made_within(series, self.budget - spent)
            self._conclude()

    def _next_target(self, series: StoredSeries) -> int:
        """How many searches there are at the next look: whole blocks, the unit of storage."""
        least = LEAST_LONGER if self._is_confirming else LEAST_SEARCHES
        n_blocks = -(-next_look(series.done, least) // SEARCHES_A_BLOCK)
        return min(MOST_SEARCHES, n_blocks * SEARCHES_A_BLOCK)


@dataclass(frozen=True, eq=False)
class Repeats:
    """What ``n`` searches of a decision by the agent under study visit and choose, by legal card:
    ``shares``: the mean share of a search's visits; ``wins``: searches that choose it."""

    n: int
    shares: dict[str, float]
    wins: dict[str, int]


class RepeatedSearch:
    """Repeats the search under study, in steps: ``n`` times, or as often as the ``budget`` allows
    (seconds of one core). ``found``: None until then."""

    def __init__(
        self,
        record: Record,
        ply: int,
        settings: AnalysisSettings,
        *,
        n: int = LEAST_SEARCHES,
        budget: float = BUDGET_SECONDS,
    ) -> None:
        self.series = stability_series(record, ply, settings)
        self.n = n
        self.budget = budget
        self._cards = legal_cards(record.observation(ply))
        self._codes = [record.rules.cards.parse_card(card) for card in self._cards]
        self.found = self._counted(self.series.items[:n]) if self.series.done >= n else None

    def steps(self) -> Generator[None, None, None]:
        self.series.extend(self.n)
        yield from made_within(self.series, self.budget)
        items = self.series.items[: self.n]
        if items:
            self.found = self._counted(items)

    def _counted(self, items: Sequence[list]) -> Repeats:
        visits = np.array([item[1] for item in items], dtype=float)
        shares = (visits / visits.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
        choices = [item[0] for item in items]
        wins = [choices.count(code) for code in self._codes]
        return Repeats(
            n=len(items),
            shares=dict(zip(self._cards, shares, strict=True)),
            wins=dict(zip(self._cards, wins, strict=True)),
        )


def decide(
    record: Record, ply: int, settings: AnalysisSettings, **options: float
) -> Conclusion | None:
    """The judge's conclusion on a decision; arguments as of ``Evidence``. None where the budget is
    too short. Raises ``InvalidSearchError`` where there is nothing to search."""
    evidence = Evidence(record, ply, settings, **options)
    last_value(evidence.steps())
    return evidence.conclusion
