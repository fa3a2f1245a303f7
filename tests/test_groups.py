"""Browser tests run in two groups, a worker each: more at once take a small machine's time away."""

import pytest


def test_groups_are_kept_together(request):
    if not request.config.getoption("loadgroup", False):
        pytest.skip("only with --dist loadgroup")
    tests = [item for item in request.session.items if item.get_closest_marker("browser")]
    groups = {test.nodeid.rpartition("@")[2] for test in tests}
    assert groups <= {"browser", "browser-2"}
