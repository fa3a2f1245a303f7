"""What the Bidding page shows of hands and bidders, computed once."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.bidding.calibration import (
    bids_of_log,
    calibration_table,
    duel_table,
    play_duel,
    simulate_bidder,
)
from analysis.bidding.decisions import BIDDERS_COMPARED, ask_bidders, bids_table
from analysis.bidding.matches import bidder_matches
from analysis.bidding.outcomes import BidTrials, TrialSettings, bids_to_try, try_bids
from analysis.matches import league
from analysis.papers import matches as published_matches
from analysis.papers.table import load_published
from spades.agents.spec import BisBidder
from spades.bidding import BisAnswer, explain_bis
from spades.core.rules import Rules
from spades.notation.log_store import open_log
from ui.bidding.state import Question
from ui.shared.records import LogKey

PLAYING = "Playing the rounds ... (the first ever are compiled, which takes a minute)"
ASKING = "Asking the bidders ... (the first time ever they are compiled, about half a minute)"


@st.cache_data(max_entries=128, show_spinner=ASKING)
def bids_of(question: Question, bidders: tuple[str, ...]) -> pd.DataFrame:
    return bids_table(ask_bidders(question.observation(), bidders), question.rules)


@st.cache_data(max_entries=128, show_spinner=ASKING)
def explain(question: Question) -> BisAnswer:
    return explain_bis(question.observation(), BisBidder().options)


@st.cache_resource(max_entries=16, show_spinner=PLAYING)
def trials(question: Question, also: int | str, settings: TrialSettings) -> BidTrials:
    seen = question.observation()
    bids = [*bids_to_try(seen, BisBidder().options), explain(question).bid]
    bids += [] if also == "" else [int(also)]
    return try_bids(seen, list(dict.fromkeys(bids)), settings)


@st.cache_data(max_entries=16, show_spinner="Simulating rounds of every bidder ...")
def simulated_calibration(n: int, rules: Rules) -> pd.DataFrame:
    found = {name: simulate_bidder(name, n=n, rules=rules) for name in BIDDERS_COMPARED}
    return calibration_table(found)


@st.cache_data(max_entries=8, show_spinner="Counting the bids of the log ...")
def log_calibration(log: LogKey) -> pd.DataFrame:
    return calibration_table(bids_of_log(open_log(log.name)))


@st.cache_data(max_entries=16, show_spinner="Playing the duels ...")
def duels(first: str, n: int, rules: Rules) -> pd.DataFrame:
    others = [name for name in BIDDERS_COMPARED if name != first]
    return duel_table(
        {(first, other): play_duel(first, other, n=n, rules=rules) for other in others}
    )


@st.cache_data(max_entries=8, show_spinner=False)
def whole_games(stamp: tuple[str, int, float], rules: Rules) -> pd.DataFrame:
    """``stamp``: changes when there is a new match."""
    published = load_published() if published_matches.TABLE.is_file() else None
    return bidder_matches(league.known_matches(), published, rules)
