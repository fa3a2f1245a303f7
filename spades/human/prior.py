"""A human model as compiled code is given it: plain arrays, and one kernel that asks any of them.

A search takes a ``Prior`` as an argument and knows no more of the model behind it.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lean_kernel
from spades.human.features.view import View, decision_at
from spades.human.loglinear.model import LogLinearModel, legal_probabilities
from spades.human.model import HumanModel
from spades.human.networks.config import NetworkConfig
from spades.human.networks.forward import network_probabilities, picks_legal
from spades.human.networks.model import NetworkModel
from spades.human.networks.packing import new_ids, packed

LOG_LINEAR, NETWORK = range(2)
_kept = threading.local()

_NO_NETWORK = (
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=np.uint16),
    np.zeros(0, dtype=np.float32),
    np.zeros(0, dtype=np.int64),
)


class Prior(NamedTuple):
    """The numbers of one model. ``kind``: which of the models below reads them.

    ``weights``: those of a log-linear model, float64 (42,) or (45,). ``plan`` int64 and ``numbers``
    uint16: a network's shapes and weights, see ``spades.human.networks.packing``. What a model
    doesn't have is empty. ``scratch`` and ``ids``: written over at every question, so that each
    thread needs its own (``own_copy``, ``copy_of_thread``).
    """

    kind: Int
    weights: NDArray[np.float64]
    plan: NDArray[np.int64]
    numbers: NDArray[np.uint16]
    scratch: NDArray[np.float32]
    ids: NDArray[np.int64]


def prior_of(model: HumanModel) -> Prior:
    """A fitted model as kernels ask it; refused for a kind of model that they can't."""
    if isinstance(model, LogLinearModel):
        return Prior(LOG_LINEAR, model.weights_.copy(), *_NO_NETWORK)
    if isinstance(model, NetworkModel):
        return network_prior(model.shape, model.numbers_)
    raise SpadesError(f"{model.name}: compiled code can't ask a {type(model).__name__}")


def network_prior(config: NetworkConfig, numbers: NDArray[np.float32]) -> Prior:
    """A network's numbers as kernels ask it."""
    return Prior(NETWORK, np.zeros(0), *packed(config, numbers))


def own_copy(prior: Prior) -> Prior:
    """The same prior with scratch memory of its own."""
    kind, weights, plan, numbers, scratch, ids = prior
    return Prior(kind, weights, plan, numbers, np.empty_like(scratch), new_ids(ids.size))


def copy_of_thread(prior: Prior) -> Prior:
    """The same with scratch memory of this thread's, kept until it asks for another's.

    What the scratch memory keeps of earlier questions goes by all that an answer depends on.
    """
    if getattr(_kept, "prior", None) is not prior:
        _kept.prior, _kept.copy = prior, own_copy(prior)
    copy: Prior = _kept.copy
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
