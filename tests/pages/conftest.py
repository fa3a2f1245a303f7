"""What page tests share: empty caches, compiled kernels, a quick judge, jobs that end."""

import pytest
import streamlit as st

from analysis.decisions.decision import analyse_decision
from analysis.decisions.ladder import LadderSettings, climb
from analysis.decisions.settings import AnalysisSettings
from analysis.runs.scheduler import RoundRobin
from spades.search import Knowledge
from tests.analysis.disagreements.quick import review_quickly
from tests.pages.texts import bid_decisions, shipped


@pytest.fixture(scope="session")
def compiled_kernels():
    """A page test may not time out because it is the first to search."""
    analyse_decision(shipped(), 0, AnalysisSettings(iterations=10))
    climb(shipped().observation(0), LadderSettings(Knowledge(), iterations=10, n_seeds=1))


@pytest.fixture(scope="session")
def compiled_bidders():
    """As ``compiled_kernels``, for tests that wait for the bidders."""
    for name in ("south-nil", "four-bots"):
        bid_decisions(shipped(name), n=1)


@pytest.fixture
def quick_judge(monkeypatch):
    """For tests of a page that shows what the judge says, whatever that is."""
    review_quickly(monkeypatch)


@pytest.fixture(autouse=True)
def empty_caches(compiled_kernels, monkeypatch):
    """Streamlit's caches outlive a test, and so would the jobs that a page has begun."""
    st.cache_data.clear()
    st.cache_resource.clear()
    submit = RoundRobin.submit
    begun = []

    def note(scheduler, job):
        begun.append(job)
        return submit(scheduler, job)

    monkeypatch.setattr(RoundRobin, "submit", note)
    yield
    for job in begun:
        job.cancel()
