"""The Bidding page's controls: the hand, who has bid what, scores, and the rules."""

from __future__ import annotations

import streamlit as st

from analysis.bidding.checks import BLIND_NIL_NAME
from spades.bidding import BLIND_NIL
from spades.core.cards import DECKS
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID, NIL_BID
from ui.bidding import state
from ui.shared.hand_entry import show_hand_entry
from ui.shared.page import literal

POSITIONS = ("first", "second", "third", "last")
BIDS = (NIL_BID, BLIND_NIL, *range(1, MAX_BID + 1))
ROLE_LABELS = {
    "left": "Left-hand opponent bid",
    "partner": "Partner bid",
    "right": "Right-hand opponent bid",
}


def show_question() -> state.Question | None:
    """The controls that say what the seat sees; the question, None while it can't be asked."""
    hand, table = st.columns([3, 2], gap="large")
    with table:
        _show_table()
    with hand:
        st.subheader("The hand", help="Click cards, write the hand, or have one dealt.")
        show_hand_entry(state.ENTRY, state.deck())
    try:
        asked = state.question()
        asked.observation()
    except SpadesError as error:
        st.error(literal(f"This can't be asked: {error}"), icon=":material/block:")
        return None
    return asked


def _show_table() -> None:
    st.subheader("What the bidder knows")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "It bids",
            range(len(POSITIONS)),
            key=state.key("position"),
            format_func=POSITIONS.__getitem__,
            required=True,
            help="How many of the other three have bid.",
        )
        with st.popover("Rules", icon=":material/gavel:"):
            _show_rules()
    with st.container(horizontal=True, gap="small"):
        for role in state.ROLES[len(state.ROLES) - state.get("position") :]:
            st.selectbox(
                ROLE_LABELS[role],
                BIDS,
                key=state.key(role),
                format_func=_bid_text,
                width=175,
            )
    limit = state.MAX_SCORE
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for label, name in (("Our score", "us"), ("Their score", "them")):
            # Without its value a slow browser shows the lowest one at first.
            st.number_input(
                label,
                -limit,
                limit,
                state.get(name),
                step=10,
                key=state.key(name),
                width=105,
            )
        _bags("Our bags", "our_bags")
        _bags("Their bags", "their_bags")


def _bags(label: str, name: str) -> None:
    st.number_input(label, 0, state.MAX_BAGS, key=state.key(name), width=100)


def _bid_text(bid: int) -> str:
    """0 is nil wherever the rules have it, which they may not: then it is an ordinary zero."""
    if bid == BLIND_NIL:
        return BLIND_NIL_NAME
    return str(bid) if bid else "nil (0)"


def _show_rules() -> None:
    st.selectbox("Deck", list(DECKS), key=state.key("deck"))
    st.number_input("Target, points", 1, state.MAX_SCORE, step=50, key=state.key("target"))
    st.text_input(
        "Other options",
        key=state.key("options"),
        placeholder="nil=50,bag_limit=5",
        help="Options that differ from the usual rules, as nil=None,min_bid=4,ten_for_200=True.",
    )
