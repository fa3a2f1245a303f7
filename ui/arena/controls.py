"""The controls of a match: agents as text, numbers, and what would be legal."""

from __future__ import annotations

import dataclasses
from typing import Any

import pandas as pd
import streamlit as st

from analysis.matches.match import MAX_GAMES
from spades.agents import BIDDERS, PLAYERS
from ui.arena import state
from ui.shared.tables import text
from ui.shared.widgets import row, select

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
    select(
        label,
        # What was typed or linked must be an option, or the box would drop it.
        dict.fromkeys([*PRESETS, state.get(name)]).keys(),
        state.key(name),
        accept_new_options=True,
        help="Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... as in "
        "`ismcts:iterations=1000+bis:threshold=20`, and press Enter.",
    )


def show_settings() -> None:
    """What every match takes besides its agents."""
    limit = state.MAX_POINTS
    with row():
        _number(
            "games",
            "Games",
            (2, MAX_GAMES, 100, 150),
            "Of every two agents; even, since every deal is played twice, with the partnerships "
            "swapped.",
        )
        _number(
            "seed",
            "Seed",
            (0, state.MAX_SEED, 1, 130),
            "Deals and chance come from it alone: the same seed, the same games.",
        )
        _number("target", "Target", (1, limit, 50, 130), "Points that win the game.")
        told = "A side that falls to it loses the game; empty for none."
        _number("floor", "Floor", (-limit, -1, 50, 130), told)
        st.checkbox(
            "Nil-only",
            key=state.key("nil_only"),
            help="Deals on which nobody bids nil are thrown in (Whitehouse 2013).",
        )


def _number(name: str, label: str, limits: tuple[int, int, int, int], told: str) -> None:
    """``limits``: lowest and highest number, step, width in pixels."""
    low, high, step, width = limits
    options = {"step": step, "width": width, "help": told, "placeholder": "none"}
    st.number_input(label, low, high, key=state.key(name), **options)


def legal_parts() -> pd.DataFrame:
    """Every player and bidder: its name, what it is, and its options with their defaults."""
    rows = [
        (role, name, " ".join((kind.__doc__ or "").split("\n\n")[0].split()), _options(kind))
        for role, known in (("player", PLAYERS), ("bidder", BIDDERS))
        for name, kind in known.items()
    ]
    return pd.DataFrame(rows, columns=["part", "name", "what it is", "options"])


def _options(kind: Any) -> str:
    fields = dataclasses.fields(kind)
    return ", ".join(f"{option.name}={_plain(option.default)}" for option in fields)


def _plain(value: object) -> object:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def show_legal_parts() -> None:
    """The list of what an agent's text may say."""
    with st.expander("What an agent can be", icon=":material/list:"):
        st.markdown(
            "`PLAYER[:option=value,...][+BIDDER[:option=value,...]]`: the player plays the cards, "
            "the bidder bids; both sit in both seats of a partnership. " + HUMAN_NOTE
        )
        titles = {
            "part": text("Part", width="small"),
            "name": text("Name", width="small"),
            "what it is": text("What it is", width="large"),
            "options": text("Options and defaults", width="large"),
        }
        st.dataframe(legal_parts(), hide_index=True, width="stretch", column_config=titles)
