"""The Models page under AppTest."""

import json

from analysis.model_tables import feature_table
from tests.pages.replay import open_replay, run


def open_models():
    app = open_replay(iterations="100")  # links between pages need the landing page's folder
    app.switch_page("pages/8_Models.py")
    return run(app)


def test_it_opens():
    app = open_models()
    assert app.title[0].value == "Models of human play"
    assert len(app.dataframe) == 2
    assert len(app.get("download_button")) == 1


def test_the_chart_shows_the_models_weights():
    (chart,) = open_models().get("plotly_chart")
    traces = json.loads(chart.proto.spec)["data"]
    n_bars = sum(len(trace["y"]) for trace in traces)
    assert 0 < n_bars <= len(feature_table())
