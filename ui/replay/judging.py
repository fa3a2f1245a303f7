"""The judge's conclusion on the decision on screen, and repeats of the searches shown, made beside
the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.runs.jobs import CANCELLED, DONE, FAILED, IDLE_TIMEOUT, Job
from analysis.runs.registry import JobRegistry
from spades.core.records import Record
from ui.replay.panel import Here, search_jobs, why_nothing
from ui.replay.state import BUDGETS, page
from ui.shared.jobs import reader
from ui.shared.page import draw_again, n_present, poll_seconds

if TYPE_CHECKING:
    from analysis.decisions.evidence import Evidence, RepeatedSearch, Repeats

MAX_DECISIONS = 500  # some 100 kB each, a megabyte where they don't settle
POLL_SECONDS = 0.5
READERS_AHEAD = 4
Decisions = Sequence[PlayDecision | None]  # of a round, by ply; None: not searched


class Judged(NamedTuple):
    """What there is so far on a decision: the judge's ``conclusion``, None before there are enough
    searches; ``is_over``: whether there will be none, in the time given; ``repeats``: by search
    shown, None before they are made."""

    conclusion: Conclusion | None = None
    is_over: bool = False
    repeats: "tuple[Repeats | None, ...]" = (None,)


@st.cache_resource
def evidence_jobs() -> "JobRegistry[Evidence]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_DECISIONS, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def repeats_jobs() -> "JobRegistry[RepeatedSearch]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_DECISIONS, idle_timeout=IDLE_TIMEOUT)


def judge_key(record: Record, settings: AnalysisSettings, budget: int = BUDGETS[0]) -> str:
    """What the key of the judge's evidence begins with; the ply follows. ``budget`` in seconds."""
    ending = f" {budget} s" if budget != BUDGETS[0] else ""
    return search_key(record, judge_settings(settings.searches[0])) + ending


def repeats_keys(record: Record, settings: AnalysisSettings, iterations: int = 0) -> list[str]:
    """What the keys of the repeated searches begin with, by search; the ply follows."""
    return [search_key(record, one) for one in _searches(settings, iterations)]


def _searches(settings: AnalysisSettings, iterations: int) -> list[AnalysisSettings]:
    """Each search shown; the first has so many ``iterations``, where the reader has searched
    longer."""
    first, *others = settings.searches
    return [replace(first, iterations=max(iterations, first.iterations)), *others]


def judged_so_far(
    record: Record, settings: AnalysisSettings, decisions: Decisions, budget: int = BUDGETS[0]
) -> list[Judged]:
    """What is concluded so far of a round's decisions. ``budget``: seconds for each."""
    by_judge = judge_key(record, settings, budget)
    by_search = {
        length: repeats_keys(record, settings, length) for length in set(map(_length, decisions))
    }
    found = []
    for ply, decision in enumerate(decisions):
        job = evidence_jobs().find(f"{by_judge} {ply}")
        conclusion = job.work.conclusion if job else None
        is_over = conclusion is None and job is not None and job.state in (DONE, FAILED)
        repeats = [repeats_jobs().find(f"{key} {ply}") for key in by_search[_length(decision)]]
        made = tuple(one.work.found if one else None for one in repeats)
        found.append(Judged(conclusion, is_over, made))
    return found


def _length(decision: PlayDecision | None) -> int:
    return decision.search.iterations if decision else 0


@dataclass(frozen=True)
class _Work:
    """One thing to be made of a decision; ``of``: what is read off it."""

    registry: JobRegistry
    key: str
    make: Callable[[], Any]
    of: Callable[[Any], object]

    @property
    def job(self) -> Job | None:
        """The job that makes it, if any was begun."""
        return self.registry.find(self.key)

    def begin(self) -> Job:
        """The job, active or done; restarted where it was cancelled."""
        was_cancelled = self.job is not None and self.job.state == CANCELLED
        return self.registry.start(self.key, self.make, restart=was_cancelled)


