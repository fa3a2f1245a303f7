"""What every page begins with: how wide it is, garbage collection, drawing itself again, faults."""

import gc
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.web.server.app_discovery import discover_asgi_app

from ui.shared import page

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
    monkeypatch.setattr(page, "st", browser)
    assert page.is_narrow() is narrow


def test_a_page_leaves_what_is_imported_out_of_collections(monkeypatch):
    monkeypatch.setattr(page, "_n_frozen", 0)
    held = [[] for _ in range(1000)]
    before = gc.get_freeze_count()
    page.spare_the_collector()
    assert gc.get_freeze_count() >= before + len(held)


def test_again_only_once_there_is_more(monkeypatch):
    frozen = []
    monkeypatch.setattr(page, "_n_frozen", 0)
    monkeypatch.setattr(page.gc, "freeze", lambda: frozen.append(len(sys.modules)))
    page.spare_the_collector()
    page.spare_the_collector()
    assert len(frozen) == 1
    monkeypatch.setitem(sys.modules, "one_more", ModuleType("one_more"))
    page.spare_the_collector()
    assert len(frozen) == 2


def script():
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from ui.shared.page import DIALOG, draw_again

    runs = st.session_state.setdefault("runs", [])
    runs.append(st.query_params.to_dict())
    if len(runs) == 1:
        ctx = get_script_run_ctx()
        asked = RerunData(query_string="asked=1", page_script_hash=ctx.page_script_hash)
        ctx.script_requests.request_rerun(asked)  # as a click on a link does
        draw_again()
    elif len(runs) == 2:
        draw_again()
    else:
        st.session_state[DIALOG] = True
        draw_again()


def test_what_was_asked_meanwhile_goes_first_and_nothing_is_drawn_behind_a_dialog():
    app = AppTest.from_function(script).run()
    assert not app.exception
    assert app.session_state["runs"] == [{}, {"asked": "1"}, {"asked": "1"}]


def faulty():
    import streamlit as st

    from spades.core.errors import SpadesError
    from ui.shared.page import report_fault

    assert report_fault(KeyError("/home/somebody/secret.py"))
    assert report_fault(SpadesError("no log *a* here"))
    st.write("the page goes on")


def test_a_fault_is_a_number_that_the_log_has_and_a_refusal_its_own_words(caplog):
    app = AppTest.from_function(faulty).run()
    assert not app.exception
    fault, refusal = (shown.value for shown in app.error)
    assert "secret" not in fault
    (number,) = re.findall(r"as fault ([0-9a-f]{8})\.", fault)
    assert f"fault {number}: KeyError('/home/somebody/secret.py')" in caplog.text
    assert refusal == r"no log \*a\* here"


def test_the_server_brings_all_faults_to_one_place():
    """As ``streamlit run app.py`` loads it."""
    path = Path(__file__).parents[3] / "app.py"
    assert discover_asgi_app(path).import_string == "app:app"
    spec = spec_from_file_location("app", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.app.script_path == path
    assert module.app._on_script_error is page.report_fault
