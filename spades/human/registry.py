"""Human models by name, as agents' texts, links and result files write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from spades.errors import UnknownModelError
from spades.human.loglinear import devlin2016
from spades.human.model import HumanModel
from spades.human.prior import Prior, prior_of
from spades.human.simulated import MODEL_NAME, devlin2016_nil

_MODELS: dict[str, Callable[[], HumanModel]] = {
    "devlin2016": devlin2016,
    MODEL_NAME: devlin2016_nil,
}
MODEL_NAMES = tuple(_MODELS)


def load_model(name: str) -> HumanModel:
    """The human model of that name; :class:`UnknownModelError` lists the names there are."""
    if name not in _MODELS:
        raise UnknownModelError(
            f"no human model is called {name!r}; the models are {', '.join(MODEL_NAMES)}"
        )
    return _MODELS[name]()


@lru_cache(maxsize=16)
def load_prior(name: str) -> Prior:
    """The model of that name as compiled code asks it."""
    return prior_of(load_model(name))