class _RoundWorks:
    """What is made of a round's decisions; the keys, which are hashes, are worked out once."""

    def __init__(self, record: Record, settings: AnalysisSettings) -> None:
        self._record = record
        self._settings = settings
        self._budget = page.get("budget")
        self._judge = judge_settings(settings.searches[0])
        self._judge_key = judge_key(record, settings, self._budget)
        self._repeats_keys: dict[int, list[str]] = {}  # by the iterations of the first search

    def of(self, ply: int, length: int) -> Iterator[_Work]:
        """Of a decision, searched for ``length`` iterations: the judge's evidence, then each search
        again."""
        from analysis.decisions.evidence import (  # loads SciPy: the table is on screen
            Evidence,
            RepeatedSearch,
        )

        make = partial(Evidence, self._record, ply, self._judge, budget=self._budget)
        key = f"{self._judge_key} {ply}"
        yield _Work(evidence_jobs(), key, make, lambda work: work.conclusion)
        if length not in self._repeats_keys:
            self._repeats_keys[length] = repeats_keys(self._record, self._settings, length)
        searches = _searches(self._settings, length)
        for key, one in zip(self._repeats_keys[length], searches, strict=True):
            again = partial(RepeatedSearch, self._record, ply, one)
            yield _Work(repeats_jobs(), f"{key} {ply}", again, lambda work: work.found)


def judge_here(here: Here, settings: AnalysisSettings, decisions: Decisions, shown: Judged) -> None:
    """Have the decision on screen judged, and searched again in every way that is set, and draw the
    page again with what is concluded; then the rest of the round, one decision after the other. Who
    leaves a decision cancels that; ``shown``: what the page shows of it."""
    works: list[_Work] = []
    if not why_nothing(here):
        works = list(_RoundWorks(here.record, settings).of(here.ply, _length(here.decision)))
    _leave_for(works)
    known = (shown.conclusion, *shown.repeats)
    begun = [(one.begin(), one.of, before) for one, before in zip(works, known, strict=False)]

    def is_new() -> bool:
        return any(of(job.work) is not before for job, of, before in begun)

    def is_running() -> bool:
        return any(job.is_active for job, *_ in begun)

    @st.fragment(run_every=poll_seconds(POLL_SECONDS))
    def wait() -> None:
        for job, *_ in begun:
            job.heartbeat(reader())
        if is_running():
            return
        if is_new() or not _go_on(here, settings, decisions):
            draw_again()

    if is_running() or is_new() or any(_ahead(here, settings, decisions)):
        wait()


def _leave_for(works: list[_Work]) -> None:
    """Cancel what was begun for another decision than the one that these works are of."""
    keys = [one.key for one in works]
    before, begun = st.session_state.setdefault(page.key("judged"), ([], []))
    if before == keys:
        return
    for key in {*before, *begun}.difference(keys):
        for registry in (evidence_jobs(), repeats_jobs()):
            job = registry.find(key)
            if job is not None:
                job.cancel(reader())
    st.session_state[page.key("judged")] = (keys, [])


def _ahead(here: Here, settings: AnalysisSettings, decisions: Decisions) -> Iterator[_Work]:
    """What is left to make of the round's decisions that are not on screen, by the judge and the
    first search, the following ones first; not what has ended by itself. Nothing while more than
    ``READERS_AHEAD`` are here: what they look at comes first."""
    if n_present() > READERS_AHEAD:
        return
    begun = st.session_state.setdefault(page.key("judged_ahead"), set())
    n = len(decisions)
    works = _RoundWorks(here.record, settings)
    for ply in (*range(here.ply + (not here.bid), n), *range(min(here.ply, n))):
        decision = decisions[ply]
        if decision is not None and decision.is_forced:
            continue
        by_judge, first, *_ = works.of(ply, _length(decision))
        for one in (by_judge, first):
            made_room = one.job is None and one.key in begun
            if not made_room and (one.job is None or one.job.state not in (DONE, FAILED)):
                yield one


def _go_on(here: Here, settings: AnalysisSettings, decisions: Decisions) -> bool:
    """See to it that the next decision is searched; whether one is left."""
    for one in _ahead(here, settings, decisions):
        job = one.begin()
        job.heartbeat(reader())
        st.session_state[page.key("judged_ahead")].add(one.key)
        if job.is_active:
            st.session_state[page.key("judged")][1].append(one.key)
            return True
    return False
