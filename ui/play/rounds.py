"""The finished rounds of a game: one's costliest plays, and the same deals with agents in one's
seat."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.decisions.conclusion import estimate_text
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.intervals import ratio_interval
from analysis.runs.jobs import IDLE_TIMEOUT, Job
from analysis.runs.registry import JobRegistry
from analysis.text_tables import signed, span
from spades.agents.words import agent_words
from spades.core.records import Record
from spades.human.networks.config import OURS
from spades.look.words import pretty
from spades.tables import Seat, Setup, play_again, points_ahead
from spades.tables.game import STAND_IN
from ui.play.form import select_agent
from ui.play.state import AGENTS, DRILL, page
from ui.replay.panel import search_jobs
from ui.shared import widgets
from ui.shared.bar import show_link
from ui.shared.jobs import reader
from ui.shared.log_in_hand import take_in_hand
from ui.shared.page import draw_again, is_here, literal, poll_seconds
from ui.shared.panel import Panel
from ui.shared.records import LOG_PREFIX, rounds_from
from ui.shared.tables import number
from ui.shared.widgets import centered_row, row, show_button, show_note

if TYPE_CHECKING:
    from analysis.own_plays import OwnPlays

MAX_JUDGED = 200  # rounds
POLL_SECONDS = 1.0
_TAKEN = page.key("log_taken")  # session key: the log of a game that was taken in hand


def show_rounds(name: str, records: list[Record], seat: int) -> None:
    """Each round of a log, the last first: a link that opens it in Replay at the play by which the
    person in ``seat`` gave most away, and what that was."""
    if st.session_state.get(_TAKEN) != name:  # once: the reader may take another
        st.session_state[_TAKEN] = name
        take_in_hand(name)
    jobs = [_judging(record, seat) for record in records]
    is_polled = any(job.is_active for job in jobs)
    st.markdown("**Rounds played**")

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if is_polled else None)
    def panel() -> None:
        for i, job in reversed(list(enumerate(jobs))):
            job.heartbeat(reader())
            job.drop_absent_readers(is_here)
            _show_round(name, i, job)
        if is_polled and not any(job.is_active for job in jobs):
            draw_again()  # without the timer

    panel()
    with row():
        search = {"view": "disagreements", "log": name}
        show_link("Replay", "Where the search would play otherwise", search)
        show_button("Drill", "exercise", "play_drill", _drill, name, type="tertiary")
        show_link("Style", "Style", {"logs": name})


def _drill(log: str) -> None:
    take_in_hand(log)
    page.put("view", DRILL)


@st.cache_resource
def own_plays_jobs() -> "JobRegistry[OwnPlays]":
    return JobRegistry(search_jobs().scheduler, capacity=MAX_JUDGED, idle_timeout=IDLE_TIMEOUT)


def _judging(record: Record, seat: int) -> "Job[OwnPlays]":
    """The job that judges a seat's plays in a round."""
    from analysis.own_plays import OwnPlays  # loads the judge, which the form doesn't need

    settings = judge_settings(AnalysisSettings(models=(OURS,)))
    key = f"{search_key(record, settings)} {seat}"
    return own_plays_jobs().start(key, partial(OwnPlays, record, seat, settings), restart=False)


def _show_round(name: str, i: int, job: "Job[OwnPlays]") -> None:
    query = {"log": name, "round": i}
    if job.work.costliest is not None:
        query["ply"] = job.work.costliest.ply
    with centered_row():
        show_link("Replay", f"Round {i + 1}", query)
        show_note(_own_plays_text(job))


def _own_plays_text(job: "Job[OwnPlays]") -> str:
    """What the judge says of one's own plays, or how far it is."""
    work = job.work
    if job.error is not None:
        return f"Your plays could not be judged: {job.reason}"
    if work.n_done < len(work.plies) or job.is_active:
        return f"Your plays are being judged: {work.n_done} of {len(work.plies)}"
    play = work.costliest
    if play is None:
        return "None of your plays gave away a point."
    best = " or ".join(map(pretty, play.best))
    settled = "" if play.is_settled else ", not settled"
    return (
        f"Your costliest play: {pretty(play.card)} in trick {play.trick + 1} gave away "
        f"{estimate_text(play.given_away, play.se)}; best was {best}{settled}"
    )


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
        with st.spinner(f"{agent_words(agent)} plays {n} rounds"):
            again = _played_again(place, agent, n, setup, records)
        ahead[agent_words(agent)] = np.array(points_ahead(again, place.seat))
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
    note = (
        "Points of your side less those of the other. The other seats play as before, a person's "
        f"as {agent_words(STAND_IN)}."
    )
    Panel("duplicate").table(table, columns, literal(note))
    for name, points in others.items():
        difference = yours - points
        interval = ratio_interval(difference, np.ones(n))
        within = "" if interval is None else f" (95%: {span(interval, '+.1f')})"
        mean = f"{signed(difference.mean())} points a round{within}"
        st.markdown(literal(f"You less {name} on the same deals: {mean}, n = {n}."))


@st.cache_data(max_entries=50, show_spinner=False)
def _played_again(
    place: Seat, agent: str, n_rounds: int, _setup: Setup, _records: list[Record]
) -> list[Record]:
    """The ``n_rounds`` finished rounds of a game with an agent in a seat."""
    return play_again(_setup, place.seat, agent, _records)
