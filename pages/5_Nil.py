"""Nil: success curves by the bids before, the rates and rounds behind them, and one hand."""

from __future__ import annotations

import streamlit as st

from analysis.nil.rates import cell_sequences
from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.notation.log_store import LogEntry
from ui.nil import cached, controls, curves, state, surface
from ui.nil import hand as hands
from ui.nil.cached import Question
from ui.nil.foretold import show_foretold
from ui.shared.hand_entry import show_hand_entry
from ui.shared.page import setup, show_complaints
from ui.shared.records import log_key
from ui.shared.widgets import show_error, show_info, show_view_control


def main() -> None:
    setup("Nil")
    st.title("Nil")
    entries = cached.readable_logs()
    state.read_state(list(entries))
    report = st.container()
    view = show_view_control(state.VIEWS, state.key("view"))
    try:
        SHOW[view](entries)
    except SpadesError as error:  # a table or log that can't be read
        show_error(error)
    state.write_state(list(entries))
    with report:
        show_complaints(state.page.complaints)


def show_curves(entries: dict[str, LogEntry]) -> None:
    controls.show_previous_controls(can_compare=True)
    controls.show_source_controls(list(entries))
    logs = tuple(log_key(entries[name]) for name in state.get("logs"))
    tables, patterns = tuple(state.get("tables")), tuple(state.patterns())
    question = Question(tables, logs, state.get("kind"), patterns)
    if not (tables or logs):
        show_info("Choose whose nils to look at: fitted curves or a log.", "group")
        return
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        curves.show_curves(question, hands.even(Rules().nil or 0))
    with behind:
        curves.show_point(question, entries)
    curves.show_totals(question)
    with st.expander("How well the curves foretell", expanded=state.get("scores_open")):
        show_foretold()


def show_hand(entries: dict[str, LogEntry]) -> None:
    controls.show_previous_controls(can_compare=False)
    entry, place = st.columns(2, gap="large")
    with entry:
        controls.show_deck_controls()
        hand = show_hand_entry(state.HAND, state.deck())
        is_whole = hand.bit_count() == HAND_SIZE
        if is_whole:
            hands.show_suits(hand)
    with place:
        if is_whole:
            hands.show_place(hand)
        else:
            told = f"Its nil value is shown here once the hand has {HAND_SIZE} cards."
            show_info(told, "playing_cards")


def show_surface(entries: dict[str, LogEntry]) -> None:
    controls.show_surface_controls()
    heard = state.get("after")
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        surface.show_surface(cached.surface_of(state.get("of"), heard, state.get("value") / 100))
    with behind:
        controls.show_cell_controls(list(entries))
        surface.show_cell()
        if entries:
            sequences = cell_sequences(heard, *state.cell()).tolist()
            curves.show_rounds(entries, sequences, None)


def show_ace(entries: dict[str, LogEntry]) -> None:
    controls.show_ace_controls(list(entries))
    if entries:
        surface.show_aces(entries)
    else:
        show_info("No logs yet: the Data page makes and imports them.", "inbox")


SHOW = {"curves": show_curves, "hand": show_hand, "surface": show_surface, "ace": show_ace}

if __name__ == "__main__":
    main()
