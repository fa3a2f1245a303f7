"""What a match is asked for with: agents as text, numbers, and what would be legal."""

from __future__ import annotations

import dataclasses

import pandas as pd
import streamlit as st

from analysis.matches.match import MAX_GAMES
from spades.agents import BIDDERS, PLAYERS
from ui.arena import state

PRESETS = (
    "random",
    "human",
    "wrp",
    "srp",
    "srp+bis",
    "srp+rb",
    "srp+ms",
    "srp+io",
    "srp+kb",
    "human+bis",
    "ismcts:iterations=500",
    "ismcts:iterations=2500",
    "ismcts:iterations=2500+bis",
    "uct:iterations=1000",
)
HUMAN_NOTE = (
    ":material/smart_toy: *human* is the **simulated human**: Devlin's published model with bids "
    "calibrated to published figures; nobody real played. It also bids for every agent whose text "
    "names no bidder."
)


def uses_simulated_human(agent: str) -> bool:
    """Whether it plays or bids as the simulated human, who bids where no bidder is named."""
    return "human" in agent or "+" not in agent


def show_agent(name: str, label: str) -> None:
    """One agent: a preset, or any text."""
    # What was typed or linked must be an option, or the box would drop it.
    options = list(dict.fromkeys([*PRESETS, state.get(name)]))
    st.selectbox(
        label,
        options,
        key=state.key(name),
        accept_new_options=True,
        help="Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... as in "
        "`ismcts:iterations=1000+bis:threshold=20`, and press Enter.",
    )


def show_settings() -> None:
    """What every match takes beside its agents."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Games",
            2,
            MAX_GAMES,
            step=100,
            key=state.key("games"),
            width=150,
            help="Of every two agents; even, since every deal is played twice, with the "
            "partnerships swapped.",
        )
        st.number_input(
            "Seed",
            0,
            state.MAX_SEED,
            key=state.key("seed"),
            width=130,
            help="Deals and chance come from it alone: the same seed, the same games.",
        )
        st.number_input(
            "Target",
            1,
            state.MAX_POINTS,
            step=50,
            key=state.key("target"),
            width=130,
            help="Points that win the game.",
        )
        st.number_input(
            "Floor",
            -state.MAX_POINTS,
            -1,
            step=50,
            key=state.key("floor"),
            width=130,
            placeholder="none",
            help="A side that falls to it loses the game; empty for none.",
        )
        st.checkbox(
            "Nil-only",
            key=state.key("nil_only"),
            help="Deals on which nobody bids nil are thrown in (Whitehouse 2013).",
        )


def legal_parts() -> pd.DataFrame:
    """Every player and bidder: its name, what it is, and its options with their defaults."""
    rows = [
        (role, name, " ".join((kind.__doc__ or "").split("\n\n")[0].split()), _options(kind))
        for role, known in (("player", PLAYERS), ("bidder", BIDDERS))
        for name, kind in known.items()
    ]
    return pd.DataFrame(rows, columns=["part", "name", "what it is", "options"])


def _options(kind: type) -> str:
    return ", ".join(f"{option.name}={_plain(option.default)}" for option in _fields(kind))


def _fields(kind: type) -> tuple[dataclasses.Field, ...]:
    return dataclasses.fields(kind)


def _plain(value: object) -> object:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def show_legal_parts() -> None:
    """The list of what an agent's text may say."""
    with st.expander("What an agent can be", icon=":material/list:"):
        st.markdown(
            "`PLAYER[:option=value,...][+BIDDER[:option=value,...]]`: the player plays the cards, "
            "the bidder bids; both sit in both seats of a partnership. " + HUMAN_NOTE
        )
        st.dataframe(
            legal_parts(),
            hide_index=True,
            width="stretch",
            column_config={
                "part": st.column_config.TextColumn("Part", width="small"),
                "name": st.column_config.TextColumn("Name", width="small"),
                "what it is": st.column_config.TextColumn("What it is", width="large"),
                "options": st.column_config.TextColumn("Options and defaults", width="large"),
            },
        )
