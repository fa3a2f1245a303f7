"""Networks that learn from a folder, one part of which is in memory at a time."""

import numpy as np
import pytest

from spades.core.errors import InvalidRecordError, SpadesError
from spades.human.features import folders
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import ALL_SEATS, examples_of_log
from spades.human.loglinear import LogLinearModel
from spades.human.networks.config import TrainingOptions, parse_architecture
from spades.human.networks.model import NetworkModel
from spades.human.training.data import InParts
from spades.notation.log_folder import open_folder
from tests.split_logs import some_games, split

OPTIONS = TrainingOptions(epochs=2, batch=64)


@pytest.fixture(scope="module")
def log():
    return some_games(24)


@pytest.fixture
def parts(log, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "ROUNDS_A_PART", 50)
    return ExampleParts(open_folder(split(log, tmp_path / "big", 6)))


def test_the_parts_have_the_examples_of_the_log(log, parts):
    expected = examples_of_log(log)
    found = [parts.read(i) for i in range(len(parts))]
    assert len(found) > 2
    np.testing.assert_array_equal(np.concatenate([part.views for part in found]), expected.views)
    assert parts.n_rounds == len(log)


def test_a_network_learns_from_them(log, parts):
    model = NetworkModel("t-20-10", options=OPTIONS, seed=3).fit(parts)
    again = NetworkModel("t-20-10", options=OPTIONS, seed=3).fit(parts)
    for name, tensor in model.tensors_.items():
        np.testing.assert_array_equal(tensor, again.tensors_[name])
    first, last = (epoch["validation_loss"] for epoch in model.facts_["history"])
    assert last < first < np.log(52)
    data = model.facts_["data"]
    assert (data["examples"], data["games"]) == (len(examples_of_log(log)), 24)


def test_every_example_is_trained_on_or_held_out_once_a_pass(log, parts):
    data = InParts(parse_architecture("t-20-10"), parts, 0.2, seed=1)
    batches = list(data.shuffled(np.random.default_rng(0)))
    seen = [part.batches.views[part.rows] for part in batches]
    held_out = data.held_out.batches.views
    assert len(held_out) > 0
    assert [len(part.rows) for part in batches] != data.sizes  # in another order
    assert sorted(len(part.rows) for part in batches) == sorted(data.sizes)
    together = np.concatenate([*seen, held_out])
    expected = examples_of_log(log).views
    for views in (together, expected):
        views.sort(axis=0)
    np.testing.assert_array_equal(together, expected)


def test_what_cannot_be_learned_is_refused(log, parts, tmp_path):
    with pytest.raises(SpadesError, match="learn from a log in memory, not from a folder"):
        LogLinearModel("mine").fit(parts)
    bots = split(some_games(4, "four-srp-nil"), tmp_path / "bots", 2)
    with pytest.raises(InvalidRecordError, match="no human or simulated human plays a card here"):
        NetworkModel("t-20-10", options=OPTIONS).fit(ExampleParts(open_folder(bots)))
    assert ExampleParts(open_folder(bots), ALL_SEATS).read(0).views.size
