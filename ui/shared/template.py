"""The template of a CSV, offered wherever one can be brought in."""

import streamlit as st

from spades.notation import format_records
from spades.notation.notations.csv_plays import PLAY_COLUMNS
from ui.shared.panel import show_file
from ui.shared.records import shipped_hands
from ui.shared.widgets import centered_row

HAND = "four-bots"
_COLUMNS = ", ".join(f"*{name}*" for name in PLAY_COLUMNS)


def show_template(key: str) -> None:
    """The columns of a CSV, and a round to be filled in. ``key``: of the button."""
    with centered_row():
        st.caption(f"A CSV has a row a play and the columns {_COLUMNS}.", width="content")
        show_file("CSV template", csv_template, "spades-template.csv", key)


def csv_template() -> str:
    """A round as the notation writes it, to be filled in; it can be imported as it is."""
    return format_records([shipped_hands()[HAND]], "csv")
