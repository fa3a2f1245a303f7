"""The Nil page's controls: the bids before, the sequences compared, whose nils are counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.bidding.sequences import (
    ANY,
    BIDDERS_BEFORE,
    ORDINALS,
    bid_word,
    describe,
    name_of,
    parse_pattern,
)
from analysis.nil.rounds import ANY_KIND
from analysis.style.counts import KIND_LABELS
from spades.core.errors import SpadesError
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.shared.page import literal

BIDS = [ANY, *range(MAX_BID + 1)]
TABLE_LABELS = {"srp": "srp bots", "human": "simulated humans"}
KIND_TITLES = {ANY_KIND: "Anybody", **KIND_LABELS}


def show_view_control() -> str:
    """Which part of the page is shown."""
    return st.segmented_control(
        "View",
        list(state.VIEWS),
        key=state.key("view"),
        format_func=state.VIEWS.get,
        required=True,
        label_visibility="collapsed",
    )


def show_previous_controls(*, can_compare: bool) -> None:
    """In which seat you bid, and what was bid before."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "You bid",
            range(len(ORDINALS)),
            key=state.key("turn"),
            format_func=lambda n: ORDINALS[n].capitalize(),
            required=True,
            help="The first to bid has heard nobody; the fourth, the dealer, three bids.",
        )
        for place in range(state.get("turn"))[::-1]:
            st.selectbox(
                BIDDERS_BEFORE[place].capitalize(),
                BIDS,
                key=state.key(state.PLACES[place]),
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
    known = list(dict.fromkeys([*state.get("compare"), *state.split(DEFAULT_COMPARED)]))
    compared, tables, logs = st.columns([4, 3, 4], gap="small", vertical_alignment="bottom")
    with compared:
        st.multiselect(
            f"Compare with, up to {state.MAX_COMPARED}",
            known,
            key=state.key("compare"),
            format_func=_sequence_label,
            accept_new_options=True,
            max_selections=state.MAX_COMPARED,
            on_change=state.settle_compared,
            placeholder="Type bids in order, as 3,1",
            help="Bids in the order made, the last your right opponent's: 3,1. "
            "nil or 0 is nil, * any bid.",
        )
    with tables:
        st.pills(
            "Fitted curves of",
            state.TABLES,
            selection_mode="multi",
            key=state.key("tables"),
            format_func=TABLE_LABELS.get,
            help="Curves, and the nils that they were fitted on. Humans here are simulated: the "
            "log-linear model of Devlin 2016 and a bidder calibrated to published figures.",
        )
    with logs, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.multiselect(
            "Nils of logs",
            log_names,
            key=state.key("logs"),
            max_selections=state.MAX_LOGS,
            placeholder="None",
            help="Logs of the Data page: rates without a curve.",
        )
        show_kind_control()
    _show_typed()


DEFAULT_COMPARED = str(state.DEFAULTS["compare"])


def show_kind_control() -> None:
    st.selectbox(
        "Bid by",
        state.KIND_CHOICES,
        key=state.key("kind"),
        format_func=KIND_TITLES.get,
        width=170,
        help="Who bid, in the logs.",
    )


def _sequence_label(text: str) -> str:
    try:
        return name_of(parse_pattern(text))
    except SpadesError:  # being typed
        return text


def _show_typed() -> None:
    """What was wrong with sequences that were typed."""
    for complaint in st.session_state.pop(state.key("typed"), []):
        st.warning(literal(f"Left out: {complaint}."), icon=":material/block:")


def log_label(name: str, kind: str, kinds: NDArray[np.int8]) -> str:
    """What charts call a log's bidders; simulated humans among its seats, by ``kinds``, are named.

    ``kinds``: of every seat, into ``KINDS``.
    """
    if kind != ANY_KIND:
        return f"{name}, {KIND_LABELS[kind].lower()}"
    is_simulated = kinds == KINDS.index(SIMULATED_HUMAN)
    if is_simulated.all() and len(kinds):
        return f"{name} (simulated humans)"
    return f"{name} (some simulated humans)" if is_simulated.any() else name


def previous_text() -> str:
    return describe(state.get_previous())
