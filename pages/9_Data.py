"""Data: the logs that are here, how they came to be, importing, generating, exporting."""

import streamlit as st

from ui import data_import, data_logs, data_simulate
from ui.page import setup

TABS = {"logs": "Logs", "import": "Import", "generate": "Generate"}


def main() -> None:
    setup("Data")
    st.title("Data")
    st.caption(
        "There is no public log of human Spades. Players called *simulated human* are the "
        "log-linear model of Devlin et al. 2016 with nil features and bids calibrated to "
        "published figures; nobody real played their cards."
    )
    given = st.query_params.get("tab", "logs")
    chosen = st.segmented_control(
        "View",
        list(TABS),
        default=given if given in TABS else "logs",
        format_func=TABS.get,
        key="data_tab",
        required=True,
        label_visibility="collapsed",
    )
    st.query_params["tab"] = chosen
    if chosen == "import":
        data_import.show()
    elif chosen == "generate":
        data_simulate.show()
    else:
        data_logs.show()


if __name__ == "__main__":
    main()
