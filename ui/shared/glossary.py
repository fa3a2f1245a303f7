"""The glossary of every term and column: ``docs/glossary.md``, in a dialog."""

import re
from functools import lru_cache, partial
from pathlib import Path

import streamlit as st

from ui.shared.page import DIALOG, is_arrival, is_history

ABOUT = (
    "There is no public log of human Spades: humans here are simulated, by the log-linear model "
    "of Devlin et al. 2016 with its published weights, unless you bring logs of your own."
)
FILE = Path(__file__).parents[2] / "docs" / "glossary.md"
_PART = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_ENTRY = re.compile(r"^\*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@lru_cache(maxsize=1)
def entries() -> dict[str, dict[str, str]]:
    """What each term means, by part of the glossary."""
    text = FILE.read_text(encoding="utf-8")
    return {part: dict(_ENTRY.findall(body)) for part, body in _PART.findall(text)}


def find_terms(wanted: str) -> dict[str, list[str]]:
    """The glossary's lines that contain a text, by part; parts without any are left out."""
    matches = {}
    for part, terms in entries().items():
        lines = [f"- **{term}**: {text}" for term, text in terms.items()]
        matching = [line for line in lines if wanted.casefold() in line.casefold()]
        if matching:
            matches[part] = matching
    return matches


def open_glossary() -> None:
    st.session_state[DIALOG] = object()


def _close(opened: object) -> None:
    """A click that opens it anew may be taken in the same run, before this."""
    if st.session_state.get(DIALOG) is opened:
        del st.session_state[DIALOG]


def show_glossary() -> None:
    """The dialog while it is open. Every run must draw it, or Streamlit closes it; going to another
    page, or back, closes it."""
    if is_arrival() or is_history():
        st.session_state.pop(DIALOG, None)
    opened = st.session_state.get(DIALOG)
    if opened:
        dialog = st.dialog(
            "Glossary",
            width="large",
            icon=":material/menu_book:",
            on_dismiss=partial(_close, opened),
        )
        dialog(_show_search)()


def _show_search() -> None:
    st.caption(ABOUT)
    wanted = st.text_input(
        "Search the glossary",
        key="glossary_search",
        placeholder="Search: stakes, C_BT, Pr(cnil) ...",
        label_visibility="collapsed",
    )
    parts = [f"**{part}**\n\n" + "\n".join(lines) for part, lines in find_terms(wanted).items()]
    # One element: Streamlit may keep the rest of many on screen where another fragment follows.
    st.markdown("\n\n".join(parts) or "No entry contains this text.")
