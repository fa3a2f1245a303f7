"""Replay, the landing page: a hand at the table, human probabilities beside ISMCTS visits."""

from dataclasses import replace
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware

from ui.disagreements.switch import is_list_shown, show_switch
from ui.disagreements.walk import show_steps
from ui.play.routes import ROUTES, say_access
from ui.replay import panel, state
from ui.replay.judging import Judged, judge_here, judged_so_far
from ui.replay.toolbar import show_links_of_hands, show_report, show_toolbar
from ui.replay.view import current_state, replay_view
from ui.replay.view_data import beliefs_data, move, view_data
from ui.shared.bar import setup
from ui.shared.document import OwnStyle
from ui.shared.gate import Gate
from ui.shared.page import report_fault
from ui.shared.widgets import centered_row

FIRST_LOOK_SECONDS = 0.6
PANELS = (  # name, module and function of ui.replay, title, icon
    ("growth", "visits.show_visit_curves", "How the visits grew; search longer", "show_chart"),
    ("report", "visits.show_report", "Report for a bug tracker", "bug_report"),
    ("review", "review.show_review", "Review of the whole hand", "fact_check"),
    ("bids", "bids.show_bids", "The bids, beside what each bidder bids", "gavel"),
    ("stability", "candidates.show_stability", "Decision stability", "repeat"),
    ("deals", "candidates.show_deals", "Sampled deals: where the cards may be", "casino"),
    ("whatif", "candidates.show_what_if", "What if: another card from here", "alt_route"),
)


def main() -> None:
    setup("Replay")
    if is_list_shown():
        from ui.disagreements.page import show_disagreements  # loads pandas

        show_disagreements()
        return
    complaints = state.read_state()
    with centered_row(key="replay_views", horizontal_alignment="distribute"):
        show_switch()
        show_steps()
    record = state.get("hand").record
    settings = state.settings()

    # The whole round is searched at once, usually within the first look.
    job = panel.search_jobs().search_round(record, settings, focus=state.get("step"))
    search = job.work
    if not search.n_done:
        job.wait(FIRST_LOOK_SECONDS)
    is_running = not job.is_finished
    # Read once, so that all that is drawn below agrees.
    decisions = panel.longest_searched(search.decisions, record, settings)
    judged = judged_so_far(record, settings, decisions, state.get("budget"))
    data = view_data(decisions, judged, is_running=is_running)
    here = current_state(data)
    search.focus = here.ply
    has_beliefs = here.view == state.BELIEFS
    # Beliefs wait for the first searched decision: until then the dealing may still be compiled.
    if has_beliefs and not here.bid and (search.n_done or job.is_finished):
        data["beliefs"] = beliefs_data(record, here.ply)

    show_toolbar(decisions, here.step)
    show_report(complaints)
    show_links_of_hands(here.step)
    replay_view(data)
    state.write_state(here.step, here.hands, has_beliefs=has_beliefs)
    panel.show_stepping(here.step, move, job, data["progress"])

    result = Judged()
    if not here.bid and here.ply < len(decisions) and decisions[here.ply]:
        result = judged[here.ply]
        here = replace(
            here,
            decision=decisions[here.ply],
            conclusion=result.conclusion,
            repeats=result.repeats[0],
        )
    for name, place, title, icon in PANELS:
        panel.show_folded(name, place, title, icon, here)
    if record.has_bids and data["bids"] is None:
        is_wanted = bool(here.bid or state.get("bids"))
        if is_wanted or job.is_finished:
            panel.await_bidders(record, is_wanted=is_wanted)
    if job.is_finished:
        judge_here(here, settings, decisions, result)


if __name__ == "__main__":
    main()
elif __name__ == "app":  # as `streamlit run` imports it: what any page raises comes to one place
    Thread(target=panel.warm_up, daemon=True).start()  # while the browser loads what it needs
    say_access()
    middleware = [Middleware(Gate, routes=ROUTES), Middleware(OwnStyle)]
    app = st.App(__file__, routes=ROUTES, middleware=middleware, on_script_error=report_fault)
