"""Charts, figures and errors as every page shows them. ``key``: a widget's session key."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from spades.core.errors import SpadesError
from ui.shared.page import chart_format, literal

MAX_DAMAGES = 3  # shown
NO_LOGS = "No logs yet: the Data page makes and imports them."


def row(gap: Any = "small"):
    """A container whose controls stand side by side on one line, wrapped where it is narrow."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap=gap)


def show_note(text: str) -> None:
    """A caption that holds texts of records."""
    st.caption(literal(text))


def show_info(text: str, icon: str) -> None:
    """What to do where there is nothing to show; ``icon``: a Material icon's name."""
    st.info(text, icon=f":material/{icon}:")


def show_error(error: object, what: str = "") -> None:
    """What was refused and why; ``what`` comes before the error's own text."""
    st.error(literal(f"{what}{error}"), icon=":material/block:")


@contextmanager
def errors_shown(what: str = "") -> Iterator[None]:
    """What is refused in the block, or the function so decorated, is shown after what it drew."""
    try:
        yield
    except SpadesError as error:
        show_error(error, what)


@contextmanager
def refusal_kept(key: str) -> Iterator[None]:
    """What is refused in the block, a callback's, is kept for ``show_refusal``."""
    try:
        yield
    except SpadesError as error:
        st.session_state[key] = str(error)


def show_refusal(key: str) -> None:
    """What a callback was refused, once."""
    if why := st.session_state.pop(key, None):
        show_error(why)


def show_damage(wrong: Sequence[str]) -> None:
    """What of the stored results can't be read, while the page goes on without them."""
    for what in list(dict.fromkeys(wrong))[:MAX_DAMAGES]:
        show_error(what)
    if len(wrong) > MAX_DAMAGES:
        show_error(f"{len(wrong):,} results in all")


def show_popover(label: str, icon: str, key: str, draw: Callable, *args: Any) -> None:
    """A popover whose content is drawn, and sent, only while it is open."""
    popover = st.popover(label, icon=f":material/{icon}:", key=key, on_change="rerun")
    if popover.open:
        with popover:
            draw(*args)


def show_button(label: str, icon: str, key: str, act: Callable, *args: Any, **look: Any) -> bool:
    """A button whose callback runs at once, whatever run the click interrupts."""
    icon = f":material/{icon}:"
    return st.button(label, icon=icon, key=key, on_click=once(act), args=args, **look)


def once(act: Callable[..., None]) -> Callable[..., None]:
    """A button's callback that one click calls once.

    Streamlit's browser sends what is clicked with all that it sends until the click's own message
    has gone: where the timer of a fragment falls in between, the callback would run for both."""

    @wraps(act)
    def called(*args: Any) -> None:
        context, own = get_script_run_ctx(), ThreadState.get().fragment_id
        drawn = context.fragment_ids_this_run if context else None
        if not drawn or own in drawn:
            act(*args)

    return called


def show_heat_map(figure: Any, key: str, file: str, *, on_select: Any = None) -> Any:
    """A chart whose letters have the page's text colour, which Plotly doesn't know."""
    with st.container(key=f"letters_{key}"):  # as the page's style calls it
        return show_chart(figure, key, file, on_select=on_select)


def show_chart(figure: Any, key: str, file: str, *, on_select: Any = None) -> Any:
    """A chart, saved as ``spades-file``; ``on_select``: what a click on a point does, if any."""
    clicks = {"on_select": on_select, "selection_mode": "points"} if on_select else {}
    image = {"format": chart_format(), "filename": f"spades-{file}", "scale": 2}
    removed = ["select2d", "lasso2d", "autoScale2d"]
    config = {"displaylogo": False, "toImageButtonOptions": image}
    config |= {"modeBarButtonsToRemove": removed}
    return st.plotly_chart(figure, width="stretch", key=key, config=config, **clicks)


def show_metric(label: str, value: str, within: str | None, hint: str) -> None:
    """A figure; ``within``: what stands below it in small print, such as its interval."""
    look = {"delta_color": "off", "delta_arrow": "off", "border": True}
    st.metric(label, value, within, help=hint, **look)


def clicked_data(event: Any) -> tuple | None:
    """The custom data of the point selected in a chart."""
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if isinstance(data, dict):  # Plotly's lists arrive as {"0": ..., "1": ...}
        data = [data[str(i)] for i in range(len(data))]
    return tuple(data) if data else None


def new_click(key: str, clicked: Any) -> Any:
    """``clicked`` if it differs from the run before; charts keep their selection between runs."""
    before = st.session_state.get(key)
    st.session_state[key] = clicked
    return None if clicked == before else clicked
