"""Bidding: every bidder on one hand, why BIS bids so, what bids come to, who keeps contracts."""

from __future__ import annotations

import streamlit as st

from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.outcomes import TrialSettings
from analysis.matches.match import MATCH
from analysis.runs.store import ResultStore
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.notation.log_store import list_logs
from ui.bidding import cached, controls, lab, panels, state
from ui.bidding.state import Question
from ui.shared.page import setup, show_complaints
from ui.shared.records import LogKey, log_key
from ui.shared.widgets import show_error, show_info


def main() -> None:
    setup("Bidding")
    st.title("Bidding")
    logs = {entry.name: log_key(entry) for entry in list_logs() if entry.is_readable}
    show_complaints(state.page.read())
    question = controls.show_question()
    if question is None:
        return
    if state.is_complete(question):
        show_hand(question)
    else:
        show_info("Complete the hand to see what it is bid.", "playing_cards")
    controls.show_lab_controls(list(logs))
    show_lab(question.rules, logs)
    state.page.write()


def show_hand(question: Question) -> None:
    answer = cached.explain(question)
    bids, why = st.columns([3, 2], gap="large")
    with bids:
        show_bids(question)
    with why:
        panels.show_verdict(answer, question)
    regular, nil = st.columns([1, 1], gap="large")
    with regular:
        panels.show_parts(answer, question.hand, question.rules)
    with nil:
        panels.show_nil(answer, question)
    show_trials(question)


def show_bids(question: Question) -> None:
    try:
        bids = cached.bids_of(question, (*BIDDERS_COMPARED, *state.get("more").split()))
    except SpadesError as error:
        show_error(error, "No such bidder: ")
        bids = cached.bids_of(question, BIDDERS_COMPARED)
    panels.show_bids(bids)


def show_trials(question: Question) -> None:
    """Points of the round after nil and after other bids."""
    panels.show_trials_title()
    controls.show_trial_controls()
    settings = TrialSettings(
        n=state.get("rounds"), bidder=state.get("others"), seed=state.get("seed")
    )
    try:
        trials = cached.trials(question, state.get("also"), settings)
    except SpadesError as error:
        show_error(error, "This can't be simulated: ")
    else:
        panels.show_trials(trials, len(question.previous))


def show_lab(rules: Rules, logs: dict[str, LogKey]) -> None:
    """Bidders over many rounds, once the reader has chosen what to compare."""
    n, first = state.get("lab_rounds"), state.get("first")
    if state.get("lab") == "kept":
        log = logs.get(state.get("log"))
        rows = cached.log_calibration(log) if log else cached.simulated_calibration(n, rules)
        lab.show_calibration(rows)
    if state.get("lab") == "duel":
        lab.show_duels(cached.duels(first, n, rules))
        lab.show_matches(cached.whole_games(ResultStore().stamp(MATCH), rules), first)


if __name__ == "__main__":
    main()
