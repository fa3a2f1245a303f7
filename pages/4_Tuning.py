"""Tuning: how strongly a human model biases the search, on one decision and over a sweep."""

import streamlit as st

from ui.shared.page import setup, show_complaints
from ui.shared.widgets import show_view_control
from ui.tuning import ladder, state
from ui.tuning.frontier import show_frontier
from ui.tuning.sweeps import show_run_a_sweep, show_sweep_jobs

SHOW = {"ladder": ladder.show_ladder, "frontier": show_frontier, "run": show_run_a_sweep}


def main() -> None:
    setup("Tuning")
    st.title("Tuning")
    state.read_state()
    report = st.container()
    chosen = show_view_control(state.VIEWS, state.key("view"))
    if chosen != "ladder":
        show_sweep_jobs()
    SHOW[chosen]()
    with report:
        show_complaints(state.page.complaints)


if __name__ == "__main__":
    main()
