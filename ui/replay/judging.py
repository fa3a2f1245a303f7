"""The judge's conclusion on the decision on screen and repeats of the searches shown, as background
jobs."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision
from analysis.decisions.decision_view import Judged
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings, record_key, search_key
from analysis.runs.jobs import CANCELLED, DONE, FAILED, IDLE_TIMEOUT, Job
from analysis.runs.registry import JobRegistry
from spades.core.errors import SpadesError
from spades.core.records import Record
from ui.replay.panel import Here, is_truth_shown, search_jobs, why_nothing
from ui.replay.state import BUDGET, page
from ui.shared.jobs import reader
from ui.shared.page import draw_again, n_present, poll_seconds

if TYPE_CHECKING:
    from analysis.decisions.evidence import Evidence, RepeatedSearch
    from analysis.decisions.hindsight import MeasuredPlay
    from analysis.review.round import RoundEvidence

MAX_DECISIONS = 500  # some 100 kB each, a megabyte where they don't settle
MAX_REVIEWS = 64
POLL_SECONDS = 0.5
READERS_AHEAD = 4
AHEAD_VARIABLE = "SPADES_READERS_AHEAD"
Decisions = Sequence[PlayDecision | None]  # of a round, by ply; None: not searched


@st.cache_resource
def evidence_jobs() -> "JobRegistry[Evidence]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_DECISIONS, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def repeats_jobs() -> "JobRegistry[RepeatedSearch]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_DECISIONS, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def hindsight_jobs() -> "JobRegistry[MeasuredPlay]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_DECISIONS, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def review_jobs() -> "JobRegistry[RoundEvidence]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_REVIEWS, idle_timeout=IDLE_TIMEOUT)


def readers_ahead() -> int:
    """While so many readers are here, rounds are judged ahead; a server may say another number, 0
    for never."""
    given = os.environ.get(AHEAD_VARIABLE, str(READERS_AHEAD))
    if not given.isdecimal():
        raise SpadesError(f"{AHEAD_VARIABLE} is {given!r}; a number of readers is legal, 0 too")
    return int(given)


def review_key(record: Record, settings: AnalysisSettings) -> str:
    return search_key(record, judge_settings(settings))


def judge_key(record: Record, settings: AnalysisSettings, budget: int = BUDGET) -> str:
    """The key of the judge's evidence, but for the ply at its end. ``budget`` in seconds."""
    key = search_key(record, judge_settings(settings.searches[0]))
    return key if budget == BUDGET else f"{key} {budget} s"


def repeats_keys(record: Record, settings: AnalysisSettings, iterations: int = 0) -> list[str]:
    """The keys of the repeated searches, but for the ply at their ends."""
    return [search_key(record, search) for search in _searches(settings, iterations)]


def _searches(settings: AnalysisSettings, iterations: int) -> list[AnalysisSettings]:
    """The searches shown; the first has at least ``iterations``, as long as the reader searched."""
    first, *others = settings.searches
    return [replace(first, iterations=max(iterations, first.iterations)), *others]


def conclusions_so_far(
    record: Record, settings: AnalysisSettings, budget: int = BUDGET
) -> list[tuple[Conclusion | None, bool]]:
    """(the judge's conclusion, whether there will be none) on each play of a round: of the decision
    as it was judged alone and in the review the one that rests on more rounds."""
    key = judge_key(record, settings, budget)
    reviewed = review_jobs().find(review_key(record, settings))
    known = list(reviewed.work.conclusions) if reviewed else []
    found = []
    for ply in range(len(record.plays)):
        job = evidence_jobs().find(f"{key} {ply}")
        conclusion = job.work.conclusion if job else None
        other = known[ply] if ply < len(known) else None
        if other and (conclusion is None or other.rounds > conclusion.rounds):
            conclusion = other
        has_ended = job is not None and job.state in (DONE, FAILED)
        found.append((conclusion, conclusion is None and has_ended))
    return found


def judged_so_far(
    record: Record, settings: AnalysisSettings, decisions: Decisions, budget: int = BUDGET
) -> list[Judged]:
    """What is known so far of a round's decisions. ``budget``: seconds for each."""
    conclusions = conclusions_so_far(record, settings, budget)
    keys_of_repeats = {
        n: repeats_keys(record, settings, n) for n in set(map(_n_iterations, decisions))
    }
    round_key = record_key(record)
    judged = []
    for ply, decision in enumerate(decisions):
        conclusion, is_over = conclusions[ply]
        repeats = []
        for key in keys_of_repeats[_n_iterations(decision)]:
            repeating = repeats_jobs().find(f"{key} {ply}")
            repeats.append(repeating.work.found if repeating else None)
        measured = hindsight_jobs().find(f"{round_key} {ply}")
        hindsight = measured.work.found if measured else None
        judged.append(Judged(conclusion, is_over, tuple(repeats), hindsight))
    return judged


def _n_iterations(decision: PlayDecision | None) -> int:
    """Of the first search, as long as the reader searched."""
    return decision.search.iterations if decision else 0


@dataclass(frozen=True)
class _Work:
    """One job on a decision; ``result_of``: reads its result off the work."""

    registry: JobRegistry
    key: str
    make: Callable[[], Any]
    result_of: Callable[[Any], object]

    @property
    def job(self) -> Job | None:
        """The job, if it was begun."""
        return self.registry.find(self.key)

    def begin(self) -> Job:
        """The job, active or done; restarted where it was cancelled."""
        job = self.job
        was_cancelled = job is not None and job.state == CANCELLED
        return self.registry.start(self.key, self.make, restart=was_cancelled)


