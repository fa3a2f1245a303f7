"""A store of results of a test module's own: the user's is neither read nor written."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def own_results(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        yield
