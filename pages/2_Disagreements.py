"""Disagreements: where search and humans part over a whole log, biggest first."""

import streamlit as st

from analysis.disagreements.found import judge
from analysis.disagreements.search import Found, LogSearchPlan, find
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
    """The search, its coverage, charts and rows; an agent that can't search is told so."""
    found, plan = None, None
    above = st.container()
    controls.show_search_jobs()  # first: what a job adds while the store is read is drawn next
    try:
        plan = state.plan()
        page.put("agent", plan.agent)
        found = find(plan)
    except SpadesError:
        pass  # the form says what is wrong
    with above:
        controls.show_choice(view.searches(found))
        controls.show_search_form(entries, is_open=found is None or not found.rounds)
    if found is None or plan is None:
        return
    view.show_damaged(found)
    if not found.rounds:
        show_info("Nothing of this log is searched yet. Press “Search”.", "manage_search")
        return
    with errors_shown():
        show_found(found, plan, entries[plan.log])


def show_found(found: Found, plan: LogSearchPlan, entry: LogEntry) -> None:
    """What was found, as far as the log is searched."""
    model, log = page.get("model"), opened(plan.log)
    table, facts = view.decisions_of(found, plan.log, model), view.facts_of(found, model)
    view.show_coverage(found, entry, len(table), log)
    show_repeated(n_repeated(plan.log), plan.log)
    controls.show_order()
    judged, where = judge(table, page.get("points"), page.get("against")), state.decision_filter()
    decisions = judged[where.decisions(judged)]
    if decisions.empty:
        show_info("No decision passes these filters.", "filter_alt_off")
    else:
        depends_on = (facts["key"], len(table))
        summary = view.summary_of(depends_on, page.get("points"), where, _judged=judged)
        view.show_rows(decisions, plan, log, facts)
        view.show_charts(summary, len(decisions), decisions["round"].nunique())
    view.show_facts(found, facts)
    controls.show_definitions()


if __name__ == "__main__":
    main()
