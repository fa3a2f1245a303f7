"""The first layer from listed inputs: PyTorch's own layer says what it must come to."""

import numpy as np
import pytest
import torch

from spades.human.networks.config import parse_architecture
from spades.human.training.first_layer import first_layer
from spades.human.training.loop import Batches
from tests.human.random_networks import some_examples

ARCHITECTURES = ["200", "t-48-20", "abstract-33"]
NO_ORDERS = np.empty((0, 4), dtype=np.int8)


@pytest.fixture
def threads():
    """Set PyTorch's number of threads; put back what it was."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def layer_and_batches(name, deck="standard"):
    config, examples = parse_architecture(name), some_examples(6, deck=deck)
    torch.manual_seed(3)
    layer = torch.nn.Linear(config.n_inputs, config.hidden[0])
    return layer, Batches(config, examples), np.arange(len(examples))[::-2].copy()


def learned(layer, units):
    """What the layer gives and the gradients of a sum of its units with all different weights."""
    layer.zero_grad()
    (units * torch.linspace(-1, 2, units.numel()).reshape(units.shape)).sum().backward()
    return [found.detach().clone() for found in (units, layer.weight.grad, layer.bias.grad)]


def by_pytorch(layer, inputs):
    return learned(layer, torch.relu(layer(inputs)))


@pytest.mark.parametrize("deck", ["standard", "joker-joker-deuce-deuce"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_units_and_gradients_are_those_of_the_whole_matrix(name, deck):
    layer, batches, rows = layer_and_batches(name, deck)
    (listed,) = batches.inputs(rows, NO_ORDERS)
    wanted = by_pytorch(layer, *batches.all_inputs(rows, NO_ORDERS))
    for found, right in zip(
        learned(layer, first_layer(*layer.parameters(), listed)), wanted, strict=True
    ):
        torch.testing.assert_close(found, right, atol=1e-4, rtol=1e-5)


def test_renamed_suits_are_listed_too():
    layer, batches, rows = layer_and_batches("t-48-20")
    orders = np.array([[0, 2, 3, 1]] * len(rows), np.int8)
    (listed,), (plain,) = batches.inputs(rows, orders), batches.inputs(rows, NO_ORDERS)
    (wanted,) = batches.all_inputs(rows, orders)
    torch.testing.assert_close(first_layer(*layer.parameters(), listed), torch.relu(layer(wanted)))
    assert (
        first_layer(*layer.parameters(), listed) - first_layer(*layer.parameters(), plain)
    ).abs().max() > 0.01


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_any_number_of_threads_comes_to_the_same_bits(name, threads):
    found = []
    for n_threads in (1, 2, 3):
        threads(n_threads)
        layer, batches, rows = layer_and_batches(name)
        (listed,) = batches.inputs(rows, NO_ORDERS)
        found.append(learned(layer, first_layer(*layer.parameters(), listed)))
    for others in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], others, strict=True))


def test_one_example():
    layer, batches, _ = layer_and_batches("t-48-20")
    row = np.array([7])
    (listed,), (wanted,) = (
        batches.inputs(row, NO_ORDERS),
        batches.all_inputs(row, NO_ORDERS),
    )
    torch.testing.assert_close(first_layer(*layer.parameters(), listed), torch.relu(layer(wanted)))
