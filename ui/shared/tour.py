"""A tour of the pages in two minutes: what each shows, said on the page itself."""

from urllib.parse import parse_qsl

import streamlit as st

from ui.shared.pages import PAGES, Page, page_of
from ui.shared.widgets import show_button

_STEP, _ASKED = "tour_step", "example_asked"


def open_example(page: Page) -> None:
    """Have the next run lead to a page at its example, also from that page itself."""
    st.session_state[_ASKED] = page


def follow_asked() -> None:
    """Lead to the page that was asked for, before a run that another click may end."""
    if page := st.session_state.pop(_ASKED, None):
        st.session_state["page"] = ""  # so that it arrives there, and takes the address for a link
        st.switch_page(page.file, query_params=dict(parse_qsl(page.example)))


def go_to_step(i: int) -> None:
    """Lead to a page of the tour, from 0 on."""
    st.session_state[_STEP] = i
    open_example(PAGES[i])


def end_tour() -> None:
    st.session_state.pop(_STEP, None)


def show_tour(title: str) -> None:
    """The step of the tour that is on, on any page; nothing when none is."""
    i = st.session_state.get(_STEP)
    if i is None:
        return
    if PAGES[i].title != title:  # the reader went to a page by the bar: the tour goes on there
        i = st.session_state[_STEP] = PAGES.index(page_of(title))
    is_last = i == len(PAGES) - 1
    with st.container(key="tour", border=True):
        st.markdown(f"**{title}**, {i + 1} of {len(PAGES)}. {PAGES[i].purpose}")
        with st.container(horizontal=True):
            if not is_last:
                show_button("Next", "arrow_forward", "tour_next", go_to_step, i + 1)
            st.button("Done" if is_last else "Skip the tour", key="tour_end", on_click=end_tour)
