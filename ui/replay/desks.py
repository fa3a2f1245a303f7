"""What searches and bids for every visitor of the Replay page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from analysis.bidding.desk import BidDesk
from analysis.decisions.searching import SearchDesk

if TYPE_CHECKING:  # imported once somebody opens a panel that needs it
    from analysis.runs.kept_runs import RunDesk


@st.cache_resource
def search_desk() -> SearchDesk:
    return SearchDesk()


@st.cache_resource
def run_desk() -> RunDesk:
    from analysis.runs.kept_runs import RunDesk

    return RunDesk(search_desk().workshop)


@st.cache_resource
def bid_desk() -> BidDesk:
    return BidDesk()
