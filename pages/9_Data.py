"""Data: the logs that are here, how they came to be, importing, generating, exporting."""

import streamlit as st

from ui.data import logs, simulate, state
from ui.shared.page import setup, show_complaints
from ui.shared.widgets import show_view_control

SHOW = {"logs": logs.show, "import": logs.show_import, "generate": simulate.show}


def main() -> None:
    setup("Data")
    st.title("Data")
    st.caption(
        "There is no public log of human Spades. Players called *simulated human* are the "
        "log-linear model of Devlin et al. 2016 with nil features and bids calibrated to "
        "published figures; nobody real played their cards."
    )
    show_complaints(state.page.read())
    SHOW[show_view_control(state.VIEWS, state.key("tab"))]()
    state.page.write(("tab", *state.SHOWN[state.get("tab")]))  # of the view that is shown


if __name__ == "__main__":
    main()
