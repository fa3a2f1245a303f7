"""The networks as PyTorch modules.

References: Baier 2018, section III (the nine, and the abstract-move network). Shapes are on the
lines: B examples, F inputs, U units. Each module's ``forward`` gives the logits and the hidden
layers' activations, for the penalty that makes them sparse.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spades.core.cards import N_CARDS, N_SEATS
from spades.human.networks import config as networks
from spades.human.networks.config import NetworkConfig, tensor_shapes


class CardNetwork(nn.Module):
    """Cards or moves in, through hidden layers, one logit a card or move out."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        if config.convolves:
            channels = N_SEATS * networks.N_KERNELS
            self.convolution = nn.Conv1d(N_SEATS, channels, networks.KERNEL_SIZE, groups=N_SEATS)
        widths = [config.n_inputs, *config.hidden]
        layers = [nn.Linear(n_inputs, n_units) for n_inputs, n_units in pairwise(widths)]
        self.hidden = nn.ModuleList(layers)
        self.output = nn.Linear(widths[-1], config.n_outputs)

    def forward(self, inputs: Tensor) -> tuple[Tensor, list[Tensor]]:
        """``inputs`` (B, F)."""
        x = self._convolved(inputs) if self.config.convolves else inputs
        active = []
        for layer in self.hidden:
            x = layer(x).relu_()  # (B, U)
            active.append(x)
        return self.output(x), active  # (B, 52 or 68)

    def matrices(self, *, with_cards: bool) -> list[Tensor]:
        """Weights of the hidden layers; of one that reads cards as they are if ``with_cards``."""
        is_embedding = not self.config.convolves
        layers = self.hidden[is_embedding and not with_cards :]
        return [layer.weight for layer in layers if isinstance(layer, nn.Linear)]

    def _convolved(self, inputs: Tensor) -> Tensor:
        n_raw = self.config.n_raw
        raw = inputs[:, :n_raw]  # (B, 208)
        rest = inputs[:, n_raw:]
        blocks = raw.reshape(-1, N_SEATS, N_CARDS)  # (B, 4, 52)
        convolved = torch.relu(self.convolution(blocks))
        parts = [convolved.flatten(1)]  # (B, 4 * 2 * 49)
        if self.config.appends:
            parts.append(raw)
        parts.append(rest)
        return torch.cat(parts, 1)


class SuitLayers(nn.Module):
    """Layers of one kind of suit; the three side suits share theirs."""

    def __init__(self, first: int, second: int, context: int, head: int) -> None:
        super().__init__()
        self.first = nn.Linear(networks.N_SUIT_INPUTS, first)
        self.second = nn.Linear(first, second)
        self.head = nn.Linear(second + context, head)
        self.output = nn.Linear(head, networks.N_RANKS)


class SuitNetwork(nn.Module):
    """Our network: every suit by itself, then a context from all suits, then every suit's cards
    given the context."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        first, second, context, head = config.hidden
        self.spades = SuitLayers(first, second, context, head)
        self.side = SuitLayers(first, second, context, head)
        self.context = nn.Linear(2 * second + networks.N_FACTS, context)

    def forward(self, suits: Tensor, facts: Tensor) -> tuple[Tensor, list[Tensor]]:
        """``suits`` (4, B, 122), ``facts`` (B, 20)."""
        spades, *active_spades = _encode(self.spades, suits[:1])  # (1, B, U)
        side, *active_side = _encode(self.side, suits[1:])  # (3, B, U)
        seen = torch.cat([spades[0], side.sum(0), facts], 1)
        context = torch.relu(self.context(seen))  # (B, C)
        logits_spades, head_spades = _answer(self.spades, spades, context)  # (1, B, 13)
        logits_side, head_side = _answer(self.side, side, context)  # (3, B, 13)
        by_suit = torch.cat([logits_spades, logits_side])  # (4, B, 13)
        logits = by_suit.transpose(0, 1).flatten(1)  # (B, 52)
        active = [
            *active_spades,
            *active_side,
            spades,
            side,
            context,
            head_spades,
            head_side,
        ]
        return logits, active

    def matrices(self, *, with_cards: bool) -> list[Tensor]:
        """Weights of all layers but the outputs."""
        layers: list[nn.Linear] = []
        for kind in (self.spades, self.side):
            layers += [kind.first, kind.second, kind.head]
        layers.append(self.context)
        return [layer.weight for layer in layers]


def _encode(layers: SuitLayers, suits: Tensor) -> tuple[Tensor, Tensor]:
    first = torch.relu(layers.first(suits))
    return torch.relu(layers.second(first)), first


def _answer(layers: SuitLayers, suits: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
    """Logits of the suits' cards, and the units of their heads."""
    n_own = suits.shape[-1]
    own = layers.head.weight[:, :n_own]
    shared = layers.head.weight[:, n_own:]
    # The context's contribution is computed once for all suits of a kind.
    from_context = context @ shared.T + layers.head.bias  # (B, U)
    head = torch.relu(suits @ own.T + from_context)  # (suits, B, U)
    return layers.output(head), head


def crowding(active: list[Tensor]) -> Tensor:
    """Effective number of active units, over all layers: sum(h)^2 / sum(h^2), mean over examples.

    n equal activations count as n, a few large ones among many small ones as little more than the
    large ones. The scale doesn't matter (Hoyer 2004), so the next layer can't compensate for
    smaller activations."""
    total = active[0].new_zeros((), dtype=torch.float32)
    for layer in active:
        h = layer.float()
        square_of_sum = h.sum(-1).square()
        sum_of_squares = h.square().sum(-1)
        units = square_of_sum / (sum_of_squares + 1e-6)
        total = total + units.sum() / units.shape[-1]
    return total


Module = CardNetwork | SuitNetwork


def build_module(config: NetworkConfig) -> Module:
    return SuitNetwork(config) if config.reads == networks.SUITS else CardNetwork(config)


def parameters_of(module: Module) -> Iterator[tuple[str, nn.Parameter, bool]]:
    """Name of each tensor in the file, its parameter, and whether the file has it transposed."""
    parameters = dict(module.named_parameters())
    for name, shape in tensor_shapes(module.config).items():
        is_hidden = not name.startswith("convolution") and "output" not in name
        name_in_module = re.sub(r"hidden(\d)", r"hidden.\1", name)
        yield name, parameters[name_in_module], len(shape) == 2 and is_hidden


def tensors_of(module: Module) -> dict[str, NDArray[np.float32]]:
    """The learned tensors, in the shapes that compiled code reads."""
    shapes = tensor_shapes(module.config)
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, parameter, is_transposed in parameters_of(module):
        array = parameter.detach().numpy()
        if is_transposed:
            array = array.T
        copied = np.array(array, np.float32, order="C")
        tensors[name] = copied.reshape(shapes[name])
    return tensors
