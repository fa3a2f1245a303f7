"""Networks: names, inputs, and the compiled forward pass against PyTorch's."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from spades.core.errors import UnknownModelError
from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.model import copy_of_thread, own_copy, predict_views, prior_probabilities
from spades.human.networks.config import (
    ARCHITECTURES,
    CARDS,
    MOVES,
    TrainingOptions,
    card_slots,
    parse_architecture,
    slot_of,
)
from spades.human.training.data import Batches
from spades.human.training.modules import build_module, parameters_of, tensors_of
from tests.human.random_networks import legal_codes, random_network, some_examples


@pytest.mark.parametrize(
    ("name", "has_tricks", "convolves", "appends", "hidden"),
    [
        ("200", False, False, False, (200,)),
        ("t-200-150-100", True, False, False, (200, 150, 100)),
        ("t-c-200", True, True, False, (200,)),
        ("t-cA-200-100", True, True, True, (200, 100)),
    ],
)
def test_names_as_the_paper_writes_them(name, has_tricks, convolves, appends, hidden):
    config = parse_architecture(name)
    assert (config.reads, config.hidden) == (CARDS, hidden)
    assert (config.has_tricks, config.convolves) == (has_tricks, convolves)
    assert config.appends == appends


def test_sizes_of_the_published_networks():
    networks = {name: random_network(name).tensors() for name in ARCHITECTURES}
    sizes = {name: sum(one.size for one in found.values()) for name, found in networks.items()}
    assert sizes["t-200-150-100"] == 93_902
    assert sizes["200"] == 209 * 200 + 201 * 52
    assert sizes["t-cA-200"] == 40 + (392 + 208 + 8 + 1) * 200 + 201 * 52
    assert sizes["abstract-200"] == (68 + 156 + 1) * 200 + 201 * 68


@pytest.mark.parametrize(
    "name", ["", "t", "t-", "200-", "0", "t-2000", "../200", "h-1-2", "200-200-200-200-200-200-200"]
)
def test_other_names_are_refused(name):
    with pytest.raises(UnknownModelError, match=r"architecture|legal"):
        parse_architecture(name)


def load_tensors(module, tensors):
    with torch.no_grad():
        for name, parameter, is_transposed in parameters_of(module):
            array = tensors[name].T if is_transposed else tensors[name]
            parameter.copy_(torch.from_numpy(np.array(array)).reshape(parameter.shape))


def torch_answers(model, examples):
    """Logits of all outputs by PyTorch, float64 (n, 52 or 68)."""
    module = build_module(model.shape)
    load_tensors(module, model.tensors())
    rows = np.arange(len(examples))
    with torch.no_grad():
        logits, _ = module(*Batches(model.shape, examples).inputs(rows))
    return logits.numpy().astype(float)


def outputs_of(model, view):
    """Which output is that of each legal card, lowest code first."""
    if model.shape.reads == MOVES:
        from spades.human.features.abstract_moves import classify_legal

        moves = np.zeros(13, dtype=np.int8)
        n = classify_legal(view, moves)
        return moves[:n].tolist()
    return [int(slot_of(code, int(view[5]))) for code in legal_codes(view)]


@pytest.mark.parametrize("deck", ["standard", "joker-joker-deuce-deuce"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_compiled_forward_pass_equals_pytorch(name, deck):
    model, examples = random_network(name, scale=0.2), some_examples(8, deck=deck)
    logits = torch_answers(model, examples)
    found, picks = np.zeros((len(examples), 13)), np.zeros(len(examples), dtype=bool)
    predict_views(model.prior(), examples.views, found, picks)
    for i, view in enumerate(examples.views):
        outputs = outputs_of(model, view)
        alike = np.array([outputs.count(output) for output in outputs])
        wanted = logits[i, outputs] - np.log(alike) * (model.shape.reads == MOVES)
        wanted = np.exp(wanted - wanted.max())
        np.testing.assert_allclose(found[i, : len(outputs)], wanted / wanted.sum(), atol=1e-5)
        assert picks[i] == (logits[i].argmax() in outputs)


def test_weights_go_to_pytorch_and_back():
    for name in ARCHITECTURES:
        model, module = random_network(name), build_module(parse_architecture(name))
        load_tensors(module, model.tensors())
        for tensor, tensor_back in zip(
            model.tensors().values(), tensors_of(module).values(), strict=True
        ):
            assert np.array_equal(tensor, tensor_back)


@pytest.mark.parametrize("name", ["t-200-150-100", "h-16-12-8-10", "abstract-20"])
def test_probabilities_are_of_the_legal_cards(name):
    model = random_network(name)
    log = simulate_humans(3, 1)
    seen = [record.observation(ply) for record in log.records() for ply in range(0, 52, 5)]
    p = model.predict_proba(seen)
    assert p.shape == (len(seen), 52)
    np.testing.assert_allclose(p.sum(1), 1)
    for row, observation in zip(p, seen, strict=True):
        codes = observation.rules.cards.codes[np.flatnonzero(row)]
        assert sum(1 << int(code) for code in codes) == observation.legal_mask
    assert model.predict_proba([]).shape == (0, 52)


def test_plain_python_gives_the_same():
    """The kernels of this file call each other: each against its own plain twin."""
    examples = some_examples(2)
    for view in examples.views[::9]:
        deck = int(view[5])
        for column in (0, 1):
            mask = int(view[column])
            assert card_slots.py_func(mask, deck) == card_slots(mask, deck)


def test_card_slots_are_dense_in_the_standard_deck():
    deck = Rules().cards
    for index, code in enumerate(deck.codes):
        assert slot_of(int(code), deck.mask) == index
        assert card_slots(1 << int(code), deck.mask) == 1 << index


def test_the_lowest_spades_of_a_joker_deck_share_a_slot():
    deck = Rules(deck="joker-joker-ace").cards
    slots = [int(slot_of(int(code), deck.mask)) for code in deck.codes]
    assert slots[:4] == [0, 0, 0, 1]
    assert slots[14] == 12  # the high joker
    assert max(slots) == 51


def test_each_thread_has_its_own_scratch():
    prior = random_network("200").prior()
    mine = own_copy(prior)
    assert mine.scratch is not prior.scratch
    assert mine.numbers is prior.numbers
    view, out, other = some_examples(1).views[3], np.zeros(13), np.zeros(13)
    assert prior_probabilities(prior, view, out) == prior_probabilities(mine, view, other)
    assert np.array_equal(out, other)


def test_a_thread_keeps_its_copy_until_it_asks_for_another():
    prior, other = random_network("200").prior(), random_network("200-100").prior()
    mine = copy_of_thread(prior)
    assert copy_of_thread(prior) is mine
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(copy_of_thread, prior).result()
    assert theirs.scratch is not mine.scratch
    assert theirs.ids is not mine.ids
    assert copy_of_thread(other).numbers is other.numbers
    assert copy_of_thread(prior) is not mine
    views, kept, fresh = some_examples(2).views, np.zeros(13), np.zeros(13)
    for view in (*views, *views):  # kept or not, a search's tree gets the same float32
        n = prior_probabilities(mine, view, kept)
        assert prior_probabilities(own_copy(prior), view, fresh) == n
        assert np.array_equal(kept[:n].astype(np.float32), fresh[:n].astype(np.float32))


def test_renamed_suits_are_the_same_decision():
    """Inputs and labels move together when side suits are renamed."""
    examples, config = some_examples(4), parse_architecture("t-200")
    rows = np.arange(len(examples))
    orders = np.tile(np.array([0, 3, 1, 2], dtype=np.int8), (len(rows), 1))
    batches = Batches(config, examples)
    (plain,), (renamed,) = batches.inputs(rows), batches.inputs(rows, orders)
    suits = plain[:, :208].reshape(-1, 4, 4, 13)
    moved = renamed[:, :208].reshape(-1, 4, 4, 13)
    for suit, new in enumerate((0, 3, 1, 2)):
        assert torch.equal(suits[:, :, suit], moved[:, :, new])
    assert torch.equal(plain[:, 208:], renamed[:, 208:])
    labels, moved_labels = batches.labels(rows), batches.labels(rows, orders)
    assert torch.equal(moved_labels % 13, labels % 13)
    assert torch.equal(moved_labels // 13, torch.tensor([0, 3, 1, 2])[labels // 13])


def test_inputs_are_what_the_paper_says():
    examples, config = some_examples(4), parse_architecture("t-200")
    batches = Batches(config, examples)
    (inputs,) = batches.inputs(np.arange(len(examples)))
    for row, view in zip(inputs.numpy(), examples.views, strict=True):
        deck = int(view[5])
        for block, column in enumerate((0, 12, 13, 14)):
            bits = np.flatnonzero(row[52 * block : 52 * (block + 1)])
            assert sum(1 << int(bit) for bit in bits) == card_slots(int(view[column]), deck)
        own = [view[7], view[15], view[8], view[16], view[9], view[17], view[10], view[18]]
        np.testing.assert_allclose(row[208:] * 13, own, atol=1e-5)


def test_options_that_cannot_train_are_refused():
    with pytest.raises(ValueError, match="can't train"):
        TrainingOptions(epochs=0)
