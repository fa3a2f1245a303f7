"""What page tests share: empty caches, compiled kernels."""

import pytest
import streamlit as st

from analysis.decisions.decision import analyse_decision
from analysis.decisions.ladder import LadderSettings, climb
from analysis.decisions.settings import AnalysisSettings
from spades.search import Knowledge
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


@pytest.fixture(autouse=True)
def empty_caches(compiled_kernels):
    """Streamlit's caches outlive a test."""
    st.cache_data.clear()
    st.cache_resource.clear()
