"""A page's run: how it was reached, when it is drawn again, its width; errors and escaped texts."""

import gc
import logging
import re
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis.runs.foreground import foreground
from spades.core.errors import SpadesError
from ui.shared.states import show_partial, show_wrong

APP_NAME = "Spades decision lab"
SHORT_NAME = "♠ Decision lab"  # in the bar
FAULT = "Something went wrong here"
NARROW_BELOW = 850  # pixels
_WINDOW_KEY = "window_width"
_KEPT_WIDTH = "window_is_narrow"  # no widget's key: Streamlit forgets those on other pages
AHEAD_SECONDS = 0.12  # a browser draws a chart or two in less
DIALOG = "dialog_opened"  # what was opened last, until it is closed
DRAW_SECONDS = 0.2  # of the processor, that drawing a page takes
READERS_AT_USUAL_PACE = 5  # whose timers together take little of a processor
PRESENT_SECONDS = 30.0  # a reader whose page was drawn so long ago isn't counted
_n_frozen = 0  # modules, at the last call of gc.freeze()
_drawn_at: dict[str, float] = {}  # when each reader's page was drawn last, by session


_mount_window = st.components.v2.component(
    "spades_window_width",
    html="<span hidden></span>",
    js=(Path(__file__).parent / "js" / "window_width.js").read_text(encoding="utf-8"),
)


def spare_the_collector() -> None:
    """Exclude imported modules from garbage collection, whenever there are more of them.

    Streamlit collects after every run: 300,000 objects of libraries block all pages for 0.2 s."""
    global _n_frozen
    if len(sys.modules) > _n_frozen:
        _n_frozen = len(sys.modules)
        gc.freeze()


def report_fault(error: Exception) -> bool:
    """Show an error that no page has handled: a refusal, or the number of its entry in the server's
    log, which follows Streamlit's traceback. Returns True: it is shown."""
    if isinstance(error, SpadesError):
        show_wrong(literal(str(error)))
        return True
    number = uuid.uuid4().hex[:8]
    logging.getLogger("spades").error("fault %s: %r", number, error)
    show_wrong(
        f"{FAULT}. Reload the page, or choose something else. The server's log has the reason "
        f"as fault {number}.",
        icon="error",
    )
    return True


def is_arrival() -> bool:
    """Whether the reader has just come to this page from another."""
    return st.session_state.get("came_from") != st.session_state.get("page")


def is_history() -> bool:
    """Whether the browser's Back or Forward led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def draw_so_far() -> None:
    """On arrival, pause so that the browser draws what it has: it draws what arrives together."""
    if is_arrival():
        with foreground.left():
            time.sleep(AHEAD_SECONDS)


def is_here(reader: str) -> bool:
    """Whether a reader's page is still open; ``reader``: the session."""
    return runtime.exists() and runtime.get_instance().is_active_session(reader)


def begin_drawing() -> None:
    """Note that the reader's page is drawn; the first call of every page."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        foreground.enter()
        _drawn_at[context.session_id] = time.monotonic()


def n_present() -> int:
    """Number of readers, this one included, whose page is open and was drawn lately."""
    now = time.monotonic()
    for session, drawn in list(_drawn_at.items()):
        if now - drawn > PRESENT_SECONDS or not is_here(session):
            _drawn_at.pop(session, None)
    return max(1, len(_drawn_at))


def poll_seconds(usual: float) -> float:
    """Interval at which a page polls: ``usual`` for few readers, longer the more there are."""
    return usual * max(1.0, n_present() / READERS_AT_USUAL_PACE)


def is_too_soon() -> bool:
    """Whether a timer must wait before it draws the page again.

    Pages that draw themselves again take together at most the time of one processor; with many
    readers they would otherwise leave no time for those who click."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not context.fragment_ids_this_run:
        return False
    since_drawn = time.monotonic() - _drawn_at.get(context.session_id, 0.0)
    return since_drawn < DRAW_SECONDS * n_present()


def draw_again() -> None:
    """Draw the page anew; a link clicked meanwhile goes first.

    Streamlit's own rerun would overwrite that click; it looks for one whenever it shows something.
    Nothing is drawn behind a dialog, because the browser would remove it with what is being typed
    there; closing it draws the page. Nor where ``is_too_soon``: the timer will ask again."""
    if DIALOG in st.session_state or is_too_soon():
        return
    st.empty()
    st.rerun()


def show_complaints(complaints: Sequence[str]) -> None:
    if complaints:
        lines = "\n".join(f"- {literal(complaint)}" for complaint in complaints)
        show_partial(f"Parts of this link could not be applied.\n{lines}")


def literal(text: str) -> str:
    """Text with Markdown's marks escaped, on one line."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&^=@/])", r"\\\1", flat)


def is_narrow() -> bool:
    """Whether the page is narrower than ``NARROW_BELOW``, as reported last; at first a guess."""
    reported = st.session_state.get(_KEPT_WIDTH)
    if reported is not None:
        return bool(reported)
    return "Mobi" in st.context.headers.get("User-Agent", "")  # a phone's browser


def watch_window() -> None:
    """Have the browser report when ``is_narrow``, which decides the layout, is wrong; once a page,
    in its bar."""

    def keep() -> None:
        st.session_state[_KEPT_WIDTH] = st.session_state[_WINDOW_KEY]["narrow"]

    data = {"narrow": NARROW_BELOW, "guess": is_narrow()}
    _mount_window(data=data, key=_WINDOW_KEY, on_narrow_change=keep)
