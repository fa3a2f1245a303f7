"""Tuning: how strongly a human model biases the search, on one decision and over a sweep."""

import streamlit as st

from ui import ladder
from ui import tuning_state as state
from ui.page import literal, setup

SHOW = {"ladder": ladder.show_ladder}


def main() -> None:
    setup("Tuning")
    st.title("Tuning")
    complaints = state.read_state()
    if complaints:
        lines = "\n".join(f"- {literal(complaint)}" for complaint in complaints)
        st.warning(f"This link could not be followed as it stands.\n{lines}")
    chosen = st.segmented_control(
        "View",
        list(SHOW),
        format_func=state.VIEWS.get,
        key=state.key("view"),
        required=True,
        label_visibility="collapsed",
    )
    SHOW[chosen]()


if __name__ == "__main__":
    main()
