"""Picking a round of a log: which log, which rounds, and the one to replay.

What is chosen is in Replay's address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from spades.core.errors import SpadesError
from ui.replay import state
from ui.replay.widgets import choose
from ui.shared.page import draw_again
from ui.shared.stored_logs import LOG_PREFIX, hand_name, round_of, rounds_of
from ui.shared.widgets import show_error

if TYPE_CHECKING:  # pandas is imported with the first table
    import pandas as pd

MAX_SHOWN = 2000


def show_round_browser() -> None:
    """A log's rounds by number and as a table; the one chosen is put on the table."""
    names = state.log_names()
    if not names:
        st.caption("No logs yet: the Data page imports and generates them.")
        return
    name = _show_log(names)
    try:
        table = rounds_of(name)
    except SpadesError as error:
        show_error(error)
        return
    if table.empty:
        st.caption("No round in this log.")
        return
    _show_number(name, len(table))
    chosen, game = _show_filters()
    table = _show_page(of_game(filtered(table, chosen), game))
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
            _open_round(picked)
            draw_again()


def _show_log(names: list[str]) -> str:
    """Which log: as chosen, else the one on the table, else the first."""
    current = _current_log()
    usual = current if current in names else names[0]
    st.session_state[state.key("browse_usual")] = usual
    name = state.get("browse_log")
    if name not in names:
        name = usual
        state.put("browse_log", name)
    return choose("Log", "browse_log", options=names, on_change=_begin_anew)


def _show_filters() -> tuple[str, str]:
    """Which of its rounds: a filter of ``ROUND_FILTERS``, and a part of the game's name."""
    chosen = choose("Rounds", "browse", form=state.ROUND_FILTERS, on_change=_begin_anew)
    game = st.text_input(
        "Game",
        state.get("browse_game"),
        max_chars=state.WIDGETS["browse_game"].codec.longest,
        key=state.key("browse_game"),
        placeholder="Any; or a part of its name",
        on_change=_begin_anew,
    )
    return chosen, game.strip()


def _begin_anew() -> None:
    """Other rounds are asked for: their first page."""
    state.put("browse_page", 1)


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
        _open_round(hand_name(log, number))


def _show_page(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the page chosen, and how many there are in all."""
    n_pages = max(1, -(-len(table) // MAX_SHOWN))
    page = state.get("browse_page")
    if page > n_pages:
        state.complain(
            f"The link says browse_page={page}; legal is 1 to {n_pages} for these rounds. "
            f"Shown: {n_pages}."
        )
        page = n_pages
        state.put("browse_page", page)
    if n_pages > 1:
        page = st.number_input(
            f"Page, of {n_pages}", 1, n_pages, page, key=state.key("browse_page")
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
    """The rows of a round table that a filter of ``ROUND_FILTERS`` keeps."""
    if chosen == "nil":
        return table[table["nil"] != ""]
    if chosen == "failed":
        return table[table["nil"].str.contains("failed")]
    if chosen == "set":
        return table[(table["points N/S"] < 0) | (table["points E/W"] < 0)]
    return table


def _open_round(hand: str) -> None:
    """Put a round of a log on the table."""
    state.open_hand(state.OpenHand(hand, round_of(hand)))


def _current_log() -> str:
    name = state.get("hand").name
    return name.removeprefix(LOG_PREFIX).rpartition(".")[0] if name.startswith(LOG_PREFIX) else ""
