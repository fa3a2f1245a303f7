"""Model files: what is written is read; what isn't ours is refused by name, nothing is run."""

import dataclasses
import json
import os
import struct

import numpy as np
import pytest
from safetensors.numpy import save
from sklearn.base import clone

from spades.agents import IsmctsPlayer
from spades.core.errors import UnknownModelError
from spades.human import load_model, load_prior, model_hash, model_names
from spades.human.features.view import view_of
from spades.human.files import MODEL_FORMAT, ModelFileError
from spades.human.loglinear import FitOptions, LogLinearModel, devlin2016
from spades.human.model import HumanModel, predict_views
from spades.human.networks.config import MAX_LAYERS, TrainingOptions, tensor_shapes
from spades.human.networks.model import MAX_WEIGHT, NetworkModel
from spades.human.simulated import devlin2016_nil
from spades.search import Knowledge
from tests.human.random_networks import random_network
from tests.pages.texts import shipped


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    return tmp_path


def entry_of(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["spades_model"])


def test_a_network_comes_back_whole(folder):
    model = random_network("h-16-12-8-10")
    model.facts_ = {"seed": 4, "metrics": {"accuracy": 0.5}}
    model.save(folder / "mine.safetensors")
    back = NetworkModel.load(folder / "mine.safetensors")
    np.testing.assert_equal(back.tensors_, model.tensors_)
    assert back.hash() == model.hash() != random_network("h-16-12-8-10", seed=2).hash()
    assert (back.name, back.architecture) == ("mine", "h-16-12-8-10")
    assert back.facts_["metrics"] == {"accuracy": 0.5}
    assert back.facts_["seed"] == 4
    assert len(back.facts_["code"]) == 16
    assert "mine" in model_names()
    assert load_model("mine").name == "mine"


OPTIONS = (TrainingOptions(epochs=2, sparsity=0.1), FitOptions(has_nil=True, passes=3))


@pytest.mark.parametrize(
    "model",
    [
        NetworkModel("h-16-12-8-10", name="a", options=OPTIONS[0], seed=3),
        NetworkModel(),
        LogLinearModel("b", options=OPTIONS[1], seed=4),
    ],
)
def test_models_follow_the_conventions_of_scikit_learn(model):
    params = model.get_params()
    assert params == {name: getattr(model, name) for name in params}
    again = clone(model)
    assert again is not model
    assert again.get_params() == params
    assert again.set_params(seed=9) is again
    assert (again.seed, model.seed) == (9, params["seed"])
    with pytest.raises(ValueError, match=r"has no 'sed'; it has .*seed"):
        again.set_params(sed=1)


@pytest.mark.parametrize("at", [0, 1])
def test_a_model_read_knows_how_it_was_fitted(at, folder):
    model = random_network("h-16-12-8-10") if at == 0 else devlin2016_nil()
    model.facts_ = {"seed": 4, "options": dataclasses.asdict(OPTIONS[at])}
    model.save(folder / "mine.safetensors")
    back = load_model("mine")
    assert (back.seed, back.options) == (4, OPTIONS[at])
    model.facts_["options"]["epoks"] = 3
    model.save(folder / "odd.safetensors")
    with pytest.raises(ModelFileError, match=r"odd\.safetensors: its options .* 'epoks'"):
        load_model("odd")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("seed", "seven", "seed in its header is 'seven'; a whole number is legal"),
        ("seed", None, "seed in its header is None"),
        ("seed", 1.5, "seed in its header is 1.5"),
        ("data", None, "data in its header is None; an object is legal"),
        ("data", [], r"data in its header is \[\]"),
        ("options", [], "its options of the fit can't be read"),
    ],
)
def test_what_a_header_says_of_the_fit_has_its_type(name, value, reason, folder):
    model = random_network("200")
    model.facts_ = {"seed": 4, "data": {}, name: value}
    model.save(folder / "odd.safetensors")
    for load in (load_model, load_prior, model_hash):
        with pytest.raises(ModelFileError, match=rf"odd\.safetensors: {reason}"):
            load("odd")


@pytest.mark.parametrize("model", [devlin2016(), devlin2016_nil()])
def test_a_log_linear_model_comes_back_whole(model, folder):
    model.save(folder / "fit.safetensors")
    back = load_model("fit")
    assert isinstance(back, LogLinearModel)
    assert np.array_equal(back.weights_, model.weights_)
    assert load_prior("fit").weights.tolist() == model.weights_.tolist()


