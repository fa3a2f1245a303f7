import os
import sys
import tempfile

import pytest
from hypothesis import settings

# The first call of a kernel compiles it, which no deadline should count.
settings.register_profile("lab", deadline=None)
settings.load_profile("lab")

# As a training sets it, for tests that import PyTorch before one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# What tests store stays out of the user's folder, and what lies there out of the tests.
_USER_FOLDER = tempfile.TemporaryDirectory(prefix="spades-tests-")
os.environ["SPADES_DATA"] = _USER_FOLDER.name

# Replay judges no round ahead: few tests look at that, and it would take as long as all others.
os.environ["SPADES_READERS_AHEAD"] = "0"


@pytest.fixture
def forget_own_code():
    """Bots, bidders and priors that a test registers are gone after it."""
    from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
    from spades.human.own import OWN_PRIORS

    yield
    for registry in (OWN_PLAYERS, OWN_BIDDERS, OWN_PRIORS):
        registry.clear()


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Writes a module that can be imported, under a name that is new for every test."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    path = list(sys.path)

    def write(text):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    monkeypatch.syspath_prepend(str(tmp_path))
    yield write
    sys.modules.pop(name, None)
    sys.path[:] = path
