"""A report on the decision shown, folded away until asked for: to copy, or to keep as a file."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from ui.replay import state
from ui.replay.panel import Here, bid_desk, why_hidden, why_nothing

PLAY_FILE, BID_FILE = "spades-decision-{}.md", "spades-bid-{}.md"


def show(here: Here) -> None:
    """Markdown for a bug tracker; the decision must be answered to its end, and open to see."""
    (_report_on_bid if here.bid else _report_on_play)(here)


def _report_on_play(here: Here) -> None:
    if here.decision is None:
        st.caption(why_nothing(here))
        return
    if hidden := why_hidden(here, here.decision.seat):
        st.caption(hidden)
        return
    from analysis.decisions.report import report_markdown  # not before someone wants one

    text = report_markdown(here.record, here.decision, state.settings(), page_link())
    _show_report(text, PLAY_FILE.format(here.ply))


def _report_on_bid(here: Here) -> None:
    found = bid_desk().find(here.record)
    if found is None or found[0].decisions is None:
        st.caption("The bidders have not answered yet.")
        return
    decision = found[0].decisions[here.bid - 1]
    if hidden := why_hidden(here, decision.seat):
        st.caption(hidden)
        return
    from analysis.bidding.decision_report import bid_report_markdown  # not before someone wants one

    text = bid_report_markdown(here.record, decision, page_link())
    _show_report(text, BID_FILE.format(here.bid))


def _show_report(text: str, file: str) -> None:
    st.download_button(
        "Download (Markdown)",
        text,
        file,
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
