"""Replay, the landing page: a hand at the table, human probabilities beside ISMCTS visits."""

from dataclasses import replace
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware

from analysis.decisions.decision_view import Judged
from ui.disagreements.switch import is_list_shown
from ui.disagreements.walk import show_steps
from ui.play.routes import ROUTES, say_access
from ui.replay import panel, state
from ui.replay.complaint import show_question
from ui.replay.export import exported
from ui.replay.judging import judge_here, judged_so_far
from ui.replay.searches import current_job, searched_decisions, start_searches
from ui.replay.toolbar import show_links_of_hands, show_report, show_toolbar
from ui.replay.view import current_state, replay_view
from ui.replay.view_data import beliefs_data, view_data
from ui.shared.bar import setup, show_log_in_hand
from ui.shared.document import OwnStyle
from ui.shared.export.routes import ROUTES as EXPORT_ROUTES
from ui.shared.gate import Gate
from ui.shared.moved import OldAddresses
from ui.shared.page import report_fault
from ui.shared.palette import ROUTES as PALETTE_ROUTES

FIRST_LOOK_SECONDS = 0.6
PANELS = {  # of each tab: modules and functions of ui.replay
    "why": ("why.show_why",),
    "cards": ("candidates.show_deals",),
    "whatif": ("candidates.show_what_if",),
    "searches": ("visits.show_searches",),
    "hand": ("review.show_review", "bids.show_bids"),
}


def main() -> None:
    setup("Replay")
    if is_list_shown():
        from ui.disagreements.page import show_disagreements  # loads pandas

        show_disagreements()
        return
    complaints = state.read_state()
    show_log_in_hand()
    show_steps()
    record = state.get("hand").record
    settings = state.settings()

    # The whole round is searched at once, usually within the first look.
    jobs = start_searches(record, settings, focus=state.get("step"))
    if not jobs[0].work.n_done:
        jobs[0].wait(FIRST_LOOK_SECONDS)
    # Read once, so that all that is drawn below agrees.
    job = current_job(jobs)
    progress = None if job.is_finished else {"done": job.work.n_done, "total": len(record.plays)}
    decisions = searched_decisions(jobs, settings)
    judged = judged_so_far(record, settings, decisions, state.get("budget"))
    data = view_data(decisions, judged, progress)
    data["export"] = exported(decisions, judged)
    here = current_state(data)
    for search in jobs:
        search.work.focus = here.ply
    has_beliefs = here.view == state.BELIEFS
    # Beliefs wait for the first searched decision: until then the dealing may still be compiled.
    if has_beliefs and not here.bid and (any(decisions) or job.is_finished):
        data["beliefs"] = beliefs_data(record, here.ply)

    result = Judged()
    if not here.bid and here.ply < len(decisions) and decisions[here.ply]:
        result = judged[here.ply]
        here = replace(
            here,
            decision=decisions[here.ply],
            conclusion=result.conclusion,
            repeats=result.repeats[0],
            is_judge_over=result.is_over,
        )
    state.write_state(here.step, here.hands, has_beliefs=has_beliefs)  # what is shared leads here
    show_toolbar(decisions, here)
    show_report(complaints)
    show_links_of_hands(here.step)
    show_question(here)
    replay_view(data)
    state.write_state(here.step, here.hands, has_beliefs=has_beliefs)
    with st.container(key="replay_tabs"):  # beside the table where there is room for them
        panel.show_tabs(PANELS, here)
        panel.show_search(job, progress)
    if record.has_bids and data["bids"] is None:
        is_wanted = here.bid > 0 or state.get("tab") == state.TABS["hand"]
        if is_wanted or job.is_finished:
            panel.await_bidders(record, is_wanted=is_wanted)
    if job.is_finished:
        judge_here(here, settings, decisions, result)
    state.end_run()


if __name__ == "__main__":
    main()
elif __name__ == "app":  # as `streamlit run` imports it: what any page raises comes to one place
    Thread(target=panel.warm_up, daemon=True).start()  # while the browser loads what it needs
    say_access()
    routes = [*ROUTES, *EXPORT_ROUTES, *PALETTE_ROUTES]
    middleware = [Middleware(Gate, routes=routes), Middleware(OldAddresses), Middleware(OwnStyle)]
    app = st.App(__file__, routes=routes, middleware=middleware, on_script_error=report_fault)