class _RoundWorks:
    """The jobs on a round's decisions; the keys, which are hashes, are computed once."""

    def __init__(self, record: Record, settings: AnalysisSettings) -> None:
        self._record = record
        self._settings = settings
        self._budget = page.get("budget")
        self._judge = judge_settings(settings.searches[0])
        self._judge_key = judge_key(record, settings, self._budget)
        self._repeats_keys: dict[int, list[str]] = {}  # by the iterations of the first search

    def of(self, ply: int, n_iterations: int) -> Iterator[_Work]:
        """The judge's evidence on a decision, then each search repeated, the first for at least
        ``n_iterations``."""
        from analysis.decisions.evidence import (  # loads SciPy: the table is on screen
            Evidence,
            RepeatedSearch,
        )

        make = partial(Evidence, self._record, ply, self._judge, budget=self._budget)
        key = f"{self._judge_key} {ply}"
        yield _Work(evidence_jobs(), key, make, lambda work: work.conclusion)
        if n_iterations not in self._repeats_keys:
            keys = repeats_keys(self._record, self._settings, n_iterations)
            self._repeats_keys[n_iterations] = keys
        searches = _searches(self._settings, n_iterations)
        for key, search in zip(self._repeats_keys[n_iterations], searches, strict=True):
            repeat = partial(RepeatedSearch, self._record, ply, search)
            yield _Work(repeats_jobs(), f"{key} {ply}", repeat, lambda work: work.found)


def judge_here(here: Here, settings: AnalysisSettings, decisions: Decisions, shown: Judged) -> None:
    """Have the decision on screen judged and its searches repeated, and draw the page again with
    the results; then the rest of the round, one decision after the other. Leaving a decision
    cancels its jobs. ``shown``: what the page shows of the decision."""
    works: list[_Work] = []
    if not why_nothing(here):
        n_iterations = _n_iterations(here.decision)
        works = list(_RoundWorks(here.record, settings).of(here.ply, n_iterations))
        if may_look_back(here) and here.conclusion is not None:
            works.append(_measured(here))
    _cancel_others(works)
    jobs = [work.begin() for work in works]
    results_shown = (shown.conclusion, *shown.repeats, shown.hindsight)

    def is_new() -> bool:
        return any(
            work.result_of(job.work) is not result
            for work, job, result in zip(works, jobs, results_shown, strict=False)
        )

    def is_running() -> bool:
        return any(job.is_active for job in jobs)

    @st.fragment(run_every=poll_seconds(POLL_SECONDS))
    def wait() -> None:
        for job in jobs:
            job.heartbeat(reader())
        if is_running():
            return
        if is_new() or not _go_on(here, settings, decisions):
            draw_again()

    if is_running() or is_new() or any(_ahead(here, settings, decisions)):
        wait()


def may_look_back(here: Here) -> bool:
    """Whether what a play cost as the cards lay may be shown: the reader sees all four hands."""
    return is_truth_shown(here) and here.record.has_bids and not here.is_over


def _measured(here: Here) -> _Work:
    """What the play cost as the cards lay."""
    from analysis.decisions.hindsight import MeasuredPlay  # loads the players

    key = f"{record_key(here.record)} {here.ply}"
    make = partial(MeasuredPlay, here.record, here.ply)
    return _Work(hindsight_jobs(), key, make, lambda work: work.found)


def _cancel_others(works: list[_Work]) -> None:
    """Cancel what was begun for another decision than that of these works."""
    keys = [work.key for work in works]
    before, begun = st.session_state.setdefault(page.key("judged"), ([], []))
    if before == keys:
        return
    for key in {*before, *begun}.difference(keys):
        for registry in (evidence_jobs(), repeats_jobs(), hindsight_jobs()):
            job = registry.find(key)
            if job is not None:
                job.cancel(reader())
    st.session_state[page.key("judged")] = (keys, [])


def _ahead(here: Here, settings: AnalysisSettings, decisions: Decisions) -> Iterator[_Work]:
    """What is left to make of the other decisions, the following ones first: the judge's evidence
    and the first search's repeats. Nothing while more than ``readers_ahead`` are here: what they
    look at comes first."""
    if n_present() > readers_ahead():
        return
    begun = st.session_state.setdefault(page.key("judged_ahead"), set())
    n = len(decisions)
    first_after = here.ply if here.bid else here.ply + 1
    works = _RoundWorks(here.record, settings)
    for ply in (*range(first_after, n), *range(min(here.ply, n))):
        decision = decisions[ply]
        if decision is not None and decision.is_forced:
            continue
        evidence, repeats, *_ = works.of(ply, _n_iterations(decision))
        for work in (evidence, repeats):
            job = work.job
            was_dropped = job is None and work.key in begun  # the registry made room for others
            has_ended = job is not None and job.state in (DONE, FAILED)
            if not was_dropped and not has_ended:
                yield work


def _go_on(here: Here, settings: AnalysisSettings, decisions: Decisions) -> bool:
    """Begin the next job ahead; whether one is left."""
    for work in _ahead(here, settings, decisions):
        job = work.begin()
        job.heartbeat(reader())
        st.session_state[page.key("judged_ahead")].add(work.key)
        if job.is_active:
            st.session_state[page.key("judged")][1].append(work.key)
            return True
    return False
