"""Replay's two views, a hand and the list of disagreements, and how one leads to the other."""

import time
from collections.abc import Mapping

import streamlit as st

from ui.shared.log_in_hand import log_in_hand
from ui.shared.page import is_history

VIEW = "view"  # of the address
HAND = "hand"
LIST = "disagreements"
LABELS = {HAND: "Hand", LIST: "Disagreements"}
# Session keys.
MARKED = "disagreements_marked"  # round and ply of the decision that was opened last
_SHOWN = "views_shown"  # the view that is shown
_DRAWN = "views_drawn"  # the view that the last run drew
_LEFT = "views_left"  # the address at which each view was left
_CONTROL = "views_switch"
_LEFT_AT = "views_left_at"  # when the last one was left
LATE_SECONDS = 10.0  # so long the browser may still send the address of the view that was left


def is_list_shown() -> bool:
    """Whether Replay shows the list of disagreements; right after ``setup``."""
    query = st.query_params.to_dict()
    is_list = query.get(VIEW) == LIST and not is_late(query)
    has_arrived = st.session_state["came_from"] != st.session_state["page"]
    if has_arrived or is_history() or is_list or _SHOWN not in st.session_state:
        st.session_state[_SHOWN] = LIST if is_list else HAND
    elif _shown() == LIST:  # the browser's address is still the hand's
        st.query_params.from_dict(_address_of(LIST))
    if st.session_state.get(_DRAWN, _shown()) != _shown():
        st.session_state["came_from"] = ""  # to the view it is an arrival
    st.session_state[_DRAWN] = _shown()
    return _shown() == LIST


def is_late(query: Mapping[str, str]) -> bool:
    """Whether the browser still sends the address of the list, which was left just now."""
    since_left = time.monotonic() - st.session_state.get(_LEFT_AT, -LATE_SECONDS)
    is_left = st.session_state.get(_SHOWN) == HAND and query == _address_of(LIST)
    return is_left and since_left < LATE_SECONDS and not is_history()


def show_switch() -> None:
    """The control that chooses the view."""
    st.session_state[_CONTROL] = _shown()
    st.segmented_control(
        "View",
        LABELS,
        format_func=LABELS.get,
        key=_CONTROL,
        label_visibility="collapsed",
        required=True,
        on_change=_switch,
    )


def _switch() -> None:
    go_to(st.session_state[_CONTROL])


def go_to(view: str, query: Mapping[str, str] | None = None) -> None:
    """Have this run draw a view, at an address or where it was left, then with the log in hand; in
    a callback."""
    left = st.session_state.setdefault(_LEFT, {})
    left[_shown()] = st.query_params.to_dict()
    st.session_state[_LEFT_AT] = time.monotonic()
    st.session_state[_SHOWN] = view
    if query is None:
        query = _address_of(view)
        if "log" in query:
            query = {**query, "log": log_in_hand()}
    st.query_params.from_dict(query)


def _shown() -> str:
    return str(st.session_state[_SHOWN])


def _address_of(view: str) -> dict[str, str]:
    nowhere = {VIEW: LIST} if view == LIST else {}
    return st.session_state.get(_LEFT, {}).get(view, nowhere)
