"""The searches of the round on the table, each by itself, so that one more takes none away."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

import streamlit as st

from analysis.decisions.background import RoundSearch
from analysis.decisions.decision import PlayDecision, searched_longer
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.runs.jobs import Job
from spades.core.records import Record
from spades.search import SearchResult
from ui.replay.panel import Here, search_jobs
from ui.replay.state import page
from ui.shared.page import draw_again

Jobs = Sequence[Job[RoundSearch]]
MAX_DECISIONS = 2048  # kept with their other searches


def start_searches(record: Record, settings: AnalysisSettings, *, focus: int) -> Jobs:
    """A job for each search of a round, the first one's first; active or done."""
    alone = [replace(search, others=(), models=settings.models) for search in settings.searches]
    return [search_jobs().search_round(record, search, focus=focus) for search in alone]


def current_job(jobs: Jobs) -> Job[RoundSearch]:
    """The first search that isn't finished; the first of all where all are."""
    return next((job for job in jobs if not job.is_finished), jobs[0])


def searched_decisions(jobs: Jobs, settings: AnalysisSettings) -> list[PlayDecision | None]:
    """A round's decisions so far: by the longest first search that this reader has asked for, with
    the other searches in ``others`` as far as they are done."""
    first, *others = jobs
    kept = st.session_state.get(page.key("longer"), {})
    key = _key(first.work.record, settings)
    decisions: list[PlayDecision | None] = []
    for ply, decision in enumerate(first.work.decisions):
        longest = kept.get((key, ply), decision)
        beside = takewhile(bool, (other.work.decisions[ply] for other in others))
        decisions.append(longest and _with_others(longest, tuple(beside)))
    return decisions


@lru_cache(maxsize=MAX_DECISIONS)
def _with_others(decision: PlayDecision, others: tuple[PlayDecision, ...]) -> PlayDecision:
    """Cached: what is made of a decision is cached by the decision itself."""
    return replace(decision, others=others) if others else decision


def keep_longer(here: Here, settings: AnalysisSettings, result: SearchResult) -> None:
    """Show a finished search in the table and the verdict, if it is the longest of the decision."""
    if here.decision is None or result.iterations <= here.decision.search.iterations:
        return
    kept = st.session_state.setdefault(page.key("longer"), {})
    place = (_key(here.record, settings), here.ply)
    kept[place] = searched_longer(here.decision, result)
    draw_again()


def _key(record: Record, settings: AnalysisSettings) -> str:
    """Of the first search."""
    return search_key(record, replace(settings, others=()))
