"""Replay, the landing page: a hand at the table, human probabilities beside ISMCTS visits."""

from typing import Any

import streamlit as st

from analysis.decisions.decision import Decision
from analysis.decisions.searching import RoundSearch
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from ui.replay import state
from ui.replay.beside import beside_label
from ui.replay.bid_data import bids_data
from ui.replay.controls import show_report, show_toolbar
from ui.replay.data import decisions_data, round_data
from ui.replay.desks import bid_desk, run_desk, search_desk
from ui.replay.search import agent_label
from ui.replay.seat_view import beliefs_data
from ui.replay.steps import first_step
from ui.replay.view import current_state, replay_view
from ui.replay.why import Here, show_folded
from ui.shared.links import model_label
from ui.shared.page import draw_again, literal, setup, spare_the_collector

FIRST_LOOK_SECONDS = 0.6
POLL_SECONDS = 0.6
VIEW = "replay_table"


def main() -> None:
    setup("Replay")
    complaints = state.read_state()
    record, settings = state.get("hand").record, state.settings()

    # The whole round is searched at once, usually within the first look.
    search, job = search_desk().search_round(record, settings, focus=state.get("step"))
    if not search.n_done:
        job.wait(FIRST_LOOK_SECONDS)
    is_running = not job.is_finished
    decisions = list(search.decisions)  # one look at it: all that is drawn below agrees
    data = view_data(decisions, is_running=is_running)
    where = current_state(data, key=VIEW)
    search.focus = where.ply
    # Not before the first decision is searched: until then the dealing may still be compiled.
    if where.has_beliefs and not where.bid and (search.n_done or job.is_finished):
        data["beliefs"] = beliefs_data(record, where.ply)

    show_toolbar(decisions, where.step)
    show_report(complaints)
    replay_view(data, key=VIEW)
    state.write_state(where.step, where.hands, has_beliefs=where.has_beliefs)
    show_stepping(where.step, record)
    show_search_progress(search, job, shown=data["progress"])

    # The panels below need pandas and plotly: imported here, the table is on screen before them.
    from ui.replay.bids import show_bids
    from ui.replay.panels import show_visit_curves
    from ui.replay.report import show_bug_report

    spare_the_collector()
    decision = decisions[where.ply] if where.ply < len(decisions) and not where.bid else None
    here = Here(record, where.step, decision, where.hands)
    show_visit_curves(search_desk(), here)
    show_bug_report(here, bid_desk())
    show_bids(here, bid_desk())
    show_why(here)
    if record.has_bids and data["bids"] is None:
        is_wanted = bool(where.bid or state.get("bids"))
        if is_wanted or job.is_finished:
            ask_bidders(record, is_wanted=is_wanted)


def ask_bidders(record: RoundRecord, *, is_wanted: bool) -> None:
    """Ask them beside the page and draw it again with their answers.

    Where nobody waits for them, not before the browser's timer tells that the page is on screen.
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


def show_why(here: Here) -> None:
    """Why this card: panels that are drawn, and imported, once somebody opens them."""

    def stability() -> None:
        from ui.replay.stability import show_stability

        show_stability(run_desk(), here)

    def deals() -> None:
        from ui.replay.deals import show_deals

        show_deals(run_desk(), here)

    def what_if() -> None:
        from ui.replay.what_if import show_what_if

        show_what_if(run_desk(), here)

    show_folded("stability", "Decision stability", "repeat", stability)
    show_folded("deals", "Sampled deals: where the cards may be", "casino", deals)
    show_folded("whatif", "What if: another card from here", "alt_route", what_if)


def view_data(decisions: list[Decision | None], *, is_running: bool) -> dict[str, Any]:
    """What the view is sent; all but the beliefs stays the same while the reader steps."""
    settings, total = state.settings(), len(decisions)
    n_done = sum(decision is not None for decision in decisions)
    return {
        **place(),
        "seat": state.get("seat"),
        "spoiler": state.get("spoiler"),
        "four_color": state.get("colors") == 4,
        "dealing": settings.dealing.text(),
        "beliefs": None,
        "models": [{"id": name, "label": model_label(name)} for name in settings.models],
        "beside": {"label": beside_label(settings.beside.bias)} if settings.beside else None,
        "decisions": decisions_data(decisions, settings.models[0], state.get("threshold")),
        "bids": bids_data(bid_desk(), state.get("hand").record),
        "agent": agent_label(settings),
        "progress": {"done": n_done, "total": total} if is_running and n_done < total else None,
    }


def place() -> dict[str, Any]:
    """The round, and where Python last put the reader in it."""
    return {
        "id": state.get("hand").name,
        "rev": state.get("rev"),
        "ply": state.get("step"),
        "view": state.get("view"),
        "round": round_data(state.get("hand").record),
    }


def show_stepping(step: int, record: RoundRecord) -> None:
    """Plain buttons for touch, screen readers and tests; the view has keys of its own."""
    first = first_step(record.has_bids)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Callbacks: they run at once, whatever run the click interrupts.
        st.button(
            "Previous bid" if first < step <= 0 else "Previous play",
            icon=":material/chevron_left:",
            key=state.key("previous"),
            disabled=step <= first,
            on_click=move,
            args=(-1,),
        )
        st.button(
            "Next bid" if step < -1 else "Next play",
            icon=":material/chevron_right:",
            key=state.key("next"),
            disabled=step >= len(record.plays),
            on_click=move,
            args=(1,),
        )
        st.caption("Keys: ← → step, ↑ ↓ this seat, N next disagreement, ? all of them")


def move(steps: int) -> None:
    """Move on from where the reader is, which the browser knows better than the last run."""
    state.go_to(current_state(place(), key=VIEW).step + steps)


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
            on_click=search_desk().resume_round,
            args=(search.record, search.settings),
        )
        return
    n_shown = shown["done"] if shown else 0

    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        with st.container(horizontal=True, vertical_alignment="center"):
            note = "" if search.n_done else " (the first search ever compiles, about 15 s)"
            st.progress(search.n_done / total, text=f"{search.n_done} of {total} searched{note}")
            # A callback: it runs at once, whatever run the click interrupts.
            if st.button("Stop", icon=":material/stop:", key=state.key("stop"), on_click=job.stop):
                job.wait(1.0)
                draw_again()
        if search.n_done > n_shown or job.is_finished:
            draw_again()

    progress()


if __name__ == "__main__":
    main()
