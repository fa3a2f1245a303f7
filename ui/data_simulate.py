"""Generating a log from any agents: queued, with progress, stop and resume."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from analysis.experiments import Progress
from analysis.jobs import Job, JobBook
from analysis.simulate import SimulationPlan, interrupted, simulate
from spades.agents import BIDDERS, PLAYERS
from spades.cards import SEAT_NAMES, SEATS
from spades.errors import SpadesError
from spades.log_store import safe_name, store_folder
from ui.page import literal

POLL_SECONDS = 0.7
DEFAULT_AGENTS = {"N": "ismcts:iterations=2500", "S": "human"}
WORKERS = 1  # one core stays free for the pages


@st.cache_resource
def job_book() -> JobBook:
    return JobBook()


def show() -> None:
    _show_form()
    _show_interrupted()
    _show_jobs()


def _show_form() -> None:
    with st.form("data_simulate", border=True):
        columns = st.columns(4)
        agents = [
            column.text_input(
                SEAT_NAMES[seat],
                DEFAULT_AGENTS.get(seat, "ismcts:iterations=2500"),
                key=f"data_agent_{seat}",
            )
            for seat, column in zip(SEATS, columns, strict=True)
        ]
        st.caption(
            f"PLAYER:option=value,...+BIDDER. Players: {', '.join(PLAYERS)}; bidders: "
            f"{', '.join(BIDDERS)}. *human* is the simulated human."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input("How many", 1, 1_000_000, 100, key="data_count")
            unit = st.selectbox("of", ["games", "rounds"], key="data_unit")
            seed = st.number_input("Seed", 0, 2**31 - 1, 0, key="data_seed")
            name = st.text_input("Name of the log", "simulated", key="data_simulated_name")
        if st.form_submit_button("Generate", icon=":material/play_arrow:"):
            _start(agents, int(count), unit, int(seed), name)


def _start(agents: list[str], count: int, unit: str, seed: int, name: str) -> None:
    try:
        north, east, south, west = agents
        plan = SimulationPlan((north, east, south, west), count, unit=unit, seed=seed)
        target = log_path(name)
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    if target.exists():
        st.error(f"There is a log {literal(target.stem)} already: choose another name.")
        return
    _queue(plan, target.stem)


def log_path(name: str) -> Path:
    """Where the store keeps a log of that name."""
    return store_folder() / f"{safe_name(name)}.parquet"


def _queue(plan: SimulationPlan, name: str) -> None:
    def work(job: Job) -> None:
        simulate(
            plan,
            log_path(name),
            workers=WORKERS,
            tell=job.tell,
            is_cancelled=lambda: job.is_stopping,
        )

    job_book().start(f"{name}: {plan.count:,} {plan.unit}", work)


def _show_interrupted() -> None:
    """Simulations that were stopped or killed; their finished parts are on disk."""
    running = {job.title.split(":")[0] for job in job_book().jobs() if not job.is_finished}
    for name, plan in interrupted(store_folder()):
        if name in running:
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.write(f"**{literal(name)}** was interrupted: {plan.count:,} {plan.unit}")
            if st.button("Go on", icon=":material/play_arrow:", key=f"data_resume_{name}"):
                _queue(plan, name)
                st.rerun()


def _show_jobs() -> None:
    jobs = job_book().jobs()
    if not jobs:
        return
    st.subheader("Running and done")
    busy = any(not job.is_finished for job in jobs)

    @st.fragment(run_every=POLL_SECONDS if busy else None)
    def panel() -> None:
        for job in jobs:
            _show_job(job)
        if busy and all(job.is_finished for job in jobs):
            st.rerun()

    panel()


def _show_job(job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        progress: Progress = job.progress
        if job.state == "failed":
            st.error(literal(f"{job.title}: {job.error}"))
        elif job.is_finished:
            st.write(f"{literal(job.title)}: {job.state}")
        else:
            share = progress.done / progress.total if progress.total else 0.0
            text = progress.text() if progress.total else job.state
            st.progress(share, text=f"{literal(job.title)}: {text}")
            if st.button("Stop", icon=":material/stop:", key=f"data_stop_{job.id}"):
                job.stop()
