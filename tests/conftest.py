import os
import tempfile

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline should count.
settings.register_profile("lab", deadline=None)
settings.load_profile("lab")

# As a training sets it, for tests that import PyTorch before one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# What tests store stays out of the user's folder, and what lies there out of the tests.
_USER_FOLDER = tempfile.TemporaryDirectory(prefix="spades-tests-")
os.environ["SPADES_DATA"] = _USER_FOLDER.name
