"""The Models page under AppTest."""

import json
import shutil
import time

import pytest

from analysis.models.tables import feature_table, read_comparison
from analysis.models.training import TrainingPlan
from spades.human.loglinear import devlin2016
from spades.human.registry import MODELS
from tests.pages.apps import address, open_page, run
from ui.models import train as models_train


def open_models(**query):
    return open_page("8_Models", query)


def charts(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_it_opens_on_the_comparison_of_all_models():
    app = open_models()
    assert app.title[0].value == "Models of human play"
    (chart,) = charts(app)
    rows = read_comparison()["models"]
    assert len(chart["data"][0]["y"]) == len(rows) >= 14
    (table,) = app.dataframe
    assert set(table.value["accuracy"]) == {row["accuracy"] for row in rows}


def test_the_weights_are_the_models():
    app = open_models(view="weights")
    assert len(app.dataframe) == 2
    (chart,) = charts(app)
    n_bars = sum(len(trace["y"]) for trace in chart["data"])
    assert 0 < n_bars <= len(feature_table())


def test_one_model_is_measured_on_fresh_rounds():
    app = open_models(view="one", model="devlin2016-nil", rounds="200", seed="5")
    labels = [metric.label for metric in app.metric]
    assert labels[:3] == ["Accuracy", "Of the ceiling", "On abstract moves"]
    assert abs(float(app.metric[1].value.rstrip("%")) - 100) < 3  # it is the truth itself
    assert app.metric[4].value == "0.0000"
    reliability, confusion = charts(app)
    assert len(reliability["data"]) == 2
    assert sum(map(sum, confusion["data"][0]["customdata"])) > 1000
    assert address(app)["model"] == "devlin2016-nil"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"model": "t-200-100", "seed": "101"}, "t-200-100 was trained on simulated rounds of"),
        ({"model": "t-200-100", "seed": "202"}, ""),
        ({"model": "devlin2016", "seed": "101"}, ""),
        ({"model": "mine", "seed": "202"}, "mine was trained on simulated rounds of seed 202"),
        ({"model": "mine", "seed": "101"}, ""),
        ({"model": "of-log", "seed": "202"}, ""),
    ],
)
def test_rounds_that_a_model_was_trained_on_are_not_called_fresh(
    query, told, tmp_path, monkeypatch
):
    for name, log in (("mine", "simulated"), ("of-log", "human-south")):
        model = devlin2016()
        model.facts_ = {"data": {"log": log}, "seed": 101}
        model.save(tmp_path / f"{name}.safetensors")
    shutil.copy(MODELS.folder() / "t-200-100.safetensors", tmp_path)
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    app = open_models(view="one", rounds="200", **query)
    warnings = [warning.value.replace("\\", "") for warning in app.warning]
    assert len(warnings) == bool(told)
    assert all(f"Not fresh: {told}" in warning for warning in warnings)


def test_a_stale_link_is_told():
    app = open_models(view="weights", model="gone")
    assert "model=gone" in app.warning[0].value.replace("\\", "")


def test_a_training_runs_beside_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    monkeypatch.setattr(models_train, "train_apart", lambda plan, tell, is_cancelled: done(plan))
    made = []

    def done(plan):
        made.append(plan)

    app = open_models(view="train")
    app.text_input(key="models_train_name").set_value("mine")
    app.number_input(key="models_train_rounds").set_value(300)
    next(button for button in app.button if button.label == "Train").click()
    run(app)
    until = time.monotonic() + 20
    while not made and time.monotonic() < until:
        time.sleep(0.05)
    assert made == [TrainingPlan("t-200-150-100", "mine", rounds=300)]


def test_a_training_that_cannot_be_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    app = open_models(view="train")
    app.text_input(key="models_train_name").set_value("../mine")
    next(button for button in app.button if button.label == "Train").click()
    run(app)
    assert "no name for a human model" in app.error[0].value.replace("\\", "")
