"""Bidding: every bidder on one hand, why BIS bids so, what bids come to, who keeps contracts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.bid_calibration import (
    bids_of_log,
    calibration_table,
    duel_table,
    play_duel,
    simulate_bidder,
)
from analysis.bid_checks import why_no_nil
from analysis.bid_decisions import BIDDERS_COMPARED, ask_bidders, bids_table
from analysis.bid_matches import bidder_matches
from analysis.bid_outcomes import (
    BidTrials,
    TrialSettings,
    bids_to_try,
    distribution_table,
    histogram_table,
    outcome_table,
    try_bids,
)
from analysis.bid_parts import curve_table, idle_cards, p_needed, parts_table, suits_table
from analysis.league import known_matches
from analysis.matches import MATCH
from analysis.plots.bidding import plot_bids, plot_curve, plot_parts, plot_suits
from analysis.plots.bidding_rounds import (
    plot_duels,
    plot_ecdf,
    plot_histogram,
    plot_made,
    plot_over,
)
from analysis.published_matches import TABLE as PUBLISHED_TABLE
from analysis.published_table import load_published
from analysis.store import ResultStore
from spades.agents.bidders import BisBidder
from spades.bidding import BisAnswer, explain_bis
from spades.errors import SpadesError
from spades.log_store import list_logs, open_log
from spades.rules import Rules
from ui import bidding_controls as controls
from ui import bidding_lab as lab
from ui import bidding_panels as panels
from ui import bidding_state as state
from ui.bidding_state import Question
from ui.page import literal, setup, show_complaints
from ui.playstyle_data import LogKey, log_key

PLAYING = "Playing the rounds ... (the first ever are compiled, which takes a minute)"
ASKING = "Asking the bidders ... (the first time ever they are compiled, about half a minute)"


@st.cache_data(max_entries=128, show_spinner=ASKING)
def ask(asked: Question, bidders: tuple[str, ...]) -> pd.DataFrame:
    return bids_table(ask_bidders(asked.observation(), bidders), asked.rules)


@st.cache_data(max_entries=128, show_spinner=ASKING)
def explain(asked: Question) -> BisAnswer:
    return explain_bis(asked.observation(), BisBidder().options)


@st.cache_resource(max_entries=16, show_spinner=PLAYING)
def trials(asked: Question, also: int | str, settings: TrialSettings) -> BidTrials:
    seen = asked.observation()
    bids = [*bids_to_try(seen, BisBidder().options), explain(asked).bid]
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
    published = load_published() if PUBLISHED_TABLE.is_file() else None
    return bidder_matches(known_matches(), published, rules)


def main() -> None:
    setup("Bidding")
    st.title("Bidding")
    logs = {entry.name: entry for entry in list_logs() if entry.is_readable}
    show_complaints(state.read_state(list(logs)))
    asked = controls.show_question()
    if asked is None:
        return
    if state.is_complete(asked):
        show_hand(asked)
    else:
        st.info("Complete the hand to see what it is bid.", icon=":material/playing_cards:")
    lab.show_lab_controls(list(logs))
    show_lab(asked.rules, {name: log_key(entry) for name, entry in logs.items()})
    state.write_state(asked)


def show_hand(asked: Question) -> None:
    """Everything about the one hand."""
    answer, rules = explain(asked), asked.rules
    needed = p_needed(answer, rules)
    bids, why = st.columns([3, 2], gap="large")
    with bids:
        show_bids(asked)
    with why:
        panels.show_verdict(answer, rules, needed, why_no_nil(asked.observation()))
    regular, nil = st.columns([1, 1], gap="large")
    with regular:
        parts = parts_table(answer, rules.cards)
        idle = idle_cards(answer, asked.hand, rules.cards)
        panels.show_parts(parts, idle, plot_parts(parts, regular=answer.regular))
    if needed is not None:
        with nil:
            curve = plot_curve(
                curve_table(asked.previous),
                point=(answer.nil_value, answer.p_nil),
                interval=answer.p_interval,
                needed=needed,
            )
            panels.show_nil(plot_suits(suits_table(answer)), curve, answer)
    show_trials(asked)


def show_bids(asked: Question) -> None:
    try:
        bids = ask(asked, (*BIDDERS_COMPARED, *state.get("more").split()))
    except SpadesError as error:
        st.error(literal(f"No such bidder: {error}"), icon=":material/block:")
        bids = ask(asked, BIDDERS_COMPARED)
    panels.show_bids(bids, plot_bids(bids))
    panels.show_more_control()


def show_trials(asked: Question) -> None:
    """Points of the round after nil and after other bids."""
    panels.show_trials_title()
    panels.show_trial_controls()
    settings = TrialSettings(
        n=state.get("rounds"), bidder=state.get("others"), seed=state.get("seed")
    )
    try:
        found = trials(asked, state.get("also"), settings)
    except SpadesError as error:
        st.error(literal(f"This can't be simulated: {error}"), icon=":material/block:")
        return
    outcomes = outcome_table(found)
    if state.get("shape") == "ecdf":
        figure = plot_ecdf(distribution_table(found), outcomes)
    else:
        figure = plot_histogram(histogram_table(found), outcomes)
    panels.show_trials(outcomes, figure, panels.trials_text(found, len(asked.previous)))


def show_lab(rules: Rules, logs: dict[str, LogKey]) -> None:
    """Bidders over many rounds, once the reader has chosen what to compare."""
    if state.get("lab") == "kept":
        name = state.get("log")
        rows = log_calibration(logs[name]) if name else simulated_calibration(
            state.get("lab_rounds"), rules
        )  # fmt: skip
        groups = list(dict.fromkeys(rows["group"]))
        lab.show_calibration(rows, plot_made(rows, groups), plot_over(rows, groups))
    if state.get("lab") == "duel":
        found = duels(state.get("first"), state.get("lab_rounds"), rules)
        lab.show_duels(found, plot_duels(found))
        lab.show_matches(whole_games(ResultStore().stamp(MATCH), rules), state.get("first"))


if __name__ == "__main__":
    main()
