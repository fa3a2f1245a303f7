"""The log-linear model of human play (Devlin 2016, "Modelling Human Play"; Bradley-Terry there).

Strength of a card E = sum of the weights of its features (equation 2); the probability that a
human plays it is the softmax of E over the legal cards (equation 3). Strengths are in nats.

A model has 42 weights, or 45 with the three features of ``spades.human.features.card_features``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.human.features.card_features import FEATURES, N_FEATURES, NIL_FEATURE_NAMES
from spades.human.features.examples import Examples
from spades.human.files import ModelFileError
from spades.human.loglinear.fit import FitOptions, fit_log_linear
from spades.human.model import HumanModel, Tell, check_tensors, ignore, never
from spades.human.prior import Prior, log_linear_prior

N_NIL_FEATURES = len(NIL_FEATURE_NAMES)
MAX_WEIGHT = 1e4  # nats, of either sign; a file with more is damaged
DEVLIN_2016_WEIGHTS = {
    "Lead non-spade boss": 1.62,
    "Lead spade boss": 1.17,
    "Trump steal boss": -0.03,
    "Follow steal boss": 1.12,
    "Lead non-spade highest": -0.06,
    "Lead spade highest": -1.05,
    "Trump duck highest": 0.05,
    "Trump steal highest": -0.63,
    "No follow highest": 0.72,
    "Follow duck highest": -1.88,
    "Follow steal highest": 0.36,
    "Lead non-spade lowest": -0.34,
    "Lead spade lowest": -0.28,
    "Trump duck lowest": -0.15,
    "Trump steal lowest": 1.56,
    "No follow lowest": -0.10,
    "Follow duck lowest": 0.16,
    "Follow steal lowest": 0.75,
    "Lead non-spade other": -1.27,
    "Lead spade other": -1.60,
    "Trump duck other": -0.51,
    "Trump steal other": -1.14,
    "No follow other": -1.90,
    "Follow duck other": -1.86,
    "Follow steal other": 0.28,
    "Lead non-spade single": 1.18,
    "Lead spade single": 0.63,
    "Trump duck single": 0.10,
    "Trump steal single": 1.17,
    "No follow single": 0.88,
    "Follow duck single": 0.04,
    "Follow steal single": 1.03,
    "Steal lowest if last turn": 0.63,
    "Duck highest when needing tricks": -0.39,
    "Duck lowest when boss cards are in hand": -0.47,
    "Did not trump steal": -0.92,
    "No follow highest with potential boss": -0.49,
    "Steal unwanted tricks": -1.23,
    "No follow lowest when needing tricks": 1.22,
    "Lead with suit of smallest size": 0.66,
    "Follow duck highest for unwanted tricks": 2.21,
    "Follow duck highest with a small value card": 1.19,
}
"""Published weights (Devlin 2016, appendix), fitted to the players of AI Factory Spades."""


class LogLinearModel(HumanModel):
    """A weight a feature. ``weights_``: float64, in nats, in the order of ``FEATURES``, (42,).

    A model with nil features has their three weights after those, (45,). ``covariance_``: of a
    fitted model, how far its weights can be told.
    """

    kind = "log-linear"
    weights_: NDArray[np.float64]
    covariance_: NDArray[np.float64]

    def __init__(
        self, name: str = "log-linear", *, options: FitOptions | None = None, seed: int = 0
    ) -> None:
        self.name = name
        self.options = options
        self.seed = seed

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], name: str = "log-linear") -> LogLinearModel:
        """A model whose weights are known, by feature's name; features left out weigh 0.

        Raises ``SpadesError`` for a name that no feature has.
        """
        has_nil = any(feature in weights for feature in NIL_FEATURE_NAMES)
        features = FEATURES + NIL_FEATURE_NAMES if has_nil else FEATURES
        if unknown := set(weights) - set(features):
            raise SpadesError(
                f"{min(unknown)!r} is no feature of the model; those are "
                + ", ".join(FEATURES + NIL_FEATURE_NAMES)
            )
        model = cls(name)
        model.weights_ = np.array([weights.get(feature, 0.0) for feature in features])
        return model

    def prior(self) -> Prior:
        return log_linear_prior(self.weights_)

    def fit(
        self,
        examples: Examples,
        *,
        tell: Tell = ignore,
        is_cancelled: Callable[[], bool] = never,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn the weights as published: ``weights_``, ``covariance_`` (of the weights, nats^2).

        Whole games are held out, 20 % to stop by and 20 % to test. Forced plays aren't used.
        """
        options = self.options or FitOptions()
        self.weights_, self.covariance_, self.facts_ = fit_log_linear(
            options,
            examples,
            seed=self.seed,
            tell=tell,
            is_cancelled=is_cancelled,
            checkpoint=checkpoint,
        )
        return self

    def config(self) -> dict[str, Any]:
        return {"features": list(_names(self.weights_.size))}

    def tensors(self) -> dict[str, NDArray]:
        return {"weights": self.weights_}

    @classmethod
    def read_options(cls, plain: Mapping[str, Any]) -> FitOptions:
        return FitOptions(**plain)

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        features = config.get("features")
        known = [list(_names(n)) for n in (N_FEATURES, N_FEATURES + N_NIL_FEATURES)]
        if not isinstance(features, list) or features not in known:
            raise ModelFileError("its features aren't those of the log-linear model")
        check_tensors(tensors, {"weights": (len(features),)}, most=MAX_WEIGHT)
        model = cls(name)
        model.weights_ = tensors["weights"].astype(np.float64)
        return model


def _names(n: int) -> tuple[str, ...]:
    return (FEATURES + NIL_FEATURE_NAMES)[:n]


def devlin2016() -> LogLinearModel:
    """The model with the published weights."""
    return LogLinearModel.from_weights(DEVLIN_2016_WEIGHTS, name="devlin2016")
