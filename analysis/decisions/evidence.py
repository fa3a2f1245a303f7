"""Many independent searches of one decision, made until they settle it.

Evidence only grows: it is stored as a run of searches, which the stability panel shows as well.

Short or long searches? 100 decisions of shipped logs and hands, each judged twice, 2 s of one core,
against 100 searches of 200,000. Clear ones overturned: 8 of 113 by searches of 500 iterations, 7 of
111 by 1,000, 4 of 107 by 2,500, 4 of 116 by 10,000, 2 of 118 by 25,000; leans: 18, 13, 11.5, 11 and
12%. So many searches don't mend what each of them gets wrong. Therefore what is clear by searches
as long as the settings say is searched again by longer ones, whose conclusion it then is. Of 111
other decisions, judged twice, 4 of 121 clear ones were overturned without that and 0 of 115 (95%: 0
to 3.2%) with it. A slow test, ``test_repeats``, holds conclusions to that.
"""

from collections.abc import Generator
from dataclasses import replace
from functools import cached_property
from time import thread_time
from typing import Any

from analysis.decisions.candidates import SEARCHES_A_BLOCK, stability_run
from analysis.decisions.conclusion import (
    LEAST_LONGER,
    LEAST_SEARCHES,
    THRESHOLD,
    Conclusion,
    judge,
    longer_than,
    next_look,
)
from analysis.decisions.decision import AnalysisSettings
from analysis.runs.jobs import StoredRun
from spades.core.records import RoundRecord

BUDGET_SECONDS = 2.0
MOST_SEARCHES = 5000


class Evidence:
    """Searches of a decision until its conclusion is settled or the budget is spent, in steps.

    ``budget`` in seconds of one core, ``threshold`` in points. ``run``: the stored searches;
    ``longer``: those that must bear out what is clear by the first, and whose conclusion it then
    is; until there are enough the decision leans. ``conclusion``: the latest, None before there
    are enough of the first."""

    def __init__(
        self,
        record: RoundRecord,
        ply: int,
        settings: AnalysisSettings,
        *,
        budget: float = BUDGET_SECONDS,
        threshold: float = THRESHOLD,
    ) -> None:
        self.observation = record.observation(ply)
        self.run = stability_run(record, ply, settings)
        self.budget, self.threshold = budget, threshold
        self._longer = replace(settings, iterations=longer_than(settings.iterations))
        self._can_be_longer = not settings.agent and self._longer != settings
        self._decision = record, ply
        self.conclusion = self._judged()

    @cached_property
    def longer(self) -> StoredRun:
        return stability_run(*self._decision, self._longer)

    def _judged(self) -> Conclusion | None:
        found = judge(self.run.items, self.observation, self.threshold)
        self._is_doubtful = found is not None and found.is_doubtful and self._can_be_longer
        if found is None or not self._is_doubtful:
            return found
        items, seen = self.longer.items, self.observation
        longer = judge(items, seen, self.threshold, least=LEAST_LONGER)
        return found.borne_out(longer, self._longer.iterations)

    @property
    def is_settled(self) -> bool:
        return self.conclusion is not None and self.conclusion.is_settled

    def steps(self) -> Generator[None, None, None]:
        spent = 0.0  # in turns with others, whose time doesn't count
        while not self.is_settled and spent < self.budget:
            is_longer = self._is_doubtful
            run, least = (self.longer, LEAST_LONGER) if is_longer else (self.run, LEAST_SEARCHES)
            look = -(-next_look(run.done, least) // SEARCHES_A_BLOCK) * SEARCHES_A_BLOCK
            look = min(MOST_SEARCHES, look)  # what is looked at is stored
            if run.done >= look:
                break
            run.extend(look)
            started = thread_time()
            for _ in run.steps():
                spent += thread_time() - started
                if spent > self.budget:
                    break
                yield
                started = thread_time()
            self.conclusion = self._judged()


def conclusion_document(found: Conclusion | None, iterations: int) -> dict[str, Any] | None:
    """A conclusion as ``analyze --judge --json`` prints it; null where the time was too short.
    ``lead``: points over the next class, ``interval`` its ends."""
    if found is None:
        return None
    following = found.classes[1] if len(found.classes) > 1 else None
    return {
        "kind": found.kind,
        "cards": [list(one.cards) for one in found.open],
        "lead": following.behind if following else None,
        "interval": list(following.interval) if following else None,
        "searches": found.searches,
        "iterations": found.iterations or iterations,
    }


def decide(
    record: RoundRecord, ply: int, settings: AnalysisSettings, **options: float
) -> Conclusion | None:
    """The conclusion on a decision, searched for now, as ``Evidence`` takes it; None where the
    budget ends too soon. ``InvalidSearchError`` where there is nothing to search."""
    evidence = Evidence(record, ply, settings, **options)
    for _ in evidence.steps():
        pass
    return evidence.conclusion
