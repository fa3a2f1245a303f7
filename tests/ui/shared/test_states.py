"""The four states of a panel: drawn by one module, each with its own look."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ui.shared import states

ROOT = Path(__file__).parents[3]
BOXES = re.compile(r"\bst\.(info|warning|error|progress)\(")


def test_no_page_draws_a_state_by_itself():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "ui").rglob("*.py")]
    drawing = [file for file in files if BOXES.search(file.read_text("utf-8"))]
    assert drawing == [Path(states.__file__)]


@pytest.mark.parametrize(
    ("name", "kind", "icon"),
    [
        ("show_empty", "info", ":material/inbox:"),
        ("show_partial", "warning", ":material/warning:"),
        ("show_wrong", "error", ":material/block:"),
    ],
)
def test_a_state_has_its_colour_and_icon(name, kind, icon):
    app = AppTest.from_string(f"from ui.shared.states import {name}\n{name}('Said')").run()
    (box,) = getattr(app, kind)
    assert (box.value, box.icon) == ("Said", icon)


def test_what_is_loading_says_how_far_it_is():
    app = AppTest.from_string(
        "from ui.shared.states import show_loading\nshow_loading(0.25, 'Counting')"
    ).run()
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (25, "Counting")
