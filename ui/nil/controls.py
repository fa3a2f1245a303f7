"""The Nil page's controls: the bids before, the sequences compared, whose nils are counted."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.bidding.sequences import (
    ANY,
    BIDDERS_BEFORE,
    ORDINALS,
    bid_word,
    name_of,
    parse_pattern,
)
from analysis.nil.rounds import ANY_KIND
from analysis.plots.nil import MEASURES
from analysis.style.counts import KIND_LABELS
from spades.core.cards import DECKS
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.nil.cached import TABLE_LABELS
from ui.shared.page import literal
from ui.shared.widgets import pills, row, segments, select, select_several

BIDS = (ANY, *range(MAX_BID + 1))
KIND_TITLES = {ANY_KIND: "Anybody", **KIND_LABELS}
FORMS = {"map": "Map", "surface": "Surface"}


def show_previous_controls(*, can_compare: bool) -> None:
    """In which seat you bid, and what was bid before."""
    with row():
        segments(
            "You bid",
            {n: ordinal.capitalize() for n, ordinal in enumerate(ORDINALS)},
            state.key("turn"),
            help="The first to bid has heard nobody; the fourth, the dealer, three bids.",
        )
        for place in range(state.get("turn"))[::-1]:
            select(
                BIDDERS_BEFORE[place].capitalize(),
                BIDS,
                state.key(state.PLACES[place]),
                format_func=bid_word,
                width=135,
                help="What this seat bid before you; any: every bid, taken together.",
            )
        if can_compare:
            st.button(
                "Keep to compare",
                icon=":material/add:",
                key=state.key("keep"),
                on_click=state.add_compared,
                disabled=not state.get_previous(),
                help="Add these bids to the sequences compared, then choose others.",
            )


def show_source_controls(log_names: Sequence[str]) -> None:
    """The other sequences, and whose nils."""
    compared, tables, logs = st.columns([4, 3, 4], gap="small", vertical_alignment="bottom")
    with compared:
        select_several(
            f"Compare with, up to {state.MAX_COMPARED}",
            dict.fromkeys([*state.get("compare"), *state.USUALLY_COMPARED]).keys(),
            state.key("compare"),
            format_func=_sequence_label,
            accept_new_options=True,
            max_selections=state.MAX_COMPARED,
            on_change=state.settle_compared,
            placeholder="Type bids in order, as 3,1",
            help="Bids in the order made, the last your right opponent's: 3,1. "
            "nil or 0 is nil, * any bid.",
        )
    with tables:
        pills(
            "Fitted curves of",
            TABLE_LABELS,
            state.key("tables"),
            help="Curves, and the nils that they were fitted on. Humans here are simulated: the "
            "log-linear model of Devlin 2016 and a bidder calibrated to published figures.",
        )
    with logs, row():
        select_several(
            "Nils of logs",
            log_names,
            state.key("logs"),
            max_selections=state.MAX_LOGS,
            placeholder="None",
            help="Logs of the Data page: rates without a curve.",
        )
        show_kind_control()
    for complaint in st.session_state.pop(state.key("typed"), []):
        st.warning(literal(f"Left out: {complaint}."), icon=":material/block:")


def show_kind_control() -> None:
    select("Bid by", KIND_TITLES, state.key("kind"), width=170, help="Who bid, in the logs.")


def _sequence_label(text: str) -> str:
    try:
        return name_of(parse_pattern(text))
    except SpadesError:  # being typed
        return text


def show_deck_controls() -> None:
    """The deck of the hand entered, and BIS's threshold."""
    with row():
        select("Deck", DECKS.keys(), state.key("deck"), width=230)
        st.number_input(
            "Threshold (points)",
            -100,
            100,
            key=state.key("threshold"),
            width=150,
            help="BIS bids nil where it expects more points of it than this; 25 in the paper.",
        )


def show_surface_controls() -> None:
    """Which curves, after how many bids, at which nil value, drawn how."""
    with row("medium"):
        segments("Curves of", TABLE_LABELS, state.key("of"))
        segments(
            "You bid",
            {2: "Third", 3: "Fourth"},
            state.key("after"),
            on_change=state.put_usual_cell,
            help="The third bidder has heard partner and right opponent, the fourth all three.",
        )
        segments("Chance", MEASURES, state.key("measure"))
        segments("Drawn as", FORMS, state.key("form"))
        if state.get("measure") == "chance":
            label, key = "Nil value of the hand", state.key("value")
            st.slider(label, 1, 100, key=key, format="%d %%", width=240)


def show_cell_controls(log_names: Sequence[str]) -> None:
    """Which cell of the surface: for keyboards, and to see what was clicked; in which log."""
    st.markdown("**What is behind a cell**")
    with row():
        select(
            "Partner's bid",
            range(MAX_BID + 1),
            state.key("partner"),
            format_func=bid_word,
            on_change=state.settle_cell,
            width=110,
        )
        select("Sum of the bids", state.cell_sums(), state.key("sum"), width=120)
        if log_names:
            select("Log", log_names, state.key("log"), width=190)
            show_kind_control()


def show_ace_controls(log_names: Sequence[str]) -> None:
    """Which logs, whose bids, and how many of them."""
    with row():
        select_several(
            "Logs",
            log_names,
            state.key("logs"),
            max_selections=state.MAX_LOGS,
            width=460,
            placeholder=f"The first {state.MAX_LOGS}",
        )
        show_kind_control()
        told = "3: the fourth bidder, as in the paper."
        segments("Bids heard", (1, 2, 3), state.key("heard"), help=told)
