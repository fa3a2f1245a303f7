"""Disagreements: where search and humans part over a whole log, biggest first."""

import streamlit as st

from analysis.disagreements.judged import judge
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from spades.core.errors import SpadesError
from spades.notation.log_store import LogEntry
from ui.disagreements import controls, state, view
from ui.disagreements.state import page
from ui.shared.records import log_shown_first, n_repeated, opened, readable_logs
from ui.shared.tables import show_repeated
from ui.shared.widgets import NO_LOGS, errors_shown, show_info


def main() -> None:
    with page.open("Disagreements"):
        entries = readable_logs()
        if not entries:
            show_info(NO_LOGS, "inbox")
            return
        if page.get("log") not in entries:  # deleted in the meantime
            page.put("log", log_shown_first())
        show_page(entries)
        state.write_state()


def show_page(entries: dict[str, LogEntry]) -> None:
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
    with above:
        controls.show_choice(view.searches(search))
        controls.show_search_form(entries, is_open=search is None or not search.rounds)
    if search is None or plan is None:
        return
    view.show_damaged(search)
    if not search.rounds:
        show_info("Nothing of this log is searched yet. Press “Search”.", "manage_search")
        return
    with errors_shown():
        show_results(search, plan, entries[plan.log])


def show_results(search: StoredSearch, plan: LogSearchPlan, entry: LogEntry) -> None:
    """Coverage, rows and charts, as far as the log is searched."""
    model = page.get("model")
    log = opened(plan.log)
    table = view.decisions_of(search, plan.log, model)
    facts = view.facts_of(search, model)
    view.show_coverage(search, entry, len(table), log)
    show_repeated(n_repeated(plan.log), plan.log)
    controls.show_order()
    judged = judge(table, page.get("points"), page.get("against"))
    decision_filter = state.decision_filter()
    decisions = judged[decision_filter.decisions(judged)]
    if decisions.empty:
        show_info("No decision passes these filters.", "filter_alt_off")
    else:
        depends_on = (facts["key"], len(table))
        points = page.get("points")
        summary = view.summary_of(depends_on, points, decision_filter, _judged=judged)
        view.show_rows(decisions, plan, log, facts)
        view.show_charts(summary, len(decisions), decisions["round"].nunique())
    view.show_facts(search, facts)
    controls.show_definitions()


if __name__ == "__main__":
    main()
