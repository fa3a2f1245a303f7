"""The glossary of every term and column: ``docs/glossary.md``, in a dialog."""

import re
from functools import lru_cache
from pathlib import Path

import streamlit as st

FILE = Path(__file__).parents[2] / "docs" / "glossary.md"
_PART = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_ENTRY = re.compile(r"^\*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@lru_cache(maxsize=1)
def entries() -> dict[str, dict[str, str]]:
    """What each term means, by part of the glossary."""
    text = FILE.read_text(encoding="utf-8")
    return {part: dict(_ENTRY.findall(body)) for part, body in _PART.findall(text)}


@st.dialog("Glossary", width="large", icon=":material/menu_book:")
def show_glossary() -> None:
    look = {"placeholder": "Search: stakes, C_BT, Pr(cnil) ...", "label_visibility": "collapsed"}
    wanted = st.text_input("Search the glossary", key="glossary_search", **look).casefold()
    n_shown = 0
    for part, terms in entries().items():
        found = {
            term: text for term, text in terms.items() if wanted in f"{term} {text}".casefold()
        }
        if found:
            st.markdown(f"**{part}**")
            st.markdown("\n".join(f"- **{term}**: {text}" for term, text in found.items()))
        n_shown += len(found)
    if not n_shown:
        st.caption("No term or explanation has these letters.")
