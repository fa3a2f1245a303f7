"""Picking a round of a log: which log, which rounds, and the one to replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from spades.errors import SpadesError
from spades.log_store import list_logs
from ui import replay_state as state
from ui.page import literal
from ui.stored_logs import LOG_PREFIX, hand_name, round_of, rounds_of

if TYPE_CHECKING:  # pandas is imported with the first table
    import pandas as pd

FILTERS = {
    "all": "Every round",
    "nil": "With a nil",
    "failed": "With a failed nil",
    "set": "A side went set",
}
MAX_SHOWN = 2000


def show_round_browser() -> None:
    """A table of a log's rounds; selecting a row puts it on the table."""
    names = [entry.name for entry in list_logs() if not entry.problem]
    if not names:
        st.caption("No logs yet: the Data page imports and generates them.")
        return
    current = _current_log()
    name = st.selectbox(
        "Log", names, names.index(current) if current in names else 0, key=state.key("log")
    )
    chosen = st.selectbox("Rounds", list(FILTERS), format_func=FILTERS.get, key=state.key("filter"))
    try:
        table = filtered(rounds_of(name), chosen)
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    more = f", the first {MAX_SHOWN:,} shown" if len(table) > MAX_SHOWN else ""
    st.caption(f"{len(table):,} rounds{more}. Select one to replay it.")
    event = st.dataframe(
        table.head(MAX_SHOWN),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=300,
        key=state.key("rounds"),
    )
    rows = event["selection"]["rows"]
    picked = hand_name(name, int(table.iloc[rows[0]]["round"])) if rows else ""
    # A selection stays selected: only a new one opens a round.
    if picked != st.session_state.get(state.key("picked"), ""):
        st.session_state[state.key("picked")] = picked
        if picked:
            open_round(picked)


def filtered(table: pd.DataFrame, chosen: str) -> pd.DataFrame:
    """The rows of a round table that a filter of :data:`FILTERS` keeps."""
    if chosen == "nil":
        return table[table["nil"] != ""]
    if chosen == "failed":
        return table[table["nil"].str.contains("failed")]
    if chosen == "set":
        return table[(table["points N/S"] < 0) | (table["points E/W"] < 0)]
    return table


def open_round(hand: str) -> None:
    """Put a round of a log on the table."""
    state.open_hand(state.OpenHand(hand, round_of(hand)))
    st.rerun()


def _current_log() -> str:
    name = state.get("hand").name
    return name.removeprefix(LOG_PREFIX).rpartition(".")[0] if name.startswith(LOG_PREFIX) else ""
