"""Human models on Agents: the views to look at, one model measured, a model trained."""

import json
import time
from dataclasses import asdict

import pytest

from analysis.models import training
from analysis.models.comparison import measure_own
from analysis.models.tables import feature_table, own_rows, read_comparison
from analysis.models.training import SIMULATED, TrainingError, TrainingPlan, seen_in_training
from spades.core.paths import DATA
from spades.human import load_model
from spades.human.loglinear import devlin2016
from tests.pages.apps import address, button, open_page, run, texts
from ui.agents import compare, one
from ui.shared.page import literal


def open_models(**query):
    return open_page("7_Agents", query)


def charts(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_all_models_are_compared_and_the_weights_shown():
    app = open_models(view="compare", model="gone")
    assert app.title[0].value == "Agents"
    assert "model=gone" in app.warning[0].value.replace("\\", "")
    (chart,) = charts(app)
    rows = read_comparison()["models"]
    assert len(chart["data"][0]["y"]) == len(rows) >= 14
    (table,) = app.dataframe
    assert set(table.value["accuracy"].round(3)) == {round(row["accuracy"], 3) for row in rows}
    assert "Devlin 2016 + nil (simulated humans)" in table.value["model"].tolist()
    app.button_group(key="agents_view").set_value("weights")
    run(app)
    assert address(app) == {"view": "weights"}
    assert len(app.dataframe) == 2
    (chart,) = charts(app)
    n_bars = sum(len(trace["y"]) for trace in chart["data"])
    assert 0 < n_bars <= len(feature_table())


def test_one_model_is_measured_on_rounds_fresh_or_not():
    app = open_models(view="one", model="devlin2016-nil", rounds="200", model_seed="101")
    labels = [metric.label for metric in app.metric]
    assert labels[:3] == ["Accuracy", "Of the ceiling", "On abstract moves"]
    assert abs(float(app.metric[1].value.rstrip("%")) - 100) < 3  # it is the truth itself
    assert app.metric[4].value == "0.0000"
    assert not app.warning
    reliability, confusion = charts(app)
    assert len(reliability["data"]) == 2
    assert sum(map(sum, confusion["data"][0]["customdata"])) > 1000
    assert address(app)["model"] == "devlin2016-nil"
    app.selectbox(key="agents_model").set_value("t-200-100")
    run(app)
    assert "Not fresh: t-200-100 was trained on simulated rounds of seed 101" in texts(app)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"seed": "seven", "data": {}}, "seed in its header is 'seven'; a whole number is legal"),
        ({"seed": 7, "data": None}, "data in its header is None; an object is legal"),
    ],
)
def test_a_model_with_an_odd_header_is_refused_on_its_page(tmp_path, monkeypatch, facts, reason):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    model = devlin2016()
    model.facts_ = facts
    model.save(tmp_path / "odd.safetensors")
    app = open_models(view="one", model="odd", rounds="200")
    assert f"odd.safetensors: {reason}" in texts(app)


@pytest.mark.parametrize(
    ("name", "log", "seed", "reason"),
    [
        (
            "t-200-100",
            SIMULATED,
            101,
            "t-200-100 was trained on simulated rounds of seed 101; take",
        ),
        ("t-200-100", SIMULATED, 202, ""),
        ("devlin2016", SIMULATED, 101, ""),
        ("mine", SIMULATED, 202, "mine was trained on simulated rounds of seed 202"),
        ("mine", SIMULATED, 101, ""),
        ("of-log", SIMULATED, 202, ""),
        ("of-log", "human-south", 202, "of-log was trained on human-south."),
    ],
)
def test_rounds_a_model_was_trained_on_are_not_fresh(name, log, seed, reason):
    logs = {"mine": SIMULATED, "of-log": "human-south"}
    if name in logs:
        model = devlin2016()
        model.name, model.facts_ = name, {"data": {"log": logs[name]}, "seed": 101}
    else:
        model = load_model(name)
    found = seen_in_training(model, log, seed)
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


def test_a_training_runs_next_to_the_page_or_is_refused(tmp_path, monkeypatch):
    made = []
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    monkeypatch.setattr(one, "train_apart", lambda plan, **how: made.append(plan))
    app = open_models(view="train")
    app.text_input(key="agents_train_name").set_value("../mine")
    button(app, "Train").click()
    run(app)
    assert "no name for a human model" in app.error[0].value.replace("\\", "")
    app.text_input(key="agents_train_name").set_value("mine")
    app.number_input(key="agents_train_rounds").set_value(5)
    button(app, "Train").click()
    run(app)
    assert "100 to 200,000 are legal" in app.error[0].value.replace("\\", "")
    app.number_input(key="agents_train_rounds").set_value(300)
    button(app, "Train").click()
    run(app)
    until = time.monotonic() + 20
    while not made and time.monotonic() < until:
        time.sleep(0.05)
    assert made == [TrainingPlan("t-200-150-100", "mine", rounds=300)]


def test_own_models_are_compared_have_curves_and_can_be_deleted(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    devlin2016().save(tmp_path / "mine.safetensors")
    losses = [{"epoch": i, "epochs": 3, "loss": 2 - i / 9, "validation_loss": 2.1 - i / 9,
               "seconds": 1.0} for i in (1, 2)]  # fmt: skip
    for name in ("mine", "begun"):
        plan = {**asdict(TrainingPlan("200", "x")), "name": name}
        training.run_file(name).write_text(json.dumps({"plan": plan, "history": losses}))
    training.run_file("broken").write_text('{"plan": 1}')
    app = open_models(view="train", run="mine")
    table = next(frame.value for frame in app.dataframe if "epochs" in frame.value)
    assert set(table["name"]) == {"mine", "begun"}
    states = table.set_index("name")["state"]
    assert (states["mine"], states["begun"]) == (
        "ready",
        "interrupted; start the same again to resume",
    )
    drawn = charts(app)[0]["data"]
    assert [len(trace["y"]) for trace in drawn] == [2, 2]
    document = read_comparison()
    assert own_rows(document) == []
    few = {**document, "fresh": {**document["fresh"], "rounds": 20}}
    measure_own(["mine"], few, tell=lambda progress: None, is_cancelled=lambda: False)
    (row,) = own_rows(few)
    assert row["model"] == "mine (yours)"
    assert 0.3 < row["accuracy"] < 0.7
    monkeypatch.setattr(compare.tables, "read_comparison", lambda: few)
    app = open_models(view="compare")
    assert "mine (yours)" in app.dataframe[0].value["model"].tolist()
    app = open_models(view="train", run="mine")
    button(app, "Delete it").click()
    run(app)
    assert not list(tmp_path.glob("*mine*"))
    with pytest.raises(TrainingError, match="isn't yours to delete"):
        training.delete_model("devlin2016")


def test_own_models_that_arent_measured_are_named_as_they_are(monkeypatch):
    monkeypatch.setattr(compare, "own_names", lambda: ["t-200-mine"])
    notes = [caption.value for caption in open_models(view="compare").caption]
    assert any(note.startswith(literal("t-200-mine: not measured yet")) for note in notes)


@pytest.mark.parametrize("name", ["stand-in-200", "thoughtful-200", "converged-200"])
def test_models_that_papers_ask_are_nobodys_to_delete(monkeypatch, tmp_path, name):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    path = tmp_path / f"{name}.safetensors"
    path.write_bytes((DATA / "models" / "log-linear-fit.safetensors").read_bytes())
    assert training.own_names() == []
    with pytest.raises(TrainingError, match="isn't yours"):
        training.delete_model(name)
    assert path.exists()
