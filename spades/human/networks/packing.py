"""A network as compiled code reads it: little memory, whole vectors.

- Weights are bfloat16, the upper half of a float32. A search reads them between two visits to its
  tree, so that their size counts more than the sums. Networks are rounded to bfloat16 once, when
  they are made or read (``rounded``): what is measured is what plays.
- Hidden units that nothing can make active, their weights and bias being 0, are left out.
- Hidden layers are widened to whole vectors with units of that kind, which change no sum.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spades.human.networks.config import (
    SUITS,
    NetworkConfig,
    plan_of,
    scratch_sizes,
    tensor_shapes,
)
from spades.human.networks.vectors import LANES, floats_of, halves_of

Packed = tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.float32], NDArray[np.int64]]
Tensors = dict[str, NDArray[np.float32]]
Places = NDArray[np.int64]


def rounded(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Float32 rounded to what bfloat16 can hold."""
    return floats_of(halves_of(numbers))


def packed(config: NetworkConfig, numbers: NDArray[np.float32]) -> Packed:
    """Plan, weights, scratch memory and lists of a network whose tensors are ``numbers``."""
    tensors = cut_tensors(config, numbers)
    if config.reads != SUITS:
        config, tensors = _without_idle(config, tensors)
    wide = dataclasses.replace(config, hidden=tuple(_whole(n) for n in config.hidden))
    parts = []
    for (name, tensor), shape in zip(tensors.items(), tensor_shapes(wide).values(), strict=True):
        target = np.zeros(shape, dtype=np.float32)
        rows = _row_places(config, name, len(tensor))
        if tensor.ndim == 2:
            target[rows, : tensor.shape[1]] = tensor
        else:
            target[rows] = tensor
        parts.append(target.ravel())
    n_floats, n_ids = scratch_sizes(wide)
    scratch = np.empty(n_floats, dtype=np.float32)
    return plan_of(wide), halves_of(np.concatenate(parts)), scratch, new_ids(n_ids)


def new_ids(n: int) -> NDArray[np.int64]:
    """Scratch memory that lists inputs, then keys of what is kept: nothing yet, no key is -1."""
    return np.full(n, -1, dtype=np.int64)


def cut_tensors(config: NetworkConfig, numbers: NDArray[np.float32]) -> Tensors:
    """The tensors that lie one after another in ``numbers``, as views."""
    shapes = tensor_shapes(config)
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes.values())])
    spans = zip(shapes.items(), pairwise(ends.tolist()), strict=True)
    return {name: numbers[start:end].reshape(shape) for (name, shape), (start, end) in spans}


def _whole(n: int) -> int:
    return -(-n // LANES) * LANES


def _without_idle(config: NetworkConfig, tensors: Tensors) -> tuple[NetworkConfig, Tensors]:
    """The same network without the hidden units that never are active; one a layer stays."""
    found, hidden = dict(tensors), []
    for layer in range(len(config.hidden)):
        weight, bias = f"hidden{layer}.weight", f"hidden{layer}.bias"
        kept = np.flatnonzero((found[weight] != 0).any(axis=0) | (found[bias] > 0))
        kept = kept if len(kept) else np.zeros(1, dtype=np.int64)
        found[weight], found[bias] = found[weight][:, kept], found[bias][kept]
        if layer + 1 < len(config.hidden):
            found[f"hidden{layer + 1}.weight"] = found[f"hidden{layer + 1}.weight"][kept]
        else:
            found["output.weight"] = found["output.weight"][:, kept]
        hidden.append(len(kept))
    return dataclasses.replace(config, hidden=tuple(hidden)), found


def _row_places(config: NetworkConfig, name: str, n: int) -> Places:
    """Where the rows of a tensor stand in the widened one: each layer below begins a block."""
    blocks: tuple[int, ...] = ()
    if config.reads == SUITS:
        _, second, context, _ = config.hidden
        if name.endswith("head.weight"):
            blocks = second, context
        elif name == "context.weight":
            blocks = second, second
    places, start = [], 0
    for block in blocks:
        places.append(start + np.arange(block))
        start += _whole(block)
    rest = n - sum(blocks)
    return np.concatenate([*places, start + np.arange(rest)])
