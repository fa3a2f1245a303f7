"""Conclusions on the decision on screen, one for each way to search it, made beside the page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import AnalysisSettings, Decision, search_key
from analysis.runs.jobs import LOOK_SECONDS, Desk, Job
from spades.core.records import RoundRecord
from ui.replay.panel import Here, search_desk, why_nothing
from ui.replay.state import BUDGETS, page
from ui.shared.jobs import reader
from ui.shared.page import draw_again

if TYPE_CHECKING:
    from analysis.decisions.evidence import Evidence

MAX_DECISIONS = 500  # some 100 kB each, a megabyte where they don't settle
POLL_SECONDS = 0.5
Conclusions = tuple[Conclusion | None, ...]  # by search
Decisions = Sequence[Decision | None]  # of a round, by ply; None: not searched


@st.cache_resource
def evidence_desk() -> "Desk[Evidence]":
    return Desk(search_desk().turns, MAX_DECISIONS, patience=LOOK_SECONDS)


def _questions(settings: AnalysisSettings, iterations: int) -> list[AnalysisSettings]:
    """What the conclusion on each of the settings' searches depends on; the first has so many
    ``iterations``, where the reader has searched longer."""
    first, *others = settings.searches
    return [replace(first, iterations=max(iterations, first.iterations)), *others]


def keys_of(
    record: RoundRecord, settings: AnalysisSettings, iterations: int = 0, budget: int = BUDGETS[0]
) -> list[str]:
    """What the keys of a round's evidence on the desk begin with, by search; the ply follows.
    ``budget`` in seconds."""
    ending = f" {budget} s" if budget != BUDGETS[0] else ""
    return [search_key(record, one) + ending for one in _questions(settings, iterations)]


def conclusions_of(
    record: RoundRecord, settings: AnalysisSettings, decisions: Decisions, budget: int = BUDGETS[0]
) -> list[Conclusions]:
    """What is concluded so far of a round's decisions, by search, the first as long as the reader
    has searched; None before there are enough searches. ``budget``: seconds for each."""
    keys = {
        iterations: keys_of(record, settings, iterations, budget)
        for iterations in set(map(_length, decisions))
    }
    look_for = evidence_desk().find
    return [
        tuple(
            found[0].conclusion if (found := look_for(f"{key} {ply}")) else None
            for key in keys[_length(decision)]
        )
        for ply, decision in enumerate(decisions)
    ]


def _length(decision: Decision | None) -> int:
    return decision.search.iterations if decision else 0


def judge_here(
    here: Here, settings: AnalysisSettings, decisions: Decisions, shown: Conclusions
) -> None:
    """Search the decision on screen until it is settled, in every way that is set, and draw the
    page again with what is concluded; then the rest of the round by its first search, one decision
    after the other. Who leaves a decision stops that; ``shown``: what the page shows of it."""
    length = _length(here.decision)
    keys = [
        f"{key} {here.ply}" for key in keys_of(here.record, settings, length, page.get("budget"))
    ]
    keys = [] if why_nothing(here) else keys
    _leave_for(keys)
    begun = [
        (*_begin(key, here.record, here.ply, question), conclusion)
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
        if is_running():
            return
        if is_new() or not _go_on(here, settings, decisions):
            draw_again()

    if is_running() or is_new() or any(_ahead(here, settings, decisions)):
        wait()


def _leave_for(keys: list[str]) -> None:
    """Stop what was begun for another decision than the one that these keys are of."""
    before, begun = st.session_state.setdefault(page.key("judged"), ([], []))
    if before == keys:
        return
    for left in {*before, *begun}.difference(keys):
        if (found := evidence_desk().find(left)) and found[1]:
            found[1].stop(reader())
    st.session_state[page.key("judged")] = (keys, [])


def _ahead(
    here: Here, settings: AnalysisSettings, decisions: Decisions
) -> Iterator[tuple[str, int, AnalysisSettings]]:
    """The decisions of the round that are not on screen and have not ended by themselves, the
    following ones first: key, ply, and what its evidence depends on."""
    begun = st.session_state.setdefault(page.key("judged_ahead"), set())
    lengths, budget, n = list(map(_length, decisions)), page.get("budget"), len(decisions)
    keys = {one: keys_of(here.record, settings, one, budget)[0] for one in set(lengths)}
    for ply in (*range(here.ply + (not here.bid), n), *range(min(here.ply, n))):
        found = evidence_desk().find(key := f"{keys[lengths[ply]]} {ply}")
        job = found[1] if found else None
        made_room = job is None and key in begun
        if not made_room and (job is None or job.state not in ("done", "failed")):
            yield key, ply, _questions(settings, lengths[ply])[0]


def _go_on(here: Here, settings: AnalysisSettings, decisions: Decisions) -> bool:
    """See to it that the next decision is searched; whether one is left."""
    for key, ply, question in _ahead(here, settings, decisions):
        _, job = _begin(key, here.record, ply, question)
        job.look(reader())
        st.session_state[page.key("judged_ahead")].add(key)
        if not job.is_finished:
            st.session_state[page.key("judged")][1].append(key)
            return True
    return False


def _begin(
    key: str, record: RoundRecord, ply: int, question: AnalysisSettings
) -> "tuple[Evidence, Job]":
    """The evidence of a decision, under way or done; what was stopped goes on."""
    from analysis.decisions.evidence import Evidence  # loads SciPy: the table is on screen

    before = evidence_desk().find(key)
    is_stopped = bool(before and before[1] and before[1].state == "stopped")
    make = partial(Evidence, record, ply, question, budget=page.get("budget"))
    return evidence_desk().start(key, make, again=is_stopped)
