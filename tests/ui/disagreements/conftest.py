"""Empty caches and compiled kernels for every test of the page."""

from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
