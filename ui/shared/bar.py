"""The bar on top of every page: the pages, and the work that runs, waits or has ended."""

from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qsl

import streamlit as st

from analysis.runs.jobs import Job
from analysis.text_tables import counted
from spades.core.options import plain
from ui.shared.glossary import open_glossary, show_glossary
from ui.shared.jobs import POLL_SECONDS, dismissed_jobs, page_jobs, show_dismiss, show_job
from ui.shared.log_in_hand import give_way, log_in_hand, take_in_hand
from ui.shared.page import (
    APP_NAME,
    SHORT_NAME,
    begin_drawing,
    draw_again,
    literal,
    poll_seconds,
    spare_the_collector,
    watch_window,
)
from ui.shared.pages import PAGES, Page, page_of
from ui.shared.records import readable_logs
from ui.shared.widgets import centered_row, row, show_button, show_popover

FIND = "/find/places"  # the route that the palette asks
# Session keys.
_ASKED = "example_asked"
_LOG_PLACE = "bar_log_place"  # the container of the log in hand
_LOG_CHOICE = "bar_log_choice"

# What the browser's scripts answer to, without the server.
_TOUR = '<button type="button" data-tool="tour" data-symbol="tour">Tour</button>'
_DOORS = """
<nav class="doors" aria-label="Ways in">
  <span class="words">New here?</span>
  <button type="button" data-door="inspect" data-tool="tour">Inspect a decision</button>
  <button type="button" data-door="complaint">I have a complaint</button>
  <button type="button" data-door="play">Play and train</button>
  <button type="button" data-door="close" aria-label="Close">✕</button>
</nav>
"""


def setup(title: str) -> None:
    """Page configuration and the bar; the first call of every page."""
    begin_drawing()
    spare_the_collector()
    follow_asked()
    st.set_page_config(f"{title} · {APP_NAME}", page_icon="♠️", layout="wide")
    st.session_state["came_from"] = st.session_state.get("page", title)
    st.session_state["page"] = title
    with centered_row(key="bar"):
        with st.container(key="bar_name", width="content"):
            st.page_link("app.py", label=f"**{SHORT_NAME}**", width="content")
        with centered_row(key="bar_pages", width="content", gap=None):
            _show_pages()
        with (
            st.container(key="bar_menu", width="content"),
            st.popover(title, icon=":material/menu:", key="bar_menu_open"),
        ):
            _show_pages()
            st.html(_find_button("Find"))
        st.session_state[_LOG_PLACE] = st.container(key="bar_log", width="content")
        with centered_row(key="bar_right", width="content", gap="xsmall"):
            _show_jobs()
            st.html(f'<div class="tools">{_find_button()}{_TOUR}</div>', width="content")
            show_button("Glossary", "menu_book", "bar_glossary", open_glossary, type="tertiary")
            show_glossary()
            watch_window()
    page = page_of(title)
    with centered_row(key="purpose"):
        st.title(title, anchor=False, width="content")
        st.caption(page.line, width="content")
        show_button("Example", "lightbulb", "bar_example", open_example, page, type="tertiary")
        if page == PAGES[0]:
            st.html(_DOORS, width="content")


def _find_button(words: str = "") -> str:
    base = st.get_option("server.baseUrlPath").strip("/")
    places = f"/{base}{FIND}" if base else FIND
    return (
        f'<button type="button" class="bare" data-tool="find" data-places="{escape(places)}" '
        f'data-symbol="search" aria-label="Find" title="Find (Ctrl K)">{words}</button>'
    )


def _show_pages() -> None:
    for page in PAGES:
        st.page_link(page.file, label=page.title, width="content")


def show_link(
    title: str, label: str, query: Mapping[str, object], *, has_icon: bool = True
) -> None:
    """A link to another page."""
    page = page_of(title)
    texts = {name: plain(value) for name, value in query.items()}
    icon = f":material/{page.icon}:" if has_icon else None
    st.page_link(page.file, label=label, icon=icon, query_params=texts)


def show_log_in_hand() -> None:
    """The log in hand and the choice of another; after the page has followed its link."""
    gone = give_way()
    logs = readable_logs()
    name = log_in_hand()
    if gone:
        st.toast(literal(f"{gone} isn't there any more. {name} is the log in hand now."))
    if not logs:
        return
    with st.session_state[_LOG_PLACE]:
        show_popover(
            _log_label(name), "database", "bar_log_open", _show_log_choice, type="tertiary"
        )


def _log_label(name: str) -> str:
    return f"{name}, {counted(readable_logs()[name].n_rounds, 'round')}"


def _show_log_choice() -> None:
    st.session_state[_LOG_CHOICE] = log_in_hand()
    st.selectbox(
        "The log in hand",
        list(readable_logs()),
        key=_LOG_CHOICE,
        format_func=_log_label,
        on_change=_take_chosen,
        help="Replay's rounds and disagreements, the drill, Style, sweeps and Bids read this log.",
        width=320,
    )
    show_link("Data", "What is in it", {"log": log_in_hand()})


def _take_chosen() -> None:
    take_in_hand(st.session_state[_LOG_CHOICE])


def _show_jobs() -> None:
    """The jobs of all pages, each with buttons that cancel it, show its result or dismiss it."""
    is_polled = _n_active() > 0

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if is_polled else None)
    def panel() -> None:
        shown = [job for job in page_jobs().jobs() if job.id not in dismissed_jobs()]
        if shown:
            _show_list(shown)
        if is_polled and not _n_active():
            draw_again()  # without the timer

    panel()


def _n_active() -> int:
    return sum(job.is_active for job in page_jobs().jobs())


def _show_list(jobs: list[Job]) -> None:
    n_active = _n_active()
    # The stylesheet shows the number alone, in a slot that is always kept free for it.
    label = f"**{n_active}** running" if n_active else f"**{len(jobs)}** ended"
    icon = "hourglass" if n_active else "task_alt"
    with st.popover(label, icon=f":material/{icon}:", type="tertiary", key="bar_jobs"):
        for job in jobs:
            show_job(job, "bar")
            with row():
                if job.origin:
                    show_link(job.origin, "Result" if job.is_finished else "Its page", job.query)
                if job.is_finished:
                    show_dismiss(job, "bar")


def open_example(page: Page) -> None:
    """Have the next run lead to a page's example, from any page."""
    st.session_state[_ASKED] = page


def follow_asked() -> None:
    """Lead to the page asked for, first of all: another click may end this run."""
    page = st.session_state.pop(_ASKED, None)
    if page:
        st.session_state["page"] = ""  # an arrival there: its address is taken for a link
        st.switch_page(page.file, query_params=dict(parse_qsl(page.example)))
