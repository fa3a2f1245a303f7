"""The panel of running jobs: what a cancelled job says."""

import pytest
from streamlit.testing.v1 import AppTest

from analysis.runs.jobs import Job, LongCall
from analysis.runs.progress import Progress
from ui.shared.jobs import progress_text


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
