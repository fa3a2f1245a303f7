"""The finished rounds of a game: links to them, and the same deals with agents in one's seat."""

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.intervals import ratio_interval
from analysis.text_tables import span
from spades.core.records import Record
from spades.tables import Seat, Setup, play_again, points_ahead
from spades.tables.game import STAND_IN
from ui.play.form import select_agent
from ui.play.state import AGENTS, page
from ui.shared import widgets
from ui.shared.bar import show_link
from ui.shared.page import literal
from ui.shared.records import LOG_PREFIX, rounds_from
from ui.shared.tables import number, show_table
from ui.shared.widgets import row, show_button, show_note


def show_rounds(name: str, n: int) -> None:
    """Links to the rounds of a log."""
    st.markdown("**Rounds played**")
    with row():
        for i in range(n):
            show_link("Replay", f"Round {i + 1}", {"log": name, "round": i})
        show_link("Disagreements", "Where the search would play otherwise", {"log": name})
        show_link("Play", "Drill", {"view": "drill", "logs": name})
        show_link("Playstyle", "Playstyle", {"style_logs": name})


def show_duplicate(place: Seat, setup: Setup, records: list[Record]) -> None:
    """The same deals with agents in the reader's seat, which takes out the luck of the cards."""
    st.markdown("**The same deals, others in your seat**")
    with row():
        select_agent("Agent", "rival", AGENTS)
        select_agent("Cohort", "cohort", AGENTS)
        show_button("Compare", "balance", "play_compare", page.put, "compared", True)
    if not st.session_state.get(page.key("compared")):
        return
    with widgets.errors_shown():
        yours = np.array(points_ahead(records, place.seat))
        others = _points_of_others(place, setup, records)
        _show_comparison(yours, others)


def _points_of_others(
    place: Seat, setup: Setup, records: list[Record]
) -> dict[str, NDArray[np.int64]]:
    """Points ahead in each round of the agents in the reader's seat, and of the log's players."""
    n = len(records)
    ahead = {}
    for agent in dict.fromkeys((page.get("rival"), page.get("cohort"))):
        with st.spinner(f"{agent} plays {n} rounds"):
            again = _played_again(place, agent, n, setup, records)
        ahead[agent] = np.array(points_ahead(again, place.seat))
    if setup.deals_of.startswith(LOG_PREFIX):
        logged = points_ahead(rounds_from(setup.deals_of, n), place.seat)
        if len(logged) == n:  # all of them were bid and played to the end
            ahead["the log's players"] = np.array(logged)
    return ahead


def _show_comparison(yours: NDArray[np.int64], others: dict[str, NDArray[np.int64]]) -> None:
    n = len(yours)
    ahead = {"You": yours, **others}
    columns = {"round": number("Round")} | {name: number(name, "%+d") for name in ahead}
    table = pd.DataFrame({"round": range(1, n + 1), **ahead})
    show_table(table, "duplicate", columns)
    for name, points in others.items():
        difference = yours - points
        interval = ratio_interval(difference, np.ones(n))
        within = "" if interval is None else f" (95%: {span(interval, '+.1f')})"
        mean = f"{difference.mean():+.1f} points a round{within}"
        st.markdown(literal(f"You less {name} on the same deals: {mean}, n = {n}."))
    show_note(
        "Points of your side less those of the other. The other seats play as before, a person's "
        f"as {STAND_IN}. The agent human is the simulated human."
    )


@st.cache_data(max_entries=50, show_spinner=False)
def _played_again(
    place: Seat, agent: str, n_rounds: int, _setup: Setup, _records: list[Record]
) -> list[Record]:
    """The ``n_rounds`` finished rounds of a game with an agent in a seat."""
    return play_again(_setup, place.seat, agent, _records)
