"""The list of disagreements, Replay's second view: where search and humans part over a log."""

import pandas as pd
import streamlit as st

from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from spades.core.errors import SpadesError
from spades.notation.log_store import LogEntry
from ui.disagreements import controls, listed, state, view
from ui.disagreements.state import page
from ui.disagreements.switch import show_switch
from ui.shared.records import n_repeated, opened, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import show_repeated
from ui.shared.widgets import NO_LOGS, centered_row, errors_shown


def show_disagreements() -> None:
    with page.restored():
        entries = readable_logs()
        if not entries:
            show_switch()
            show_empty(NO_LOGS, "inbox")
            return
        _show_page(entries)
        page.write()


def _show_page(entries: dict[str, LogEntry]) -> None:
    """The search form, and the results of its search; the form says what is wrong with it."""
    search = None
    plan = None
    above = st.container()
    controls.show_search_jobs()  # before the store is read: what a job adds meanwhile is drawn next
    try:
        plan = state.plan()
        page.put("agent", plan.agent)
        search = find(plan)
    except SpadesError:
        pass
    is_searched = search is not None and bool(search.rounds)
    with above:
        with centered_row(key="disagreements_choice"):
            show_switch()
            controls.show_choice(view.searches(search))
            if is_searched:
                controls.show_search_form(entries, is_open=False)
                controls.show_filters()
        if not is_searched:
            controls.show_search_form(entries, is_open=True)
    if search is None or plan is None:
        return
    view.show_damaged(search)
    if not search.rounds:
        show_empty("Nothing of this log is searched yet. Press “Search”.", "manage_search")
        return
    with errors_shown():
        _show_results(search, plan, entries[plan.log])


def _show_results(search: StoredSearch, plan: LogSearchPlan, entry: LogEntry) -> None:
    """The answer, rows and charts, as far as the log is searched."""
    values = page.values()
    log = opened(plan.log)
    facts = view.facts_of(search, page.get("model"))
    judged = listed.judged_of(search, values)
    decision_filter = state.filter_of(values)
    decisions = judged[decision_filter.decisions(judged)]
    if decisions.empty:
        view.show_coverage(search, entry, len(judged), log)
        show_empty("No decision passes these filters.", "filter_alt_off")
    else:
        rows = listed.disagreements(judged, values)
        n_smaller = len(listed.passing(judged, values)) - len(rows)
        view.show_answer(rows, n_smaller, len(decisions))
        view.show_coverage(search, entry, len(judged), log)
        show_repeated(n_repeated(plan.log), plan.log)
        if not rows.empty:
            listed.show_list(rows, plan)
            view.show_export(rows, plan, log, facts)
        _show_charts(judged, decisions, facts)
    view.show_facts(search, facts)
    controls.show_definitions()


def _show_charts(judged: pd.DataFrame, decisions: pd.DataFrame, facts: dict) -> None:
    depends_on = (facts["key"], len(judged))
    where = state.filter_of(page.values())
    summary = view.summary_of(depends_on, page.get("points"), where, _judged=judged)
    view.show_charts(summary, len(decisions), decisions["round"].nunique())
