"""Data: the logs that are here, how they came to be, importing, generating, exporting."""

import streamlit as st

from ui.data import importing as data_import
from ui.data import logs as data_logs
from ui.data import simulate as data_simulate
from ui.data import state
from ui.shared.page import setup, show_complaints

SHOW = {"logs": data_logs.show, "import": data_import.show, "generate": data_simulate.show}


def main() -> None:
    setup("Data")
    st.title("Data")
    st.caption(
        "There is no public log of human Spades. Players called *simulated human* are the "
        "log-linear model of Devlin et al. 2016 with nil features and bids calibrated to "
        "published figures; nobody real played their cards."
    )
    show_complaints(state.page.read())
    chosen = st.segmented_control(
        "View",
        list(state.VIEWS),
        format_func=state.VIEWS.get,
        key=state.key("tab"),
        required=True,
        label_visibility="collapsed",
    )
    SHOW[chosen]()
    state.write_state()


if __name__ == "__main__":
    main()
