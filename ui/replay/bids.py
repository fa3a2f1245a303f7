"""Below the table: the four bids of the round at a glance, folded away until asked for."""

from __future__ import annotations

import streamlit as st

from analysis.bidding.desk import BidDesk
from ui.replay import state
from ui.replay.bid_data import complaint_of
from ui.replay.why import Here
from ui.shared.page import literal

PATIENCE_SECONDS = 2.0


def show_bids(here: Here, desk: BidDesk) -> None:
    """What each bidder bids beside what was bid; they are asked once the panel is open."""
    panel = st.expander(
        "The bids, beside what each bidder bids",
        expanded=bool(state.get("bids")),
        icon=":material/gavel:",
        key=state.key("bids"),
        on_change="rerun",
    )
    if not panel.open:
        return
    with panel:
        if not here.record.has_bids:
            st.caption("The record doesn't say what was bid.")
            return
        found, job = desk.ask(here.record)
        job.wait(PATIENCE_SECONDS)
        if found.decisions is None:
            _show_waiting(complaint_of(job) if job.is_finished else "")
            return
        # Pandas comes with it: not before someone wants to see a table.
        from ui.replay.bids_table import show_bids_table

        show_bids_table(here, found.decisions)


def _show_waiting(complaint: str) -> None:
    if complaint:
        st.error(literal(complaint), icon=":material/block:")
    else:
        st.caption("Asking the bidders … (the first time ever compiles, up to a minute)")
