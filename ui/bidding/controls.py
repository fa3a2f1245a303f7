"""The Bidding page's controls: the hand, who has bid what, scores, rules, how bids are tried."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.bidding.checks import BLIND_NIL_NAME
from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.plots.bidding import bidder_label
from spades.bidding import BLIND_NIL
from spades.core.cards import DECKS
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID, NIL_BID
from ui.bidding import state
from ui.shared.hand_entry import show_hand_entry
from ui.shared.widgets import row, segments, select, show_error

POSITIONS = dict(enumerate(("first", "second", "third", "last")))
# 0 is nil wherever the rules have it, which they may not: then it is an ordinary zero.
BIDS = {
    NIL_BID: "nil (0)",
    BLIND_NIL: BLIND_NIL_NAME,
    **{bid: str(bid) for bid in range(1, MAX_BID + 1)},
}
ROLE_LABELS = {
    "left": "Left-hand opponent bid",
    "partner": "Partner bid",
    "right": "Right-hand opponent bid",
}
BIDDER_LABELS = {name: bidder_label(name) for name in BIDDERS_COMPARED}
LAB_LABELS = {"kept": "Contracts kept", "duel": "Bidder against bidder"}
SIMULATED = "Simulated rounds of each bidder"
SHAPES = {"histogram": "Histogram", "ecdf": "Cumulated"}


def show_question() -> state.Question | None:
    """The controls that say what the seat sees; the question, None while it can't be asked."""
    hand, table = st.columns([3, 2], gap="large")
    with table:
        _show_table()
    with hand:
        st.subheader("The hand", help="Click cards, write the hand, or have one dealt.")
        show_hand_entry(state.ENTRY, state.deck())
    try:
        question = state.question()
        question.observation()
    except SpadesError as error:
        show_error(error, "This can't be asked: ")
        return None
    return question


def _show_table() -> None:
    st.subheader("What the bidder knows")
    with row():
        told = "How many of the other three have bid."
        segments("It bids", POSITIONS, state.key("position"), help=told)
        with st.popover("Rules", icon=":material/gavel:"):
            _show_rules()
    with st.container(horizontal=True, gap="small"):
        for role in state.ROLES[len(state.ROLES) - state.get("position") :]:
            select(ROLE_LABELS[role], BIDS, state.key(role), width=175)
    limit = state.MAX_SCORE
    with row():
        for label, name in (("Our score", "us"), ("Their score", "them")):
            value, key = state.get(name), state.key(name)
            # Without its value a slow browser shows the lowest one at first.
            st.number_input(label, -limit, limit, value, step=10, key=key, width=105)
        for label, name in (("Our bags", "our_bags"), ("Their bags", "their_bags")):
            st.number_input(label, 0, state.MAX_BAGS, key=state.key(name), width=100)


def _show_rules() -> None:
    select("Deck", DECKS.keys(), state.key("deck"))
    st.number_input("Target, points", 1, state.MAX_SCORE, step=50, key=state.key("target"))
    st.text_input(
        "Other options",
        key=state.key("options"),
        placeholder="nil=50,bag_limit=5",
        help="Options that differ from the usual rules, as nil=None,min_bid=4,ten_for_200=True.",
    )


def show_trial_controls() -> None:
    """How bids are tried."""
    with row():
        rounds = state.key("rounds")
        select("Rounds a bid", state.ROUNDS, rounds, format_func="{:,}".format, width=130)
        select(
            "The others bid as",
            BIDDER_LABELS,
            state.key("others"),
            width=210,
            help="Who is taken to have made the bids before, and who bids after.",
        )
        select(
            "Try also",
            ["", *range(MAX_BID + 1)],
            state.key("also"),
            format_func=lambda bid: "no other bid" if bid == "" else str(bid),
            width=150,
            help="Another bid, on the same deals; 0 is nil.",
        )
        st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"), width=120)
        segments("Shown as", SHAPES, state.key("shape"))


def show_lab_controls(log_names: Sequence[str]) -> None:
    """Which comparison, over what; nothing is simulated before one is chosen."""
    st.subheader(
        "Bidders over many rounds",
        help="Single rounds at 0 to 0, played by the strong rule-based player in all seats.",
    )
    with row():
        lab = segments("Compare", LAB_LABELS, state.key("lab"), required=False)
        if lab == "kept":
            names = {"": SIMULATED, **{name: name for name in log_names}}
            select("Bids from", names, state.key("log"), width=300)
        if lab == "duel":
            select("Bidder", BIDDER_LABELS, state.key("first"), width=210)
        if lab == "duel" or (lab == "kept" and not state.get("log")):
            deals = state.key("lab_rounds")
            select("Deals", state.LAB_ROUNDS, deals, format_func="{:,}".format, width=110)
    if lab is None:
        st.caption("Choose one: it takes a few seconds.")
