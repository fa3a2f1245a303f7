"""Trainings: they learn, stop, are repeatable; shuffled labels teach nothing."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from spades.core.errors import SpadesError
from spades.human.features.logs import data_hash
from spades.human.loglinear import LogLinearModel
from spades.human.model import CancelledError, predict_views
from spades.human.networks.config import TrainingOptions
from spades.human.networks.forward import LAYERS, WIDTH
from spades.human.networks.model import NetworkModel
from tests.human.random_networks import some_examples

TINY = TrainingOptions(epochs=3, batch=64, learning_rate=4e-3)
TIMED = ("seconds", "history")
# What each learns from 400 rounds, above chance: little from raw cards, which need many more.
GAINS = {"t-60": 0.01, "t-cA-60": 0.01, "abstract-20": 0.05, "h-24-16-16-16": 0.05}


def accuracy(model, examples):
    """Share of the unforced decisions in which the likeliest legal card was played."""
    chosen = examples.unforced
    probabilities = np.zeros((len(chosen), 13))
    predict_views(model.prior(), chosen.views, probabilities, np.empty(0, dtype=bool))
    below = (np.int64(1) << chosen.cards.astype(np.int64)) - 1
    place = [int(mask).bit_count() for mask in chosen.views[:, 1] & below]
    return float((probabilities.argmax(1) == place).mean())


def chance(examples):
    counts = [int(legal).bit_count() for legal in examples.unforced.views[:, 1]]
    return float(np.mean(1 / np.array(counts)))


@pytest.fixture(scope="module")
def training():
    return some_examples(400, seed=1)


@pytest.fixture(scope="module")
def fresh():
    return some_examples(150, seed=2)


@pytest.mark.parametrize(
    ("architecture", "gain"),
    [
        pytest.param(*one, marks=[pytest.mark.slow] * (one[0] == "t-cA-60"), id=one[0])
        for one in GAINS.items()
    ],
)
def test_a_network_learns(architecture, gain, training, fresh):
    seen = []
    model = NetworkModel(architecture, options=TINY, seed=1)
    assert model.fit(training, tell=seen.append) is model
    assert [progress.epoch for progress in seen] == [1, 2, 3]
    assert seen[-1].loss < seen[0].loss
    assert "epoch 1 of at most 3" in seen[0].text()
    assert accuracy(model, fresh) > chance(fresh) + gain
    facts = model.facts_
    assert facts["data"] == {"hash": data_hash(training), "examples": 400 * 52, "games": 400}
    assert (facts["seed"], facts["epochs"]) == (1, 3)
    assert facts["validation_loss"] == min(epoch["validation_loss"] for epoch in facts["history"])


def test_the_same_seed_the_same_network(training):
    options = TrainingOptions(epochs=1, batch=512)
    models = [NetworkModel("20", options=options, seed=seed).fit(training) for seed in (3, 3, 4)]
    first, again, other = (np.hstack([*map(np.ravel, m.tensors().values())]) for m in models)
    np.testing.assert_allclose(first, again, atol=1e-5)
    assert np.abs(first - other).max() > 1e-2


def shuffled(examples):
    """The same decisions; a random legal card in place of the one played."""
    rng, cards = np.random.default_rng(0), examples.cards.copy()
    for i, legal in enumerate(examples.views[:, 1]):
        codes = [code for code in range(64) if int(legal) >> code & 1]
        cards[i] = codes[rng.integers(len(codes))]
    return type(examples)(examples.views, cards, examples.games, examples.is_simulated)


def test_shuffled_labels_teach_nothing(training, fresh):
    """The test of the test: nothing but the labels tells which card is likely."""
    other = shuffled(fresh)
    network = NetworkModel("abstract-20", options=TINY).fit(shuffled(training))
    log_linear = LogLinearModel().fit(shuffled(training))
    for model in (network, log_linear):
        assert abs(accuracy(model, other) - chance(other)) < 0.02
        assert accuracy(model, fresh) < chance(fresh) + 0.1


def test_a_training_stops_when_told_to(training):
    calls = iter([False, False, True])
    with pytest.raises(CancelledError, match="stopped"):
        NetworkModel("20", options=TINY).fit(training, is_cancelled=lambda: next(calls))


def stop_after(fits, n_epochs, **options):
    """Fit until ``n_epochs`` are done, in the middle of the next one."""
    done = []

    def is_cancelled():
        return len(done) >= n_epochs

    with pytest.raises(CancelledError):
        fits(tell=done.append, is_cancelled=is_cancelled, **options)


@pytest.mark.parametrize(
    "architecture",
    [
        "20",
        pytest.param("t-cA-60", marks=pytest.mark.exhaustive),
        pytest.param("h-24-16-16-16", marks=pytest.mark.exhaustive),
    ],
)
def test_a_stopped_training_goes_on_to_the_same_network(architecture, training, tmp_path):
    kept = tmp_path / ".a.checkpoint"
    options = replace(TINY, permute_suits=architecture.startswith("t"))
    make = partial(NetworkModel, architecture, options=options, seed=2)
    whole = make().fit(training)
    for n_epochs in (1, 1):
        stop_after(partial(make().fit, training), n_epochs, checkpoint=kept)
        assert kept.is_file()
    told = []
    again = make().fit(training, checkpoint=kept, tell=told.append)
    assert [progress.epoch for progress in told] == [3]
    np.testing.assert_equal(again.tensors_, whole.tensors_)
    plain = [{k: v for k, v in m.facts_.items() if k not in TIMED} for m in (whole, again)]
    assert plain[0] == plain[1]
    assert len(again.facts_["history"]) == 3
    assert not kept.exists()


@pytest.mark.parametrize("what", ["seed", "data", "cut", "text"])
def test_the_checkpoint_of_another_training_is_passed_over(what, training, tmp_path):
    kept = tmp_path / ".a.checkpoint"
    stop_after(partial(NetworkModel("20", options=TINY).fit, training), 2, checkpoint=kept)
    if what == "cut":
        kept.write_bytes(kept.read_bytes()[:-7])
    elif what == "text":
        kept.write_text("nothing of ours")
    told, data = [], some_examples(30, seed=9) if what == "data" else training
    model = NetworkModel("20", options=TINY, seed=int(what == "seed"))
    model.fit(data, checkpoint=kept, tell=told.append)
    assert [progress.epoch for progress in told] == [1, 2, 3]


def test_a_trained_model_tells_how_good_it_was_on_what_it_stopped_by(training):
    metrics = NetworkModel("20", options=TINY).fit(training).facts_["metrics"]
    assert metrics["examples"] == 40 * 52
    assert 0.02 < metrics["accuracy"] < 1.0
    assert metrics["log_loss"] < np.log(52)


def test_early_stopping_keeps_the_best_epoch():
    options = TrainingOptions(epochs=60, batch=16, learning_rate=2e-2, patience=2)
    model = NetworkModel("100", options=options).fit(some_examples(12))
    history = model.facts_["history"]
    assert len(history) < 60
    losses = [epoch["validation_loss"] for epoch in history]
    assert model.facts_["validation_loss"] == min(losses)
    assert losses[-1] > min(losses)


def test_sparsity_makes_units_idle(training):
    active = []
    for sparsity in (0.0, 0.02):
        options = TrainingOptions(epochs=3, batch=256, learning_rate=5e-3, sparsity=sparsity)
        model = NetworkModel("t-60", options=options).fit(training)
        tensors, prior = model.tensors(), model.prior()
        out, scratch, count = np.zeros((1, 13)), prior.scratch, 0
        for view in training.views[:200]:
            predict_views(prior, view[None], out, np.empty(0, dtype=bool))
            width, n_units = int(prior.plan[WIDTH]), int(prior.plan[LAYERS])
            count += int((scratch[width : width + n_units] > 0).sum())
        assert tensors["hidden0.bias"].shape == (60,)
        active.append(count)
    assert active[1] < 0.7 * active[0]


def test_renamed_suits_need_the_standard_deck():
    options = TrainingOptions(epochs=1, permute_suits=True)
    with pytest.raises(SpadesError, match="standard deck"):
        NetworkModel("20", options=options).fit(some_examples(5, deck="joker-joker-ace"))
    with pytest.raises(SpadesError, match="that read cards"):
        NetworkModel("h-4-4-4-4", options=options).fit(some_examples(5))
    assert NetworkModel("20", options=options).fit(some_examples(5)).tensors_
