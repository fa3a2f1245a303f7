"""Below the table: the bids of the round as decisions, folded away until asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from spades.errors import SpadesError
from spades.records import RoundRecord
from ui import replay_state as state
from ui.page import literal

if TYPE_CHECKING:
    from analysis.bid_decisions import BidDecision


def show_bids(
    record: RoundRecord,
    ply: int,
    ask: Callable[[RoundRecord], Sequence[BidDecision]],
    *,
    view: str,
) -> None:
    """What each bidder bids beside what was bid; ``ask`` is called once the panel is open."""
    panel = st.expander(
        "The bids, beside what each bidder bids",
        expanded=bool(state.get("bids")),
        icon=":material/gavel:",
        key=state.key("bids"),
        on_change="rerun",
    )
    if not panel.open:
        return
    # Bidders need compiled kernels and tables: not before someone wants to see them.
    from ui.replay_bids_table import show_bids_table

    with panel:
        try:
            show_bids_table(record, ply, ask(record), view=view)
        except SpadesError as error:
            st.error(literal(f"The bidders can't bid here: {error}"), icon=":material/block:")
