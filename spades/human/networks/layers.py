"""Layers of a network, compiled: only the rows of weights of inputs that aren't 0 are added up."""

from __future__ import annotations

from numpy.typing import NDArray

from spades.core.kernel import Int, lean_kernel
from spades.human.networks.vectors import sum_rows


@lean_kernel
def hidden_layer(
    scratch: NDArray,
    ids: NDArray,
    n_active: Int,
    numbers: NDArray,
    places: tuple[Int, Int, Int],
    n_inputs: Int,
    n: Int,
) -> None:
    """A layer of n units, before ReLU, from the inputs listed in ``ids``.

    ``places``: where the inputs begin in ``scratch``, the weights in ``numbers``, and the units in
    ``scratch``. There is a row of weights for every input, and the bias follows them.
    """
    x_at, at, out_at = places
    bias_at = at + n_inputs * n
    sum_rows(scratch, ids, n_active, numbers, numbers, (x_at, at, bias_at, out_at), n)
