"""The Replay page without a browser."""

import json
import time

from tests.pages.apps import open_page, run
from ui.replay.judging import evidence_jobs, repeats_jobs, review_jobs
from ui.replay.panel import search_jobs, series_jobs

TIMEOUT = 30
PATIENCE = 6 * TIMEOUT  # the posterior and the players compile
POLL_SECONDS = 0.05
VIEW = "replay_table"


def open_replay(**query):
    """The page as a link opens it, at its first run."""
    return open_page("", query, TIMEOUT)


def wait_for(registry):
    """Until the jobs of a registry have ended; a page that is drawn meanwhile only delays them."""
    for job in registry.jobs():
        if job.is_active:
            assert job.wait(PATIENCE)


def searched(app):
    """Run until every decision of the round is searched."""
    while view_data(app)["progress"] is not None:
        wait_for(search_jobs().rounds)
        run(app)
    return app


def judged(app, ply):
    """Run until the judge has concluded at a play."""
    while view_data(app)["decisions"][ply]["is_checking"]:
        for registry in (evidence_jobs(), repeats_jobs()):
            wait_for(registry)
        run(app)
    return app


def answered(app):
    """Run until the bidders have answered."""
    until = time.monotonic() + TIMEOUT
    while view_data(searched(app))["bids"] is None:
        assert time.monotonic() < until
        time.sleep(POLL_SECONDS)
        run(app)
    return app


def view_data(app):
    """What the replay view was sent."""
    found = app.get("bidi_component")
    (view,) = [one for one in found if one.proto.component_name.endswith("spades_replay_view")]
    data = json.loads(view.proto.json)
    data["decisions"] = [text and json.loads(text) for text in data["decisions"]]
    return data


def report(app, **state):
    """The browser tells where the reader is."""
    data = view_data(app)
    app.session_state[VIEW] = {"at": f"{data['id']}|{data['rev']}", **state}
    return run(app)


def step(app, n):
    """The reader steps so many plays or bids on in the browser."""
    data = view_data(app)
    told = app.session_state[VIEW] if VIEW in app.session_state else {}  # noqa: SIM401
    is_known = told.get("at") == f"{data['id']}|{data['rev']}"
    ply = told["ply"] if is_known else data["ply"]
    view = told["view"] if is_known else data["view"]
    return report(app, ply=ply + n, view=view)


def click(app, label):
    button = next(button for button in app.button if button.label == label)
    assert not button.disabled
    button.click()
    return run(app)


def paste(app, text):
    """Open a record through the paste area."""
    open_popover(app, "hand")
    app.text_area(key="replay_paste").set_value(text)
    return click(app, "Open pasted record")


def open_popover(app, name):
    """A popover of the toolbar: hand, share, report or settings."""
    if name == "hand":  # the key of this one changes with each hand that is opened
        counter = "replay_n_opened"
        n = app.session_state[counter] if counter in app.session_state else 0  # noqa: SIM401
        name = f"hand_{n}"
    return put(app, **{f"open_{name}": True})


def settled(app):
    """Run until nothing is under way in a panel."""
    while any(button.label == "Cancel" for button in app.button):
        for registry in (search_jobs().live, series_jobs(), review_jobs()):
            wait_for(registry)
        run(app)
    return app


def choose(app, kind, key, value):
    """Set a control of the page by its key and run."""
    getattr(app, kind)(key=f"replay_{key}").set_value(value)
    return run(app)


def put(app, **values):
    """Set values that the browser tells, such as which panels are open, and run."""
    for name, value in values.items():
        app.session_state[f"replay_{name}"] = value
    return run(app)


def table(app, column):
    """The first table with a column; None without one."""
    found = [frame.value for frame in app.dataframe if column in frame.value.columns]
    return found[0] if found else None


def figures(app):
    """The types of the traces of each chart."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [[trace["type"] for trace in spec["data"]] for spec in specs]


def visit(app, page, **query):
    """Go to another page by a link with this query."""
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(page)
    return run(app)
