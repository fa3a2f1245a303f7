"""The glossary of every term and column: ``docs/glossary.md``, in a dialog."""

import re
from functools import lru_cache
from pathlib import Path

import streamlit as st

from ui.shared.page import DIALOG_SECONDS, note_dialog

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
    """Lines of the glossary that have these letters, by part; parts without any are left out."""
    lines = {
        part: [f"- **{term}**: {text}" for term, text in terms.items()]
        for part, terms in entries().items()
    }
    found = {
        part: [line for line in listed if wanted.casefold() in line.casefold()]
        for part, listed in lines.items()
    }
    return {part: listed for part, listed in found.items() if listed}


@st.dialog("Glossary", width="large", icon=":material/menu_book:")
def show_glossary() -> None:
    st.caption(ABOUT)
    _show_search()


@st.fragment(run_every=DIALOG_SECONDS)
def _show_search() -> None:
    """Drawn again and again: a page behind that is being drawn may swallow what was typed."""
    note_dialog()
    look = {"placeholder": "Search: stakes, C_BT, Pr(cnil) ...", "label_visibility": "collapsed"}
    found = find_terms(st.text_input("Search the glossary", key="glossary_search", **look))
    for part, lines in found.items():
        st.markdown("\n".join([f"**{part}**", "", *lines]))
    if not found:
        st.caption("No term or explanation has these letters.")
