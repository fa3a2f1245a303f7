"""A job: who keeps it going, who may cancel it, how it ends."""

import pytest

from analysis.runs.jobs import CANCELLED, DONE, FAILED, NEW, RUNNING, WAITING, Job, LongCall
from spades.core.errors import SpadesError


def new_job(**options):
    return Job(LongCall(lambda job: None), "a match", **options)


@pytest.mark.parametrize(
    ("state", "is_active", "is_finished"),
    [
        (NEW, False, False),
        (WAITING, True, False),
        (RUNNING, True, False),
        (DONE, False, True),
        (CANCELLED, False, True),
        (FAILED, False, True),
    ],
)
def test_a_job_is_new_active_or_finished(state, is_active, is_finished):
    job = new_job()
    job.state = state
    assert (job.is_active, job.is_finished) == (is_active, is_finished)


def test_how_a_job_ended_and_why():
    done = new_job()
    done.end()
    assert (done.state, done.reason) == (DONE, "")
    refused = new_job()
    refused.end(SpadesError("no such agent"))
    assert (refused.state, refused.reason) == (FAILED, "no such agent")
    broken = new_job()
    broken.end(ZeroDivisionError("oops"))
    assert (broken.state, broken.reason) == (FAILED, "ZeroDivisionError: oops")
    cancelled = new_job()
    cancelled.cancel()
    cancelled.end()
    assert (cancelled.state, cancelled.has_timed_out) == (CANCELLED, False)


def test_one_reader_who_cancels_a_job_does_not_cancel_it_for_another():
    job = new_job(idle_timeout=60)
    job.heartbeat("first")
    job.heartbeat("second")
    job.cancel("first")
    job.heartbeat("first")
    assert job.is_cancelled_by("first")
    assert not job.is_cancelled_by("second")
    assert job.n_readers == 1
    assert not job.is_cancelled
    job.cancel("second")
    assert job.is_cancelled


def test_a_reader_who_has_closed_the_page_waits_no_more():
    job = new_job(idle_timeout=60)
    job.heartbeat("here")
    job.heartbeat("gone")
    job.drop_absent_readers(lambda reader: reader == "here")
    assert job.n_readers == 1
    job.heartbeat("gone")
    job.cancel("here")
    assert not job.is_cancelled
    job.drop_absent_readers(lambda reader: reader == "here")
    assert job.is_cancelled


def test_only_who_started_a_job_may_cancel_it_while_they_are_here():
    job = new_job()
    job.heartbeat("starter")
    assert job.may_be_cancelled_by("starter")
    assert not job.may_be_cancelled_by("another")
    job.drop_absent_readers(lambda reader: reader != "starter")
    assert job.may_be_cancelled_by("another")
    assert not job.is_cancelled
