"""A network as a model of human play (Baier 2018): trained with PyTorch, asked without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS
from spades.core.errors import UnknownModelError
from spades.core.observation import Observation
from spades.human.features.examples import Examples
from spades.human.features.view import N_VIEW, view_of
from spades.human.files import ModelFileError
from spades.human.model import HumanModel, Tell, check_tensors, ignore, never
from spades.human.networks.config import (
    NetworkConfig,
    TrainingOptions,
    parse_architecture,
    tensor_shapes,
)
from spades.human.networks.forward import predict_views
from spades.human.networks.packing import cut_tensors, packed, rounded

MAX_WEIGHT = 100.0
"""Size of a network's weights and biases, at most; those of trained ones stay below 20.

No sum of a float32 pass (below 3.4e38) can overflow: with the largest shapes that are legal, sums
grow at most 5-fold by the convolution, 609-fold by the first layer, 1025-fold by each of five more
layers and the output, and by the size of the weights in each of these eight: to 3.6e37.
"""


class NetworkModel(HumanModel):
    """``numbers_``: float32 that bfloat16 can hold, the tensors of the architecture in a row.

    The legal cards are no input and aren't masked in training; asked, the network's probabilities
    are those of the legal cards among themselves.
    """

    kind = "network"
    numbers_: NDArray[np.float32]

    def __init__(
        self,
        architecture: str = "t-200-150-100",
        *,
        name: str = "network",
        options: TrainingOptions | None = None,
        seed: int = 0,
    ) -> None:
        self.architecture = architecture
        self.name = name
        self.options = options
        self.seed = seed

    @property
    def shape(self) -> NetworkConfig:
        """What the architecture's name says."""
        return parse_architecture(self.architecture)

    def fit(
        self,
        examples: Examples,
        *,
        tell: Tell = ignore,
        is_cancelled: Callable[[], bool] = never,
        checkpoint: Path | None = None,
    ) -> Self:
        """Train on examples; a share of the games is held out for early stopping."""
        from spades.human.training import train_network

        options = self.options or TrainingOptions()
        tensors, self.facts_ = train_network(
            self.shape,
            options,
            examples,
            seed=self.seed,
            tell=tell,
            is_cancelled=is_cancelled,
            checkpoint=checkpoint,
        )
        self.numbers_ = flat_numbers(self.shape, tensors)
        return self

    def predict_proba(self, observations: Sequence[Observation]) -> NDArray[np.float64]:
        views = np.array([view_of(observation) for observation in observations], dtype=np.int64)
        probabilities = np.zeros((len(views), N_CARDS))
        arrays = packed(self.shape, self.numbers_)
        predict_views(*arrays, views.reshape(-1, N_VIEW), probabilities)
        return probabilities

    def config(self) -> dict[str, Any]:
        return {"architecture": self.architecture}

    def tensors(self) -> dict[str, NDArray]:
        return cut_tensors(self.shape, self.numbers_)

    @classmethod
    def read_options(cls, plain: Mapping[str, Any]) -> TrainingOptions:
        return TrainingOptions(**plain)

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        try:
            model = cls(str(config.get("architecture")), name=name)
            shapes = tensor_shapes(model.shape)
        except UnknownModelError as error:
            raise ModelFileError(str(error)) from None
        check_tensors(tensors, shapes, most=MAX_WEIGHT)
        model.numbers_ = flat_numbers(model.shape, tensors)
        return model


def flat_numbers(config: NetworkConfig, tensors: Mapping[str, NDArray]) -> NDArray[np.float32]:
    """The tensors of an architecture one after another, rounded to bfloat16."""
    parts = [np.asarray(tensors[name], np.float32).ravel() for name in tensor_shapes(config)]
    return rounded(np.concatenate(parts))
