"""Controls, numbers and errors as every page shows them. ``key``: a widget's session key."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from spades.core.errors import SpadesError
from ui.shared.page import literal
from ui.shared.states import show_wrong

MAX_DAMAGES = 3  # shown
NO_LOGS = "No logs yet: the Data page makes and imports them."


def row(gap: Any = "small"):
    """A container whose controls stand side by side on one line, wrapped where it is narrow."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap=gap)


def centered_row(**settings: Any):
    """A row whose elements are centered vertically."""
    return st.container(horizontal=True, vertical_alignment="center", **settings)


def show_note(text: str) -> None:
    """A caption that holds texts of records."""
    st.caption(literal(text))


def show_error(error: object, what: str = "") -> None:
    """What was refused and why; ``what`` comes before the error's own text."""
    show_wrong(literal(f"{what}{error}"))


@contextmanager
def errors_shown(what: str = "") -> Iterator[None]:
    """Show a refusal raised in the block, or in the function so decorated, after what it drew."""
    try:
        yield
    except SpadesError as error:
        show_error(error, what)


@contextmanager
def refusal_kept(key: str) -> Iterator[None]:
    """Keep a refusal raised in the block, a callback's, for ``show_refusal``."""
    try:
        yield
    except SpadesError as error:
        st.session_state[key] = str(error)


def show_refusal(key: str) -> None:
    """Show, once, the refusal that a callback kept."""
    reason = st.session_state.pop(key, None)
    if reason:
        show_error(reason)


def show_damage(wrong: Sequence[str]) -> None:
    """Which stored results can't be read; the page is drawn without them."""
    distinct = list(dict.fromkeys(wrong))
    for damage in distinct[:MAX_DAMAGES]:
        show_error(damage)
    if len(wrong) > MAX_DAMAGES:
        show_error(f"{len(wrong):,} results in all")


def show_popover(
    label: str, icon: str, key: str, draw: Callable, *args: Any, **settings: Any
) -> None:
    """A popover whose content is drawn, and sent, only while it is open."""
    icon = f":material/{icon}:"
    popover = st.popover(label, icon=icon, key=key, on_change="rerun", **settings)
    if popover.open:
        with popover:
            draw(*args)


def show_button(
    label: str, icon: str, key: str, act: Callable, *args: Any, **settings: Any
) -> bool:
    """A button whose callback runs at once, whatever run the click interrupts."""
    icon = f":material/{icon}:"
    return st.button(label, icon=icon, key=key, on_click=once(act), args=args, **settings)


def once(act: Callable[..., None]) -> Callable[..., None]:
    """A button's callback that runs once per click.

    Streamlit's browser repeats a click in every message until the click's own message has gone:
    where a fragment's timer falls in between, the callback would run for both."""

    @wraps(act)
    def act_once(*args: Any) -> None:
        context = get_script_run_ctx()
        drawn = context.fragment_ids_this_run if context else None
        if not drawn or ThreadState.get().fragment_id in drawn:
            act(*args)

    return act_once


def show_metric(label: str, value: str, below: str | None, hint: str) -> None:
    """A number; ``below``: the small print under it, such as its interval."""
    st.metric(label, value, below, "off", help=hint, delta_arrow="off", border=True)


def clicked_data(event: Any) -> tuple | None:
    """The custom data of the point selected in a chart."""
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if not data:
        return None
    if isinstance(data, dict):  # Plotly's lists arrive as {"0": ..., "1": ...}
        return tuple(data[str(i)] for i in range(len(data)))
    return tuple(data)


def new_click(key: str, clicked: Any) -> Any:
    """``clicked`` if it is new since the last run; charts keep their selection between runs."""
    before = st.session_state.get(key)
    st.session_state[key] = clicked
    return None if clicked == before else clicked
