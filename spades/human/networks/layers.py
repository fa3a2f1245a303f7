"""Layers of a network, compiled: only the rows of weights of inputs that aren't 0 are added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.kernel import Int, kernel, sum_kernel

_AT_ONCE = np.uintp(6)
_ZERO = np.float32(0.0)


@kernel
def input_at(x: NDArray, ids: NDArray, place: Int, end: Int) -> tuple[Int, np.float32]:
    """The input listed at ``place`` and its value; behind ``end`` the last one, with 0."""
    last = end - np.uintp(1)
    at = np.uintp(ids[min(place, last)])
    return at, x[at] if place < end else _ZERO


@sum_kernel
def add_active(
    x: NDArray, ids: NDArray, n_active: Int, numbers: NDArray, start: Int, out: NDArray
) -> None:
    """Add the rows of the inputs listed in ``ids``, each times its input, to the units ``out``.

    Weights begin at ``start``, a row an input. Six rows at a time, indexed from the one array: a
    slice of each row would cost more than the row.
    """
    n, first, end, done = np.uintp(out.size), np.uintp(start), np.uintp(n_active), np.uintp(0)
    while done < end:
        a, x_a = input_at(x, ids, done, end)
        b, x_b = input_at(x, ids, done + np.uintp(1), end)
        c, x_c = input_at(x, ids, done + np.uintp(2), end)
        d, x_d = input_at(x, ids, done + np.uintp(3), end)
        e, x_e = input_at(x, ids, done + np.uintp(4), end)
        f, x_f = input_at(x, ids, done + np.uintp(5), end)
        a, b, c = first + a * n, first + b * n, first + c * n
        d, e, f = first + d * n, first + e * n, first + f * n
        for j in range(n):
            out[j] += (x_a * numbers[a + j] + x_b * numbers[b + j] + x_c * numbers[c + j]) + (
                x_d * numbers[d + j] + x_e * numbers[e + j] + x_f * numbers[f + j]
            )
        done += _AT_ONCE


@kernel
def list_active(units: NDArray, ids: NDArray) -> Int:
    """Positions of the units above 0; how many."""
    n = np.uintp(0)
    for i in range(np.uintp(units.size)):
        ids[n] = i
        n += np.uintp(units[i] > np.float32(0.0))
    return np.int64(n)


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
