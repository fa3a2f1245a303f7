"""What a click calls."""

from types import SimpleNamespace

import pytest

from ui.shared import widgets


@pytest.mark.parametrize(
    ("drawn", "own", "is_called"),
    [
        (None, None, True),
        (None, "stop", True),  # a button of a fragment, in a run of the whole page
        (["stop"], "stop", True),
        (["timer"], None, False),  # its own message is on the way
        (["timer"], "stop", False),
    ],
)
def test_a_click_that_a_timer_brings_along_is_not_taken_twice(monkeypatch, drawn, own, is_called):
    context = SimpleNamespace(fragment_ids_this_run=drawn)
    monkeypatch.setattr(widgets, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(widgets.ThreadState, "get", lambda: SimpleNamespace(fragment_id=own))
    calls = []
    widgets.once(calls.append)("moved")
    assert calls == ["moved"] * is_called
