"""The server for participants alone: its landing, its routes."""

from streamlit.testing.v1 import AppTest

from tests.pages.apps import ROOT, run, texts
from ui.play.routes import PATH, ROUTES
from ui.shared.document import OwnStyle
from ui.study.alone import MIDDLEWARE, STUDY_ROUTES


def test_the_landing_says_to_open_ones_link_and_nothing_else():
    at = AppTest.from_file(str(ROOT / "ui" / "study" / "alone.py"), default_timeout=60)
    run(at)
    assert texts(at) == "This server has studies. Open the link that you were given."
    assert len(at.main.children) == 1
    assert not at.sidebar.children


def test_tables_are_played_at_but_not_opened():
    assert {f"{PATH}/open", f"{PATH}/connect", f"{PATH}/tournament"} < {one.path for one in ROUTES}
    paths = {route.path for route in STUDY_ROUTES}
    assert paths == {f"{PATH}/view", f"{PATH}/move", f"{PATH}/help"}


def test_participants_fetch_no_code_of_charts():
    (with_style,) = (each for each in MIDDLEWARE if each.cls is OwnStyle)
    assert b"js/PlotlyChart." in OwnStyle(None).head
    assert b"js/PlotlyChart." not in OwnStyle(None, **with_style.kwargs).head


def test_no_pages_lie_beside_it():
    assert not (ROOT / "ui" / "study" / "pages").exists()
