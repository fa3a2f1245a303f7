"""The panel of jobs: what a cancelled one says, and where those that ended go."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.runs.jobs import Job, LongCall
from analysis.runs.progress import Progress
from ui.shared.jobs import page_jobs, progress_text

ENDED = ["first", "second", "third"]


def page():
    import streamlit as st

    from ui.shared.jobs import show_job

    show_job(st.session_state["job"], "here")


@pytest.mark.parametrize(
    ("state", "progress", "told"),
    [
        ("waiting", Progress(0), "won't start"),
        ("running", Progress(0), "compiling first takes a minute"),
        ("running", Progress(8, done=2), "after the part under way"),
    ],
)
def test_a_cancelled_job_says_at_once_what_it_waits_for(state, progress, told):
    job = Job(LongCall(lambda job: None))
    job.title = "a match"
    job.state = state
    job.report(progress)
    shown = AppTest.from_function(page, default_timeout=20)
    shown.session_state["job"] = job
    shown.run()
    assert not shown.exception
    assert not shown.button(key=f"here_cancel_{job.id}").disabled
    shown.button(key=f"here_cancel_{job.id}").click().run()
    assert job.is_cancelled
    assert told in progress_text(job)
    bar = shown.get("progress")[0].proto.text.replace("\\", "")
    assert bar == f"a match: {progress_text(job)}"
    assert shown.button(key=f"here_cancel_{job.id}").disabled  # once is enough


@pytest.fixture
def ended():
    st.cache_resource.clear()
    for title in ENDED:
        page_jobs().call(title, lambda job: None, key=title).wait(10)
    yield
    st.cache_resource.clear()


def page_of_jobs():
    from ui.shared.jobs import show_jobs

    show_jobs("here")


@pytest.mark.usefixtures("ended")
def test_ended_jobs_take_a_line_and_can_be_put_away():
    shown = AppTest.from_function(page_of_jobs, default_timeout=20).run()
    assert [one.value for one in shown.markdown] == ["third: done"]
    (more,) = shown.get("popover")
    assert more.proto.popover.label == "2 more"
    shown.session_state["here_ended"] = True
    shown.run()
    assert [one.value for one in shown.markdown] == [f"{title}: done" for title in ENDED[::-1]]
    shown.button(key="here_dismiss_all").click().run()
    assert [one.value for one in shown.markdown] == ["third: done"]
    assert not shown.get("popover")
    (dismiss,) = shown.button
    dismiss.click().run()
    assert not shown.markdown
