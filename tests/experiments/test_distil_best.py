"""Lessons for the distilled player: what the teacher saw, and a training that learns from it."""

import numpy as np
import pytest

from experiments import distil_best
from experiments.distil_best import Training, give_lessons, taught_in, write_targets
from spades.core.cards import HAND_SIZE, N_CARDS, cards_in
from spades.core.observation import observe
from spades.core.rules import NIL_BID, Round, Rules
from spades.human.features.view import LEGAL, view_of
from spades.human.networks.model import NetworkModel

N = 12


@pytest.fixture(scope="module")
def lessons():
    return give_lessons(0, N)


def test_rounds_are_whole_and_every_other_one_has_a_nil(lessons):
    for i in range(N):
        state = Round.deal(Rules(), int(lessons.dealers[i]), lessons.hands[i].tolist())
        for seat, bid in enumerate(lessons.bids[i].tolist()):
            state.table.bids[seat] = bid
        for card in lessons.plays[i].tolist():
            state.play(card)
        assert state.table.is_over
        assert (NIL_BID in lessons.bids[i]) == (i % 2 == 0)


def test_views_are_those_of_the_seats_that_the_teacher_played_for(lessons):
    taught = taught_in(lessons)
    expected = []
    for i in range(N):
        state = Round.deal(Rules(), int(lessons.dealers[i]), lessons.hands[i].tolist())
        state.table.bids[:] = lessons.bids[i].tolist()
        for ply in range(N_CARDS):
            seen = observe(state)
            if lessons.visits[i, ply].any() and len(list(cards_in(seen.legal_mask))) > 1:
                expected.append(view_of(seen))
            state.play(int(lessons.plays[i, ply]))
    assert taught.views.tolist() == np.array(expected).tolist()


def test_targets_are_the_softmax_of_the_values_of_what_was_searched(lessons):
    taught = taught_in(lessons)
    rows = np.arange(len(taught.views))
    slots = np.empty((len(rows), HAND_SIZE), np.int64)
    targets = np.empty((len(rows), HAND_SIZE), np.float32)
    write_targets(taught, rows, slots, targets)
    assert targets.sum(axis=1) == pytest.approx(1)
    assert ((targets > 0) == (taught.visits > 0)).all()
    n_legal = np.bitwise_count(taught.views[:, LEGAL])
    assert ((slots >= 0).sum(axis=1) == n_legal).all()
    both = np.flatnonzero((taught.visits[:, 0] > 1) & (taught.visits[:, 1] > 1))
    gaps = (taught.values[both, 0] - taught.values[both, 1]) / (10 * distil_best.LEARNT_AT)
    assert np.log(targets[both, 0] / targets[both, 1]) == pytest.approx(gaps, abs=1e-4)


def test_the_training_learns(lessons, monkeypatch, tmp_path):
    monkeypatch.setattr(distil_best, "HELD_OUT", 40)
    monkeypatch.setattr(distil_best, "WARM_UP", 2)
    training = Training(taught_in(lessons), steps=30)
    rows = np.arange(training.n_training)
    before = training.loss(rows).item()
    for _ in range(30):
        training.step()
    assert training.loss(rows).item() < before - 0.1
    assert np.isfinite(training.held_out_loss())
    path = tmp_path / "network.safetensors"
    training.model(N).save(path)
    assert NetworkModel.load(path).facts_["data"]["rounds"] == N
