"""Conclusions on the decision on screen, one for each way to search it, made beside the page."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import AnalysisSettings, Decision, search_key
from analysis.runs.jobs import LOOK_SECONDS, Desk, Job
from spades.core.records import RoundRecord
from ui.replay.panel import Here, search_desk, why_nothing
from ui.replay.state import page
from ui.shared.jobs import reader
from ui.shared.page import draw_again

if TYPE_CHECKING:
    from analysis.decisions.evidence import Evidence

MAX_DECISIONS = 150  # a megabyte each, where they don't settle
POLL_SECONDS = 0.5
Conclusions = tuple[Conclusion | None, ...]  # by search


@st.cache_resource
def evidence_desk() -> "Desk[Evidence]":
    return Desk(search_desk().turns, MAX_DECISIONS, patience=LOOK_SECONDS)


def _questions(settings: AnalysisSettings, iterations: int) -> list[AnalysisSettings]:
    """What the conclusion on each of the settings' searches depends on; the first has so many
    ``iterations``, where the reader has searched longer."""
    first, *others = settings.searches
    return [replace(first, iterations=max(iterations, first.iterations)), *others]


def keys_of(record: RoundRecord, settings: AnalysisSettings, iterations: int = 0) -> list[str]:
    """What the keys of a round's evidence on the desk begin with, by search; the ply follows."""
    return [search_key(record, question) for question in _questions(settings, iterations)]


def conclusions_of(
    record: RoundRecord, settings: AnalysisSettings, decisions: Sequence[Decision | None]
) -> list[Conclusions]:
    """What is concluded so far of a round's decisions, by search, the first as long as the reader
    has searched; None before there are enough searches."""
    keys = {
        iterations: keys_of(record, settings, iterations)
        for iterations in set(map(_length, decisions))
    }
    return [
        tuple(_conclusion_at(f"{key} {ply}") for key in keys[_length(decision)])
        for ply, decision in enumerate(decisions)
    ]


def _length(decision: Decision | None) -> int:
    return decision.search.iterations if decision else 0


def _conclusion_at(key: str) -> Conclusion | None:
    found = evidence_desk().find(key)
    return found[0].conclusion if found else None


def judge_here(here: Here, settings: AnalysisSettings, shown: Conclusions) -> None:
    """Search the decision on screen until it is settled, in every way that is set, and draw the
    page again with what is concluded. Who leaves it stops that; ``shown``: what the page shows."""
    length = _length(here.decision)
    keys = [f"{key} {here.ply}" for key in keys_of(here.record, settings, length)]
    keys = [] if why_nothing(here) else keys
    for left in st.session_state.get(page.key("judged"), []):
        if left not in keys and (found := evidence_desk().find(left)) and found[1]:
            found[1].stop(reader())
    st.session_state[page.key("judged")] = keys
    begun = [
        (*_begin(key, here, question), conclusion)
        for key, question, conclusion in zip(
            keys, _questions(settings, length), shown, strict=False
        )
    ]

    def is_new() -> bool:
        return any(evidence.conclusion is not conclusion for evidence, _, conclusion in begun)

    def is_running() -> bool:
        return any(not job.is_finished for _, job, _ in begun)

    @st.fragment(run_every=POLL_SECONDS)
    def wait() -> None:
        for _, job, _ in begun:
            job.look(reader())
        if not is_running() and is_new():
            draw_again()

    if is_running() or is_new():
        wait()


def _begin(key: str, here: Here, question: AnalysisSettings) -> "tuple[Evidence, Job]":
    """The evidence of a decision, under way or done; what was stopped goes on."""
    from analysis.decisions.evidence import Evidence  # loads SciPy: the table is on screen

    before = evidence_desk().find(key)
    is_stopped = bool(before and before[1] and before[1].state == "stopped")
    make = partial(Evidence, here.record, here.ply, question)
    return evidence_desk().start(key, make, again=is_stopped)
