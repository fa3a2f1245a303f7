"""Many independent searches of one decision, made until they settle it, or the proof before them.

Evidence only grows: it is stored as a run of searches, which the stability panel shows as well.

Where all possible deals can be solved, that comes first (``analysis.decisions.proof``), and
searches are made only of what it doesn't settle.

Short or long searches? 100 decisions of shipped logs and hands, each judged twice, 2 s of one core,
against 100 searches of 200,000. Clear ones overturned: 8 of 113 by searches of 500 iterations, 7 of
111 by 1,000, 4 of 107 by 2,500, 4 of 116 by 10,000, 2 of 118 by 25,000; leans: 18, 13, 11.5, 11 and
12%. So many searches don't mend what each of them gets wrong. Therefore what is clear by searches
as long as the settings say is searched again by longer ones, whose conclusion it then is. Of 111
other decisions, judged twice, 4 of 121 clear ones were overturned without that and 0 of 115 (95%: 0
to 3.2%) with it. A slow test, ``test_repeats``, holds conclusions to that.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import thread_time
from typing import Any

import numpy as np

from analysis.decisions.candidates import SEARCHES_A_BLOCK, legal_cards, stability_series
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
from analysis.decisions.judge import JUDGE
from analysis.decisions.proof import agreed, is_provable, prove_in_steps
from analysis.runs.series import StoredSeries
from spades.core.records import RoundRecord
from spades.search.search import ROUND

BUDGET_SECONDS = 2.0
MOST_SEARCHES = 5000


class Evidence:
    """Searches of a decision until its conclusion is settled or the budget is spent, in steps.

    ``settings``: the judge's (``judge_settings``). ``budget`` in seconds of one core, ``threshold``
    in points. ``series``: the stored searches; ``longer``: those that must bear out what is clear
    by the first, and whose conclusion it then is; until there are enough the decision leans.
    ``conclusion``: the latest, None before there are enough of the first, and before the proof of a
    decision that has one. The proof is of points, and not made where the objective is the game."""

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
        self.series = stability_series(record, ply, settings)
        self.budget, self.threshold = budget, threshold
        self._settings = settings
        self._longer = replace(settings, iterations=longer_than(settings.iterations))
        self._can_be_longer = not settings.agent and self._longer != settings
        self._decision = record, ply
        is_of_points = settings.search.objective == ROUND
        self._lacks_proof = is_of_points and is_provable(self.observation)
        self._proven: Conclusion | None = None
        self._look()

    @cached_property
    def longer(self) -> StoredSeries:
        return stability_series(*self._decision, self._longer)

    def _look(self) -> None:
        """Conclude from what there is."""
        self._searched = self._judged()
        self.conclusion = self._searched
        if self._lacks_proof:
            self.conclusion = None
        elif self._proven is not None:
            self.conclusion = agreed(self._proven, self._searched)

    def _judged(self) -> Conclusion | None:
        """The conclusion of the searches alone."""
        n = self._settings.iterations
        found = judge(self.series.items, self.observation, self.threshold, iterations=n)
        self._is_doubtful = found is not None and found.is_doubtful and self._can_be_longer
        if found is None or not self._is_doubtful:
            return found
        items, seen = self.longer.items, self.observation
        n = self._longer.iterations
        longer = judge(items, seen, self.threshold, least=LEAST_LONGER, iterations=n)
        return found.borne_out(longer)

    @property
    def is_settled(self) -> bool:
        """Whether more searches add nothing."""
        if self._lacks_proof:
            return False
        if self._proven is not None and self._proven.is_proven:
            return True
        return self._searched is not None and self._searched.is_settled

    def prove(self) -> Generator[None, None, None]:
        """Solve all possible deals, where that hasn't been done and is to be done."""
        if self._lacks_proof:
            self._proven = yield from prove_in_steps(self.observation, self.threshold)
            self._lacks_proof = False
            self._look()

    def steps(self) -> Generator[None, None, None]:
        yield from self.prove()
        spent = 0.0  # in turns with others, whose time doesn't count
        while not self.is_settled and spent < self.budget:
            is_longer = self._is_doubtful
            series, least = (
                (self.longer, LEAST_LONGER) if is_longer else (self.series, LEAST_SEARCHES)
            )
            look = -(-next_look(series.done, least) // SEARCHES_A_BLOCK) * SEARCHES_A_BLOCK
            look = min(MOST_SEARCHES, look)  # what is looked at is stored
            if series.done >= look:
                break
            series.extend(look)
            started = thread_time()
            for _ in series.steps():
                spent += thread_time() - started
                if spent > self.budget:
                    break
                yield
                started = thread_time()
            self._look()


@dataclass(frozen=True, eq=False)
class Repeats:
    """What ``n`` searches of a decision by the agent under study visit and choose, by legal card:
    ``shares``: the mean share of a search's visits; ``wins``: searches that choose it."""

    n: int
    shares: dict[str, float]
    wins: dict[str, int]


class RepeatedSearch:
    """One decision searched again and again by the agent under study, in steps: ``n`` times, or as
    often as the ``budget`` allows, in seconds of one core. ``found``: None until then."""

    def __init__(
        self,
        record: RoundRecord,
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
        spent = 0.0
        started = thread_time()
        for _ in self.series.steps():
            spent += thread_time() - started
            if spent > self.budget:
                break
            yield
            started = thread_time()
        if items := self.series.items[: self.n]:
            self.found = self._counted(items)

    def _counted(self, items: Sequence[list]) -> Repeats:
        visits = np.array([item[1] for item in items], dtype=float)
        shares = (visits / visits.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
        choices = [item[0] for item in items]
        return Repeats(
            len(items),
            dict(zip(self._cards, shares, strict=True)),
            {
                card: choices.count(code)
                for card, code in zip(self._cards, self._codes, strict=True)
            },
        )


def conclusion_document(found: Conclusion | None) -> dict[str, Any] | None:
    """A conclusion as ``analyze --judge --json`` prints it; null where the time was too short.
    ``lead``: points over the next class, ``interval`` its ends; ``proof``, where all deals were
    solved: how many, and in how many the first card is best."""
    if found is None:
        return None
    following = found.classes[1] if len(found.classes) > 1 else None
    proof = None
    if found.proof:
        proof = {"deals": found.proof.deals, "best_in": found.proof.best_in}
    return {
        "judge": JUDGE,
        "kind": found.kind,
        "cards": [list(one.cards) for one in found.open],
        "lead": following.behind if following else None,
        "interval": list(following.interval) if following else None,
        "searches": found.searches,
        "iterations": found.iterations,
        "proof": proof,
    }


def decide(
    record: RoundRecord, ply: int, settings: AnalysisSettings, **options: float
) -> Conclusion | None:
    """The judge's conclusion on a decision, made now; ``settings`` (``judge_settings``) and options
    as ``Evidence`` takes them. None where the budget ends too soon. ``InvalidSearchError`` where
    there is nothing to search."""
    evidence = Evidence(record, ply, settings, **options)
    for _ in evidence.steps():
        pass
    return evidence.conclusion
