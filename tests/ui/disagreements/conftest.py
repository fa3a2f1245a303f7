"""For every test of the page: empty caches, compiled kernels, and a searched log to copy."""

import pytest

from analysis.disagreements.search import run_log_search
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from tests.ui.disagreements.page import N_PLAYS, PLAN, stores_apart


@pytest.fixture(scope="session")
def searched_stores(tmp_path_factory):
    """A folder of stores in which the rounds of ``PLAN`` are searched, ``N_PLAYS`` plays of
    each."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder = stores_apart(tmp_path_factory.mktemp("searched"), monkeypatch, N_PLAYS)
        run_log_search(PLAN)
    return folder
