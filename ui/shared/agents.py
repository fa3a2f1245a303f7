"""Agents to choose from: those that users named come first, on every page."""

from collections.abc import Sequence

import streamlit as st

from analysis.matches.named_agents import KIND, named_agents
from analysis.runs.store import ResultStore


@st.cache_data(max_entries=2, show_spinner=False)
def _named(stamp: object) -> dict[str, str]:
    return named_agents()


def named() -> dict[str, str]:
    """Agents' texts by the names that users gave them."""
    return _named(ResultStore().stamp(KIND))


def offered(usual: Sequence[str]) -> list[str]:
    """The named agents, then the usual ones."""
    return list(dict.fromkeys([*named().values(), *usual]))


def name_of(agent: str) -> str:
    """An agent's name; empty if it has none."""
    return next((name for name, text in named().items() if text == agent), "")


def agent_label(agent: str) -> str:
    """An agent's text, after its name if it has one."""
    name = name_of(agent)
    return f"{name} · {agent}" if name else agent
