"""A human model as compiled code is given it: plain arrays, and one kernel that asks any of them.

A search takes a :class:`Prior` as an argument and knows no more of the model behind it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.errors import SpadesError
from spades.human.decision import decision_at
from spades.human.loglinear import LogLinearModel, legal_probabilities
from spades.human.model import HumanModel
from spades.human.networks.config import NetworkConfig, plan_of, scratch_size
from spades.human.networks.forward import network_probabilities, picks_legal
from spades.human.networks.model import NetworkModel
from spades.human.view import View
from spades.kernel import Int, kernel

LOG_LINEAR, NETWORK = range(2)


class Prior(NamedTuple):
    """The numbers of one model. ``kind``: which of the models below reads them.

    ``weights``: those of a log-linear model, float64 (42,) or (45,). ``plan`` int64 and ``numbers``
    float32: a network's shapes and weights. What a model doesn't have is empty. ``scratch``:
    float32, written over at every question, so that each thread needs its own (:func:`own_copy`).
    """

    kind: Int
    weights: NDArray[np.float64]
    plan: NDArray[np.int64]
    numbers: NDArray[np.float32]
    scratch: NDArray[np.float32]


def prior_of(model: HumanModel) -> Prior:
    """A fitted model as kernels ask it; refused for a kind of model that they can't."""
    if isinstance(model, LogLinearModel):
        empty = np.zeros(0, dtype=np.float32)
        return Prior(LOG_LINEAR, model.weights_.copy(), np.zeros(0, np.int64), empty, empty)
    if isinstance(model, NetworkModel):
        return network_prior(model.shape, model.numbers_)
    raise SpadesError(f"{model.name}: compiled code can't ask a {type(model).__name__}")


def network_prior(config: NetworkConfig, numbers: NDArray[np.float32]) -> Prior:
    """A network's numbers as kernels ask it."""
    scratch = np.empty(scratch_size(config), dtype=np.float32)
    return Prior(NETWORK, np.zeros(0), plan_of(config), numbers, scratch)


def own_copy(prior: Prior) -> Prior:
    """The same prior with scratch memory of its own."""
    return prior._replace(scratch=np.empty_like(prior.scratch))


@kernel
def prior_probabilities(prior: Prior, view: View, out: NDArray) -> Int:
    """How likely a human plays each legal card, lowest code first, into ``out``; how many.

    ``view``: int64 (24,), see :mod:`spades.human.view`; ``out`` float64 (13,).
    """
    if prior.kind == NETWORK:
        return network_probabilities(prior.plan, prior.numbers, prior.scratch, view, out)
    return legal_probabilities(decision_at(view), prior.weights, out)


@kernel
def predict_views(prior: Prior, views: NDArray, out: NDArray, picks: NDArray) -> None:
    """Probabilities of many views into ``out`` float64 (n, 13), zeros before.

    ``picks`` bool (n,): whether the first choice, before the legal cards are looked at, is legal;
    or empty.
    """
    for row in range(len(views)):
        prior_probabilities(prior, views[row], out[row])
        if len(picks):
            picks[row] = prior.kind != NETWORK or picks_legal(
                prior.plan, prior.numbers, prior.scratch, views[row]
            )
