"""The training of the belief network: what it reads, that it goes on, what it writes."""

from itertools import product

import numpy as np
import pytest
import torch

from experiments import train_beliefs
from experiments.train_beliefs import (
    SOURCES,
    TELL_SCALE,
    BeliefModule,
    Moments,
    Training,
    deal_losses,
    draw_moments,
    examples_at,
    rounds_of,
    save,
)
from spades.belief import UniformDeals
from spades.belief.network import (
    N_TELLS,
    PLAYER_KINDS,
    SAME_SUITS,
    BeliefError,
    HiddenCards,
    load_network,
    observation_arrays,
    predict_owners,
    renamed_slot,
)
from spades.core.cards import cards_in
from spades.human import simulate_humans
from spades.human.files import Checkpoint

HUMAN = SOURCES[0]
LOG = simulate_humans(40, 3)
ROUNDS = rounds_of(LOG)
PARTS = [(HUMAN, len(LOG))]


def plain_moments(n=60):
    """Moments with suits as they are, of the seat to play, all bids known."""
    drawn = draw_moments(PARTS, n, 1)
    nothing = np.zeros(n, dtype=np.int64)
    return drawn._replace(orders=np.tile(SAME_SUITS, (n, 1)), seats=nothing, silent=nothing)


@pytest.fixture
def narrow(monkeypatch):
    """Layers so narrow that a step takes no time."""
    monkeypatch.setattr(train_beliefs, "HIDDEN", (32, 32, 32))


@pytest.mark.usefixtures("narrow")
def test_the_compiled_network_says_what_the_module_says(tmp_path):
    training = Training(ROUNDS, PARTS, 1)
    torch.nn.init.normal_(training.module.output.weight, std=0.3)
    torch.nn.init.normal_(training.module.tells, std=0.05)
    save(training, tmp_path / "one.safetensors")
    network = load_network(tmp_path / "one.safetensors")
    moments, records = plain_moments(), list(LOG.records())
    examples = examples_at(ROUNDS, moments)
    with torch.no_grad():
        logits = training.module(*map(torch.from_numpy, examples[:2])).numpy()
    told = TELL_SCALE * training.module.tells.detach().numpy()[examples.tells]
    np.add.at(logits.reshape(-1), examples.targets, told)
    for i, (row, ply) in enumerate(zip(moments.rows, moments.plies, strict=True)):
        state = records[row].at(int(ply))
        seen = records[row].observe(state)
        groups = enumerate(UniformDeals(seen).groups.tolist())
        listed = np.array([(card, own) for own, mask in groups for card in cards_in(mask)])
        hidden = HiddenCards(*map(np.ascontiguousarray, listed.T))
        found = predict_owners(observation_arrays(seen, int(moments.kinds[i])), hidden, network)
        for j, (card, owners) in enumerate(listed.tolist()):
            slot = renamed_slot(card, seen.rules.cards.mask, SAME_SUITS)
            may_hold = examples.may_hold[i, slot]
            assert [bool(owners >> k & 1) for k in range(3)] == may_hold.tolist()
            holder = (seen.seat + examples.owners[i, slot]) % 4
            assert state.hands[holder] >> card & 1
            p = np.exp(logits[i, slot]) * may_hold
            assert np.allclose(found[j], p / p.sum(), atol=2e-3)  # the file has half precision


def every_owner(examples, i):
    """All deals of an example: owners by hidden slot, a row each."""
    slots = np.flatnonzero(examples.owners[i])
    sizes = np.bincount(examples.owners[i][slots] - 1, minlength=3)
    may = [np.flatnonzero(examples.may_hold[i, slot]) for slot in slots]
    listed = np.array(list(product(*may)))
    is_right = np.all([(listed == k).sum(axis=1) == sizes[k] for k in range(3)], axis=0)
    return slots, listed[is_right]


