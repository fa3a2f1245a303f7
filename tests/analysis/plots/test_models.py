"""Confusion by abstract move, charts of models, and training in a process of its own."""

import time

import numpy as np
import pytest

from analysis.models.measures import move_confusion
from analysis.models.training import TrainingError, TrainingPlan, read_runs, train_apart
from analysis.plots.models import plot_confusion, plot_losses, plot_reliability
from spades.core.errors import SpadesError
from spades.human import abstract_move_names, load_model, load_prior, model_names, simulate_humans
from spades.human.features.logs import examples_of_log

MODEL = "devlin2016"


def test_the_confusion_counts_what_a_hand_count_does():
    log = simulate_humans(6, 3)
    table = move_confusion(load_prior(MODEL), examples_of_log(log))
    model, counted = load_model(MODEL), {}
    for record in log.records():
        for ply, state in enumerate(record.positions()):
            if ply == 52 or not (legal := state.legal_plays()) & (legal - 1):
                continue
            seen = record.observe(state)
            likeliest = int(seen.rules.cards.codes[model.predict_proba([seen])[0].argmax()])
            names = abstract_move_names(seen)
            pair = names[record.plays[ply].code].split(",")[0], names[likeliest].split(",")[0]
            counted[pair] = counted.get(pair, 0) + 1
    found = table[table["n"] > 0]
    assert (
        dict(zip(zip(found["played"], found["expected"], strict=False), found["n"], strict=False))
        == counted
    )
    assert table["p"].sum() == pytest.approx(sum(counted.values()))


def test_the_charts_show_what_they_are_given():
    table = move_confusion(load_prior(MODEL), examples_of_log(simulate_humans(5, 4)))
    (heat,) = plot_confusion(table).data
    assert np.array(heat.customdata).sum() == table["n"].sum()
    assert np.array(heat.z).max() <= 1
    bins = [{"confidence": 0.4, "accuracy": 0.5, "interval": (0.3, 0.7), "n": 12}]
    line = plot_reliability("model", {"this model": bins}).data[1]
    assert (list(line.x), list(line.y)) == ([0.4], [0.5])
    assert list(line.error_y.array) == [pytest.approx(0.2)]
    losses = [{"loss": 2.0, "validation_loss": v} for v in (2.5, 1.5, 1.75)]
    chart = plot_losses(losses)
    assert [list(trace.y) for trace in chart.data] == [[2.0] * 3, [2.5, 1.5, 1.75]]
    assert chart.layout.shapes[0].x0 == 2  # the best pass


@pytest.mark.slow
def test_a_model_is_trained_in_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    told = []
    plan = TrainingPlan("200", "tiny", rounds=100, epochs=2)
    train_apart(plan, lambda progress: told.append(progress.done), lambda: False)
    assert told[0] == 0
    assert told[-1] == 2
    assert "tiny" in model_names()
    (run,) = read_runs()
    assert (run["plan"]["name"], len(run["history"])) == ("tiny", 2)
    assert run["history"][1]["validation_loss"] == load_model("tiny").facts_["history"][1][
        "validation_loss"
    ]  # fmt: skip
    with pytest.raises(TrainingError, match="there is a model tiny already"):
        TrainingPlan("200", "tiny")


@pytest.mark.slow
def test_a_cancelled_training_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    until = time.monotonic() + 3
    plan = TrainingPlan("200", "tiny", rounds=3000, epochs=200)
    train_apart(plan, lambda progress: None, lambda: time.monotonic() > until)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"architecture": "z-9"}, "z-9"),
        ({"name": "a/b"}, "no name for a human model"),
        ({"name": "devlin2016"}, "already"),
        ({"rounds": 0}, "rounds is 0"),
        ({"epochs": 1000}, "1 to 200 are legal"),
    ],
)
def test_impossible_trainings_are_refused(options, told):
    with pytest.raises(SpadesError, match=told):
        TrainingPlan(**{"architecture": "200", "name": "some", **options})
