"""Networks with random weights, and examples, for tests."""

import numpy as np

from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.features.logs import examples_of_log
from spades.human.networks.config import tensor_shapes
from spades.human.networks.model import NetworkModel


def some_examples(n=10, seed=3, deck="standard"):
    return examples_of_log(simulate_humans(n, seed, rules=Rules(deck=deck)))


def random_network(architecture, seed=0, scale=0.3):
    model = NetworkModel(architecture)
    rng = np.random.default_rng(seed)
    model.tensors_ = {
        name: (scale * rng.normal(size=shape)).astype(np.float32)
        for name, shape in tensor_shapes(model.shape).items()
    }
    return model


def legal_codes(view):
    return [code for code in range(64) if int(view[1]) >> code & 1]