def test_listing_models_sweeps_what_a_killed_training_left(folder):
    left = folder / ".a.checkpoint.0123456789abcdef.spades.tmp"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert "a" not in model_names()
    assert not left.exists()


def test_a_file_written_anew_is_read_anew(folder):
    random_network("200", seed=1).save(folder / "a.safetensors")
    first = load_prior("a").numbers
    random_network("200", seed=2).save(folder / "a.safetensors")
    assert not np.array_equal(first, load_prior("a").numbers)
    assert load_prior("a") is load_prior("a")


def test_a_player_keeps_the_model_it_was_made_with(folder):
    random_network("200", seed=1).save(folder / "a.safetensors")
    player = IsmctsPlayer(bias=Knowledge("a"))
    random_network("200", seed=2).save(folder / "a.safetensors")
    again = dataclasses.replace(player)
    assert again == player
    assert not np.array_equal(player.prior.numbers, again.prior.numbers)
    (folder / "a.safetensors").unlink()
    assert player.prior is not None
    with pytest.raises(UnknownModelError, match="no human model is called 'a'"):
        dataclasses.replace(player)


@pytest.mark.parametrize("name", ["../secret", "a/b", "", ".", "x" * 80, "a\0b", "-a", "ä"])
def test_names_never_leave_the_folder(name, folder):
    random_network("200").save(folder.parent / "secret.safetensors")
    with pytest.raises(UnknownModelError, match="the models are devlin2016"):
        load_model(name)


def test_links_are_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "x.safetensors"
    random_network("200").save(outside)
    (folder / "link.safetensors").symlink_to(outside)
    assert "link" not in model_names()
    with pytest.raises(UnknownModelError):
        load_model("link")


def refusal(path):
    with pytest.raises(ModelFileError) as error:
        HumanModel.load(path)
    assert path.name in str(error.value)
    return str(error.value)


def test_every_cut_is_refused(tmp_path):
    model = random_network("20")
    model.save(tmp_path / "whole.safetensors")
    data, path = (tmp_path / "whole.safetensors").read_bytes(), tmp_path / "cut.safetensors"
    for size in [0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:size])
        refusal(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04" + b"\0" * 100, "no safetensors file"),
        (b"\x80\x04\x95" + b"\0" * 100, "no safetensors file"),
        (struct.pack("<Q", 1 << 40) + b"{" + b" " * 50, "cut or damaged"),
        (struct.pack("<Q", 60) + b"{" + b"[" * 59, "cut or damaged"),
        (struct.pack("<Q", 2) + b"{}", "no model of this program"),
        (save({"a": np.zeros(3, np.float32)}), "no model of this program"),
        (save({}, metadata={"spades_model": "[1"}), "not of version 1"),
        (save({}, metadata={"spades_model": '{"version": 2}'}), "not of version 1"),
        (save({}, metadata={"spades_model": '{"version": 1}'}), "lacks the kind"),
    ],
)
def test_files_that_are_not_ours_are_refused(data, reason, tmp_path):
    path = tmp_path / "odd.safetensors"
    path.write_bytes(data)
    assert reason in refusal(path)


def changed(path, header=(), **tensors):
    """A sound file of a small network, with changes."""
    model = random_network("20")
    parts = {**model.tensors(), **tensors}
    whole = {"kind": "network", "config": model.config(), **dict(header)}
    MODEL_FORMAT.write(path, whole, {k: v for k, v in parts.items() if v is not None})
    return path


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"output.bias": np.zeros(51, np.float32)}, "output.bias is float32 (51,)"),
        ({"output.bias": np.full(52, np.nan, np.float32)}, "bias holds numbers from nan to nan"),
        (
            {"output.bias": np.full(52, np.inf, np.float32)},
            "from inf to inf; -100 to 100 are legal",
        ),
        (
            {"output.bias": np.full(52, 3e38, np.float32)},
            "numbers from 3e+38 to 3e+38; -100 to 100",
        ),
        ({"hidden0.weight": np.full((208, 20), -101, np.float32)}, "hidden0.weight holds numbers"),
        ({"output.bias": np.zeros(52, np.int32)}, "numbers are F32"),
        ({"output.bias": None}, "'output.bias' is missing"),
        ({"extra": np.zeros(1, np.float32)}, "'extra' is not wanted"),
        ({"header": {"kind": "oracle"}}, "of kind 'oracle'"),
        ({"header": {"config": {"architecture": "t-9999"}}}, "are legal"),
        ({"header": {"config": {}}}, "no architecture"),
        ({"header": {"kind": "log-linear"}}, "its features aren't"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, reason, tmp_path):
    assert reason in refusal(changed(tmp_path / "odd.safetensors", **change))


