"""The stored command that trains and compares models, on tiny data; and what it shipped."""

import dataclasses
import json

import numpy as np
import pytest

from analysis.models.measures import model_measures
from experiments import train_models
from experiments.train_models import FIT, NAMES, RANDOM, RECIPES, SHIPPED, TABLE, compare
from spades.human import load_model
from spades.human.loglinear import FitOptions
from tests.human.random_networks import some_examples

GOALS = {"t-200-150-100": 0.94, "h-160-96-128-96": 0.97, FIT: 0.99}


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(train_models, "N_ROUNDS", 60)
    monkeypatch.setattr(train_models, "N_FRESH", 20)
    quick = {name: dataclasses.replace(recipe, epochs=1) for name, recipe in RECIPES.items()}
    monkeypatch.setattr(train_models, "RECIPES", quick)
    recipe = FitOptions(has_nil=True, repeats=1, passes=1, polish=True)
    monkeypatch.setattr(train_models, "FIT_RECIPE", recipe)


def test_models_are_trained_compared_and_shipped(tiny, tmp_path, monkeypatch):
    said, table = [], tmp_path / "table.json"
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    names = ["t-200-150-100", RANDOM, "devlin2016-nil"]
    document = compare(names, table=table, models=tmp_path, say=said.append)
    assert json.loads(table.read_text()) == json.loads(json.dumps(document))
    assert [row["model"] for row in document["models"]] == sorted(names, key=NAMES.index)
    chance, generator, network = document["models"]
    assert chance["accuracy"] < network["ceiling"] == generator["ceiling"]
    assert (network["epochs"], generator["epochs"]) == (1, None)
    assert network["parameters"] == 93_902
    assert document["training"]["plays"] == 60 * 52
    assert any("t-200-150-100: epoch 1" in text for text in said)
    shipped = load_model("t-200-150-100")
    assert shipped.facts_["metrics"]["accuracy"] == network["accuracy"]
    assert shipped.facts_["data"]["hash"] == document["training"]["hash"]
    again = compare([FIT], table=table, models=tmp_path, say=said.append)
    assert [row["model"] for row in again["models"]] == [
        RANDOM,
        "devlin2016-nil",
        FIT,
        "t-200-150-100",
    ]


@pytest.fixture(scope="module")
def table():
    return json.loads(TABLE.read_text())


def test_the_shipped_table_has_every_model(table):
    rows = {row["model"]: row for row in table["models"]}
    assert set(rows) == set(NAMES)
    assert table["training"]["plays"] >= 1_200_000
    for row in rows.values():
        low, high = row["intervals"]["accuracy"]
        assert low < row["accuracy"] < high
        assert row["decisions"] == table["fresh"]["plays"]
    assert rows["devlin2016-nil"]["kl_to_truth"] < 1e-9


@pytest.mark.parametrize(("name", "goal"), GOALS.items())
def test_what_must_hold_holds_in_the_table(table, name, goal):
    row = next(row for row in table["models"] if row["model"] == name)
    assert row["share_of_ceiling"] >= goal
    assert row["kl_to_truth"] is not None
    assert (row["illegal_first"] or 0) < 0.005


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_shipped_models_are_as_good_on_other_rounds(table, name):
    found = model_measures(load_model(name), some_examples(400, seed=31))
    row = next(row for row in table["models"] if row["model"] == name)
    assert found["expected_accuracy"] == pytest.approx(row["expected_accuracy"], abs=0.02)
    assert found["kl_to_truth"] == pytest.approx(row["kl_to_truth"], abs=0.01)
    assert np.isfinite(found["log_loss"])
