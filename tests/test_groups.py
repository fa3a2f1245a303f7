"""Tests of one group run on one worker: two browsers at once take a small machine's time away."""

import pytest


def test_groups_are_kept_together(request):
    if not request.config.getoption("loadgroup", False):
        pytest.skip("only with --dist loadgroup")
    tests = [item for item in request.session.items if item.get_closest_marker("browser")]
    assert all(test.nodeid.endswith("@browser") for test in tests)
