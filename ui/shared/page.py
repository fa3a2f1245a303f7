"""What every page begins with: its configuration, the sidebar, how wide it is; texts of records."""

import gc
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

APP_NAME = "Spades decision lab"
PAGES = (
    ("app.py", "Replay", "playing_cards"),
    ("pages/2_Disagreements.py", "Disagreements", "call_split"),
    ("pages/3_Playstyle.py", "Playstyle", "bar_chart"),
    ("pages/4_Tuning.py", "Tuning", "tune"),
    ("pages/5_Nil.py", "Nil", "exposure_zero"),
    ("pages/6_Bidding.py", "Bidding", "gavel"),
    ("pages/7_Arena.py", "Arena", "trophy"),
    ("pages/8_Models.py", "Models", "psychology"),
    ("pages/9_Data.py", "Data", "database"),
)
_OVERLAYS_BELOW = 768  # pixels; Streamlit's
NARROW_BELOW = 850  # pixels
_WINDOW_KEY, _KEPT_WIDTH = "window_width", "window_is_narrow"  # kept as the format is
AHEAD_SECONDS = 0.12  # a browser draws a chart or two in less
CHART_FORMATS = ("svg", "png")
_n_frozen = 0  # modules, at the last call of gc.freeze()
KEPT_FORMAT = "chart_format_kept"  # no widget's key: Streamlit forgets those on other pages


def _component(name: str) -> Any:
    """An invisible component, whose script lies next to this file."""
    script = (Path(__file__).parent / "js" / f"{name}.js").read_text(encoding="utf-8")
    return st.components.v2.component(f"spades_{name}", html="<span hidden></span>", js=script)


_mount_sidebar, _mount_window = _component("sidebar"), _component("window_width")


def setup(title: str) -> None:
    """Page configuration and the sidebar; the first call of every page."""
    spare_the_collector()
    look = {"page_icon": "♠️", "layout": "wide", "initial_sidebar_state": "collapsed"}
    st.set_page_config(f"{title} · {APP_NAME}", **look)
    st.session_state["came_from"] = st.session_state.get("page", title)
    st.session_state["page"] = title
    _show_sidebar()


def _show_sidebar() -> None:
    """Links to all pages; on a narrow screen, where it lies over the page, one picked closes it."""
    with st.sidebar:
        st.subheader(APP_NAME)
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=f":material/{icon}:")
        st.caption(
            "Human probabilities come from the log-linear model of Devlin et al. 2016 with its "
            "published weights. Abstract moves are reconstructed from their names and counts: "
            "the papers print no definitions."
        )
        _mount_sidebar(data={"overlaysBelow": _OVERLAYS_BELOW}, key="sidebar")


def show_link(title: str, label: str, query: Mapping[str, object]) -> None:
    """A link to another page."""
    path, _, icon = next(page for page in PAGES if page[1] == title)
    given = {name: f"{value}" for name, value in query.items()}
    st.page_link(path, label=label, icon=f":material/{icon}:", query_params=given)


def spare_the_collector() -> None:
    """Leave what has been imported out of garbage collections, whenever there is more of it.

    Streamlit collects after every run: 300,000 objects of libraries block all pages for 0.2 s.
    """
    global _n_frozen
    if len(sys.modules) > _n_frozen:
        _n_frozen = len(sys.modules)
        gc.freeze()


def is_arrival() -> bool:
    """Whether the reader has just come to this page from another."""
    return st.session_state.get("came_from") != st.session_state.get("page")


def is_history() -> bool:
    """Whether the browser's Back or Forward led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def draw_so_far() -> None:
    """On arriving at a page, let the browser draw what it has: it draws what arrives together."""
    if is_arrival():
        time.sleep(AHEAD_SECONDS)


def draw_again() -> None:
    """Draw the page anew; a link clicked meanwhile goes first.

    Streamlit's own rerun would overwrite that click; it looks for one whenever it shows something.
    """
    st.empty()
    st.rerun()


def show_complaints(complaints: Sequence[str]) -> None:
    if complaints:
        lines = "\n".join(f"- {literal(complaint)}" for complaint in complaints)
        st.warning(f"This link could not be followed as it stands.\n{lines}")


def literal(text: str) -> str:
    """Text from a record, for places that read Markdown: every mark is shown as it stands."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&^=@/])", r"\\\1", flat)


def chart_format() -> str:
    """The format that charts are saved in, as chosen under Download on Replay."""
    return str(st.session_state.get(KEPT_FORMAT, CHART_FORMATS[0]))


def chart_config(name: str) -> dict:
    image = {"format": chart_format(), "filename": f"spades-{name}", "scale": 2}
    removed = ["select2d", "lasso2d", "autoScale2d"]
    return {"displaylogo": False, "toImageButtonOptions": image, "modeBarButtonsToRemove": removed}


def is_narrow() -> bool:
    """Whether the page is narrower than ``NARROW_BELOW``, as reported last; at first a guess."""
    if (reported := st.session_state.get(_KEPT_WIDTH)) is not None:
        return bool(reported)
    return "Mobi" in st.context.headers.get("User-Agent", "")  # a phone's browser


def watch_window(above: str, below: str) -> None:
    """Have the browser report when ``is_narrow``, which charts are laid out by, is wrong.

    ``above``: key of a container that this is drawn in, last; ``below``: of what may be drawn
    before it on the reader's next visit: until this is drawn again, ``above`` keeps its height.
    """

    def keep() -> None:
        st.session_state[_KEPT_WIDTH] = st.session_state[_WINDOW_KEY]["narrow"]

    keys = {"key": _WINDOW_KEY, "above": above, "below": below}
    data = {"narrow": NARROW_BELOW, "guess": is_narrow(), **keys}
    _mount_window(data=data, key=_WINDOW_KEY, on_narrow_change=keep)
