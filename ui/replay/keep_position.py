"""The decision on screen as a position of a suite, to download."""

import streamlit as st

from analysis.suites.kept import NotKeptError, kept_position
from spades.notation.log_store import safe_name
from ui.replay.panel import Here
from ui.replay.state import page
from ui.shared.panel import show_file

LABEL = "Keep as a position for a suite"


def show_keep_position(here: Here) -> None:
    """The button, or why there is none; nothing before the judge has concluded."""
    conclusion, decision = here.conclusion, here.decision
    if conclusion is None or decision is None or decision.is_forced or decision.unit != "points":
        return
    name = f"{safe_name(page.get('hand').name)}-ply-{here.ply}"
    try:
        position = kept_position(here.record, here.ply, conclusion, name)
    except NotKeptError as error:
        st.caption(f"Not a position for a suite: {error}.")
        return
    file = f"spades-position-{name}.jsonl"
    show_file(LABEL, f"{position.line()}\n", file, page.key("keep_position"))
    st.caption("A line of a suite, a file of positions that `spades suite` asks an agent.")
