"""A report on the decision shown, folded away until asked for: to copy, or to keep as a file."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from ui import replay_state as state
from ui.replay_why import Here, why_hidden, why_nothing

FILE = "spades-decision-{ply}.md"


def show_bug_report(here: Here) -> None:
    """Markdown for a bug tracker; the decision must be searched to its end, and open to see."""
    panel = st.expander(
        "Report for a bug tracker",
        icon=":material/bug_report:",
        key=state.key("report"),
        on_change="rerun",
    )
    if not panel.open:
        return
    with panel:
        record, ply, decision = here.record, here.ply, here.decision
        if decision is None:
            st.caption(why_nothing(here))
            return
        if hidden := why_hidden(here, decision.seat):
            st.caption(hidden)
            return
        from analysis.decision_report import report_markdown  # not before someone wants one

        text = report_markdown(record, decision, state.settings(), page_link())
        st.download_button(
            "Download (Markdown)",
            text,
            FILE.format(ply=ply),
            "text/markdown",
            icon=":material/download:",
            on_click="ignore",
            key=state.key("report_file"),
        )
        st.code(text, language="markdown", height=420, wrap_lines=True)
        st.caption(
            "Copy it with the button in its corner. It holds the whole record with all four hands "
            "and the players' names; the link opens this decision where the dashboard runs."
        )


def page_link() -> str:
    """The address of the page as it stands, query included."""
    place = urlsplit(st.context.url or "")
    return urlunsplit(
        (place.scheme, place.netloc, place.path or "/", urlencode(st.query_params.to_dict()), "")
    )
