"""Generating a log from any agents: queued, with progress, stop and resume."""

import itertools
from pathlib import Path

import streamlit as st

from analysis.logs.simulate import SimulationPlan, interrupted, simulate
from analysis.runs.jobs import Job
from spades.agents import BIDDERS, PLAYERS
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.errors import SpadesError
from spades.human.simulated import AGENT
from spades.notation.log_store import safe_name, store_folder
from ui.data import state
from ui.shared.jobs import WORKERS, job_book, show_jobs
from ui.shared.page import literal
from ui.shared.tables import show_achieved


def show() -> None:
    _show_form()
    if any(is_human(state.get(name)) for name in state.SEAT_QUERY.values()):
        show_achieved()
    _show_interrupted()
    if job_book().jobs():
        st.subheader("Running and done")
        show_jobs("data")


def _show_form() -> None:
    with st.form("data_simulate", border=True):
        for seat, column in zip(SEATS, st.columns(4), strict=True):
            column.text_input(SEAT_NAMES[seat], key=state.key(state.SEAT_QUERY[seat]))
        st.caption(
            f"PLAYER:option=value,...+BIDDER. Players: {', '.join(PLAYERS)}; bidders: "
            f"{', '.join(BIDDERS)}. *human* is the simulated human."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("How many", 1, state.MAX_GAMES, key=state.key("count"))
            st.selectbox("of", state.UNITS, key=state.key("unit"))
            st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"))
            st.text_input("Name of the log", key=state.key("name"))
        # A callback: no other rerun can cut in before it.
        st.form_submit_button("Generate", icon=":material/play_arrow:", on_click=_start)
    if refused := st.session_state.pop(state.key("refused"), None):
        st.error(literal(refused))


def is_human(agent: str) -> bool:
    """Whether an agent's text asks for a simulated human's cards or bids."""
    player, _, bidder = agent.partition("+")
    return AGENT in (player.partition(":")[0].strip(), bidder.partition(":")[0].strip())


def _start() -> None:
    try:
        agents = tuple(state.get(name) for name in state.SEAT_QUERY.values())
        count, unit, seed = (state.get(name) for name in ("count", "unit", "seed"))
        plan = SimulationPlan(agents, int(count), unit=unit, seed=int(seed))
        _queue(plan, free_name(state.get("name")))
    except SpadesError as error:
        st.session_state[state.key("refused")] = str(error)


def free_name(wanted: str) -> str:
    """A name like ``wanted`` that no log has, and none that is being made."""
    stem = safe_name(wanted)
    taken = {name for name, _ in interrupted(store_folder())} | _names_under_way()
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken and not log_path(name).exists())


def _names_under_way() -> set[str]:
    return {job.subject for job in job_book().jobs() if not job.is_finished}


def log_path(name: str) -> Path:
    """Where the store keeps a log of that name."""
    return store_folder() / f"{safe_name(name)}.parquet"


def _queue(plan: SimulationPlan, name: str) -> None:
    amount = f"{plan.count:,} {plan.unit}"

    def work(job: Job) -> None:
        how = {"tell": job.tell, "is_cancelled": lambda: job.is_stopping}
        made = simulate(plan, log_path(name), workers=WORKERS, may_rename=True, **how)
        if made and made.path != log_path(name):
            job.title = f"{made.path.stem} ({name} was taken meanwhile): {amount}"

    job_book().start(f"{name}: {amount}", work, subject=name)


def _show_interrupted() -> None:
    """Simulations that were stopped or killed; their finished parts are on disk."""
    running = _names_under_way()
    for name, plan in interrupted(store_folder()):
        if name in running:
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.write(f"**{literal(name)}** was interrupted: {plan.count:,} {plan.unit}")
            call = {"key": f"data_resume_{name}", "on_click": _queue, "args": (plan, name)}
            st.button("Go on", icon=":material/play_arrow:", **call)
