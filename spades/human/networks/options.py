"""How a network is trained: plain values, stored with the model."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from spades.core.errors import SpadesError


@dataclass(frozen=True)
class TrainingOptions:
    """Muon and AdamW, with a learning rate that falls along a half cosine over ``epochs``.

    ``validation``: share of the games held out; after ``patience`` epochs without a lower loss on
    them the training ends, and the best epoch's weights are kept. ``sparsity``: what a unit at
    work costs, nats (``spades.human.training.modules.crowding``): it makes most units 0, and
    the compiled forward pass skips those; units that are hardly ever at work are then switched off.
    ``permute_suits``: rename the side suits at random in every example (standard deck only; ``h-``
    networks share weights instead).
    """

    epochs: int = 4
    batch: int = 1024
    learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    validation: float = 0.1
    patience: int = 3
    sparsity: float = 0.0
    permute_suits: bool = False

    def __post_init__(self) -> None:
        is_sound = (
            1 <= self.epochs <= 10_000
            and 1 <= self.batch <= 1 << 20
            and 0 < self.learning_rate <= 1
            and 0 <= self.weight_decay <= 1
            and 0 < self.validation < 1
            and self.patience >= 1
            and 0 <= self.sparsity <= 1
        )
        if not is_sound:
            raise SpadesError(f"{self} can't train a network; at least one epoch and one example")

    def plain(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
