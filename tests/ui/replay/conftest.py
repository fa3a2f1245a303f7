"""Empty caches, compiled kernels and a store of results of its own for every test of the page."""

import pytest

from tests.pages.conftest import (  # noqa: F401
    compiled_bidders,
    compiled_kernels,
    empty_caches,
    quick_judge,
)


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
