"""Arena: agent against agent on common deals, and the league of all matches stored."""

import streamlit as st

from analysis.matches.match import MATCH
from analysis.runs.store import ResultStore
from ui.arena import league, match, state
from ui.shared.jobs import show_jobs
from ui.shared.page import setup, show_complaints
from ui.shared.widgets import show_view_control

SHOW = {"league": league.show, "match": match.show}


def main() -> None:
    setup("Arena")
    st.title("Arena")
    state.page.read()
    report = st.container()
    view = show_view_control(state.VIEWS, state.key("view"))
    show_jobs("arena", made=lambda: ResultStore().stamp(MATCH))  # a match ended: draw it anew
    SHOW[view]()
    with report:
        show_complaints(state.page.complaints)
    state.write_state()


if __name__ == "__main__":
    main()
