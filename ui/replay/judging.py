"""The conclusion on the decision on screen: searches that are made beside the page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import AnalysisSettings, Decision, search_key
from analysis.runs.jobs import LOOK_SECONDS, Desk
from spades.core.records import RoundRecord
from ui.replay.panel import Here, search_desk, why_nothing
from ui.replay.state import page
from ui.shared.jobs import reader
from ui.shared.page import draw_again

if TYPE_CHECKING:
    from analysis.decisions.evidence import Evidence

MAX_DECISIONS = 500
POLL_SECONDS = 0.5


@st.cache_resource
def evidence_desk() -> "Desk[Evidence]":
    return Desk(search_desk().turns, MAX_DECISIONS, patience=LOOK_SECONDS)


def _plain(settings: AnalysisSettings) -> AnalysisSettings:
    """What a conclusion depends on: of several searches the first is judged."""
    return replace(settings, others=(), models=AnalysisSettings.models)


def key_of(record: RoundRecord, settings: AnalysisSettings) -> str:
    """What the keys of a round's evidence on the desk begin with; the ply follows."""
    return search_key(record, _plain(settings))


def conclusions_of(
    record: RoundRecord, settings: AnalysisSettings, decisions: Sequence[Decision | None]
) -> list[Conclusion | None]:
    """What is concluded of a round's decisions so far; None before there are enough searches, and
    where the reader has asked for one longer search, of which table and verdict then are."""
    key = key_of(record, settings)
    return [
        None if _is_longer(decision, settings) else _conclusion_at(f"{key} {ply}")
        for ply, decision in enumerate(decisions)
    ]


def _is_longer(decision: Decision | None, settings: AnalysisSettings) -> bool:
    return decision is not None and decision.search.iterations > settings.iterations


def _conclusion_at(key: str) -> Conclusion | None:
    found = evidence_desk().find(key)
    return found[0].conclusion if found else None


def judge_here(here: Here, settings: AnalysisSettings, shown: Conclusion | None) -> None:
    """Search the decision on screen until it is settled, and draw the page again with what is
    concluded. Who leaves it stops that; ``shown``: what the page shows."""
    key = "" if why_nothing(here) else f"{key_of(here.record, settings)} {here.ply}"
    left = st.session_state.get(page.key("judged"))
    if left and left != key and (found := evidence_desk().find(left)) and found[1]:
        found[1].stop(reader())
    st.session_state[page.key("judged")] = key
    if not key or _is_longer(here.decision, settings):
        return
    from analysis.decisions.evidence import Evidence  # loads SciPy: the table is on screen

    before = evidence_desk().find(key)
    is_stopped = bool(before and before[1] and before[1].state == "stopped")
    evidence, job = evidence_desk().start(
        key, lambda: Evidence(here.record, here.ply, _plain(settings)), again=is_stopped
    )

    @st.fragment(run_every=POLL_SECONDS)
    def wait() -> None:
        job.look(reader())
        if job.is_finished and evidence.conclusion is not shown:
            draw_again()

    if not job.is_finished or evidence.conclusion is not shown:
        wait()
