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
from spades.core.kernel import IntArray
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import Examples
from spades.human.files import MODEL_FORMAT, ModelFileError
from spades.human.model import NETWORK, FitMonitor, HumanModel, Prior
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
"""Largest legal absolute value of a weight or bias; those of trained networks stay below 20.

It rules out overflow in float32 (3.4e38). With the largest legal shapes a sum grows at most 5-fold
in the convolution, 609-fold in the first layer, 1025-fold in each of five more layers and the
output, and by the size of the weights in each of these eight: to 3.6e37.
"""


class NetworkModel(HumanModel):
    """A network of human play. ``tensors_``: the learned float32 arrays, in the order of
    ``tensor_shapes``.

    The legal cards are no input, and illegal ones aren't masked in training; a query normalises the
    probabilities over the legal cards."""

    kind = "network"
    options_type = TrainingOptions
    learns_from_parts = True
    tensors_: Tensors

    def __init__(
        self,
        architecture: str = "t-200-150-100",
        *,
        name: str = "network",
        options: TrainingOptions | None = None,
        seed: int = 0,
    ) -> None:
        self.architecture = architecture
        self.name = name
        self.options = options
        self.seed = seed

    @property
    def shape(self) -> NetworkConfig:
        return parse_architecture(self.architecture)

    def _learn(
        self, options: TrainingOptions, examples: Examples | ExampleParts, monitor: FitMonitor
    ) -> None:
        if "OMP_WAIT_POLICY" not in os.environ:
            # Waiting threads of PyTorch spin for some 30 microseconds, then sleep. Without spinning
            # a pass takes a third longer on an idle machine; with GNU's default it takes ten times
            # as long on a busy one. PyTorch reads these variables when it is imported.
            os.environ["OMP_WAIT_POLICY"] = "passive"
            os.environ.setdefault("GOMP_SPINCOUNT", "2000")
        try:
            from spades.human.training.loop import train_network
        except ModuleNotFoundError as error:  # PyTorch is optional
            raise explain_missing(error) from None

        self.tensors_, self.facts_ = train_network(
            self.shape, options, examples, self.seed, monitor
        )

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
    """A network for compiled code: layers padded to ``LANES``, all weights in one array."""
    if config.reads != SUITS:
        config, tensors = _without_idle(config, tensors)
    padded = dataclasses.replace(config, hidden=tuple(map(_round_up, config.hidden)))
    parts = []
    for name, shape in tensor_shapes(padded).items():
        tensor = tensors[name]
        target = np.zeros(shape, dtype=np.float32)
        rows = _row_places(config, name, len(tensor))
        target[np.ix_(rows, *map(np.arange, tensor.shape[1:]))] = tensor
        parts.append(target.ravel())
    plan = plan_of(padded)
    scratch = np.empty(N_PARTS * plan[WIDTH], np.float32)
    ids = np.empty(plan[WIDTH], np.int64)
    return Prior(
        kind=NETWORK,
        weights=np.zeros(0),
        plan=plan,
        numbers=np.concatenate(parts),
        scratch=scratch,
        ids=ids,
    )


def _round_up(n: int) -> int:
    """The next multiple of ``LANES``."""
    return -(-n // LANES) * LANES


def _without_idle(config: NetworkConfig, tensors: Tensors) -> tuple[NetworkConfig, Tensors]:
    """The same network without the hidden units that are never active; each layer keeps one."""
    kept = dict(tensors)
    n_layers = len(config.hidden)
    sizes = []
    for layer in range(n_layers):
        weight = kept[f"hidden{layer}.weight"]
        bias = kept[f"hidden{layer}.bias"]
        used = np.flatnonzero((weight != 0).any(axis=0) | (bias > 0))
        if not len(used):
            used = np.zeros(1, dtype=np.int64)
        sizes.append(len(used))
        kept[f"hidden{layer}.weight"] = weight[:, used]
        kept[f"hidden{layer}.bias"] = bias[used]
        if layer + 1 < n_layers:
            kept[f"hidden{layer + 1}.weight"] = kept[f"hidden{layer + 1}.weight"][used]
        else:
            kept["output.weight"] = kept["output.weight"][:, used]
    return dataclasses.replace(config, hidden=tuple(sizes)), kept


def _row_places(config: NetworkConfig, name: str, n: int) -> IntArray:
    """Where the rows of a tensor are in the padded one: each layer that feeds it begins a block."""
    places = []
    start = 0
    if config.reads == SUITS and ("head.w" in name or "context.w" in name):
        _, second, context, _ = config.hidden
        for block in (second, context if "head" in name else second):
            places.append(start + np.arange(block))
            start += _round_up(block)
    rest = n - sum(map(len, places))
    return np.concatenate([*places, start + np.arange(rest)])
