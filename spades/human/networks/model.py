"""A network as a model of human play (Baier 2018): trained with PyTorch, queried without it.

Compiled code gets a network packed:

- Hidden units that nothing can make active, their weights and bias being 0, are left out.
- Hidden layers are widened to whole vectors with units of that kind, which change no sum.
"""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import UnknownModelError
from spades.core.extras import explain_missing
from spades.human.features.logs import Examples
from spades.human.files import MODEL_FORMAT, ModelFileError
from spades.human.model import NETWORK, HumanModel, Prior, Watch
from spades.human.networks.config import (
    SUITS,
    NetworkConfig,
    TrainingOptions,
    parse_architecture,
    tensor_shapes,
)
from spades.human.networks.forward import N_PARTS, WIDTH, plan_of
from spades.human.networks.vectors import LANES

Tensors = dict[str, NDArray[np.float32]]

MAX_WEIGHT = 100.0
"""Size of a network's weights and biases, at most; those of trained ones stay below 20.

No sum of a float32 pass (below 3.4e38) can overflow: with the largest shapes that are legal, sums
grow at most 5-fold by the convolution, 609-fold by the first layer, 1025-fold by each of five more
layers and the output, and by the size of the weights in each of these eight: to 3.6e37.
"""


class NetworkModel(HumanModel):
    """``tensors_``: what was learned, float32, by name in the order of ``tensor_shapes``.

    The legal cards are no input and aren't masked in training; queried, the network's probabilities
    are those of the legal cards among themselves."""

    kind = "network"
    options_type = TrainingOptions
    tensors_: Tensors

    def __init__(
        self,
        architecture: str = "t-200-150-100",
        *,
        name: str = "network",
        options: TrainingOptions | None = None,
        seed: int = 0,
    ) -> None:
        self.architecture, self.name, self.options, self.seed = architecture, name, options, seed

    @property
    def shape(self) -> NetworkConfig:
        return parse_architecture(self.architecture)

    def _learn(self, options: TrainingOptions, examples: Examples, watch: Watch) -> None:
        if "OMP_WAIT_POLICY" not in os.environ:
            # PyTorch's threads spin for some 30 microseconds when they wait, then leave their core:
            # without spinning a pass takes a third longer on a quiet machine; with GNU's own, ten
            # times as long on a busy one. Read when PyTorch is imported.
            os.environ["OMP_WAIT_POLICY"] = "passive"
            os.environ.setdefault("GOMP_SPINCOUNT", "2000")
        try:
            from spades.human.training.loop import train_network
        except ModuleNotFoundError as error:  # PyTorch is optional
            raise explain_missing(error) from None

        trained = train_network(self.shape, options, examples, self.seed, watch)
        self.tensors_, self.facts_ = trained

    def prior(self) -> Prior:
        return packed(self.shape, self.tensors_)

    def config(self) -> dict[str, Any]:
        return {"architecture": self.architecture}

    def tensors(self) -> Tensors:
        return self.tensors_

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        try:
            model = cls(str(config.get("architecture")), name=name)
            shapes = tensor_shapes(model.shape)
        except UnknownModelError as error:
            raise ModelFileError(str(error)) from None
        MODEL_FORMAT.check(tensors, shapes, dict.fromkeys(shapes, (-MAX_WEIGHT, MAX_WEIGHT)))
        model.tensors_ = {name: tensors[name].astype(np.float32) for name in shapes}
        return model


def packed(config: NetworkConfig, tensors: Tensors) -> Prior:
    """Plan, weights, scratch memory and lists of a network."""
    if config.reads != SUITS:
        config, tensors = _without_idle(config, tensors)
    wide = dataclasses.replace(config, hidden=tuple(_whole(n) for n in config.hidden))
    parts = []
    for (name, tensor), shape in zip(tensors.items(), tensor_shapes(wide).values(), strict=True):
        target = np.zeros(shape, dtype=np.float32)
        rows = _row_places(config, name, len(tensor))
        target[np.ix_(rows, *map(np.arange, tensor.shape[1:]))] = tensor
        parts.append(target.ravel())
    plan = plan_of(wide)
    scratch, ids = np.empty(N_PARTS * plan[WIDTH], np.float32), np.empty(plan[WIDTH], np.int64)
    return Prior(NETWORK, np.zeros(0), plan, np.concatenate(parts), scratch, ids)


def _whole(n: int) -> int:
    return -(-n // LANES) * LANES


def _without_idle(config: NetworkConfig, tensors: Tensors) -> tuple[NetworkConfig, Tensors]:
    """The same network without the hidden units that never are active; one a layer stays."""
    found, n_layers = dict(tensors), len(config.hidden)
    for layer in range(n_layers):
        weight, bias = f"hidden{layer}.weight", f"hidden{layer}.bias"
        used = np.flatnonzero((found[weight] != 0).any(axis=0) | (found[bias] > 0))
        used = used if len(used) else np.zeros(1, dtype=np.int64)
        found[weight], found[bias] = found[weight][:, used], found[bias][used]
        if layer + 1 < n_layers:
            found[f"hidden{layer + 1}.weight"] = found[f"hidden{layer + 1}.weight"][used]
        else:
            found["output.weight"] = found["output.weight"][:, used]
    hidden = tuple(len(found[f"hidden{layer}.bias"]) for layer in range(n_layers))
    return dataclasses.replace(config, hidden=hidden), found


def _row_places(config: NetworkConfig, name: str, n: int) -> NDArray[np.int64]:
    """Where the rows of a tensor are in the widened one: each layer below begins a block."""
    places, start = [], 0
    if config.reads == SUITS and ("head.w" in name or "context.w" in name):
        _, second, context, _ = config.hidden
        for block in (second, context if "head" in name else second):
            places.append(start + np.arange(block))
            start += _whole(block)
    rest = n - sum(map(len, places))
    return np.concatenate([*places, start + np.arange(rest)])
