"""The long jobs of all pages, and the panel of a page's jobs: progress, time left, cancel."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis.runs.jobs import WAITING, Job, LongCall
from analysis.runs.registry import LongJobs
from spades.core.errors import SpadesError
from ui.shared.page import draw_again, is_here, literal, poll_seconds
from ui.shared.states import show_loading, show_wrong
from ui.shared.widgets import centered_row, show_button, show_note, show_popover

POLL_SECONDS = 0.7
WORKERS = 1  # one core stays free for the pages
_STARTED = "jobs_started"  # session key of jobs started since the page last wrote its address
_DISMISSED = "jobs_dismissed"  # session key of the ids of ended jobs that the reader put away


class PageJobs(LongJobs):
    """The registry of long jobs, each with the page that started it."""

    def call(
        self, title: str, function: Callable[[Job], object], *, key: str, origin: str = ""
    ) -> Job[LongCall]:
        job = super().call(title, function, key=key, origin=origin or _page_now())
        starter = reader()
        if starter:
            job.heartbeat(starter)
        if _page_now():
            st.session_state.setdefault(_STARTED, []).append(job)
        return job

    def jobs_here(self) -> list[Job[LongCall]]:
        """The jobs of the page that is drawn, newest first."""
        page = _page_now()
        return [job for job in self.jobs() if job.origin in ("", page)]


def _page_now() -> str:
    """Title of the page that is drawn; '' outside of a page."""
    if not get_script_run_ctx(suppress_warning=True):
        return ""
    return str(st.session_state.get("page", ""))


def reader() -> str:
    """The reader whose page is drawn, by the session."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def link_started(query: Mapping[str, str]) -> None:
    """Give the jobs that this run started the page's address; a job that another reader had started
    keeps theirs."""
    for job in st.session_state.pop(_STARTED, ()):
        job.query = job.query or dict(query)


@st.cache_resource
def page_jobs() -> PageJobs:
    return PageJobs()


def start_job(title: str, key: str, run: Callable, *args: object, **options: object) -> None:
    """Queue ``run`` on these arguments and on ``tell`` and ``is_cancelled``."""

    def call(job: Job) -> None:
        run(*args, **options, tell=job.report, is_cancelled=lambda: job.is_cancelled)

    page_jobs().call(title, call, key=key)


def start_tasks(title: str, key: str, run: Callable, *args: object) -> None:
    """Queue a run of tasks, whose first results come at once: they are computed in this process
    while the workers start."""
    start_job(title, key, run, *args, workers=WORKERS, begins_here=True)


def start_asked(ask: Callable[[], Any], start: Callable[[Any], object]) -> None:
    """A callback that starts what the form asks for now, a number typed right before the click
    included. A refused number starts nothing; the page says why."""
    with suppress(SpadesError):
        start(ask())


def show_start(
    label: str,
    note: str,
    key: str,
    start: Callable,
    *args: Any,
    icon: str = "play_arrow",
    **settings: Any,
) -> None:
    """The button whose callback ``start`` queues a job, and a note on what that takes."""
    with centered_row():
        show_button(label, icon, key, start, *args, **settings)
        show_note(note)


def show_jobs(page: str, *, made: Callable[[], Hashable] = lambda: None) -> None:
    """The page's jobs: running, waiting, and in one line those that ended and weren't dismissed;
    ``page`` begins the widgets' keys.

    The page is drawn anew when a job ends, and when ``made`` returns something new: call this
    before the jobs' results are read.
    """
    jobs = page_jobs().jobs_here()
    active = [job for job in jobs if job.is_active]
    before = made() if active else None
    ended = [job for job in jobs if job.is_finished]
    shown = [*_ahead_of(active), *active]

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if active else None)
    def panel() -> None:
        for job in shown:
            show_job(job, page)
        _show_ended([job for job in ended if job.id not in dismissed_jobs()], page)
        has_ended = any(job.is_finished for job in active)
        if has_ended or (active and made() != before):
            draw_again()

    panel()


def dismissed_jobs() -> set[str]:
    """Ids of the ended jobs that the reader has put away, on the pages and in the bar."""
    dismissed: set[str] = st.session_state.setdefault(_DISMISSED, set())
    return dismissed


def show_dismiss(job: Job, place: str) -> None:
    """The button that puts an ended job away; ``place`` begins its key."""
    key = f"{place}_dismiss_{job.id}"
    show_button("Dismiss", "close", key, dismissed_jobs().add, job.id, type="tertiary")


def _show_ended(jobs: Sequence[Job], page: str) -> None:
    """The job that was queued last, and the others behind their number."""
    if not jobs:
        return
    newest, *others = jobs
    with centered_row():
        show_job(newest, page)
        show_dismiss(newest, page)
        if others:
            label = f"{len(others)} more"
            show_popover(
                label, "task_alt", f"{page}_ended", _show_others, others, page, type="tertiary"
            )


def _show_others(jobs: Sequence[Job], page: str) -> None:
    ids = [job.id for job in jobs]
    show_button("Dismiss all", "clear_all", f"{page}_dismiss_all", dismissed_jobs().update, ids)
    for job in jobs:
        with centered_row():
            show_job(job, page)
            show_dismiss(job, page)


def _ahead_of(active: Sequence[Job]) -> list[Job]:
    """Other pages' jobs that run before these."""
    waiting = [job for job in active if job.state == WAITING]
    if not waiting:
        return []
    jobs = page_jobs().jobs()  # newest first
    earlier = jobs[jobs.index(waiting[0]) :]
    return [job for job in earlier if job.is_active and job not in active]


def show_job(job: Job, page: str) -> None:
    title = literal(job.title)
    with centered_row():
        if job.error is not None:
            show_wrong(f"{title}: {literal(job.reason)}")
            return
        if job.is_finished:
            st.write(f"{title}: {job.state}")
            return
        show_loading(job.progress.share, text=f"{title}: {literal(progress_text(job))}")
        job.drop_absent_readers(is_here)
        if job.may_be_cancelled_by(reader()):
            key = f"{page}_cancel_{job.id}"
            show_button("Cancel", "stop", key, job.cancel, reader(), disabled=job.is_cancelled)
        else:
            show_note("Started by another reader")


def progress_text(job: Job) -> str:
    """An active job's progress, or what a cancelled one still waits for: compiled code can't be
    interrupted."""
    if not job.is_cancelled:
        return job.progress.text() if job.progress.total else job.state
    if job.state == WAITING:
        return "cancelling ..., it won't start"
    if not job.progress.done:
        return "cancelling ..., after the part under way; compiling first takes a minute"
    return "cancelling ..., after the part under way"
