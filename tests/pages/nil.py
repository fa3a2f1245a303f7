"""The Nil page under AppTest: shown with a query, and what is on it."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"


def show(**query):
    page = AppTest.from_file(str(APP), default_timeout=120)
    page.switch_page("pages/5_Nil.py")
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def charts(page):
    return {
        chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec)
        for chart in page.get("plotly_chart")
    }


def texts(page):
    elements = (*page.caption, *page.markdown, *page.info, *page.warning, *page.error)
    return " ".join(element.value for element in elements).replace("\\", "")
