"""The first layer of a network that reads cards or moves, for a batch whose inputs are listed.

Some 15 of more than 200 inputs aren't 0. Forwards as backwards only their rows of weights are
touched, and inputs that are 0 are never written down: a pass over the examples is a sixth shorter.
Kernels release Python's lock, so that there is a share of the work for each of PyTorch's threads;
every sum is taken in the same order whatever their number. Shares write to memory of their own:
two cores that add to neighbouring numbers are slower than one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, lean_sum_kernel
from spades.human.features.abstract_moves import N_SUIT_MOVES
from spades.human.features.view import N_VIEW
from spades.human.networks.config import N_SCALARS, NetworkConfig
from spades.human.networks.inputs import list_raw, list_scalars, permute_suits

_MOST = HAND_SIZE + N_SEATS - 1 + N_SCALARS  # inputs that aren't 0: hand or moves, table, scalars
_PARTS = 4  # of a batch, whose gradients are added up apart; not the number of threads
_ROOM = max(N_CARDS, N_SUIT_MOVES) + (N_SEATS - 1) * N_CARDS + N_SCALARS  # all inputs


class Listed(NamedTuple):
    """The inputs of B examples that aren't 0, in no order.

    ``places`` int32 (B, 24) and ``values`` float32 (B, 24): which and what; ``counts`` int32 (B,):
    how many of a row count.
    """

    places: NDArray[np.int32]
    values: NDArray[np.float32]
    counts: NDArray[np.int32]


def list_inputs(
    config: NetworkConfig, views: NDArray[np.int64], rows: NDArray[np.int64], orders: NDArray
) -> Listed:
    """The inputs of some examples; ``orders`` int8 (B, 4): how suits are renamed, or empty."""
    n = len(rows)
    listed = Listed(
        np.empty((n, _MOST), np.int32), np.empty((n, _MOST), np.float32), np.empty(n, np.int32)
    )
    shape = (config.reads, config.n_raw if config.has_tricks else -1)
    _in_shares(n, lambda start, end: _list_batch(views, rows, shape, orders, *listed, start, end))
    return listed


def first_layer(weight: Tensor, bias: Tensor, inputs: Listed) -> Tensor:
    """Units after ReLU, (B, U), of a layer with weights (U, F) and biases (U,)."""
    units: Tensor = _FirstLayer.apply(weight, bias, inputs)
    return units


class _FirstLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, inputs: Listed) -> Tensor:
        rows = weight.detach().t().contiguous()  # (F, U)
        out = torch.empty(len(inputs.counts), len(bias))
        arrays = (*inputs, rows.numpy(), bias.detach().numpy(), out.numpy())
        _in_shares(len(out), lambda start, end: _sum_inputs(*arrays, start, end))
        ctx.inputs, ctx.shape = inputs, rows.shape
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        (out,) = ctx.saved_tensors
        n_inputs, n_units = ctx.shape
        rows, bias = torch.zeros(_PARTS, n_inputs, n_units), torch.zeros(_PARTS, n_units)
        arrays = (
            *ctx.inputs, out.numpy(), gradients[0].contiguous().float().numpy(),
            np.empty((_PARTS, n_units), np.float32), rows.numpy(), bias.numpy(),
        )  # fmt: skip
        _in_shares(_PARTS, lambda start, end: _add_gradients(*arrays, start, end))
        return rows.sum(0).t(), bias.sum(0), None


def _in_shares(n: int, work: Callable[[int, int], None]) -> None:
    """Do work on 0 .. n, a share a thread; the first is done by whoever asks."""
    n_threads = torch.get_num_threads()
    shares = list(pairwise(i * n // n_threads for i in range(n_threads + 1)))
    others = [_pool(n_threads).submit(work, *share) for share in shares[1:]]
    work(*shares[0])
    for other in others:
        other.result()


@cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads)


@kernel
def _list_batch(
    views: NDArray,
    rows: NDArray,
    shape: tuple[Int, Int],
    orders: NDArray,
    places: NDArray,
    values: NDArray,
    counts: NDArray,
    start: Int,
    end: Int,
) -> None:
    """Examples from ``start`` to ``end``; ``shape``: what is read, where scalars stand or -1."""
    reads, scalars_at = shape
    x, ids = np.zeros(_ROOM, dtype=np.float32), np.empty(_ROOM, dtype=np.int32)
    renamed = np.empty(N_VIEW, dtype=np.int64)
    for i in range(start, end):
        view = views[rows[i]]
        if len(orders):
            permute_suits(view, orders[i], renamed)
            view = renamed
        n = list_raw(view, reads, 0, x, ids)
        if scalars_at >= 0:
            n += list_scalars(view, scalars_at, x, ids[n:], 0)
        for k in range(n):
            places[i, k], values[i, k] = ids[k], x[ids[k]]
            x[ids[k]] = 0.0
        counts[i] = n


@lean_sum_kernel
def _sum_inputs(
    places: NDArray,
    values: NDArray,
    counts: NDArray,
    weights: NDArray,
    bias: NDArray,
    out: NDArray,
    start: Int,
    end: Int,
) -> None:
    """Units of the examples from ``start`` to ``end``."""
    n = len(bias)
    for i in range(start, end):
        total = out[i]
        for j in range(n):
            total[j] = bias[j]
        for k in range(counts[i]):
            row, value = weights[places[i, k]], values[i, k]
            for j in range(n):
                total[j] += value * row[j]
        for j in range(n):
            total[j] = max(total[j], np.float32(0.0))


@lean_sum_kernel
def _add_gradients(
    places: NDArray,
    values: NDArray,
    counts: NDArray,
    out: NDArray,
    gradients: NDArray,
    scratch: NDArray,
    weights: NDArray,
    bias: NDArray,
    start: Int,
    end: Int,
) -> None:
    """Gradients of all weights (parts, F, U) and biases (parts, U) from the examples of the parts
    from ``start`` to ``end``."""
    n_examples, n = len(counts), bias.shape[1]
    for part in range(start, end):
        gradient, of_bias = scratch[part], bias[part]
        for i in range(part * n_examples // len(bias), (part + 1) * n_examples // len(bias)):
            for j in range(n):
                gradient[j] = gradients[i, j] * np.float32(out[i, j] > 0)
            for j in range(n):
                of_bias[j] += gradient[j]
            for k in range(counts[i]):
                row, value = weights[part, places[i, k]], values[i, k]
                for j in range(n):
                    row[j] += value * gradient[j]
