"""The queue of long work that all pages share, and its panel: progress, time left, stop."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import streamlit as st

from analysis.jobs import Job, JobBook
from ui.page import literal

POLL_SECONDS = 0.7
WORKERS = 1  # one core stays free for the pages
ENDED_SHOWN = 3


@st.cache_resource
def job_book() -> JobBook:
    return JobBook()


def show_jobs(page: str, *, made: Callable[[], Hashable] = lambda: None) -> None:
    """What runs and waits, and what has ended last; ``page`` begins the widgets' keys.

    The page is drawn anew when a job ends, and when ``made`` says that there is something new.
    """
    jobs = job_book().jobs()
    unfinished = [job for job in jobs if not job.is_finished]
    ended = [job for job in jobs if job.is_finished][:ENDED_SHOWN]
    before = made() if unfinished else None

    @st.fragment(run_every=POLL_SECONDS if unfinished else None)
    def panel() -> None:
        for job in (*unfinished, *ended):
            show_job(job, page)
        if any(job.is_finished for job in unfinished) or (unfinished and made() != before):
            st.rerun()

    panel()


def show_job(job: Job, page: str) -> None:
    """A line on one job."""
    with st.container(horizontal=True, vertical_alignment="center"):
        progress = job.progress
        if job.state == "failed":
            st.error(literal(f"{job.title}: {job.error}"))
        elif job.is_finished:
            st.write(f"{literal(job.title)}: {job.state}")
        else:
            share = progress.done / progress.total if progress.total else 0.0
            text = progress.text() if progress.total else job.state
            told = "stopping ..." if job.is_stopping else text
            st.progress(share, text=f"{literal(job.title)}: {literal(told)}")
            st.button(
                "Stop", icon=":material/stop:", key=f"{page}_stop_{job.id}", on_click=job.stop
            )