def some_decisions():
    record = shipped("south-nil")
    return [record.observation(ply) for ply in range(len(record.plays))]


def test_log_linear_weights_have_a_bound(tmp_path):
    model = devlin2016()
    model.weights_[3] = -1e4
    model.save(tmp_path / "steep.safetensors")
    probabilities = HumanModel.load(tmp_path / "steep.safetensors").predict_proba(some_decisions())
    assert np.allclose(probabilities.sum(axis=1), 1)
    model.weights_[3] = 10_001
    model.save(tmp_path / "odd.safetensors")
    assert "to 10001; -10000 to 10000 are legal" in refusal(tmp_path / "odd.safetensors")


DEEPEST = "-".join(["1024"] * MAX_LAYERS)


@pytest.mark.parametrize(
    "architecture",
    [f"t-cA-{DEEPEST}", DEEPEST, f"abstract-{DEEPEST}", "h-1024-1024-1024-1024", "t-200-150-100"],
)
@pytest.mark.parametrize("is_mixed", [False, True])
def test_weights_at_the_bound_overflow_no_layer(architecture, is_mixed, tmp_path):
    model, rng = NetworkModel(architecture), np.random.default_rng(5)
    model.tensors_ = {
        name: np.full(shape, MAX_WEIGHT, np.float32)
        * (rng.choice(np.float32([-1, 1]), shape) if is_mixed else 1)
        for name, shape in tensor_shapes(model.shape).items()
    }
    model.save(tmp_path / "steep.safetensors")
    model, seen = HumanModel.load(tmp_path / "steep.safetensors"), some_decisions()
    out = np.zeros((len(seen), 13))
    views = np.array([view_of(observation) for observation in seen], dtype=np.int64)
    predict_views(model.prior(), views, out, np.zeros(0, dtype=np.bool_))
    for probabilities in (out, model.predict_proba(seen)):
        assert np.isfinite(probabilities).all()
        assert np.allclose(probabilities.sum(axis=1), 1)


def test_a_model_of_another_class_is_refused(tmp_path):
    devlin2016().save(tmp_path / "fit.safetensors")
    with pytest.raises(ModelFileError, match="log-linear model, no network"):
        NetworkModel.load(tmp_path / "fit.safetensors")


def test_a_file_that_is_not_there(tmp_path):
    assert "no such file" in refusal(tmp_path / "nothing.safetensors")
    assert "no such file" in refusal(tmp_path)


def test_too_large_a_file_is_refused(tmp_path):
    path = tmp_path / "large.safetensors"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert "more than 64 MB" in refusal(path)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.safetensors"
    MODEL_FORMAT.write(path, {"kind": "network", "config": {}}, {"a": np.zeros(2, np.float32)})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        MODEL_FORMAT.write(path, {"loss": float("nan")}, {})
    assert path.read_bytes() == before
    assert entry_of(path)["version"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]
    assert MODEL_FORMAT.read(path)[0]["kind"] == "network"


def test_a_model_is_read_by_the_path_of_its_file(tmp_path):
    model, path = devlin2016(), tmp_path / "me.safetensors"
    model.save(path)
    assert load_model(str(path)).hash() == model_hash(str(path)) == model.hash()
    with pytest.raises(ModelFileError, match=r"gone\.safetensors: no such file"):
        load_model(str(tmp_path / "gone.safetensors"))


def test_no_damaged_model_is_read_as_if_it_were_sound(tmp_path):
    path, model = tmp_path / "mine.safetensors", devlin2016_nil()
    model.save(path)
    sound, n_refused = path.read_bytes(), 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        data = bytearray(sound)
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        try:
            found = LogLinearModel.load(path)
        except ModelFileError:
            n_refused += 1
            continue
        np.testing.assert_array_equal(found.weights_, model.weights_)
        assert found.hash() == model.hash()
    assert n_refused > 280
