"""Tuning: how a bias towards human play changes a decision, and what it costs over many games."""

import streamlit as st

from ui import tuning_state as state
from ui.page import literal, setup
from ui.sweep_form import show_run_a_sweep, show_when_begun
from ui.sweep_frontier import show_frontier


def main() -> None:
    setup("Tuning")
    st.title("Tuning")
    state.read_state()
    show_when_begun()
    report = st.container()
    show_frontier()
    st.divider()
    show_run_a_sweep()
    with report:
        show_complaints()
    state.write_state()


def show_complaints() -> None:
    if complaints := state.get("complaints"):
        lines = "\n".join(f"- {literal(complaint)}" for complaint in complaints)
        st.warning(f"This link could not be followed as it stands.\n{lines}")


if __name__ == "__main__":
    main()
