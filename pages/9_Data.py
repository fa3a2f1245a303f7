"""Data: the logs that are here, how they came to be, importing, generating, exporting."""

import streamlit as st

from ui.data import logs
from ui.data.logs import page

SHOW = {"logs": logs.show_logs, "import": logs.show_import, "generate": logs.show_generate}

if __name__ == "__main__":
    with page.open("Data"):
        st.caption(
            "There is no public log of human Spades. Players called *simulated human* are a model "
            "with published weights; nobody real played their cards."
        )
        SHOW[page.view("View", "tab")]()
        page.write(("tab", *logs.SHOWN[page.get("tab")]))  # of the view that is shown
