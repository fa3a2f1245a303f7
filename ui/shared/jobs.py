"""The queue of long work that all pages share, and its panel: progress, time left, stop."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis.runs.jobs import Job, JobQueue
from spades.core.errors import SpadesError
from ui.shared.page import draw_again, is_here, literal, poll_seconds
from ui.shared.widgets import show_button, show_note

POLL_SECONDS = 0.7
WORKERS = 1  # one core stays free for the pages
ENDED_SHOWN = 3
_STARTED = "jobs_started"  # by a session, since its page wrote its address


class PagesBook(JobQueue):
    """The queue, which knows on which page each job was started."""

    def start(
        self, title: str, work: Callable[[Job], object], *, subject: str = "", origin: str = ""
    ) -> Job:
        # Given as it is queued: a page that looks in between would take it for its own.
        job = super().start(title, work, subject=subject, origin=origin or _page_now())
        if starter := reader():
            job.look(starter)
        if _page_now():
            st.session_state.setdefault(_STARTED, []).append(job)
        return job

    def jobs(self) -> list[Job]:
        """Those of the page that is drawn, newest first; outside of a page all."""
        page = _page_now()
        return [job for job in self.everyones() if page in ("", job.origin or page)]

    everyones = JobQueue.jobs


def _page_now() -> str:
    return st.session_state.get("page", "") if get_script_run_ctx(suppress_warning=True) else ""


def reader() -> str:
    """The reader whose page is drawn, by the session."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def link_started(query: Mapping[str, str]) -> None:
    """Jobs that this run of the page has started are found under its address ``query``; one that
    another reader had started stays under theirs."""
    for job in st.session_state.pop(_STARTED, ()):
        job.query = job.query or dict(query)


@st.cache_resource
def job_book() -> PagesBook:
    return PagesBook()


def start_job(title: str, subject: str, run: Callable, *args: object, **options: object) -> None:
    """Queue ``run`` on these arguments; it takes ``tell`` and ``is_cancelled`` too."""

    def work(job: Job) -> None:
        run(*args, **options, tell=job.tell, is_cancelled=lambda: job.is_stopping)

    job_book().start(title, work, subject=subject)


def start_asked(ask: Callable[[], Any], start: Callable[[Any], object]) -> None:
    """Start what a form asks for as it stands now; a callback. A number typed right before the
    click is in it, and one that is refused starts nothing: the page says why."""
    with suppress(SpadesError):
        start(ask())


def show_start(
    label: str,
    note: str,
    key: str,
    start: Callable,
    *args: Any,
    icon: str = "play_arrow",
    **look: Any,
) -> None:
    """The button that calls ``start`` to queue a job, and next to it what that takes."""
    with st.container(horizontal=True, vertical_alignment="center"):
        show_button(label, icon, key, start, *args, **look)
        show_note(note)


def show_jobs(page: str, *, made: Callable[[], Hashable] = lambda: None) -> None:
    """What runs and waits, and what has ended last; ``page`` begins the widgets' keys.

    The page is drawn anew when a job ends, and when ``made`` says that there is something new:
    call this before what is shown of the jobs' results is read."""
    jobs = job_book().jobs()
    unfinished = [job for job in jobs if not job.is_finished]
    before = made() if unfinished else None
    ended = [job for job in newest_of_subjects(jobs) if job.is_finished][:ENDED_SHOWN]
    shown = [*_held_up_by(unfinished), *unfinished, *ended]

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if unfinished else None)
    def panel() -> None:
        for job in shown:
            show_job(job, page)
        if any(job.is_finished for job in unfinished) or (unfinished and made() != before):
            draw_again()

    panel()


def newest_of_subjects(jobs: Sequence[Job]) -> list[Job]:
    """Of jobs, newest first, those that no later one on the same subject follows."""
    newest = {job.subject or job.id: job for job in reversed(jobs)}
    return [job for job in jobs if job in newest.values()]


def _held_up_by(unfinished: Sequence[Job]) -> list[Job]:
    """Other pages' jobs that come before one of these."""
    waiting = [job for job in unfinished if job.state == "waiting"]
    everyones = job_book().everyones()
    before = everyones[everyones.index(waiting[0]) :] if waiting else []
    return [job for job in before if not job.is_finished and job not in unfinished]


def show_job(job: Job, page: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        progress = job.progress
        if job.state == "failed":
            st.error(literal(f"{job.title}: {job.reason}"))
        elif job.is_finished:
            st.write(f"{literal(job.title)}: {job.state}")
        else:
            share = progress.done / progress.total if progress.total else 0.0
            text = progress.text() if progress.total else job.state
            text = stopping_text(job) if job.is_stopping else text
            st.progress(share, text=f"{literal(job.title)}: {literal(text)}")
            job.forget_readers(is_here)
            if job.may_be_stopped_by(reader()):
                key = f"{page}_stop_{job.id}"
                show_button("Stop", "stop", key, job.stop, reader(), disabled=job.is_stopping)
            else:
                show_note("Started by another reader")


def stopping_text(job: Job) -> str:
    """What a job that is to stop still waits for: compiled code can't be interrupted."""
    if job.state == "waiting":
        return "stopping ..., it won't start"
    if not job.progress.done:
        return "stopping ..., after what is under way; code that compiles first takes a minute"
    return "stopping ..., after the part under way"
