"""The server for participants alone: its landing, its routes."""

from streamlit.testing.v1 import AppTest

from tests.pages.apps import ROOT, run, texts
from ui.play.routes import PATH, ROUTES
from ui.studies.alone import STUDY_ROUTES


def test_the_landing_says_to_open_ones_link_and_nothing_else():
    at = AppTest.from_file(str(ROOT / "ui" / "studies" / "alone.py"), default_timeout=60)
    run(at)
    assert texts(at) == "This server has studies. Open the link that you were given."
    assert len(at.main.children) == 1
    assert not at.sidebar.children


def test_tables_are_played_at_but_not_opened():
    paths = [route.path for route in ROUTES]
    assert f"{PATH}/open" in paths
    assert [route.path for route in STUDY_ROUTES] == [one for one in paths if one != f"{PATH}/open"]


def test_no_pages_lie_beside_it():
    assert not (ROOT / "ui" / "studies" / "pages").exists()
