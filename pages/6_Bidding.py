"""Bidding: every bidder on one hand, why BIS bids so, what bids come to, who keeps contracts."""

from __future__ import annotations

import streamlit as st

from analysis.bidding.checks import why_no_nil
from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.outcomes import (
    TrialSettings,
    distribution_table,
    histogram_table,
    outcome_table,
)
from analysis.bidding.parts import curve_table, idle_cards, p_needed, parts_table, suits_table
from analysis.matches.match import MATCH
from analysis.plots.bidding import plot_bids, plot_curve, plot_parts, plot_suits
from analysis.plots.bidding_rounds import (
    plot_duels,
    plot_ecdf,
    plot_histogram,
    plot_made,
    plot_over,
)
from analysis.runs.store import ResultStore
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.notation.log_store import list_logs
from ui.bidding import answers, controls, lab, panels, state
from ui.bidding.state import Question
from ui.shared.page import literal, setup, show_complaints
from ui.shared.stored_logs import LogKey, log_key


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
    answer, rules = answers.explain(asked), asked.rules
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
        bids = answers.ask(asked, (*BIDDERS_COMPARED, *state.get("more").split()))
    except SpadesError as error:
        st.error(literal(f"No such bidder: {error}"), icon=":material/block:")
        bids = answers.ask(asked, BIDDERS_COMPARED)
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
        found = answers.trials(asked, state.get("also"), settings)
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
        rows = answers.log_calibration(logs[name]) if name else answers.simulated_calibration(
            state.get("lab_rounds"), rules
        )  # fmt: skip
        groups = list(dict.fromkeys(rows["group"]))
        lab.show_calibration(rows, plot_made(rows, groups), plot_over(rows, groups))
    if state.get("lab") == "duel":
        found = answers.duels(state.get("first"), state.get("lab_rounds"), rules)
        lab.show_duels(found, plot_duels(found))
        lab.show_matches(answers.whole_games(ResultStore().stamp(MATCH), rules), state.get("first"))


if __name__ == "__main__":
    main()
