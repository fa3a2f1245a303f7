"""A human model as compiled code takes it: plain arrays, and one kernel that queries any of them.

A search takes a ``Prior`` as an argument and knows no more of the model behind it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS
from spades.core.kernel import Int, kernel, lean_kernel, popcount
from spades.core.observation import Observation
from spades.human.features.card_features import legal_probabilities
from spades.human.features.view import DECK, LEGAL, N_VIEW, View, decision_at, view_of
from spades.human.networks.forward import network_probabilities, picks_legal

LOG_LINEAR, NETWORK = range(2)
_of_thread = threading.local()


class Prior(NamedTuple):
    """The numbers of one model. ``kind``: which of the models below reads them.

    ``weights``: those of a log-linear model, float64 (42,) or (45,). ``plan`` and ``numbers``: a
    network's shape and weights (``spades.human.networks.model``). What a model doesn't have is
    empty. ``scratch`` and ``ids`` are overwritten at every query, so each thread needs its own
    (``own_copy``, ``copy_of_thread``).
    """

    kind: Int
    weights: NDArray[np.float64]
    plan: NDArray[np.int64]
    numbers: NDArray[np.uint16]
    scratch: NDArray[np.float32]
    ids: NDArray[np.int64]


def log_linear_prior(weights: NDArray[np.float64]) -> Prior:
    """The log-linear model with these weights."""
    nothing, no_floats = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    return Prior(LOG_LINEAR, weights.copy(), nothing, np.zeros(0, np.uint16), no_floats, new_ids(0))


def network_prior(
    plan: NDArray[np.int64],
    numbers: NDArray[np.uint16],
    scratch: NDArray[np.float32],
    ids: NDArray[np.int64],
) -> Prior:
    """A packed network as kernels query it."""
    return Prior(NETWORK, np.zeros(0), plan, numbers, scratch, ids)


def new_ids(n: int) -> NDArray[np.int64]:
    """Scratch memory that lists inputs, then keys of stored answers: none yet, no key is -1."""
    return np.full(n, -1, dtype=np.int64)


def own_copy(prior: Prior) -> Prior:
    """The same prior with scratch memory of its own."""
    return prior._replace(scratch=np.empty_like(prior.scratch), ids=new_ids(prior.ids.size))


def copy_of_thread(prior: Prior) -> Prior:
    """The same with scratch memory of this thread, which keeps it until it needs another prior."""
    if getattr(_of_thread, "prior", None) is not prior:
        _of_thread.prior, _of_thread.copy = prior, own_copy(prior)
    copy: Prior = _of_thread.copy
    return copy


@lean_kernel
def prior_probabilities(prior: Prior, view: View, out: NDArray) -> Int:
    """How likely a human plays each legal card, lowest code first, into ``out``; how many.

    ``view``: int64 (24,), see ``spades.human.features.view``; ``out`` float64 (13,).
    """
    kind, weights, plan, numbers, scratch, ids = prior
    if kind == NETWORK:
        return network_probabilities(plan, numbers, scratch, ids, view, out)
    return legal_probabilities(decision_at(view), weights, out)


@kernel
def predict_views(prior: Prior, views: NDArray, out: NDArray, picks: NDArray) -> None:
    """Probabilities of many views into ``out`` float64 (n, 13), zeros before.

    ``picks`` bool (n,): whether the first choice, before the legal cards are looked at, is legal;
    or empty.
    """
    for row in range(len(views)):
        view = views[row]
        prior_probabilities(prior, view, out[row])
        if len(picks):
            kind, _, plan, numbers, scratch, ids = prior
            picks[row] = kind != NETWORK or picks_legal(plan, numbers, scratch, ids, view)


@kernel
def _spread(views: NDArray, p: NDArray, out: NDArray) -> None:
    """Probabilities of legal cards (n, 13) to those of the deck's dense indices (n, 52)."""
    for row in range(len(views)):
        left, i = views[row, LEGAL], 0
        while left:
            out[row, popcount(views[row, DECK] & ((left & -left) - 1))] = p[row, i]
            left &= left - 1
            i += 1


def predict_observations(prior: Prior, observations: Sequence[Observation]) -> NDArray[np.float64]:
    """Probabilities by dense index of the deck, (n, 52); illegal cards are exactly 0."""
    views = np.array([view_of(seen) for seen in observations], dtype=np.int64).reshape(-1, N_VIEW)
    p, out = np.zeros((len(views), HAND_SIZE)), np.zeros((len(views), N_CARDS))
    predict_views(prior, views, p, np.empty(0, dtype=bool))
    _spread(views, p, out)
    return out
