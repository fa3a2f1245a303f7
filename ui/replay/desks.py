"""What searches and bids for every visitor of the Replay page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from analysis.bidding.desk import BidDesk
from analysis.decisions.searching import SearchDesk
from analysis.runs.jobs import Desk

if TYPE_CHECKING:  # imported once somebody opens a panel that needs it
    from analysis.runs.stored_runs import StoredRun

MAX_RUNS = 24


@st.cache_resource
def search_desk() -> SearchDesk:
    return SearchDesk()


@st.cache_resource
def run_desk() -> Desk[StoredRun]:
    return Desk(search_desk().turns, MAX_RUNS)


@st.cache_resource
def bid_desk() -> BidDesk:
    return BidDesk()
