"""Names for the bench's settings, by which other pages offer them."""

import streamlit as st

from analysis.matches.named_agents import MAX_NAME, forget_agent, name_agent
from ui.shared.agents import name_of, named
from ui.shared.page import literal
from ui.shared.widgets import (
    centered_row,
    refusal_kept,
    show_button,
    show_note,
    show_refusal,
)
from ui.tune.state import page


def show_naming(agent: str) -> None:
    """Gives an agent a name, by which other pages offer it, or takes names away."""
    name = name_of(agent)
    if name:
        st.markdown(f"Its name: **{literal(name)}**")
    page_key = page.key("name")
    st.text_input("Name", key=page_key, max_chars=MAX_NAME, placeholder="as in: my human")
    show_button("Keep it under this name", "bookmark_add", page.key("keep"), _keep, agent, page_key)
    show_refusal(page.key("unnamed"))
    show_note("Play, Tune, Agents and Disagreements offer it by its name.")
    for name, text in named().items():
        with centered_row():
            st.markdown(f"**{literal(name)}**", help=text)
            show_button("Forget", "delete", page.key(f"forget_{name}"), forget_agent, name)


def _keep(agent: str, name_key: str) -> None:
    with refusal_kept(page.key("unnamed")):
        name_agent(st.session_state.get(name_key, ""), agent)