def test_the_loss_is_that_of_the_deal_among_all_deals():
    moments = plain_moments(400)
    late = Moments(*(column[(moments.plies >= 42) & (moments.plies < 48)] for column in moments))
    examples = examples_at(ROUNDS, late)
    rng = np.random.default_rng(2)
    logits, tells = rng.normal(size=(len(late.rows), 52, 3)), rng.normal(size=N_TELLS) / 50
    everything = examples, (0, len(logits))
    grads, by_tell, added = np.zeros_like(logits), np.zeros(N_TELLS), logits.copy()
    total = deal_losses(added, tells, *everything, grads, by_tell)
    expected = 0.0
    for i, example in enumerate(added):
        slots, owners = every_owner(examples, i)
        logs = example[slots, owners].sum(axis=1)
        truth = example[slots, examples.owners[i][slots] - 1].sum()
        expected += np.log(np.exp(logs - truth).sum())
        p = np.exp(logs - logs.max())
        p /= p.sum()
        shares = np.stack([p @ (owners == k) for k in range(3)], axis=1)
        assert np.allclose(grads[i, slots] + (owners_of(examples, i, slots)), shares, atol=1e-6)
    assert total == pytest.approx(expected, abs=1e-4)
    step = rng.normal(size=N_TELLS) * 1e-4
    moved = deal_losses(logits.copy(), tells + step, *everything, grads.copy(), by_tell.copy())
    assert moved - total == pytest.approx(by_tell @ step, abs=2e-4)


def owners_of(examples, i, slots):
    return np.eye(3)[examples.owners[i][slots] - 1]


def test_renamed_side_suits_are_the_same_moment():
    moments = plain_moments()
    order = np.array([0, 2, 3, 1], dtype=np.int8)
    plain = examples_at(ROUNDS, moments)
    renamed = examples_at(ROUNDS, moments._replace(orders=np.tile(order, (60, 1))))
    slots = np.concatenate([13 * int(suit) + np.arange(13) for suit in order])
    assert np.array_equal(renamed.owners[:, slots], plain.owners)
    assert np.array_equal(renamed.offsets, plain.offsets)
    assert not np.array_equal(renamed.ids, plain.ids)


@pytest.mark.usefixtures("narrow")
def test_a_stopped_training_goes_on_to_the_same_network(tmp_path, monkeypatch):
    monkeypatch.setattr(train_beliefs, "BATCH", 32)
    monkeypatch.setattr(train_beliefs, "STEPS_A_CHECKPOINT", 2)
    whole, stored = Training(ROUNDS, PARTS, 4), Checkpoint(tmp_path / "a", {"fit": 1})
    assert len(list(whole.fit(Checkpoint(None, {})))) == 2
    first = Training(ROUNDS, PARTS, 4).fit(stored)
    next(first)
    first.close()
    second = Training(ROUNDS, PARTS, 4)
    assert len(list(second.fit(stored))) == 1
    assert second.losses == whole.losses
    for one, other in zip(whole.module.parameters(), second.module.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.usefixtures("narrow")
def test_it_learns(monkeypatch):
    monkeypatch.setattr(train_beliefs, "BATCH", 64)
    training = Training(ROUNDS, PARTS, 60)
    losses = [training.step() for _ in range(60)]
    assert np.mean(losses[-10:]) < np.mean(losses[:10]) - 0.03


def test_a_file_that_is_no_network_is_refused_by_name(tmp_path):
    with pytest.raises(BeliefError, match=r"none.safetensors isn't there; .*train_beliefs makes"):
        load_network(tmp_path / "none.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(BeliefError, match=r"bad.safetensors: no safetensors file"):
        load_network(tmp_path / "bad.safetensors")


def test_sources_are_of_kinds_that_the_network_knows():
    assert {source.kind for source in SOURCES} == {*PLAYER_KINDS} - {"any"}
    assert sum(source.share for source in SOURCES) == pytest.approx(1)
    assert BeliefModule().tensors()["first.weight"].dtype == np.float16
