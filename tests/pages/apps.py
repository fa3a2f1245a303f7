"""A page under AppTest: opened with a query, and what is on it."""

import base64
import json
import re
import time
from pathlib import Path

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from ui.shared.jobs import page_jobs

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
PATIENCE_SECONDS = 60


def open_page(name, query, seconds=120):
    """A page by its file under ``pages``, empty for Replay, run once."""
    app = AppTest.from_file(str(APP), default_timeout=seconds)
    if name:
        app.switch_page(f"pages/{name}.py")
    for key, value in query.items():
        app.query_params[key] = value
    return run(app)


def run(app):
    """One more run, which must end without an exception."""
    app.run()
    assert not app.exception, app.exception
    return app


def address(app):
    """The query string; AppTest gives a list where a test has set the value."""
    given = app.query_params.items()
    return {name: value if isinstance(value, str) else value[-1] for name, value in given}


def texts(app):
    """All words of the page but those of widgets and tables, no mark escaped and none red."""
    read = (app.markdown, app.caption, app.subheader, app.info, app.warning, app.error)
    return plain("\n".join(element.value for elements in read for element in elements))


def plain(markdown):
    """The words of a Markdown text, no mark escaped and none red."""
    return re.sub(r":red\[(.*?)\]", r"\1", markdown).replace("\\", "")


def charts(app):
    """Figures of the page by key."""
    found = app.get("plotly_chart")
    return {chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in found}


def components(app):
    """Components of the page, without the one in the bar that watches the window."""
    found = app.get("bidi_component")
    return [one for one in found if not one.proto.component_name.endswith("window_width")]


def numbers(values):
    """A column of a figure as an array; plotly packs those."""
    if not isinstance(values, dict):
        return np.array(values)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    shape = map(int, values.get("shape", str(len(flat))).split(","))
    return flat.reshape(*shape)


def button(app, label):
    """The first button that says this."""
    return next(one for one in app.button if label in one.label)


def say(monkeypatch, box, text):
    """From now on the browser calls what is chosen in a selectbox by a text that isn't offered."""
    said = WidgetState(id=box.id, string_value=text)
    others = type(box)._widget_state.fget
    sent = property(lambda one: said if one.key == box.key else others(one))
    monkeypatch.setattr(type(box), "_widget_state", sent)


def see_ended(app):
    """Wait until every job has ended, and look again."""
    until = time.monotonic() + PATIENCE_SECONDS
    while any(job.is_active for job in page_jobs().jobs()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return run(app)
