"""Layers of a network, compiled: only the rows of weights of inputs that aren't 0 are added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.kernel import Int, kernel, sum_kernel

_AT_ONCE = 8


@sum_kernel
def add_rows(
    x: NDArray, ids: NDArray, first: Int, numbers: NDArray, start: Int, out: NDArray
) -> None:
    """Add eight inputs' rows of weights, each times its input, to the units ``out``."""
    n = out.size
    a, b = start + ids[first] * n, start + ids[first + 1] * n
    c, d = start + ids[first + 2] * n, start + ids[first + 3] * n
    e, f = start + ids[first + 4] * n, start + ids[first + 5] * n
    g, h = start + ids[first + 6] * n, start + ids[first + 7] * n
    row_a, row_b = numbers[a : a + n], numbers[b : b + n]
    row_c, row_d = numbers[c : c + n], numbers[d : d + n]
    row_e, row_f = numbers[e : e + n], numbers[f : f + n]
    row_g, row_h = numbers[g : g + n], numbers[h : h + n]
    x_a, x_b, x_c, x_d = x[ids[first]], x[ids[first + 1]], x[ids[first + 2]], x[ids[first + 3]]
    x_e, x_f, x_g, x_h = x[ids[first + 4]], x[ids[first + 5]], x[ids[first + 6]], x[ids[first + 7]]
    for j in range(n):
        out[j] += (x_a * row_a[j] + x_b * row_b[j] + x_c * row_c[j] + x_d * row_d[j]) + (
            x_e * row_e[j] + x_f * row_f[j] + x_g * row_g[j] + x_h * row_h[j]
        )


@sum_kernel
def add_row(value: float, numbers: NDArray, start: Int, out: NDArray) -> None:
    """Add one input's row of weights, times the input, to the units ``out``."""
    row = numbers[start : start + out.size]
    for j in range(out.size):
        out[j] += value * row[j]


@sum_kernel
def add_active(
    x: NDArray, ids: NDArray, n_active: Int, numbers: NDArray, start: Int, out: NDArray
) -> None:
    """Add the rows of the inputs listed in ``ids`` to the units ``out``; weights at ``start``."""
    done = 0
    while done + _AT_ONCE <= n_active:
        add_rows(x, ids, done, numbers, start, out)
        done += _AT_ONCE
    while done < n_active:
        add_row(x[ids[done]], numbers, start + ids[done] * out.size, out)
        done += 1


@kernel
def list_active(units: NDArray, ids: NDArray) -> Int:
    """Positions of the units above 0; how many."""
    n = 0
    for i in range(units.size):
        ids[n] = i
        n += units[i] > 0.0
    return n


@sum_kernel
def dot(x: NDArray, numbers: NDArray, start: Int) -> np.float32:
    """One output: its weights times the units above 0."""
    row, total = numbers[start : start + x.size], np.float32(0.0)
    for j in range(x.size):
        total += row[j] * max(x[j], np.float32(0.0))
    return total


@kernel
def hidden_layer(
    x: NDArray, ids: NDArray, n_active: Int, numbers: NDArray, at: Int, out: NDArray
) -> None:
    """A layer of units ``out`` from the inputs listed; its weights begin at ``at``."""
    bias = at + x.size * out.size
    out[:] = numbers[bias : bias + out.size]
    add_active(x, ids, n_active, numbers, at, out)
