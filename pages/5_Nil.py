"""Nil: success curves by the bids before, the rates and rounds behind them, and one hand."""

import streamlit as st

from analysis.nil.rates import cell_sequences
from spades.core.rules import Rules
from spades.notation.log_store import LogEntry
from ui.nil import curves, state, surface
from ui.nil.hand import even, show_hand
from ui.nil.state import page
from ui.shared.records import log_key
from ui.shared.widgets import errors_shown, show_info


def main() -> None:
    with page.open("Nil"):
        state.settle()
        view = page.view("View", "view")
        entries = state.readable_logs()
        with errors_shown():  # a table or log that can't be read
            SHOW[view](entries)
        state.write_state()


def show_curves(entries: dict[str, LogEntry]) -> None:
    curves.show_previous_controls(can_compare=True)
    curves.show_source_controls(list(entries))
    logs = tuple(log_key(entries[name]) for name in page.get("logs"))
    tables = tuple(page.get("tables"))
    question = curves.Question(tables, logs, page.get("kind"), tuple(state.patterns()))
    if not (tables or logs):
        show_info("Choose whose nils to look at: fitted curves or a log.", "group")
        return
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        curves.show_curves(question, even(Rules().nil or 0))
    with behind:
        curves.show_point(question, entries)
    curves.show_totals(question)
    curves.show_repeats(page.get("logs"))
    with st.expander("Calibration of the curves", expanded=page.get("scores_open")):
        curves.show_calibration()


def show_one_hand(entries: dict[str, LogEntry]) -> None:
    curves.show_previous_controls(can_compare=False)
    show_hand()


def show_surface(entries: dict[str, LogEntry]) -> None:
    surface.show_surface_controls()
    heard = page.get("after")
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        surface.show_surface(surface.surface_of(page.get("of"), heard, page.get("value") / 100))
    with behind:
        surface.show_cell(list(entries))
        if entries:
            curves.show_rounds(entries, cell_sequences(heard, *state.cell()).tolist(), None)


SHOW = {
    "curves": show_curves,
    "hand": show_one_hand,
    "surface": show_surface,
    "ace": surface.show_aces,
}

if __name__ == "__main__":
    main()
