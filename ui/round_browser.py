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
    """A log's rounds by number and as a table; the one chosen is put on the table."""
    names = [entry.name for entry in list_logs() if not entry.problem]
    if not names:
        st.caption("No logs yet: the Data page imports and generates them.")
        return
    current = _current_log()
    name = st.selectbox(
        "Log", names, names.index(current) if current in names else 0, key=state.key("log")
    )
    try:
        table = rounds_of(name)
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    if table.empty:
        st.caption("No round in this log.")
        return
    _show_number(name, len(table))
    chosen = st.selectbox("Rounds", list(FILTERS), format_func=FILTERS.get, key=state.key("filter"))
    game = st.text_input("Game", key=state.key("game"), placeholder="Any; or a part of its name")
    table = _show_page(of_game(filtered(table, chosen), game.strip()), f"{name}-{chosen}-{game}")
    event = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=300,
        key=state.key(f"rounds-{name}-{chosen}-{game}-{table.index.min()}"),
    )
    rows = event["selection"]["rows"]
    picked = hand_name(name, int(table.iloc[rows[0]]["round"])) if rows else ""
    # A selection stays selected: only a new one opens a round.
    if picked != st.session_state.get(state.key("picked"), ""):
        st.session_state[state.key("picked")] = picked
        if picked:
            open_round(picked)


def _show_number(log: str, n_rounds: int) -> None:
    """A round by its number; one that is typed opens."""
    key = state.key(f"number-{log}-{n_rounds}")
    st.number_input(
        f"Round, of {n_rounds:,}",
        0,
        n_rounds - 1,
        None,
        key=key,
        placeholder=f"0 to {n_rounds - 1}",
        help="Counted from 0, as in links.",
        on_change=_open_number,
        args=(log, key),
    )


def _open_number(log: str, key: str) -> None:
    number = st.session_state[key]
    if number is not None:
        hand = hand_name(log, number)
        state.open_hand(state.OpenHand(hand, round_of(hand)))


def _show_page(table: pd.DataFrame, question: str) -> pd.DataFrame:
    """The rows of the page chosen, and how many there are in all."""
    n_pages = -(-len(table) // MAX_SHOWN)
    page = 1
    if n_pages > 1:
        page = st.number_input(
            f"Page, of {n_pages}", 1, n_pages, key=state.key(f"page-{question}-{n_pages}")
        )
    more = f", {MAX_SHOWN:,} a page" if n_pages > 1 else ""
    st.caption(f"{len(table):,} rounds{more}. Select one to replay it.")
    return table.iloc[(page - 1) * MAX_SHOWN : page * MAX_SHOWN]


def of_game(table: pd.DataFrame, part: str) -> pd.DataFrame:
    """The rows of a round table whose game has ``part`` in its name."""
    if not part:
        return table
    return table[table["game"].str.contains(part, case=False, regex=False)]


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
