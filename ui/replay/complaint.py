"""Which card an opened hand is about: a card, or a complaint that one of the plays invites."""

from typing import NamedTuple

import streamlit as st

from analysis.decisions.lenses import LABELS, find_all
from spades.core.cards import N_SEATS, cards_in, seat_name
from spades.core.records import Record
from spades.look.words import pretty
from ui.replay import state
from ui.replay.panel import Here, is_truth_shown
from ui.replay.state import page
from ui.shared.widgets import centered_row, once, show_button

CARD = "complaint_card"


class Complaint(NamedTuple):
    """What a lens finds first: its ``name``, and the play at ``ply``."""

    name: str
    ply: int


def ask_about(hand: str) -> None:
    """Have the page ask which card of a hand is meant."""
    page.put("asked", hand)


def show_question(here: Here) -> None:
    """The question about the hand opened last, until it is answered; where all cards may be
    seen."""
    record = here.record
    is_asked = st.session_state.get(page.key("asked")) == page.get("hand").name
    if not is_asked or not record.plays or not is_truth_shown(here):
        return
    with centered_row(key=page.key("question")):
        st.caption("Which card is it about?", width="content")
        st.selectbox(
            "Card",
            range(len(record.plays)),
            None,
            format_func=lambda ply: play_text(record, ply),
            placeholder="Seat and card",
            label_visibility="collapsed",
            key=page.key(CARD),
            on_change=once(_open_chosen),
            width=260,
        )
        for complaint in complaints_of(page.get("hand").name, record):
            label = f"{LABELS[complaint.name]}: {play_text(record, complaint.ply)}"
            key = page.key(f"complaint_{complaint.name}")
            show_button(label, "chat_error", key, _open, complaint.ply, type="tertiary")
        show_button("No card", "close", page.key("complaint_none"), ask_about, "", type="tertiary")


def play_text(record: Record, ply: int) -> str:
    """``East's K♠, trick 6``."""
    seat = record.at(ply).table.turn
    card = pretty(record.rules.cards.format_card(record.plays[ply]))
    return f"{seat_name(seat)}'s {card}, trick {ply // N_SEATS + 1}"


@st.cache_resource(max_entries=64, show_spinner=False)
def complaints_of(hand: str, _record: Record) -> list[Complaint]:
    """The first play that each lens flags, compared with the other legal cards."""
    first: dict[str, Complaint] = {}
    for ply, card in enumerate(_record.plays):
        seen = _record.observation(ply)
        for other in cards_in(seen.legal_mask):
            for name in find_all(seen, card.code, other):
                first.setdefault(name, Complaint(name, ply))
    return list(first.values())


def _open_chosen() -> None:
    ply = st.session_state[page.key(CARD)]
    if ply is not None:
        _open(ply)


def _open(ply: int) -> None:
    """Go there, with the report open."""
    ask_about("")
    state.go_to(ply)
    st.session_state[page.key("open_report")] = True
