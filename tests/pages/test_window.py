"""Whether the page is narrow: what the browser told, before that a guess by its name."""

from types import SimpleNamespace

import pytest

from ui.shared import window

PHONE = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36"
DESK = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36"


@pytest.mark.parametrize(
    ("headers", "told", "narrow"),
    [
        ({"User-Agent": PHONE}, {}, True),
        ({"User-Agent": DESK}, {}, False),
        ({}, {}, False),
        ({"User-Agent": PHONE}, {"window_is_narrow": False}, False),  # a phone held sideways
        ({"User-Agent": DESK}, {"window_is_narrow": True}, True),
    ],
)
def test_what_the_browser_told_counts_and_its_name_before_that(monkeypatch, headers, told, narrow):
    browser = SimpleNamespace(session_state=told, context=SimpleNamespace(headers=headers))
    monkeypatch.setattr(window, "st", browser)
    assert window.is_narrow() is narrow
