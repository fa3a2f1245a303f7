"""Below the view: buttons that step, how far the search is, and waiting for the bidders."""

from __future__ import annotations

import streamlit as st

from analysis.decisions.searching import RoundSearch
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from ui.replay import state
from ui.replay.panel import bid_desk, search_desk, show_stoppable
from ui.replay.view import current_state
from ui.replay.view_data import place_data
from ui.shared.page import draw_again, literal

VIEW = "replay_table"
POLL_SECONDS = 0.6


def show_stepping(step: int, record: RoundRecord) -> None:
    """Plain buttons for touch, screen readers and tests; the view has keys of its own."""
    first = state.first_step(record.has_bids)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Callbacks: they run at once, whatever run the click interrupts.
        st.button(
            "Previous bid" if first < step <= 0 else "Previous play",
            icon=":material/chevron_left:",
            key=state.key("previous"),
            disabled=step <= first,
            on_click=_move,
            args=(-1,),
        )
        st.button(
            "Next bid" if step < -1 else "Next play",
            icon=":material/chevron_right:",
            key=state.key("next"),
            disabled=step >= len(record.plays),
            on_click=_move,
            args=(1,),
        )
        st.caption("Keys: ← → step, ↑ ↓ this seat, N next disagreement, ? all of them")


def _move(steps: int) -> None:
    """Move on from where the reader is, which the browser knows better than the last run."""
    state.go_to(current_state(place_data(), key=VIEW).step + steps)


def show_search_progress(search: RoundSearch, job: Job, shown: dict[str, int] | None) -> None:
    """What the round's search is doing while it isn't done, with a stop button.

    ``shown``: the progress that the view above was sent, None if it was told of no search.
    """
    total = len(search.decisions)
    if shown is not None and job.is_finished:
        draw_again()  # it ended while this run was drawn
    if job.error is not None:
        reason = job.error if isinstance(job.error, SpadesError) else "the search failed"
        st.info(literal(f"Not searched: {reason}"), icon=":material/search_off:")
        return
    if search.n_done == total:
        return
    if job.is_finished:
        st.button(
            "Go on searching",
            icon=":material/play_arrow:",
            on_click=search_desk().search_round,
            args=(search.record, search.settings),
            kwargs={"again": True},
        )
        return
    n_shown = shown["done"] if shown else 0

    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        note = "" if search.n_done else " (the first search ever compiles, about 15 s)"
        text = f"{search.n_done} of {total} searched{note}"
        show_stoppable(job, "", search.n_done / total, text)
        if search.n_done > n_shown or job.is_finished:
            draw_again()

    progress()


def await_bidders(record: RoundRecord, *, is_wanted: bool) -> None:
    """Start the bidders in the background and draw the page again with their answers.

    Where nobody waits for them, not before the browser's timer says that the page is on screen.
    """

    @st.fragment(run_every=POLL_SECONDS)
    def answers() -> None:
        drawn, name = state.key("drawn"), state.get("hand").name
        if not is_wanted and st.session_state.get(drawn) != name:
            st.session_state[drawn] = name
            return
        _, job = bid_desk().ask(record)
        if job.is_finished:
            draw_again()

    answers()
